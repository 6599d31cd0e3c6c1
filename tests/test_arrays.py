"""Arrays kept in a folder."""

import mmap
from pathlib import Path

import numpy as np
import pytest

from kb import arrays


def kept(folder: Path) -> Path:
    values = {
        "one": np.arange(12, dtype=np.float32).reshape(3, 4),
        "several": [np.zeros((2, 2), dtype=np.uint8), np.ones(3)],
        "names": np.array(["a", "가나"]),
        "empty": np.zeros((0, 512), dtype=np.float32),
        "number": 0.5,
        "count": 7,
    }
    arrays.save(folder, values)
    return folder


def test_what_is_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    found = arrays.load(kept(tmp_path / "kept"))
    assert np.array_equal(found["one"], np.arange(12, dtype=np.float32).reshape(3, 4))
    assert [each.dtype.name for each in found["several"]] == ["uint8", "float64"]
    assert found["names"].tolist() == ["a", "가나"]
    assert found["empty"].shape == (0, 512)
    assert (found["number"], found["count"]) == (0.5, 7)
    assert isinstance(found["count"], int)


def test_arrays_are_mapped_and_cannot_be_written(tmp_path: Path) -> None:
    arrays.save(tmp_path / "kept", {"one": np.zeros((100, 2))})
    base = one = arrays.load(tmp_path / "kept")["one"]
    while isinstance(base, np.ndarray):
        base = base.base
    assert isinstance(base, mmap.mmap)
    with pytest.raises(ValueError, match="read-only"):
        one[0, 0] = 1


def test_what_is_kept_anew_takes_the_place_of_the_old(tmp_path: Path) -> None:
    kept(tmp_path / "kept")
    arrays.save(tmp_path / "kept", {"one": np.zeros(1)})
    assert list(arrays.load(tmp_path / "kept")) == ["one"]
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_what_is_no_array_is_refused_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="str"):
        arrays.save(tmp_path / "kept", {"one": np.zeros(1), "two": ["text"]})
    assert list(tmp_path.iterdir()) == []


def test_nothing_kept_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        arrays.load(tmp_path / "kept")


@pytest.mark.parametrize(("file", "text"), [("arrays.json", b"[]"), ("arrays.json", b"{"), ("1.npy", b"cut")])
def test_damage_is_told(tmp_path: Path, file: str, text: bytes) -> None:
    (kept(tmp_path / "kept") / file).write_bytes(text)
    with pytest.raises(ValueError):  # noqa: PT011 (whatever NumPy or JSON say of it)
        arrays.load(tmp_path / "kept")


def test_an_array_cut_short_is_told(tmp_path: Path) -> None:
    path = kept(tmp_path / "kept") / "1.npy"
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ValueError):  # noqa: PT011 (NumPy's words change)
        arrays.load(tmp_path / "kept")
