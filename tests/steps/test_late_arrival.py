"""The last to arrive waits least."""

from dataclasses import replace

import numpy as np

from kb.steps.late_arrival import WINDOW, WINDOWS, late_ranks
from kb.steps.records import Coded, SequenceTable


def reductions(arrival, transfer=0.2, *, skew=None, name="ReduceScatter", communicator="dp"):
    """All ranks leave together, `transfer` after the last has come. arrival: seconds, shape (operations, ranks)."""
    operations, ranks = arrival.shape
    at = 10.0 * np.arange(operations)[:, None]
    clock = np.zeros(ranks) if skew is None else skew
    enter = at + arrival + clock
    leave = np.broadcast_to(at + arrival.max(axis=1, keepdims=True) + transfer, arrival.shape) + clock
    size = arrival.size
    yes = np.ones(size, bool)
    sequence, rank = (index.ravel() for index in np.indices(arrival.shape))
    return SequenceTable(
        Coded.constant("job", size), rank, Coded.constant(communicator, size), sequence, Coded.constant(name, size),
        np.full(size, 1e9), yes, yes, yes, enter.ravel(), leave.ravel(),
    )  # fmt: skip


def arrivals(operations=60, ranks=8, noise=0.02, seed=0):
    return 5 + noise * np.random.default_rng(seed).standard_normal((operations, ranks))


def test_the_rank_with_the_shortest_collective_is_the_late_one():
    # Trap T9: ranking collectives by duration would accuse the seven others.
    came = arrivals()
    came[20:, 3] += 2.0
    (late,) = late_ranks(reductions(came))
    assert (late.rank, late.first, late.last) == (3, 20, 59)
    assert late.declared == 20 + WINDOW * WINDOWS - 1
    assert late.lag > 1.8
    assert late.own < late.others


def test_clocks_that_disagree_change_nothing():
    # Trap T13: half a second off, where the lag itself is a third of a second.
    came = arrivals()
    came[:, 3] += 0.6
    skew = np.random.default_rng(1).uniform(-0.5, 0.5, 8)
    assert late_ranks(reductions(came, skew=skew))[0].rank == 3
    assert late_ranks(reductions(arrivals(), skew=skew)) == []


def test_ranks_that_are_late_in_turn_are_not_accused():
    # Trap T17: garbage collection strikes somebody else each time.
    came = arrivals()
    turn = np.random.default_rng(2).integers(0, 8, len(came))
    came[np.arange(len(came)), turn] += 2.0
    assert late_ranks(reductions(came)) == []


def test_a_habit_of_a_few_microseconds_is_no_lateness():
    came = 5 + 1e-7 * np.random.default_rng(0).standard_normal((60, 8))
    came[:, 0] += 30e-6
    assert late_ranks(reductions(came, transfer=20e-6)) == []


def test_sends_and_receives_wait_by_nature():
    came = arrivals(ranks=2)
    came[:, 1] += 3.0
    assert late_ranks(reductions(came, name="SendRecv")) == []
    assert late_ranks(reductions(came))[0].rank == 1


def test_a_few_operations_or_a_short_stretch_are_too_little():
    came = arrivals(operations=14)
    came[:, 3] += 2.0
    assert late_ranks(reductions(came)) == []
    came = arrivals()
    came[30:39, 3] += 2.0
    assert late_ranks(reductions(came)) == []


def test_incomplete_operations_are_left_out():
    came = arrivals(operations=100)
    came[:, 3] += 2.0
    table = reductions(came)
    lost = np.random.default_rng(0).random(len(table)) < 0.02
    assert late_ranks(table.take(~lost))[0].rank == 3
    assert late_ranks(replace(table, finished=np.zeros(len(table), bool))) == []
