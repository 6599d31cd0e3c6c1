"""One slow rank whose pipeline makes much of it, told by comparison with the 1F1B schedule."""

from kb.checks.contract import Knobs, Outcome, StepsSource
from kb.checks.step_check import Wanted, outcome
from kb.checks.step_needs import pipeline_ranks

WANTED = Wanted(
    kinds=("bubble_amplification",),
    need=pipeline_ranks,
    unit="",
    threshold="≥ 1.15 of its stage's peers, neighbours waiting, iteration ≥ 1.05",
)


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    return outcome(steps, WANTED)
