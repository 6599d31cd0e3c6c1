"""Iteration time that has changed its level: change points, verified."""

from kb.checks.contract import Knobs, Outcome, StepsSource
from kb.checks.step_check import Wanted, outcome, steps_with_time

#: Twenty samples before a change and twenty after it.
LEAST = 40


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    wanted = Wanted(("iteration_step",), steps_with_time(LEAST), nameless=True, threshold=">= 1.1", peers=False)
    return outcome(steps, wanted)
