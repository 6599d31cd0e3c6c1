"""C4D's delay matrix: connections, senders, receivers and nodes that stay slow."""

from typing import TYPE_CHECKING

import numpy as np

from kb.checks.contract import Knobs, Outcome, StepsSource, Unknown
from kb.checks.step_check import Wanted, lacking, outcome
from kb.steps.c4d import matrix_of

if TYPE_CHECKING:
    from kb.steps.job import Job

KINDS = ("comm_straggler_edge", "comm_straggler_tx", "comm_straggler_rx", "comm_straggler_node", "comm_group_slow")
#: Windows that must agree before anything is said.
WINDOWS = 3


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    return outcome(steps, Wanted(KINDS, need, level="delay-matrix", nameless=True, threshold="> 1.5", peers=False))


def need(job: "Job") -> Unknown | int:
    table = job.edges
    if table is None:
        return lacking(
            job, "no transfers between ranks.", "랭크 사이의 전송 기록이 없습니다.",
            "Record transfers with src, dst, bytes, duration and wait.",
            "src, dst, bytes, duration, wait를 담은 전송 기록을 남기십시오.",
        )  # fmt: skip
    if len(matrix_of(table).windows) < WINDOWS:
        return lacking(
            job, f"transfers with a time of fewer than {WINDOWS} steps.",
            f"시간이 있는 전송 기록이 {WINDOWS}스텝보다 적습니다.",
            "Record more steps.", "더 많은 스텝을 기록하십시오.",
        )  # fmt: skip
    return len(np.unique(np.stack([table.src, table.dst]), axis=1).T)
