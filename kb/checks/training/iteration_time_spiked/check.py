"""Single iterations that take a multiple of their neighbours (ARGUS level 1)."""

from kb.checks.contract import Knobs, Outcome, StepsSource
from kb.checks.step_check import Wanted, outcome
from kb.checks.step_needs import judged_iterations

WANTED = Wanted(
    kinds=("iteration_spike", "host_stall"),
    need=judged_iterations,
    level="L1",
    nameless=True,
    unit="",
    threshold="≥ 2 of the 16 iterations around it",
    peers=False,
)


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    return outcome(steps, WANTED)
