"""Groups whose collectives are slow by themselves, held against sibling groups of the stage."""

from kb.checks.contract import Knobs, Outcome, StepsSource
from kb.checks.step_check import Wanted, outcome
from kb.checks.step_needs import sibling_groups

WANTED = Wanted(
    kinds=("comm_group_slow",),
    need=sibling_groups,
    level="L2",
    unit="",
    threshold="≥ 1.5 of the sibling groups, 5 steps running",
)


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    return outcome(steps, WANTED)
