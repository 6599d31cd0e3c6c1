"""Folds phase records into a grid in one pass and bounded memory: any order, any number of chunks."""

import numpy as np
from numpy.typing import NDArray

from kb.model import Text
from kb.steps.grid import Grid
from kb.steps.index import Positions
from kb.steps.phases import Role, kinds_of, role_of
from kb.steps.planes import Number, Places, Spans, Weights, enlarged, ordered
from kb.steps.records import Bools, Ints, Kind, PhaseTable, Remark, RemarkKind, merged

#: Cells kept at most; six bytes each. Above it, neighbouring steps are joined.
MAX_CELLS = 96_000_000

CONTRADICTORY = Text(
    en="Ranks are stated at two places. If the file holds two jobs or a restart with another layout, give each a "
    "`job` (or `attempt`) of its own.",
    ko="한 랭크의 좌표가 둘 이상입니다. 작업이 둘이거나 배치를 바꾼 재시작이면 `job`이나 `attempt` 값을 달리 주십시오.",
)


class GridBuilder:
    """Takes the records of one job."""

    def __init__(self, job: str = "", *, max_cells: int = MAX_CELLS) -> None:
        self.job = job
        self.max_cells = max_cells
        self.width = 1
        self._ranks, self._steps = Positions(), Positions()
        self._phases: dict[str, int] = {}
        self._kinds: dict[str, Kind] = {}
        self._total = np.zeros((0, 0, 0), np.float32)
        self._count = np.zeros((0, 0, 0), np.uint16)
        self._places, self._spans, self._weights = Places(), Spans(), Weights()
        self._remarks: list[Remark] = []

    def add(self, table: PhaseTable) -> None:
        """Fold a chunk in. Its `job` column is not looked at: it belongs to this job."""
        self._remarks = list(merged([*self._remarks, *table.remarks]))
        if not len(table):
            return
        self._kinds.update(table.kinds)
        met = np.bincount(table.phase.codes, minlength=len(table.phase.names)) > 0
        names = zip(table.phase.names, met, strict=True)
        codes = np.array([self._phases.setdefault(n, len(self._phases)) if seen else -1 for n, seen in names], np.int64)
        rank = self._ranks.of(table.rank)
        step = self._steps.of(table.step // self.width if self.width > 1 else table.step)
        while self._too_large():
            self._join()
            step = self._steps.of(table.step // self.width)
        self._grow()
        _, rows, columns = self._total.shape
        cell = step * columns + rank
        flat = codes[table.phase.codes] * (rows * columns) + cell
        np.add.at(self._total.reshape(-1), flat, table.duration.astype(np.float32))
        np.add.at(self._count.reshape(-1), flat, np.ones(len(flat), np.uint16))
        self._places.add(rank, table.axes, columns)
        if self.width == 1:
            self._spans.add(table, self._own_work()[codes[table.phase.codes]], cell, (rows, columns))
        self._weights.add(table.covariates, cell, (rows, columns))

    def grid(self) -> Grid:
        """The grid of everything taken in so far."""
        ranks, steps = self._ranks.numbers, self._steps.numbers
        by_rank, by_step = np.argsort(ranks), np.argsort(steps)
        phases = tuple(self._phases)
        spans = self._spans.planes(by_step, by_rank)
        return Grid(
            job=self.job,
            ranks=ranks[by_rank],
            steps=steps[by_step] * self.width,
            phases=phases,
            kinds=kinds_of(phases, self._kinds),
            total=ordered(self._total[: len(phases)], by_step, by_rank),
            count=ordered(self._count[: len(phases)], by_step, by_rank),
            axes=self._places.axes(by_rank),
            first=spans.get("first"),
            last=spans.get("last"),
            begin=spans.get("begin"),
            end=spans.get("end"),
            covariates=self._weights.means(by_step, by_rank),
            width=self.width,
            remarks=merged([*self._remarks, *self._own_remarks()]),
        )

    def _shape(self) -> tuple[int, int, int]:
        return len(self._phases), len(self._steps), len(self._ranks)

    def _too_large(self) -> bool:
        phases, steps, ranks = self._shape()
        return phases * steps * ranks > self.max_cells and steps > 1

    def _grow(self) -> None:
        needed, have = self._shape(), self._total.shape
        if all(n <= h for n, h in zip(needed, have, strict=True)):
            return
        # Ranks are known after a step or so; steps keep coming. A phase more is rare, and each costs a plane.
        roomy = (have[0] + 1, max(8, have[1] * 3 // 2), max(8, have[2] * 3 // 2))
        shape = tuple(h if n <= h else max(n, r) for n, h, r in zip(needed, have, roomy, strict=True))
        self._total, self._count = enlarged(self._total, shape, 0), enlarged(self._count, shape, 0)

    def _join(self) -> None:
        """Fold neighbouring steps together: half the rows, the same sums."""
        self.width *= 2
        old, self._steps = self._steps.numbers, Positions()
        rows = self._steps.of(old // 2)
        self._total = _joined(self._total, rows, len(self._steps))
        self._count = _joined(self._count, rows, len(self._steps))
        # Spans of joined steps would contain the time between them.
        self._spans = Spans()
        self._weights.join(rows, len(self._steps))

    def _own_work(self) -> Bools:
        """Which phases are forward or backward work of the rank itself."""
        names = tuple(self._phases)
        kinds = kinds_of(names, self._kinds)
        return np.array([k is Kind.compute and role_of(n) is not Role.other for n, k in zip(names, kinds, strict=True)])

    def _own_remarks(self) -> list[Remark]:
        remarks = []
        if self._places.contradicted:
            remarks.append(Remark(RemarkKind.contradictory, self._places.contradicted, CONTRADICTORY))
        if self.width > 1:
            text = Text(
                en=f"Steps were joined in windows of {self.width}: the file holds more than fits in memory.",
                ko=f"파일이 메모리보다 커서 스텝을 {self.width}개씩 묶었습니다.",
            )
            remarks.append(Remark(RemarkKind.joined_steps, len(self._steps), text))
        return remarks


def _joined(values: NDArray[Number], rows: Ints, height: int) -> NDArray[Number]:
    target = np.zeros((values.shape[0], height, values.shape[2]), values.dtype)
    for before, after in enumerate(rows[: values.shape[1]]):
        target[:, after] += values[:, before]
    return target
