"""The real job AR: 64 GPUs, one worker slow. Read as it is, whole, and in other formats."""

from pathlib import Path

import numpy as np
import pytest

from kb.steps import reading
from kb.steps.argus import LEVELS, Analysis, analyse
from kb.steps.grid import Grid
from kb.steps.verdict import Confidence, VerdictKind
from tests.steps.making import accused, of_kind

pytestmark = pytest.mark.real_data


def grid(real_data: Path) -> Grid:
    path = real_data / "straggler-analysis" / "trace-AR.parquet"
    assert path.is_file(), f"no {path.name} in {path.parent}"
    records = reading.read([path])
    assert records.remarks == []
    (job,) = records.jobs.values()
    return job.phases.grid()


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    from kb.settings import Settings

    return analyse(grid(Settings().real_data))


def test_exactly_one_worker_is_accused(analysis: Analysis) -> None:
    assert accused(analysis) == {0}
    assert {v.kind for v in analysis.verdicts} == {VerdictKind.compute_straggler, VerdictKind.bubble_amplification}
    assert analysis.remarks == ()


def test_the_evidence_is_that_of_the_published_medians(analysis: Analysis) -> None:
    (straggler,) = of_kind(analysis, VerdictKind.compute_straggler)
    assert straggler.group == "dp=0 pp=0"
    assert straggler.phase == "backward-compute"
    assert straggler.ratio == pytest.approx(2.27, abs=0.01)
    assert straggler.evidence["cv"] == pytest.approx(0.417, abs=0.002)
    assert straggler.evidence["own_collective_share"] < 0.2
    assert (straggler.first_step, straggler.last_step) == (16, 1238)


def test_the_published_rules_miss_it(analysis: Analysis) -> None:
    (straggler,) = of_kind(analysis, VerdictKind.compute_straggler)
    assert straggler.evidence["sample_z"] == pytest.approx(1.50, abs=0.01)
    assert not straggler.published


def test_the_model_says_that_the_pipeline_doubles_the_iteration(analysis: Analysis) -> None:
    (bubble,) = of_kind(analysis, VerdictKind.bubble_amplification)
    # The data set's own simulation: 46.63 s against 23.48 s.
    assert bubble.evidence["iteration_ratio"] == pytest.approx(46.63 / 23.48, rel=0.06)


def test_without_computing_phases_the_late_pipeline_is_told_and_no_stage_of_it_named(real_data: Path) -> None:
    late = analyse(grid(real_data), levels=[level for level in LEVELS if level not in ("L2", "1F1B")])
    (verdict,) = of_kind(late, VerdictKind.non_comm_slow)
    assert verdict.group == "dp=0"
    assert verdict.confidence is Confidence.group_only
    assert accused(late) == set()


def test_the_trace_as_csv_gives_the_same_verdicts(real_data: Path, tmp_path: Path, analysis: Analysis) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(real_data / "straggler-analysis" / "trace-AR.parquet")
    pyarrow.csv.write_csv(table, tmp_path / "AR.csv")
    (job,) = reading.read([tmp_path / "AR.csv"]).jobs.values()
    other = analyse(job.phases.grid())
    assert [(v.kind, v.ranks, v.first_step) for v in other.verdicts] == [
        (v.kind, v.ranks, v.first_step) for v in analysis.verdicts
    ]


def test_shuffled_and_doubled_rows_change_nothing(real_data: Path, tmp_path: Path, analysis: Analysis) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(real_data / "straggler-analysis" / "trace-AR.parquet")
    order = np.random.default_rng(0).permutation(np.tile(np.arange(len(table)), 2))
    pyarrow.parquet.write_table(table.take(pa.array(order)), tmp_path / "AR.parquet")
    (job,) = reading.read([tmp_path / "AR.parquet"]).jobs.values()
    other = analyse(job.phases.grid())
    assert accused(other) == accused(analysis) == {0}
