"""Parquet traces, by batches of rows: memory does not grow with the file. The one module that imports pyarrow."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kb.errors import MissingExtra, UnreadableFile
from kb.steps.columns import Column
from kb.steps.records import Coded

#: Rows at a time: large enough for NumPy to be worth it, small enough to stay in the caches' neighbourhood.
BATCH = 1 << 19


def require() -> None:
    """
    Raises:
        MissingExtra: pyarrow is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise MissingExtra(
            "Parquet needs a part that is not installed.", next_step="Run: pip install 'incident-library[steps]'"
        ) from error


def columns_of(path: Path) -> tuple[str, ...]:
    """Names of the columns.

    Raises:
        MissingExtra: pyarrow is not installed.
        UnreadableFile: no Parquet file.
    """
    return tuple(_open(path).schema_arrow.names)


def batches(path: Path, wanted: tuple[str, ...]) -> Iterator[dict[str, Column]]:
    """The wanted columns, `BATCH` rows at a time, as NumPy arrays; text as codes and names.

    Raises: as `columns_of`.
    """
    import pyarrow as pa

    file = _open(path)
    schema = file.schema_arrow
    text = [name for name in wanted if pa.types.is_string(schema.field(name).type)]
    # Text is decoded once a distinct value, not once a row.
    file = _open(path, text)
    try:
        for batch in file.iter_batches(BATCH, columns=list(wanted), use_threads=True):
            yield {name: _column(batch.column(name)) for name in wanted}
    except (OSError, pa.ArrowInvalid) as error:
        raise UnreadableFile(
            f"{path.name} cannot be read to its end: it is cut off or damaged.",
            next_step="Copy it again; a Parquet file is only whole once it has been closed.",
        ) from error


def _open(path: Path, text: list[str] | None = None):  # type: ignore[no-untyped-def]  # noqa: ANN202
    require()
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path, read_dictionary=text or None, memory_map=True)
    except (OSError, pa.ArrowInvalid) as error:
        raise UnreadableFile(
            f"{path.name} is no whole Parquet file.",
            next_step="Copy it again; a Parquet file is only whole once it has been closed.",
        ) from error


def _column(array) -> Column:  # type: ignore[no-untyped-def]  # noqa: ANN001
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        names = tuple(str(name) for name in array.dictionary.to_pylist())
        if array.null_count:
            codes = array.indices.fill_null(len(names)).to_numpy(zero_copy_only=False)
            return Coded(codes.astype(np.int64), (*names, ""))
        return Coded(array.indices.to_numpy(zero_copy_only=False).astype(np.int64), names)
    if pa.types.is_integer(array.type) and array.null_count:
        return np.asarray(array.cast(pa.float64()).to_numpy(zero_copy_only=False))
    return np.asarray(array.to_numpy(zero_copy_only=False))
