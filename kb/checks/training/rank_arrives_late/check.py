"""Ranks that the others wait for in collectives although nothing shows why."""

from kb.checks.contract import Knobs, Outcome, StepsSource
from kb.checks.step_check import Wanted, outcome
from kb.checks.step_needs import compared_ranks

WANTED = Wanted(
    kinds=("non_comm_slow", "host_stall"),
    need=compared_ranks,
    threshold="last to its collective, step after step",
    unit="",
)


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    return outcome(steps, WANTED)
