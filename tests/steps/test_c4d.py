"""C4D's verdicts over tables, and what they allow to be isolated."""

import numpy as np
import pytest

from kb.steps.c4d import edge_verdicts, hang_verdicts, isolation, late_verdicts
from kb.steps.records import Coded, EdgeTable
from kb.steps.scenarios import made
from kb.steps.verdict import Confidence, VerdictKind
from tests.steps.test_hangs import megatrace
from tests.steps.test_late_arrival import arrivals, reductions


def test_the_four_classes_have_their_names():
    assert hang_verdicts(megatrace(), now=400)[0].kind is VerdictKind.non_comm_hang
    assert hang_verdicts(megatrace(missing=()), now=400)[0].kind is VerdictKind.comm_hang
    came = arrivals()
    came[:, 3] += 2
    assert late_verdicts(reductions(came))[0].kind is VerdictKind.non_comm_slow
    trace = made("degraded_link dp=8", 0)
    assert edge_verdicts(trace.edges)[0].kind is VerdictKind.comm_straggler_edge


@pytest.mark.parametrize("seed", range(5))
def test_a_degraded_link_is_found_at_its_ends_and_three_windows_after_its_onset(seed):
    trace = made("degraded_link dp=8 noise=0.05", seed)
    (verdict,) = edge_verdicts(trace.edges)
    assert verdict.edges == trace.truth.edges
    assert verdict.evidence["since"] == trace.truth.onset
    assert verdict.first_step == trace.truth.onset + 2
    assert verdict.ranks == ()


@pytest.mark.parametrize("kind", ["bad_nic", "bad_nic_tx", "bad_nic_rx"])
def test_a_slow_network_card_is_told_by_its_direction(kind):
    # R-C2, with the phases and sequences of the same job.
    trace = made(f"{kind} dp=8", 1)
    (verdict,) = edge_verdicts(trace.edges, per_node=1)
    assert verdict.kind is trace.truth.kinds[0]
    assert verdict.ranks == trace.truth.accused
    assert isolation([verdict], per_node=1).nodes == trace.truth.accused
    assert late_verdicts(trace.sequences) == []


def test_waiting_is_taken_off_before_transfers_are_compared():
    # Trap T16: with waits counted, a slow hop throttles its neighbours in the ring.
    trace = made("degraded_link dp=8", 0)
    table = trace.edges
    late_receiver = table.dst == 1
    wait = np.where(late_receiver, table.wait + 5.0, table.wait)
    duration = table.duration + wait - table.wait
    throttled = EdgeTable(**{**table.__dict__, "wait": wait, "duration": duration})
    assert [v.edges for v in edge_verdicts(throttled)] == [trace.truth.edges]


def test_small_messages_and_the_board_are_classes_of_their_own():
    # Two servers of eight: transfers on the board take a tenth; some messages are a thousandth.
    src, dst = np.nonzero(~np.eye(16, dtype=bool))
    step = np.repeat(np.arange(6), 2 * len(src))
    size = np.tile(np.repeat([64e6, 64e3], len(src)), 6)
    src, dst = np.tile(src, 12), np.tile(dst, 12)
    seconds = np.where(src // 8 == dst // 8, 0.1, 1.0) * np.where(size > 1e6, 1.0, 1e-3)
    zero = np.zeros(len(src))
    job = Coded.constant("job", len(src))
    table = EdgeTable(job, step, zero.astype(int), src, dst, size, seconds, zero)
    assert edge_verdicts(table) == []
    slow = EdgeTable(job, step, zero.astype(int), src, dst, size, np.where(src == 3, 2 * seconds, seconds), zero)
    assert {(v.kind, v.ranks) for v in edge_verdicts(slow)} == {(VerdictKind.comm_straggler_tx, (3,))}


def test_a_late_pipeline_is_told_as_a_group():
    # R-C3's shape: one slow stage makes its replica late in every stage's reduction.
    trace = made("bubble steps=160", 1)
    (verdict,) = late_verdicts(trace.sequences)
    assert verdict.confidence is Confidence.group_only
    replica = trace.truth.accused[0] % 8
    assert verdict.ranks == tuple(8 * stage + replica for stage in range(4))


def test_only_what_is_localised_is_isolated():
    came = arrivals(ranks=16)
    came[:, 11] += 2
    late = late_verdicts(reductions(came))
    assert isolation(late).nodes == (1,)
    assert "1" in isolation(late).why.en
    group = late_verdicts(made("bubble steps=160", 1).sequences)
    assert isolation(group).nodes == ()
    assert isolation(hang_verdicts(megatrace(missing=()), now=400)).nodes == ()
    assert isolation([]).nodes == ()


def test_one_bad_connection_is_tested_and_two_at_one_server_isolate_it():
    one = edge_verdicts(made("degraded_link dp=8", 0).edges)
    assert isolation(one, per_node=1).nodes == ()
    assert "cable" in isolation(one, per_node=1).why.en
    table = made("healthy_links dp=8", 0).edges
    bad = ((table.src == 2) & (table.dst == 5)) | ((table.src == 7) & (table.dst == 2))
    slow = EdgeTable(**{**table.__dict__, "duration": table.wait + table.net * np.where(bad, 4.0, 1.0)})
    found = edge_verdicts(slow)
    assert {verdict.edges for verdict in found} == {((2, 5),), ((7, 2),)}
    assert isolation(found, per_node=1).nodes == (2,)


def test_a_fabric_that_slows_down_as_a_whole_is_detected_only():
    table = made("healthy_links dp=8", 0).edges
    slow = EdgeTable(**{**table.__dict__, "duration": table.wait + table.net * np.where(table.step >= 60, 2.5, 1.0)})
    (verdict,) = edge_verdicts(slow)
    assert (verdict.kind, verdict.confidence) == (VerdictKind.comm_group_slow, Confidence.detected_only)
    assert verdict.evidence["windows"] == 120
    assert isolation([verdict]).nodes == ()


@pytest.mark.parametrize("kind", ["hang_comm", "hang_non_comm"])
@pytest.mark.parametrize("dp", [2, 8, 64])
def test_generated_hangs_are_told_apart(kind, dp):
    trace = made(f"{kind} dp={dp} pp=2", dp)
    (verdict,) = hang_verdicts(trace.sequences, trace.now)
    assert verdict.kind in trace.truth.kinds
    assert verdict.ranks == trace.truth.accused
    assert verdict.first_step == trace.truth.onset
