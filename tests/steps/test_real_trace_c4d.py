"""R-C3 on the public trace of a real job: the reduction of stage 1 accuses the replica that does not wait."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest

from kb.steps.c4d import late_verdicts
from kb.steps.records import Coded, SequenceTable
from kb.steps.verdict import Confidence


@pytest.mark.real_data
def test_the_late_replica_is_dp0_and_the_three_that_wait_are_innocent(real_data: Path) -> None:
    trace = parquet.read_table(real_data / "straggler-analysis" / "trace-AR.parquet")
    rows = {name: np.array(trace[name]) for name in ("dp_rank", "stage", "rank", "step", "start_ts", "duration")}
    chosen = (np.array(trace["optype"]) == "grads-reduce-scatter") & (rows["stage"] == 1)
    rows = {name: column[chosen] for name, column in rows.items()}
    size = len(rows["rank"])
    yes = np.ones(size, bool)
    table = SequenceTable(
        Coded.constant("AR", size),
        rows["dp_rank"],
        Coded.constant("stage 1", size),
        rows["step"],
        Coded.constant("grads-reduce-scatter", size),
        np.full(size, np.nan),
        yes,
        yes,
        yes,
        rows["start_ts"],
        rows["start_ts"] + rows["duration"],
    )
    (verdict,) = late_verdicts(table)
    assert verdict.ranks == (0,)
    assert verdict.confidence is Confidence.localised
    # Medians that anybody can redo from the trace: dp0 takes 0.214 s where the others take 24.3–24.5 s.
    assert verdict.evidence["own"] == pytest.approx(0.214, abs=0.01)
    assert verdict.evidence["others"] == pytest.approx(24.4, abs=0.3)
    assert verdict.evidence["lag"] == pytest.approx(24.27, abs=0.2)
