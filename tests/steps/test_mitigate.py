"""The four levels: when each is due, and what it would do."""

from itertools import product

import numpy as np
import pytest

from kb.steps.falcon import Cause
from kb.steps.mitigate import Costs, Level, Links, escalation, link_swap, redistribute

#: Published (Greyhound's log): iterations of 1,471.50 ms instead of 1,052.28 ms.
SLOW, HEALTHY = 1.4715, 1.05228


def test_the_published_log_escalates_at_iterations_five_and_144():
    # R-F8.
    costs = Costs.of(SLOW, HEALTHY)
    assert costs.redistribute == pytest.approx(2.096, abs=0.001)
    said = escalation(np.full(400, SLOW), HEALTHY, costs, Cause.computation)
    assert [(advice.level, advice.iteration) for advice in said] == [
        (Level.ignore, 0), (Level.redistribute, 5), (Level.swap, 144),
    ]  # fmt: skip
    assert said[1].seconds == pytest.approx(7.36, abs=0.01)
    assert said[2].seconds == pytest.approx(211.9, abs=0.1)


def test_nothing_more_is_advised_once_the_event_is_over():
    iterations = np.concatenate([np.full(50, SLOW), np.full(400, 1.099 * HEALTHY)])
    assert escalation(iterations, HEALTHY, Costs.of(SLOW, HEALTHY), Cause.computation)[-1].level is Level.redistribute
    assert [a.level for a in escalation(np.full(9, HEALTHY), HEALTHY, Costs.of(SLOW, HEALTHY))] == [Level.ignore]


@pytest.mark.parametrize(
    ("cause", "levels"),
    [
        (Cause.computation, (1, 2, 3, 4)),
        (Cause.communication, (1, 3, 4)),
        (Cause.host, (1, 4)),
        (None, (1, 2, 3, 4)),
    ],
)
def test_a_level_that_does_not_help_is_left_out(cause, levels):
    said = escalation(np.full(5000, SLOW), HEALTHY, Costs.of(SLOW, HEALTHY), cause)
    assert tuple(advice.level for advice in said) == levels


def test_a_compound_fault_reaches_the_swap_first_and_the_restart_last():
    # R-F5, as seconds lost a minute: ×5 for 18 minutes, ×6.67 for 120. Filled in: a restart with lost work costs 20
    # minutes.
    costs = Costs(2.0, 60.0, 1200.0)
    first = escalation(np.full(int(18 * 60 / 5), 5.0), 1.0, costs, Cause.both)
    last = escalation(np.full(int(120 * 60 / 6.67), 6.67), 1.0, costs, Cause.both)
    assert first[-1].level is Level.swap
    assert last[-1].level is Level.restart


@pytest.mark.parametrize("days", [0.001, 0.01, 0.05, 0.5])
def test_renting_skis_costs_at_most_twice_the_best_choice(days):
    # One purchase: waiting until the loss reaches the cost, then paying it.
    costs = Costs(float("inf"), float("inf"), 600.0)
    iterations = np.full(max(1, int(days * 86_400)), 2.0)
    said = escalation(iterations, 1.0, costs)
    whole = float(len(iterations))
    paid = said[-1].lost + 600.0 if said[-1].level is Level.restart else whole
    assert paid <= 2 * min(whole, 600.0) + 1


@pytest.mark.parametrize(("slow", "after"), [(1, 1.2), (2, 1.3), (3, 1.5)])
def test_redistribution_gives_the_published_slowdowns(slow, after):
    # Published: four groups with 1–3 at 1.9 times: 1.9 → 1.2, 1.3, 1.5. Filled in: 64 micro-batches.
    said = redistribute(np.array([1.9] * slow + [1.0] * (4 - slow)), 64)
    assert said is not None
    assert said.before / 16 == pytest.approx(1.9)
    assert said.after / 16 == pytest.approx(after, abs=0.1)
    assert sum(said.microbatches) == 64


def test_the_published_plan_gives_the_slow_group_fewest():
    # Published: [9, 6, 9, 8] of 32 for a rank that made iterations 1.4 times as long.
    said = redistribute(np.array([1.0, 1.471 / 1.052, 1.0, 1.0]), 32)
    assert said is not None
    assert said.microbatches[1] == 6
    assert sorted(said.microbatches[:1] + said.microbatches[2:]) == [8, 9, 9]


@pytest.mark.parametrize("seed", range(10))
def test_no_other_distribution_has_less_variance(seed):
    rng = np.random.default_rng(seed)
    seconds, total = rng.uniform(1, 3, 3), 12
    said = redistribute(seconds, total)
    assert said is not None
    shares = [m for m in product(range(1, total), repeat=3) if sum(m) == total]
    assert np.var(said.microbatches * seconds) == pytest.approx(min(np.var(m * seconds) for m in map(np.array, shares)))


def test_a_share_that_cannot_be_dealt_is_none():
    assert redistribute(np.array([1.0, 1.0]), 1) is None
    assert redistribute(np.array([1.0, np.nan]), 8) is None
    assert redistribute(np.zeros(0), 8) is None


def test_a_congested_link_is_moved_under_the_pipeline():
    # R-P1. Published (PipeMorph): a link of 30 ms costs 0.49 → 3.94 s as data traffic and 0.49 → 1.10 s as pipeline
    # traffic. In units of the healthy iteration: it adds 7.04 or 1.24.
    links = Links(
        (("a", "b"), ("c", "d")), {frozenset(("a", "b")): 1.0}, data=3.94 / 0.49 - 1, pipeline=1.10 / 0.49 - 1
    )
    assert 1 + links.added() == pytest.approx(8.04, abs=0.01)
    under_pipeline = links.swapped("a", "d")
    assert under_pipeline.placement == (("d", "b"), ("c", "a"))
    assert 1 + under_pipeline.added() == pytest.approx(2.24, abs=0.01)
    swap = link_swap(links)
    assert swap is not None
    assert swap.after <= under_pipeline.added()
    assert links.swapped(swap.a, swap.b).added() == swap.after


def test_a_link_that_can_be_freed_altogether_is():
    links = Links((("a", "b", "c", "d"), ("e", "f", "g", "h")), {frozenset(("a", "b")): 1.0}, data=10.0, pipeline=1.0)
    swap = link_swap(links)
    assert swap is not None
    assert swap.after == 0


def test_no_swap_is_advised_where_none_helps():
    healthy = Links((("a", "b"), ("c", "d")), {}, data=10.0, pipeline=1.0)
    assert link_swap(healthy) is None
    under_pipeline = Links((("a", "b"), ("c", "d")), {frozenset(("a", "c")): 1.0}, data=1.0, pipeline=1.0)
    found = link_swap(under_pipeline)
    assert found is None or found.after < found.before
