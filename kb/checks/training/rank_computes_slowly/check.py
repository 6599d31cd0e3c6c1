"""Ranks whose computing takes longer than that of their peers, step after step (ARGUS level 2)."""

from kb.checks.contract import Knobs, Outcome, StepsSource
from kb.checks.step_check import Wanted, outcome
from kb.checks.step_needs import compared_ranks

WANTED = Wanted(
    kinds=("compute_straggler",),
    need=compared_ranks,
    level="L2",
    unit="",
    threshold="≥ 1.3 of its group's median, 5 steps running (1.15 over 60 steps, 1.08 over 120)",
)


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    return outcome(steps, WANTED)
