"""Who a hang is blamed on."""

import numpy as np
import pytest

from kb.steps.hangs import LONGEST_WAIT, SHORTEST_WAIT, HangKind, Progress, hangs, usual_timeout
from kb.steps.records import Coded, SequenceTable


def calls(*rows, operation="AllGather"):
    """Rows are (rank, communicator, sequence, enter, leave or None[, operation[, bytes]]); a call is posted."""
    columns = list(zip(*((*row, *(operation, 1.0)[len(row) - 5 :]) for row in rows), strict=True))
    rank, communicator, sequence, enter, leave, names, size = columns
    done = np.array([end is not None for end in leave])
    yes = np.ones(len(rows), bool)
    return SequenceTable(
        Coded.constant("job", len(rows)),
        np.array(rank),
        Coded.of(communicator),
        np.array(sequence),
        Coded.of(names),
        np.array(size, float),
        yes,
        yes,
        done,
        np.array(enter, float),
        np.array([np.nan if end is None else end for end in leave], float),
    )


def megatrace(*, last=155, missing=(3,)):
    """R-C4. Published (VenusTrace/Megatrace): eight ranks, rank 3 lacks AllGather 155. Filled in: a call every 0.1
    s.
    """
    rows = [(rank, "c", n, n * 0.1, n * 0.1 + 0.05) for n in range(145, last) for rank in range(8)]
    rows += [(rank, "c", last, last * 0.1, None) for rank in range(8) if rank not in missing]
    return calls(*rows)


def test_the_rank_that_lacks_a_call_is_the_suspect():
    (hang,) = hangs(megatrace(), now=15.5 + 301)
    assert (hang.kind, hang.ranks, hang.sequence) == (HangKind.not_posted, (3,), 155)
    assert hang.waiting == (0, 1, 2, 4, 5, 6, 7)
    assert hang.waited == pytest.approx(301)


def test_with_its_call_restored_it_is_a_communication_hang_and_nobody_is_singled_out():
    (hang,) = hangs(megatrace(missing=()), now=15.5 + 301)
    assert (hang.kind, hang.ranks, hang.edges) == (HangKind.not_finished, tuple(range(8)), ())


def test_the_same_log_before_that_call_is_healthy():
    healthy = megatrace().take(np.flatnonzero(megatrace().sequence < 155))
    assert hangs(healthy, now=15.5 + 301) == []


def test_nobody_hangs_before_the_time_out():
    assert hangs(megatrace(), now=15.5 + 5) == []
    assert hangs(megatrace()) == [], "the end of a file is not the end of a wait"
    assert hangs(megatrace(), now=15.5 + 5, timeout=4)


def test_of_a_job_that_is_known_to_stand_still_no_wait_is_asked():
    (hang,) = hangs(megatrace(), standing=True)
    assert hang.ranks == (3,)
    assert hangs(megatrace(), now=15.5 + 5, standing=True) == []


def test_the_time_out_follows_the_usual_gap_within_bounds():
    assert usual_timeout(megatrace()) == SHORTEST_WAIT
    slow = calls(*((rank, "c", n, n * 30.0, n * 30.0 + 1) for n in range(5) for rank in range(2)))
    assert usual_timeout(slow) == pytest.approx(90)
    hourly = calls(*((rank, "c", n, n * 3600.0, n * 3600.0 + 1) for n in range(5) for rank in range(2)))
    assert usual_timeout(hourly) == LONGEST_WAIT


def test_work_posted_and_not_completed_names_the_connection():
    progress = Progress(
        np.arange(8), (np.arange(8) + 1) % 8, np.full(8, 100.0), np.array([100, 99, 20, 98, 97, 96, 95, 99.0])
    )
    (hang,) = hangs(megatrace(missing=()), now=400, progress=progress)
    assert (hang.edges, hang.ranks) == (((2, 3),), (2, 3))
    even = Progress(np.arange(8), (np.arange(8) + 1) % 8, np.full(8, 100.0), np.full(8, 40.0))
    assert hangs(megatrace(missing=()), now=400, progress=even)[0].edges == ()


def test_a_rank_that_called_something_else_is_named():
    rows = [(rank, "c", n, float(n), n + 0.5) for n in range(5) for rank in range(4)]
    rows += [(rank, "c", 5, 5.0, None, "AllReduce" if rank != 2 else "Broadcast") for rank in range(4)]
    (hang,) = hangs(calls(*rows), now=400)
    assert (hang.kind, hang.ranks) == (HangKind.another_operation, (2,))
    rows = rows[:-4] + [(rank, "c", 5, 5.0, None, "AllReduce", 8.0 if rank else 16.0) for rank in range(4)]
    assert hangs(calls(*rows), now=400)[0].ranks == (0,)


def test_two_against_two_name_nobody_as_the_odd_one():
    rows = [(rank, "c", 5, 5.0, None, "AllReduce" if rank < 2 else "Broadcast") for rank in range(4)]
    assert hangs(calls(*rows), now=400)[0].kind is HangKind.not_finished


