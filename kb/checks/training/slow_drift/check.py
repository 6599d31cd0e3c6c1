"""Iteration time that creeps up: a cumulative sum over log ratios to the baseline."""

from typing import TYPE_CHECKING

import numpy as np

from kb.checks.contract import Knobs, Outcome, StepsSource, Unknown
from kb.checks.step_check import Wanted, lacking, outcome

if TYPE_CHECKING:
    from kb.steps.job import Job

#: Twenty samples of baseline and twenty above it.
LEAST = 40


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    return outcome(steps, Wanted(("drift",), need, nameless=True, threshold=">= 1.05"))


def need(job: "Job") -> Unknown | int:
    known = int(np.isfinite(job.analysis.series.seconds).sum())
    if known < LEAST:
        return lacking(
            job, f"{known} steps with a time, and {LEAST} are needed.",
            f"시간이 있는 스텝이 {known}개뿐입니다. {LEAST}개가 필요합니다.",
            "Record the phase `iteration` of more steps.", "더 많은 스텝의 `iteration` 단계를 기록하십시오.",
        )  # fmt: skip
    return known
