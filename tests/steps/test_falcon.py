"""Validation, and the plan of transfers."""

import numpy as np
import pytest

from kb.steps.falcon import Cause, Validation, diagnose, transfer_passes


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
