"""Which cases are alike, whatever one asks."""

from pathlib import Path

import numpy as np
import pytest

from kb import case_file
from kb.library.likeness import TEXT, VALUES, Likeness
from tests.library_fixtures import DATA

#: Three certificates that ran out, two hung trainings, a lost node pool.
CASES = ("IL-0076", "IL-0132", "IL-0020", "IL-0094", "IL-0115", "IL-0154")


@pytest.fixture(scope="module")
def likeness() -> Likeness:
    return Likeness.of(case_file.read_incident(DATA / "incidents" / f"{case_id}.yaml") for case_id in CASES)


def test_cases_of_one_kind_are_more_alike_than_others(likeness: Likeness) -> None:
    certificate, hang = likeness.to(0), likeness.to(3)
    assert certificate[1] > certificate[[3, 4, 5]].max()
    assert int(np.argsort(-hang)[1]) == 4


def test_likeness_is_mutual_and_greatest_to_oneself(likeness: Likeness) -> None:
    table = np.stack([likeness.to(number) for number in range(len(CASES))])
    assert np.allclose(table, table.T)
    assert (table.argmax(axis=1) == np.arange(len(CASES))).all()
    assert table.max() <= TEXT + sum(VALUES.values()) + 1e-9


def test_no_cases_are_no_trouble() -> None:
    assert Likeness.of([])


def test_what_a_build_keeps_says_the_same(likeness: Likeness, tmp_path: Path) -> None:
    likeness.save(tmp_path / "likeness.npz")
    kept = Likeness.load(tmp_path / "likeness.npz")
    assert all((kept.to(number) == likeness.to(number)).all() for number in range(len(CASES)))


def test_likeness_is_the_product_of_the_vectors(likeness: Likeness) -> None:
    names = int(likeness._places.max()) + 1
    dense = np.zeros((len(CASES), names))
    for number, (places, values) in enumerate(zip(likeness._places, likeness._values, strict=True)):
        np.add.at(dense[number], places, values)
    assert np.allclose(likeness.to_each([4, 0, 4]), dense[[4, 0, 4]] @ dense.T)
    assert likeness.to_each([]).shape == (0, len(CASES))
