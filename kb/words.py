"""Text to tokens, for English, Korean and the jargon between them. Pure; knows no index.

- Technical tokens stay whole (`CrashLoopBackOff`, `ncclSystemError`, `5xx`, `kube-proxy`) and are also cut at
  their joints, so that `kube proxy` and `crash loop` find them.
- A Korean word loses its particle (`파드가` → `파드`) and is indexed whole and by pairs of syllables, so that a
  compound is found by its parts and an unknown word by itself. One that spells out Latin letters is these
  (`지피유` → `gpu`).
- Input is normalised (NFKC), so decomposed Hangul and full-width letters are what they look like.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

_WORD = re.compile(r"[A-Za-z0-9_]+(?:[.\-/:+][A-Za-z0-9_]+)*|[가-힣]+|[㐀-鿿぀-ヿ]+")
#: `xid79` and `exit137` are two words that somebody wrote as one; `gb200` and `h100` are not.
_JOINT = re.compile(
    r"[.\-/:+_]|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
    r"|(?:(?<=[Xx]id)|(?<=XID)|(?<=[Ee]xit))(?=\d)"
)
#: Terminal colours, also where the escape character was lost or written out on the way; never `[5m]` of a query.
_ANSI = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]"
    r"|(?:\\x1b|\\u001b|\\033|\\e|\^\[)?\[(?:\d{1,3};){0,4}\d{1,3}m(?![\]:])",
    re.IGNORECASE,
)
#: Signs without width or meaning, which a copy out of a chat or a page leaves inside words.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
#: `GPUs`, `PVCs`: one word, whatever its capitals say.
_PLURAL = re.compile("[A-Z]{2,}s")
PARTICLES = frozenset(
    (
        "이 가 은 는 을 를 에 의 도 만 로 와 과 랑 나 야 끼리 에서 에게 한테 으로 부터 까지 처럼 보다 마다 조차 밖에 이나 이랑 이라 라고 이라고 "
        "에는 에도 에만 에서는 에서도 으로는 으로도 로는 로도 와는 과는 까지는 부터는 에서만 이고 이며 인데 이다 입니다 예요 이에요 "
        "하고 하는 하다 했다 한다 해서 하면 하니 하지 합니다 했는데 하는데 했습니다 되고 되는 되다 됐다 된다 돼서 되면 됩니다 됐는데 되는데 "
        "들 들이 들은 들을 들도 들의"
    ).split()
)
_LONGEST = max(map(len, PARTICLES))
_PLACE_PARTICLES = frozenset("에서 에서는 에서도 으로 까지 부터 까지는 부터는".split())
STOP = frozenset(
    "a an and are as at be been but by can could did do does for from had has have how i in into is it its just me my no not of "
    "on or our out so some that the their them then there these they this to up was we were what when where which while who why "
    "will with would you your after all any because before being get gets got keeps keep only still than too very suddenly "
    # A letter that stands alone names nothing here.
    "b c d e f g h j k l m n o p q r s t u v w x y z "
    # What a denial or a duty says without its sign, and that something does or does not do its work.
    "cant dont wont isnt arent wasnt werent doesnt didnt couldnt wouldnt shouldnt hasnt havent hadnt ive "
    "work works worked working "
    # Particles that stand alone.
    "은 는 가 을 를 에 의 도 로 와 과 "
    # Pairs of syllables that are endings, not words.
    "에서 에는 으로 까지 부터 는데 했는 었는 았는 렸는 됐는 하는 되는 니다 습니 합니 됩니 어요 아요 해요 세요 하고 되고 하면 면서 지만 었다 았다 했다 "
    "초 분 시 일 주 월 년 개 번 명 대 건 장 배 "
    "그 이 저 것 거 수 등 때 및 안 못 더 좀 잘 왜 다 또 그냥 계속 자꾸 갑자기 있다 없다 있는데 없는데 같다 같은데".split()
)


#: Letters from which on a word in capitals is no abbreviation.
SHOUTED = 5
#: Syllables of a Korean word that are indexed together, and those that end a sentence: the last pair of `사라졌다` is an
#: ending, which it shares with any other verb.
PAIR, ENDINGS = 2, frozenset("다요네죠까")
#: What Latin letters are called in Korean. Words of fewer syllables than SPELLED_OUT are others by chance (`유지`).
LETTERS = dict(
    pair.split("=")
    for pair in (
        "에이치=h 에이=a 비=b 씨=c 시=c 디=d 이=e 에프=f 지=g 쥐=g 아이=i 제이=j 케이=k 엘=l 엠=m 엔=n 오=o 피=p 큐=q 알=r "
        "에스=s 티=t 유=u 브이=v 더블유=w 엑스=x 와이=y 제트=z"
    ).split()
)
SPELLED_OUT = 3
_LETTER = re.compile("|".join(LETTERS))
_LETTERS = re.compile(f"(?:{_LETTER.pattern})+")
#: Vowels that are written apart or as one: `멈추었다` is `멈췄다`, `되어` is `돼`, `하였다` is `했다`; as letters of syllables.
_AS_ONE = {
    "\u1112\u1161\u110b\u1167": "\u1112\u1162",
    "\u116e\u110b\u1165": "\u116f",
    "\u1169\u110b\u1161": "\u116a",
    "\u1175\u110b\u1165": "\u1167",
    "\u116c\u110b\u1165": "\u116b",
}
_APART = re.compile("|".join(_AS_ONE))
_MAY_BE_APART = re.compile(".[어었아았여였]")


class TokenKind(StrEnum):
    word = "word"
    technical = "technical"
    korean = "korean"
    pair = "pair"


@dataclass(frozen=True)
class Token:
    """`text[start:end]` of the normalised text, in the form in which it is indexed."""

    text: str
    kind: TokenKind
    start: int
    end: int


def normalise(text: str) -> str:
    """NFKC, without terminal colour codes and what is left of them, and without signs that nobody sees."""
    return unicodedata.normalize("NFKC", _UNSEEN.sub("", _ANSI.sub("", text)))


def aloud(text: str) -> str:
    """Normalised text in plain letters where somebody shouts: a model of meaning knows words in capitals badly."""
    shouted = text.isupper() and text.isascii() and any(len(word) >= SHOUTED for word in re.findall("[A-Z]+", text))
    return text.lower() if shouted else text


def split(text: str) -> Iterator[tuple[str, int]]:
    """The words of already normalised text, uncut, and where each begins; `tokens(word)` cuts one."""
    return ((match.group(), match.start()) for match in _WORD.finditer(text))


def tokens(text: str) -> list[Token]:
    """Tokens of already normalised text, in order; parts follow the whole they belong to."""
    found: list[Token] = []
    for word, start in split(text):
        end = start + len(word)
        if "가" <= word[0] <= "힣":
            found.extend(_korean(word, start, end))
        elif word.isascii():
            found.extend(_latin(word, start, end))
        else:
            found.append(Token(word, TokenKind.technical, start, end))
    return found


def _latin(word: str, start: int, end: int) -> list[Token]:
    low = word.lower()
    parts = [word] if _PLURAL.fullmatch(word) else [part for part in _JOINT.split(word) if part]
    if len(parts) == 1:
        return [_token(low, start, end)]
    out = [_token(low, start, end)]
    place = 0
    for part in parts:
        at = word.index(part, place)
        place = at + len(part)
        out.append(_token(part.lower(), start + at, start + place))
    return out


def _token(low: str, start: int, end: int) -> Token:
    """Whatever its capitals were: who types `dns` means `DNS`, and `oomkilled` is `OOMKilled`."""
    return Token(low, TokenKind.word if low.isalpha() else TokenKind.technical, start, end)


def bare(word: str) -> str:
    """A Korean word without its particle; two syllables stay, or one before a particle of two (`초에서`)."""
    # Longest first, so that `에서는` goes before `는`.
    for rest in range(max(1, len(word) - _LONGEST), len(word)):
        particle = word[rest:]
        if particle in PARTICLES and (rest >= 2 or particle in _PLACE_PARTICLES):
            return word[:rest]
    return word


def contracted(word: str) -> str:
    """A Korean word with its vowels as they are mostly written."""
    if not _MAY_BE_APART.search(word):
        return word
    letters = _APART.sub(lambda found: _AS_ONE[found.group()], unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", letters)


def _korean(word: str, start: int, end: int) -> list[Token]:
    stem = bare(word)
    # The last letter may be called like a particle: `에이피아이`.
    spelled = next((said for said in (word, stem) if len(said) >= SPELLED_OUT and _LETTERS.fullmatch(said)), "")
    if spelled:
        return [Token("".join(LETTERS[name] for name in _LETTER.findall(spelled)), TokenKind.technical, start, end)]
    out = [Token(contracted(stem), TokenKind.korean, start, end)]
    if len(stem) > PAIR:
        starts = range(len(stem) - PAIR + 1)
        pairs = (Token(stem[i : i + PAIR], TokenKind.pair, start + i, start + i + PAIR) for i in starts)
        out.extend(pair for pair in pairs if pair.end - start < len(stem) or stem[-1] not in ENDINGS)
    return out
