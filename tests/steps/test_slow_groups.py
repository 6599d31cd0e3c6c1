"""A tensor-parallel group whose link is degraded, and the late ranks and longer stages that only look like one."""

import numpy as np

from kb.steps.records import PhaseTable
from kb.steps.verdict import Confidence, VerdictKind
from tests.steps.making import accused, judged, noisy, of_kind, records

STEPS, DP, TP, PP = 40, 8, 4, 2


def job(slow: int | None = None, factor: float = 2.5, late: int | None = None) -> PhaseTable:
    """Ranks by stage, replica, slice; `slow`: replica whose group in stage 0 is slow; `late`: a rank that is late."""
    rng = np.random.default_rng(0)
    pp, dp, tp = (index.ravel() for index in np.indices((PP, DP, TP)))
    ranks = PP * DP * TP
    forward = noisy(rng, 0.3, STEPS, ranks)
    reduce = np.where(pp == 0, 0.05, 0.09) * np.exp(0.02 * rng.standard_normal((STEPS, ranks)))
    if slow is not None:
        reduce[20:, (dp == slow) & (pp == 0)] *= factor
    if late is not None:
        mates = (dp == dp[late]) & (pp == pp[late]) & (np.arange(ranks) != late)
        reduce[20:, mates] += 0.2
    return records(
        {"forward": forward, "tp_all_reduce": reduce, "iteration": np.full((STEPS, ranks), 0.5)},
        axes={"dp": dp.tolist(), "pp": pp.tolist(), "tp": tp.tolist()},
    )


def test_a_slow_group_is_told_with_its_members_and_nobody_is_accused() -> None:
    analysis = judged(job(slow=3))
    (verdict,) = analysis.verdicts
    assert verdict.kind is VerdictKind.comm_group_slow
    assert verdict.confidence is Confidence.group_only
    assert verdict.group == "dp=3 pp=0"
    assert verdict.ranks == (12, 13, 14, 15)
    assert abs(verdict.first_step - 20) <= 1
    assert accused(analysis) == set()


def test_a_late_member_makes_its_mates_wait_and_no_group_slow() -> None:
    assert of_kind(judged(job(late=13)), VerdictKind.comm_group_slow) == []


def test_stages_with_larger_messages_are_not_held_against_each_other() -> None:
    assert judged(job()).verdicts == ()


def test_a_small_excess_is_left_alone() -> None:
    assert judged(job(slow=3, factor=1.3)).verdicts == ()
