import numpy as np
import pytest

from kb.steps import level3
from kb.steps.kernels import Cluster, compress, cumulative, distances, mean_distance, table_of
from kb.steps.records import Coded, DistributionTable, Layout
from kb.steps.verdict import Confidence, VerdictKind


def laws(rows: list[tuple[int, int, float, float]], kernel: str = "gemm", **axes: list[int]) -> DistributionTable:
    """Rows of (rank, count, p50, p99)."""
    ranks, counts, p50, p99 = (np.array(column) for column in zip(*rows, strict=True))
    size = len(rows)
    return DistributionTable(
        Coded.constant("", size),
        ranks,
        np.zeros(size, np.int64),
        Coded.constant(kernel, size),
        np.zeros(size, np.int64),
        counts,
        p50.astype(float),
        p99.astype(float),
        axes={axis: np.array(values)[ranks] for axis, values in axes.items()},
    )


def test_distances_have_the_derived_values() -> None:
    _, at, law = cumulative(laws([(0, 1000, 1.0, 1.3), (1, 1000, 2.8, 3.6), (2, 970, 1.0, 1.3), (2, 30, 40.0, 50.0)]))
    found = distances(law, at, np.array([0]), np.array([1, 2]))[0]
    assert found == pytest.approx([1.81, 1.18], abs=0.01)


def test_the_mean_distance_to_all_others_is_that_of_all_pairs() -> None:
    rng = np.random.default_rng(3)
    _, at, law = cumulative(laws([(r, 100, p, 1.3 * p) for r, p in enumerate(rng.lognormal(0, 0.5, 12))]))
    pairs = distances(law, at, np.arange(12), np.arange(12))
    assert mean_distance(law, at) == pytest.approx(pairs.sum(axis=1) / 11)


def test_durations_are_cut_where_their_density_parts_and_a_rare_tail_is_kept() -> None:
    rng = np.random.default_rng(1)
    short, long = rng.lognormal(0, 0.05, 900), rng.lognormal(np.log(40), 0.05, 27)
    clusters = compress(np.concatenate([long, short, [np.nan, -1.0, 0.0]]))
    assert [cluster.count for cluster in clusters] == [900, 27]
    assert [cluster.p50 for cluster in clusters] == pytest.approx([1.0, 40.0], rel=0.03)


def test_one_kind_of_duration_is_one_cluster() -> None:
    assert len(compress(np.random.default_rng(2).lognormal(0, 0.3, 5000))) == 1
    assert compress(np.full(100, 2.0)) == [Cluster(100, pytest.approx(2.0), pytest.approx(2.0))]
    assert compress(np.array([])) == []


def test_raw_kernels_become_clusters_a_rank_kernel_and_stream() -> None:
    rng = np.random.default_rng(4)
    ranks = np.repeat(np.arange(3), 100)
    table = table_of(
        "job", ranks, np.full(300, 7), Coded.constant("gemm", 300), np.zeros(300, np.int64), rng.lognormal(0, 0.1, 300)
    )
    assert table.rank.tolist() == [0, 1, 2]
    assert table.count.tolist() == [100, 100, 100]
    assert set(table.step.tolist()) == {7}


def test_a_slow_compute_kernel_names_its_rank_where_coordinates_are_known() -> None:
    rows = [(rank, 500, 1.6 if rank == 5 else 1.0, 2.0) for rank in range(16)]
    (named,) = level3.judge(laws(rows, dp=list(range(16))))
    assert (named.kind, named.ranks, named.confidence) == (
        VerdictKind.compute_straggler,
        (5,),
        Confidence.localised,
    )
    (nameless,) = level3.judge(laws(rows))
    assert nameless.confidence is Confidence.detected_only


def test_stages_with_other_kernels_are_not_compared() -> None:
    rows = [(rank, 500, 2.0 if rank >= 12 else 1.0, 2.5) for rank in range(16)]
    assert level3.judge(laws(rows, dp=[r % 4 for r in range(16)], pp=[r // 4 for r in range(16)])) == []


def test_part_of_a_group_that_waits_for_its_late_member_is_not_named() -> None:
    """In group dp=0 everybody but rank 0 waits: the late one is the one whose collective is short."""
    rows = [(rank, 200, 9.0 if 0 < rank < 8 else 2.0, 9.5 if 0 < rank < 8 else 2.1) for rank in range(64)]
    (verdict,) = level3.judge(
        laws(rows, "ncclAllReduce", dp=[r // 8 for r in range(64)], ep=[r % 8 for r in range(64)])
    )
    assert verdict.confidence is Confidence.group_only


def test_a_degraded_half_is_told_and_nobody_named() -> None:
    rows = [(rank, 500, 3.0 if rank >= 7 else 1.0, 3.5) for rank in range(16)]
    (verdict,) = level3.judge(laws(rows), Layout(np.arange(16), {"dp": np.arange(16)}))
    assert verdict.ranks == ()
    assert verdict.confidence is Confidence.detected_only


def test_a_rare_tail_on_one_rank_is_found_though_its_median_does_not_move() -> None:
    rows = [(rank, 970, 1.0, 1.3) for rank in range(16)] + [(3, 30, 40.0, 50.0)]
    (verdict,) = level3.judge(laws(rows, dp=list(range(16))))
    assert verdict.ranks == (3,)
    assert verdict.ratio == pytest.approx(1.0, abs=0.02)
    assert verdict.evidence["tail_share"] == pytest.approx(0.03)


def test_equal_distributions_are_silent() -> None:
    rng = np.random.default_rng(5)
    rows = [(rank, 500, float(p), 1.4 * float(p)) for rank, p in enumerate(rng.lognormal(0, 0.03, 64))]
    assert level3.judge(laws(rows, dp=list(range(64)))) == []


def test_a_rank_that_is_faster_than_the_others_is_no_degraded_one() -> None:
    rows = [(rank, 500, 0.4 if rank == 5 else 1.0 + rank / 1000, 1.3) for rank in range(16)]
    assert level3.judge(laws(rows, dp=list(range(16)))) == []


def test_a_fast_rank_takes_no_name_from_a_slow_one() -> None:
    rows = [(rank, 500, {5: 0.4, 9: 1.8}.get(rank, 1.0 + rank / 1000), 2.0) for rank in range(16)]
    (verdict,) = level3.judge(laws(rows, dp=list(range(16))))
    assert (verdict.ranks, verdict.confidence) == ((9,), Confidence.localised)
