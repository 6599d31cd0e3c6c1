"""Iteration time that creeps up: a cumulative sum over log ratios to the baseline."""

from kb.checks.contract import Knobs, Outcome, StepsSource
from kb.checks.step_check import Wanted, outcome, steps_with_time

#: Twenty samples of baseline and twenty above it.
LEAST = 40


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    wanted = Wanted(("drift",), steps_with_time(LEAST), nameless=True, threshold=">= 1.05", peers=False)
    return outcome(steps, wanted)
