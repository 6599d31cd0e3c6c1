"""The embedding model's tokenizer over plain arrays: nothing to build at a start, and no word is cut twice.

The ids are those of the package's own tokenizer, whose tables `tables_of` turns into arrays: text is normalised by
the longest key that fits (a double-array trie over bytes), cut at blanks, and each word is cut into the pieces whose
scores sum up highest. Words can be cut one by one because no piece holds the mark of a blank but at its beginning,
and because the scores are coarse enough for their sums to be exact, whatever came before.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: The arrays of a tokenizer.
TABLES = ("edges", "targets", "scores", "units", "replacements")
#: Stands for a blank before each word.
MARK = "\u2581"
UNKNOWN, BEGIN, END = 0, 1, 2
#: What an unknown character costs below the worst piece.
UNKNOWN_COSTS = 10.0
#: Words whose pieces are kept; some 5 MB.
KEPT_WORDS = 32_768

#: Edges of the trie of pieces lie in a hash table with open addressing, half full.
_HASH, _BITS = 0x9E3779B97F4A7C15, 19
_SHIFT, _ALL, _LAST = 64 - _BITS, (1 << 64) - 1, (1 << _BITS) - 1
#: A character takes 21 bits of the key of an edge, the piece that ends with it 20 bits of its target.
_CHARACTER, _PIECE = 21, 20
#: Scores are whole multiples of this, so that sums of many are exact.
_COARSE = 2.0**-30

#: Texts that tell two tokenizers apart: compositions, wide forms, blanks of all kinds, marks, what no piece knows.
AWKWARD = (
    "", " ", "\t\n", "a", "  two  blanks ", "tab\tand\nline\r\n", "non\u00a0breaking \u3000wide", f"{MARK}",
    f"a{MARK} b", f"{MARK}{MARK}x {MARK}", "e\u0301 é Å A\u030a", "ﬁne ﬀ ½ ² Ⅷ ㎏ ㍿", "ＦＵＬＬ　width ｶﾞ",
    "각 \u1100\u1161\u11a8 한글 파드가 안 떠요",
    "¨ ´x \u0385", "zero\u200bwidth \ufeffbom \u00ad", "\x00 \x07 \x7f", "😀 👩‍👩‍👧 🇰🇷", "𝒳 \U00020000 \U0010ffff",
    "kubectl get pods -A | grep 0/1", "CrashLoopBackOff: exit code 137", "노드가 NotReady 상태입니다", "Straße ǅ İ ı",
    "x" * 300, "가" * 200, "العربية ﷺ ﷲ", "日本語のログ 中文日志", "https://example.org/a?b=c&d=%20", "…—“”‘’•",
)  # fmt: skip


def tables_of(tokenizer: Any) -> dict[str, Array]:
    """The tables of the package's tokenizer as arrays.

    Raises:
        ValueError, AttributeError: it is not of the kind that this module understands.
    """
    pieces: Sequence[str] = tokenizer._pieces
    scores = np.array(tokenizer._scores, dtype=np.float32)
    if any(MARK in piece[1:] for piece in pieces):
        raise ValueError("a piece goes on into the next word")
    if not np.all(np.mod(scores.astype(np.float64), _COARSE) == 0):
        raise ValueError("the scores are too fine for exact sums")
    edges, targets = _edges(tokenizer._prefixes)
    normalizer = tokenizer._normalizer
    units = np.array(normalizer._units, dtype=np.uint32)
    replacements = np.frombuffer(normalizer._normalized, dtype=np.uint8)
    tables: dict[str, Array] = dict(zip(TABLES, (edges, targets, scores, units, replacements), strict=True))
    made = WordPieces(tables)
    for text in AWKWARD:
        if made.encode(text) != tokenizer.encode(text):
            raise ValueError(f"other pieces for {text!a}")
    return tables


def _edges(prefixes: Mapping[str, int]) -> tuple[Array, Array]:
    """A hash table of edges and where each leads.

    prefixes: every beginning of a piece → its id plus one, 0 where it is no piece itself.
    """
    numbers = {prefix: number for number, prefix in enumerate(prefixes, start=1)}
    if len(numbers) > _LAST * 3 // 4:
        raise ValueError("there are more pieces than room")
    numbers[""] = 0
    edges, targets = [0] * (_LAST + 1), [0] * (_LAST + 1)
    for prefix, piece in prefixes.items():
        key = (numbers[prefix[:-1]] << _CHARACTER) + ord(prefix[-1]) + 1
        slot = (key * _HASH & _ALL) >> _SHIFT
        while edges[slot]:
            slot = (slot + 1) & _LAST
        edges[slot] = key
        targets[slot] = (numbers[prefix] << _PIECE) + piece
    return np.array(edges, dtype=np.uint64), np.array(targets, dtype=np.uint64)


class WordPieces:
    """Text → ids of pieces; safe for concurrent callers."""

    def __init__(self, tables: Mapping[str, Array]) -> None:
        # Views: an item of a memoryview is a plain number, five times as fast as one of an array.
        self._edges = tables["edges"].data
        self._targets = tables["targets"].data
        self._scores = tables["scores"].data
        self._units = tables["units"].data
        self._replacements = tables["replacements"].tobytes()
        self._unknown = float(tables["scores"].min()) - UNKNOWN_COSTS
        self._known = lru_cache(maxsize=KEPT_WORDS)(self._pieces_of)

    def encode(self, text: str, **_: object) -> list[int]:
        """Between the ids of begin and end. Further arguments are the package's, whose values are always the same."""
        if MARK in text:  # what the text itself says looks like a blank here, so that words do not stand apart
            whole = MARK.join(["", *self._words(text)]).rstrip(MARK)
            ids = list(self._cut(whole)) if whole else []
        else:
            ids = [piece for part in text.split(" ") if part for piece in self._known(part)]
        return [BEGIN, *(ids or (UNKNOWN,)), END]

    def _pieces_of(self, part: str) -> tuple[int, ...]:
        """Of a stretch of text without the plain blank, which may still hold others."""
        if part.isascii() and part.isprintable():
            return self._cut(MARK + part)  # each of these characters stands for itself
        return tuple(piece for word in self._words(part) for piece in self._cut(MARK + word))

    def _words(self, text: str) -> list[str]:
        """The text normalised and cut at its blanks."""
        raw, units, replacements = text.encode(), self._units, self._replacements
        out: list[bytes] = []
        place = 0
        while place < len(raw):
            node, at, found, until = _step(units[0]), place, -1, place
            while at < len(raw):
                node ^= raw[at]
                unit = units[node]
                if unit & 0x800000FF != raw[at]:
                    break
                node ^= _step(unit)
                at += 1
                if unit & 0x100:
                    found, until = units[node] & 0x7FFFFFFF, at
            if found >= 0:
                out.append(replacements[found : replacements.index(0, found)])
            else:
                until = place + _width(raw[place])
                out.append(raw[place:until])
            place = until
        return [word for word in b"".join(out).decode().split(" ") if word]

    def _cut(self, word: str) -> tuple[int, ...]:
        """The best way to cut a word: for each place the best piece to end there, the longest where two are equal."""
        edges, targets, scores = self._edges, self._targets, self._scores
        characters = [ord(character) + 1 for character in word]
        size = len(characters)
        best = [0.0] + [-1e38] * size
        came, piece_at = [0] * (size + 1), [UNKNOWN] * (size + 1)
        for start in range(size):
            base, node, single = best[start], 0, False
            for end in range(start + 1, size + 1):
                key = (node << _CHARACTER) + characters[end - 1]
                slot = (key * _HASH & _ALL) >> _SHIFT
                while (edge := edges[slot]) != key and edge:
                    slot = (slot + 1) & _LAST
                if not edge:
                    break
                node, piece = targets[slot] >> _PIECE, targets[slot] & ((1 << _PIECE) - 1)
                if piece:
                    single = single or end == start + 1
                    if (score := base + scores[piece - 1]) > best[end]:
                        best[end], came[end], piece_at[end] = score, start, piece - 1
            if not single and (score := base + self._unknown) > best[start + 1]:
                best[start + 1], came[start + 1], piece_at[start + 1] = score, start, UNKNOWN
        out: list[int] = []
        end = size
        while end > 0:
            out.append(piece_at[end])
            end = came[end]
        return tuple(reversed(out))


def _step(unit: int) -> int:
    """From a unit of the double array to its children."""
    return (unit >> 10) << ((unit & 0x200) >> 6)


def _width(first: int) -> int:
    """Bytes of a character in UTF-8."""
    return 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