def test_a_rank_that_is_missing_because_it_waits_elsewhere_is_a_victim():
    # Rank 3 never came to `tp`; rank 2 waits there and is therefore missing in `dp`, where 0 and 1 wait.
    rows = [(rank, "dp", 7, 7.0, 7.5) for rank in (0, 1, 2)] + [(rank, "tp", 4, 6.0, 6.5) for rank in (2, 3)]
    rows += [(2, "tp", 5, 8.0, None), (0, "dp", 8, 9.0, None), (1, "dp", 8, 9.0, None)]
    (hang,) = hangs(calls(*rows), now=400)
    assert (hang.communicator, hang.ranks) == ("tp", (3,))


def test_a_rank_that_has_gone_away_is_told_once_where_it_is_waited_for_longest():
    rows = [(rank, "a", 1, 1.0, 1.5) for rank in (0, 1)] + [(rank, "b", 1, 1.0, 1.5) for rank in (0, 2)]
    rows += [(1, "a", 2, 3.0, None), (2, "b", 2, 2.0, None)]
    (hang,) = hangs(calls(*rows), now=400)
    assert (hang.communicator, hang.ranks) == ("b", (0,))


def test_a_circle_of_waits_accuses_no_single_rank():
    rows = [(rank, name, 1, 1.0, 1.5) for rank in (0, 1) for name in ("a", "b")]
    rows += [(0, "a", 2, 2.0, None), (1, "b", 2, 2.0, None)]
    (hang,) = hangs(calls(*rows), now=400)
    assert (hang.kind, hang.ranks) == (HangKind.circle, (0, 1))


def test_calls_that_run_ahead_accuse_nobody():
    # Collectives are enqueued: ranks may have posted what comes after the one that is stuck, some further than others.
    rows = [(rank, "c", n, float(n), n + 0.5) for n in range(5) for rank in range(4)]
    rows += [(rank, "c", n, 5.0 + n / 10, None) for rank in range(4) for n in range(5, 7 + rank)]
    (hang,) = hangs(calls(*rows), now=400)
    assert (hang.kind, hang.sequence, hang.ranks) == (HangKind.not_finished, 5, (0, 1, 2, 3))
    behind = [row for row in rows if row[0] != 1 or row[2] < 5]
    (hang,) = hangs(calls(*behind), now=400)
    assert (hang.kind, hang.sequence, hang.ranks) == (HangKind.not_posted, 5, (1,))


def test_an_operation_that_ended_for_some_waits_for_the_others():
    rows = [(rank, "c", 1, 1.0, 1.5 if rank < 3 else None) for rank in range(4)]
    (hang,) = hangs(calls(*rows), now=400)
    assert (hang.kind, hang.ranks, hang.waiting) == (HangKind.not_finished, (3,), (3,))


def test_a_call_recorded_at_its_begin_and_at_its_end_is_over():
    rows = [(rank, "c", 1, 1.0, end) for rank in range(4) for end in (None, 1.5)]
    assert hangs(calls(*rows), now=400) == []


def test_a_source_that_never_sees_an_end_has_only_its_furthest_call_under_way():
    rows = [(rank, "c", n, n * 0.1, None) for n in range(20) for rank in range(4) if (rank, n) != (2, 19)]
    (hang,) = hangs(calls(*rows), now=400)
    assert (hang.kind, hang.sequence, hang.ranks) == (HangKind.not_posted, 19, (2,))


def test_records_without_times_accuse_somebody_only_where_the_job_is_known_to_stand_still():
    # NCCL's log and RAS: in a running job some rank is always a call ahead.
    table = megatrace()
    blank = np.full(len(table), np.nan)
    timeless = SequenceTable(**{**table.__dict__, "enter": blank, "leave": blank})
    assert hangs(timeless) == []
    (hang,) = hangs(timeless, standing=True)
    assert (hang.ranks, hang.waited) == ((3,), float("inf"))


def test_a_lone_rank_and_an_empty_table_hang_nobody():
    assert hangs(calls((0, "c", 1, 1.0, None)), now=400) == []
    assert hangs(megatrace().take(np.zeros(0, np.int64)), now=400) == []


def test_order_and_repeats_of_the_records_do_not_matter():
    table = megatrace()
    rng = np.random.default_rng(0)
    again = table.take(rng.integers(0, len(table), 4 * len(table)))
    whole = table.take(np.concatenate([rng.permutation(len(table)), np.arange(len(table))]))
    assert hangs(whole, now=400) == hangs(table, now=400)
    assert all(3 in hang.ranks for hang in hangs(again, now=400))


def test_what_a_source_without_times_knows_to_have_ended_is_over():
    rows = [(rank, "c", n, n * 0.1, n * 0.1) for n in range(20) for rank in range(4)]
    table = calls(*rows)
    blank = np.full(len(table), np.nan)
    ended = SequenceTable(**{**table.__dict__, "enter": blank, "leave": blank})
    assert ended.finished.all()
    assert hangs(ended, standing=True) == []
