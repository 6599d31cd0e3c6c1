"""The flat postings, computed a second time term by term."""

from math import isclose, log
from pathlib import Path
from zipfile import BadZipFile

import pytest

from kb.postings import K1, NOTHING, B, FieldWeight, Table, table
from kb.weighing import add_up, choose

FIELDS = {"title": FieldWeight(2.0, 1.0), "labels": FieldWeight(1.5, 0.9, own=False), "body": FieldWeight(1.0, 0.5)}
DOCUMENTS = (
    {"title": ["gpu", "lost"], "labels": ["gpu"], "body": ["the", "gpu", "gpu", "fell", "off"]},
    {"title": ["pod"], "labels": ["gpu", "memory"], "body": []},
    {"title": ["node"], "body": ["fell", "over", "over"]},
)


@pytest.fixture(scope="module")
def made() -> Table:
    return table(DOCUMENTS, FIELDS)


def bm25(term: str, document: int) -> float:
    total = 0.0
    for name, weight in FIELDS.items():
        texts = [each.get(name, []) for each in DOCUMENTS]
        holders, often = sum(term in text for text in texts), texts[document].count(term)
        if often:
            length = 1 - B + B * len(texts[document]) / (sum(map(len, texts)) / len(texts))
            total += weight.boost * (log(3 / (holders + 1)) + 1) * often * (K1 + 1) / (often + K1 * length)
    return total


@pytest.mark.parametrize("term", ["gpu", "fell", "over", "memory", "pod"])
def test_a_term_is_added_up_over_its_fields(made: Table, term: str) -> None:
    found = made.of(term)
    holders = [n for n, document in enumerate(DOCUMENTS) if any(term in text for text in document.values())]
    assert found.documents.tolist() == holders
    assert all(isclose(value, bm25(term, n)) for n, value in zip(holders, found.bm25.tolist(), strict=True))


def test_a_label_is_told_apart_and_says_less(made: Table) -> None:
    found = made.of("gpu")
    assert (found.own.tolist(), found.telling.tolist()) == ([True, False], [1.0, 0.9])


def test_rarity_goes_by_the_field_that_most_documents_hold_it_in(made: Table) -> None:
    assert made.of("gpu").rarity == log(1 + 3 / 2)
    assert made.of("pod").rarity == log(1 + 3)


def test_a_term_that_nobody_holds_says_nothing(made: Table) -> None:
    assert made.of("zebra") is NOTHING
    assert NOTHING.rarity == 0


def test_what_is_kept_says_the_same(made: Table, tmp_path: Path) -> None:
    made.save(tmp_path / "postings.npz")
    kept = Table.load(tmp_path / "postings.npz")
    for term in ("gpu", "fell", "zebra"):
        for name in ("rarity", "documents", "telling", "bm25", "own"):
            one, other = getattr(made.of(term), name), getattr(kept.of(term), name)
            assert (one == other).all() if hasattr(one, "all") else one == other


@pytest.mark.parametrize("holds", [b"", b"cut", b"PK\x05\x06" + bytes(18)])
def test_a_damaged_file_is_told(tmp_path: Path, holds: bytes) -> None:
    (tmp_path / "postings.npz").write_bytes(holds)
    with pytest.raises((OSError, ValueError, KeyError, EOFError, BadZipFile)):
        Table.load(tmp_path / "postings.npz")


def test_no_documents_make_an_empty_table(tmp_path: Path) -> None:
    table([], FIELDS).save(tmp_path / "postings.npz")
    assert Table.load(tmp_path / "postings.npz").of("gpu") is NOTHING


def test_of_all_that_may_stand_for_a_term_the_best_counts_and_the_first_is_named(made: Table) -> None:
    choice = choose("gpu", [("gpu", 1.0, made.of("gpu")), ("memory", 0.8, made.of("memory"))])
    assert choice.documents.tolist() == [0, 1]
    assert choice.rarity == made.of("gpu").rarity
    assert choice.bm25[1] == max(made.of("gpu").bm25[1], 0.8 * made.of("memory").bm25[0])
    assert [choice.stands[place] for place in choice.first] == ["gpu", "gpu"]


def test_documents_are_added_up_over_the_terms_and_reasons_are_read_back(made: Table) -> None:
    choices = [
        choose("fell", [("fell", 1.0, made.of("fell"))]),
        choose("gpu", [("gpu", 1.0, made.of("gpu"))]),
        choose("slept", [("over", 0.8, made.of("over"))]),
    ]
    weighed = add_up(choices, ["zebra"], 3)
    expected = [bm25("fell", 0) + bm25("gpu", 0), bm25("gpu", 1), bm25("fell", 2) + 0.8 * bm25("over", 2)]
    assert all(isclose(one, other) for one, other in zip(weighed.bm25.tolist(), expected, strict=True))
    assert isclose(weighed.whole, sum(choice.rarity for choice in choices) + log(1 + 3))
    assert weighed.reasons(0).said == ("fell", "gpu")
    assert weighed.reasons(1).labelled == ("gpu",)
    assert (weighed.reasons(2).said, weighed.reasons(2).instead) == (("fell",), (("slept", "over"),))
