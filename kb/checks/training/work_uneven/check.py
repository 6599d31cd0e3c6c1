"""Uneven work between ranks or pipeline stages: slow iterations and nobody to blame."""

from kb.checks.contract import Knobs, Outcome, StepsSource
from kb.checks.step_check import Wanted, outcome
from kb.checks.step_needs import compared_ranks

WANTED = Wanted(
    kinds=("workload_imbalance", "stage_imbalance"),
    need=compared_ranks,
    nameless=True,
    unit="",
    threshold="≥ 1.15 between ranks, ≥ 1.2 between stages",
)


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    return outcome(steps, WANTED)
