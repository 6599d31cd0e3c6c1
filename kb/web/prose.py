"""From the plain text of a case to HTML: typography, escaping, and the two bits of markup a narrative has.

Backticks become `<code>`, a blank line starts a paragraph. Everything else is text and is escaped.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from markupsafe import Markup, escape

from kb.model import Lang
from kb.web.notes import ClaimNumbers

NBSP, WJ = "\u00a0", "\u2060"

_UNITS = (
    r"(?:ms|µs|us|ns|s|min|h|hours?|minutes?|seconds?|days?|weeks?|months?|years?|%|[KMGTP]i?B(?:/s)?|[kMG]bps|"
    r"[GT]bit/s|GPUs?|ranks?|nodes?|pods?|servers?|[kM]?W|°C|[kMG]Hz|초|분|시간|일|주|개월|개|대|장|명|건|배|번|회|밀리초)"
)
#: The first three change nothing where there is no figure, and most passages have none.
_DIGIT = re.compile(r"\d")
_FIGURE_UNIT = re.compile(rf"(?<=\d) (?={_UNITS}(?![A-Za-z]))")
_CODE_NUMBER = re.compile(r"\b(S?Xid) (?=\d)")
_RANGE = re.compile(r"(?<=\d)([–~])(?=\d)")
_COUNTER = re.compile(
    r"\b(한|두|세|네|다섯|여섯|일곱|여덟|아홉|열) (?=(?:배|장|개|번|대|명|곳|달|건|가지|차례|시간|주|쪽)(?!\w{2}))"
)
_DOT = re.compile(r"(?<=\w)([·‧])(?=\w)")
_PARTICLE = re.compile(r"([)%℃°])(?=[가-힣])")
_CODE = re.compile(r"`([^`\n]+)`")
_JOINTS = re.compile(r"(?<=[_/|.])(?=.)")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_SENTENCE_END = re.compile(r"[.!?](?=\s)")


@lru_cache(20_000)
def typo(text: str, lang: Lang) -> str:
    """Running text with the spaces and joints that must not break; never for code.

    Remembered, as are the two below: the same few thousand passages and names stand on every page.
    """
    if _DIGIT.search(text):
        text = _FIGURE_UNIT.sub(NBSP, text)
        text = _CODE_NUMBER.sub(rf"\1{NBSP}", text)
        text = _RANGE.sub(rf"{WJ}\1{WJ}", text)
    if lang is Lang.ko:
        text = _COUNTER.sub(rf"\1{NBSP}", text)
        text = _DOT.sub(rf"{WJ}\1{WJ}", text)
        text = _PARTICLE.sub(rf"\1{WJ}", text)
    return text


@lru_cache(4_000)
def breaks(name: str) -> Markup:
    """A long technical name that may break behind its joints."""
    return Markup("<wbr>").join(_JOINTS.split(name))


def inline(text: str, lang: Lang, claims: ClaimNumbers | None = None) -> Markup:
    """One passage without paragraphs."""
    return _inline(text, lang, claims.notes(text)) if claims else _bare(text, lang)


@lru_cache(10_000)
def _bare(text: str, lang: Lang) -> Markup:
    return _inline(text, lang, {})


def _inline(text: str, lang: Lang, notes: Mapping[int, tuple[int, ...]]) -> Markup:
    parts, at = [], 0
    for match in _CODE.finditer(text):
        parts += [_plain(text, at, match.start(), lang, notes), Markup("<code>"), escape(match[1]), Markup("</code>")]
        at = match.end()
    return Markup("").join([*parts, _plain(text, at, len(text), lang, notes)])


def prose(text: str, lang: Lang, claims: ClaimNumbers | None = None) -> Markup:
    """Paragraphs; with `claims`, figures carry the numbers of the claims that back them."""
    parts = (part.strip() for part in _PARAGRAPHS.split(text))
    return Markup("\n").join(Markup("<p>{}</p>").format(inline(part, lang, claims)) for part in parts if part)


@lru_cache(10_000)
def excerpt(text: str, lang: Lang, limit: int = 260) -> str:
    """The opening of a passage: whole sentences up to `limit` characters (Hangul counts almost double)."""
    room = limit if lang is Lang.en else int(limit * 0.62)
    text = " ".join(text.split())
    if len(text) <= room:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, room) if match.end() > room * 0.4]
    cut = text[: ends[-1]] if ends else text[: max(text.rfind(" ", 0, room), room // 2)].rstrip(" ,;:") + " …"
    return cut[: cut.rfind("`")].rstrip() + " …" if cut.count("`") % 2 else cut


def marked(text: str, spans: Iterable[tuple[int, int]], lang: Lang) -> Markup:
    """A passage with the parts that matched marked, in running text and in code; foreign ranges are dropped."""
    wanted, at = [], 0
    for start, end in sorted(spans):
        if at <= start < end <= len(text):
            wanted.append((start, end))
            at = end
    out, at = Markup(), 0
    for match in _CODE.finditer(text):
        out += _marked(text, at, match.start(), wanted, lang)
        out += Markup("<code>{}</code>").format(_marked(text, match.start(1), match.end(1), wanted, None))
        at = match.end()
    return out + _marked(text, at, len(text), wanted, lang)


def _marked(text: str, start: int, end: int, spans: list[tuple[int, int]], lang: Lang | None) -> Markup:
    """One stretch with its marks; `lang` is absent in code, whose spaces are left alone."""

    def said(a: int, b: int) -> Markup:
        return escape(typo(text[a:b], lang) if lang else text[a:b])

    out, at = Markup(), start
    for left, right in ((max(start, a), min(end, b)) for a, b in spans if a < end and b > start):
        out += said(at, left) + Markup("<mark>{}</mark>").format(said(left, right))
        at = right
    return out + said(at, end)


def _plain(text: str, start: int, end: int, lang: Lang, notes: Mapping[int, tuple[int, ...]]) -> Markup:
    """The stretch between two pieces of code, with the notes that stand in it."""
    if not notes:
        return escape(typo(text[start:end], lang))
    out, at = Markup(), start
    for place in sorted(place for place in notes if start < place <= end):
        out += escape(typo(text[at:place], lang))
        out += Markup("").join(Markup('<a class="c" href="#c{0}">{0}</a>').format(n) for n in notes[place])
        at = place
    return out + escape(typo(text[at:end], lang))
