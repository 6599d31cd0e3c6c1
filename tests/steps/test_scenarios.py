"""Generated traces: their physics, their names, their seeds."""

import numpy as np
import pytest

from kb.errors import InvalidValue, UnknownValue
from kb.steps.scenarios import MAKERS, made
from kb.steps.scenarios.simulate import Job, Loads, run


@pytest.mark.parametrize(("stage", "milliseconds"), [(None, 1485), (0, 1998), (1, 2043), (2, 2088), (3, 2133)])
def test_the_pipeline_takes_as_long_as_1f1b_says(stage, milliseconds):
    # The table of R-A3: forward 45 ms, backward 90 ms, eight micro-batches, one stage at 1.9 times.
    job = Job(dp=1, pp=4, steps=1, noise=0, data_load=0, reduce=0, optimizer=0)
    loads = Loads.none(job)
    if stage is not None:
        loads.backward[:, :, stage] = 1.9
    assert run(job, loads, np.random.default_rng(0)).iteration[0] * 1000 == pytest.approx(milliseconds)


def test_the_slow_rank_has_the_shortest_collective_and_everybody_the_same_iteration():
    trace = made("slow_rank dp=8 bad_dp=5 noise=0.01", 0)
    table = trace.phases
    late = table.step >= trace.truth.onset
    reduce = late & table.phase.where("dp_reduce_scatter")
    longest = {rank: np.median(table.duration[reduce & (table.rank == rank)]) for rank in range(8)}
    assert min(longest, key=longest.get) == 5
    whole = table.phase.where("iteration") & (table.step == 100)
    assert np.count_nonzero(whole) == 8
    assert np.ptp(table.duration[whole]) == 0


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_every_kind_is_the_same_for_the_same_seed_and_another_for_another(kind):
    first, again, other = made(kind, 3), made(kind, 3), made(kind, 4)
    for name in ("phases", "edges", "sequences"):
        one, two, three = getattr(first, name), getattr(again, name), getattr(other, name)
        if one is not None:
            times = [t.enter if name == "sequences" else t.duration for t in (one, two, three)]
            assert np.array_equal(times[0], times[1], equal_nan=True)
            assert not np.array_equal(times[0], times[2], equal_nan=True)


def test_options_say_what_differs():
    trace = made("slow_rank dp=4 pp=2 tp=2 steps=30 onset=20 bad_dp=1 bad_pp=1", 0)
    assert trace.truth.onset == 20
    assert trace.truth.accused == (10, 11)
    assert set(trace.phases.axes) == {"dp", "pp", "tp"}
    assert len(np.unique(trace.phases.rank)) == 16


def test_micro_batches_are_written_one_by_one_where_there_are_stages():
    assert made("bubble", 0).phases.microbatch.max() == 7
    assert made("bubble single=1", 0).phases.microbatch.max() == -1


def test_a_wrong_specification_says_what_is_possible():
    with pytest.raises(UnknownValue, match="slow_rank"):
        made("slow_rang", 0)
    with pytest.raises(UnknownValue, match="bad_dp"):
        made("slow_rank speed=2", 0)
    with pytest.raises(InvalidValue, match="name=number"):
        made("slow_rank dp=many", 0)
    with pytest.raises(InvalidValue, match="no ranks"):
        made("slow_rank dp=0", 0)
