"""Several tables of one type as one, for records that come from many files: a dump a rank, a chunk a batch."""

from collections.abc import Sequence
from dataclasses import fields
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kb.steps.records import (
    Coded,
    DistributionTable,
    EdgeTable,
    EventTable,
    PhaseTable,
    Remark,
    SequenceTable,
    merged,
)

AnyTable = TypeVar("AnyTable", PhaseTable, EdgeTable, SequenceTable, DistributionTable, EventTable)


def joined(tables: Sequence[AnyTable]) -> AnyTable:
    """All rows, in the order of the tables. An axis or covariate that a table lacks is unknown for its rows.

    Raises:
        ValueError: no table.
    """
    if not tables:
        raise ValueError("nothing to join")
    first = tables[0]
    if len(tables) == 1:
        return first
    values: dict[str, object] = {}
    for item in fields(first):
        parts = [getattr(table, item.name) for table in tables]
        if isinstance(parts[0], Coded):
            values[item.name] = _coded(parts)
        elif isinstance(parts[0], np.ndarray):
            values[item.name] = np.concatenate(parts)
        elif item.name == "kinds":
            values[item.name] = {name: kind for part in parts for name, kind in part.items()}
        elif item.name == "remarks":
            remarks: list[Remark] = [remark for part in parts for remark in part]
            values[item.name] = merged(remarks)
        else:
            missing = -1 if item.name == "axes" else np.nan
            names = list(dict.fromkeys(name for part in parts for name in part))
            values[item.name] = {name: _filled(tables, parts, name, missing) for name in names}
    return type(first)(**values)  # type: ignore[arg-type]


def _coded(parts: Sequence[Coded]) -> Coded:
    names: dict[str, int] = {}
    codes = []
    for part in parts:
        # An empty column has no names to map to.
        place = np.array([names.setdefault(name, len(names)) for name in part.names] or [0], np.int64)
        codes.append(place[part.codes])
    return Coded(np.concatenate(codes), tuple(names))


def _filled(
    tables: Sequence[AnyTable], parts: Sequence[dict[str, NDArray[np.generic]]], name: str, missing: float
) -> NDArray[np.generic]:
    return np.concatenate(
        [
            part[name] if name in part else np.full(len(table), missing)
            for table, part in zip(tables, parts, strict=True)
        ]
    )
