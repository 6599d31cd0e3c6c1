"""Operations that some ranks never called, or that all called and that do not end."""

from typing import TYPE_CHECKING

import numpy as np

from kb.checks.contract import Knobs, Outcome, StepsSource, Unknown
from kb.checks.step_check import Wanted, lacking, outcome
from kb.steps.hangs import hangs

if TYPE_CHECKING:
    from kb.steps.job import Job


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    return outcome(steps, Wanted(("comm_hang", "non_comm_hang"), need, peers=False))


def need(job: "Job") -> Unknown | int:
    table = job.sequences
    if table is None:
        return lacking(
            job, "no operation sequences.", "연산 순서 기록이 없습니다.",
            "Give flight-recorder dumps, an NCCL log or sequence records.",
            "플라이트 레코더 덤프, NCCL 로그, 연산 순서 기록 중 하나를 주십시오.",
        )  # fmt: skip
    if not job.standing and not np.isfinite(table.enter).any():
        return lacking(
            job, "the calls have no times, so a wait cannot be told from a call ahead.",
            "호출에 시각이 없어 기다리는 것인지 앞서 호출한 것인지 알 수 없습니다.",
            "If the job stands still, say so with --standing.", "작업이 멈춰 있다면 --standing으로 알려 주십시오.",
        )  # fmt: skip
    ranks = len(np.unique(table.rank))
    if ranks < 2:
        return lacking(
            job, "the calls of one rank, and a hang shows only against others.",
            "랭크 하나의 호출뿐입니다. 멈춤은 다른 랭크와 견주어야 드러납니다.",
            "Give the records of all ranks.", "모든 랭크의 기록을 주십시오.",
        )  # fmt: skip
    if not job.standing and hangs(table, standing=True):
        return lacking(
            job, "calls are open where the records end; whether they still end cannot be told.",
            "기록이 끝나는 곳에 끝나지 않은 호출이 있습니다. 멈춘 것인지 진행 중인지는 알 수 없습니다.",
            "If the job stands still, say so with --standing; else give later records.",
            "작업이 멈춰 있다면 --standing으로 알려 주고, 아니라면 그 뒤의 기록을 주십시오.",
        )  # fmt: skip
    return ranks
