"""Narrowing down, validation, and the plan of transfers."""

import numpy as np
import pytest

from kb.steps.falcon import Cause, Group, Validation, diagnose, suspects, transfer_passes


def rings(slow=(), factor=1.5):
    """Sixteen ranks: four groups of four over tensor slices, four over replicas; groups that hold a slow rank are
    slow.
    """
    groups = []
    for at in range(4):
        tensor = tuple(4 * at + tp for tp in range(4))
        replica = tuple(4 * dp + at for dp in range(4))
        for name, ranks, volume in ((f"tp{at}", tensor, 1e8), (f"dp{at}", replica, 4e9)):
            groups.append(Group(name, ranks, volume, volume * 1e-9 * (factor if set(ranks) & set(slow) else 1.0)))
    return groups


def test_a_slow_rank_is_left_where_its_groups_cross():
    said = suspects(rings(slow=(6,)))
    assert {name for name, _ in said.groups} == {"tp1", "dp2"}
    assert said.ranks == (6,)
    assert said.groups[0][1] == pytest.approx(1.5)


def test_groups_of_other_volume_are_not_compared():
    assert (
        suspects([Group("a", (0, 1), 1.0, 1.0), Group("b", (2, 3), 2.0, 2.0), Group("c", (4, 5), 8.0, 8.0)]).compared
        == 0
    )


def test_ten_per_cent_is_the_published_limit():
    assert suspects(rings(slow=(6,), factor=1.09)).groups == ()
    assert suspects(rings(slow=(6,), factor=1.12)).ranks == (6,)


def test_a_slow_link_inside_one_group_leaves_that_group():
    groups = [g if g.name != "dp2" else Group(g.name, g.ranks, g.volume, 3 * g.seconds) for g in rings()]
    assert suspects(groups).ranks == (2, 6, 10, 14)


def validation(gemm, transfer):
    return Validation(
        np.arange(len(gemm)), np.array(gemm), tuple((n, n + 1) for n in range(len(transfer))), np.array(transfer)
    )


def test_the_published_log_is_computation_on_rank_one():
    # R-F1. Published: 65.47 / 515.49 / 65.69 / 65.69 ms; 7.9 times the median.
    found = diagnose(validation([65.47, 515.49, 65.69, 65.69], [0.23, 0.23, 0.23, 0.23]))
    assert (found.cause, found.ranks) == (Cause.computation, (1,))
    assert found.gemm_ratio == pytest.approx(7.85, abs=0.01)


def test_a_degraded_rdma_link_is_communication():
    # Published: 0.80 s healthy, 3.04 s degraded.
    found = diagnose(validation([0.51] * 4, [0.80, 0.80, 3.04, 0.80]))
    assert (found.cause, found.edges) == (Cause.communication, ((2, 3),))


def test_slow_iterations_with_clean_gpus_and_links_are_the_hosts_fault():
    # R-F4: how the authors found contention for CPUs.
    assert diagnose(validation([0.51] * 4, [0.80] * 4)).cause is Cause.host
    assert diagnose(validation([], [])).cause is Cause.host
    assert diagnose(validation([0.51, 0.51, 1.23, 0.51], [0.8, 0.8, 3.04, 0.8])).cause is Cause.both


@pytest.mark.parametrize(("shape", "size", "passes"), [("ring", 8, 2), ("ring", 7, 3), ("tree", 16, 4), ("ring", 2, 1)])
def test_transfers_are_tested_in_the_published_number_of_passes(shape, size, passes):
    plan = transfer_passes(tuple(range(size)), shape)
    assert len(plan) == passes
    for one in plan:
        ends = [rank for pair in one for rank in pair]
        assert len(ends) == len(set(ends)), "no rank may be in two transfers at once"
    edges = [frozenset(pair) for one in plan for pair in one]
    assert len(edges) == len(set(edges)) == (size - 1 if shape == "tree" or size == 2 else size)


def test_a_lone_rank_has_no_transfer_to_test():
    assert transfer_passes((3,), "ring") == []
