"""Arrays kept in a folder and mapped into memory: there in a moment whatever their size, and shared by processes.

    <name>/1.npy …        one array a file, exactly as it stands in memory
    <name>/arrays.json    what each file holds, and the numbers

A folder appears whole under its name or not at all.
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
#: An array, several in order, or a number.
Value: TypeAlias = Array | list[Array] | int | float
LIST = "arrays.json"


def save(folder: Path, values: Mapping[str, Value]) -> None:
    """Put them under this name, in place of what is there.

    Raises:
        TypeError: a value is neither array nor number.
        OSError: the folder cannot be written.
    """
    spare = folder.with_name(f"{folder.name}.{os.getpid()}")
    try:
        spare.mkdir(parents=True)
        files: dict[str, Any] = {}
        for name, value in values.items():
            files[name] = _described(value, spare, sum(1 for _ in spare.iterdir()))
        (spare / LIST).write_text(json.dumps(files), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        spare.rename(folder)
    finally:
        shutil.rmtree(spare, ignore_errors=True)


def _described(value: Value, folder: Path, taken: int) -> Any:
    if isinstance(value, int | float):
        return value
    arrays = value if isinstance(value, list) else [value]
    names = [f"{number}.npy" for number in range(taken + 1, taken + 1 + len(arrays))]
    for name, array in zip(names, arrays, strict=True):
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{type(array).__name__} is no array")
        np.save(folder / name, array, allow_pickle=False)
    return names if isinstance(value, list) else names[0]


def load(folder: Path) -> dict[str, Value]:
    """What was kept, read-only.

    Raises:
        OSError: nothing is kept there.
        ValueError: it is damaged.
    """
    try:
        files: dict[str, Any] = json.loads((folder / LIST).read_text(encoding="utf-8"))
        return {name: _read(folder, file) for name, file in files.items()}
    except (TypeError, AttributeError, EOFError) as error:
        raise ValueError(f"{folder.name} is damaged: {error}") from error


def _read(folder: Path, file: Any) -> Value:
    if isinstance(file, list):
        return [_mapped(folder / name) for name in file]
    return file if isinstance(file, int | float) else _mapped(folder / file)


def _mapped(path: Path) -> Array:
    # Without the class of mapped arrays, whose every slice costs more than the slicing. An empty one cannot be mapped.
    return np.asarray(np.load(path, mmap_mode="r" if path.stat().st_size > EMPTY else None, allow_pickle=False))


#: Bytes of a file that may hold an array without elements.
EMPTY = 256
