"""Chunks become one table."""

import numpy as np

from kb.model import Text
from kb.steps.joining import joined
from kb.steps.records import Remark, RemarkKind
from kb.steps.scenarios import made
from tests.steps.test_hangs import calls


def test_names_of_several_chunks_share_one_code():
    first = calls((0, "a", 1, 1.0, 2.0), (1, "b", 1, 1.0, 2.0))
    second = calls((2, "b", 1, 1.0, 2.0), (3, "c", 1, 1.0, 2.0))
    both = joined([first, second])
    assert both.communicator.values() == ["a", "b", "b", "c"]
    assert both.communicator.names == ("a", "b", "c")
    assert both.rank.tolist() == [0, 1, 2, 3]


def test_cut_and_joined_again_is_the_same():
    table = made("degraded_link dp=4 steps=20", 0).edges
    half = len(table) // 2
    again = joined([table.take(np.arange(half)), table.take(np.arange(half, len(table)))])
    assert np.array_equal(again.duration, table.duration)
    assert again.job.values() == table.job.values()


def test_empty_chunks_and_remarks_are_kept_apart():
    table = calls((0, "a", 1, 1.0, 2.0))
    remark = Remark(RemarkKind.negative, 2, Text(en="x", ko="x"))
    noted = type(table)(**{**table.__dict__, "remarks": (remark,)})
    empty = noted.take(np.zeros(0, np.int64))
    both = joined([empty, noted])
    assert len(both) == 1
    assert [one.count for one in both.remarks] == [4]
    assert joined([table]) is table
