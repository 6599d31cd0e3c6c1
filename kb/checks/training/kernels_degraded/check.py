"""Kernels whose durations are distributed otherwise on some ranks (ARGUS level 3)."""

from kb.checks.contract import Knobs, Outcome, StepsSource
from kb.checks.step_check import Wanted, outcome
from kb.checks.step_needs import ranks_with_kernels

WANTED = Wanted(
    kinds=("comm_group_slow", "compute_straggler"),
    need=ranks_with_kernels,
    level="L3",
    unit="",
    threshold="beyond Q3 + 1.5 IQR of the mean Wasserstein-1 distances, and 1.3 of the usual p50",
)


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    return outcome(steps, WANTED)
