"""Every format becomes the same tables; what is wrong in it is said and never judged."""

import gzip
import io
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kb.checks.ask import judge_of, judged
from kb.checks.card import Answer
from kb.checks.catalogue import Catalogue
from kb.checks.knobs import settle
from kb.checks.sources.steps import step_files
from kb.errors import InvalidValue, MissingExtra, UnreadableFile
from kb.steps import lines, reading
from kb.steps.argus import analyse
from kb.steps.hangs import HangKind, hangs
from kb.steps.joining import joined
from kb.steps.records import DistributionTable, EdgeTable, EventTable, PhaseTable, RemarkKind, SequenceTable
from kb.steps.scenarios import made
from kb.steps.step_lines import step_of
from kb.steps.writer import StepWriter
from tests.steps.making import accused


def phase_line(rank: int, step: int, ms: float, **more: object) -> str:
    return json.dumps({"rank": rank, "dp": rank, "step": step, "phase": "forward", "duration_ms": ms, **more}) + "\n"


def job_lines(slow: int = 5) -> list[str]:
    rng = np.random.default_rng(0)
    return [
        phase_line(rank, step, float(100 * rng.lognormal(0, 0.02)) * (1.8 if rank == slow else 1.0))
        for step in range(30)
        for rank in range(8)
    ]


def analysed(path: Path) -> set[int]:
    (job,) = reading.read([path]).jobs.values()
    return accused(analyse(job.phases.grid()))


def test_json_lines_are_read_from_a_file_a_packed_file_and_a_stream(tmp_path: Path) -> None:
    text = "".join(job_lines())
    (tmp_path / "steps.jsonl").write_text(text)
    (tmp_path / "steps.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    assert analysed(tmp_path / "steps.jsonl") == {5}
    assert analysed(tmp_path / "steps.jsonl.gz") == {5}
    (table,) = reading.text(io.StringIO(text))
    assert isinstance(table, PhaseTable)
    assert table.duration.max() == pytest.approx(0.18, rel=0.1)


def test_csv_with_units_in_its_header(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in job_lines()]
    head = "rank,dp_rank,step,phase,duration_us\n"
    body = "".join(f"{r['rank']},{r['dp']},{r['step']},{r['phase']},{1000 * r['duration_ms']}\n" for r in rows)
    (tmp_path / "steps.csv").write_text(head + body)
    assert analysed(tmp_path / "steps.csv") == {5}
    (table,) = reading.tables(tmp_path / "steps.csv")
    assert isinstance(table, PhaseTable)
    assert float(np.median(table.duration)) == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize("name", ["steps.jsonl", "steps.csv"])
def test_a_file_that_ends_in_the_middle_of_a_line_is_read_to_there(tmp_path: Path, name: str) -> None:
    if name.endswith("jsonl"):
        text = "".join(job_lines()) + '{"rank": 3, "dp": 3, "step": 30, "pha'
    else:
        text = (
            "rank,dp,step,phase,duration_ms\n"
            + "".join(f"{r},{r},{s},forward,100\n" for s in range(9) for r in range(4))
            + "3,3"
        )
    (tmp_path / name).write_text(text)
    (job,) = reading.read([tmp_path / name]).jobs.values()
    remarks = job.phases.grid().remarks
    assert [(remark.kind, remark.count) for remark in remarks] == [(RemarkKind.cut_off, 1)]


def test_lines_that_are_no_record_are_counted(tmp_path: Path) -> None:
    odd = ["nonsense\n", "[1, 2]\n", '{"loss": 2.5}\n', "{" * 2000 + "\n"]
    (tmp_path / "steps.jsonl").write_text("".join([*job_lines(), *odd]))
    (job,) = reading.read([tmp_path / "steps.jsonl"]).jobs.values()
    assert [(r.kind, r.count) for r in job.phases.grid().remarks] == [(RemarkKind.unreadable, 4)]


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b'{"loss": 1}\n', b"a,b,c\n1,2,3\n", b"\x00\xff\xfe\x01" * 100, b"PAR1 and no more"]
)
def test_a_file_of_something_else_is_refused_with_what_would_do(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd").write_bytes(content)
    with pytest.raises(UnreadableFile) as caught:
        list(reading.tables(tmp_path / "odd"))
    assert caught.value.next_step
    assert str(tmp_path) not in str(caught.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile):
        reading.tables(tmp_path / "none.jsonl")


def test_an_unknown_unit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "steps.jsonl").write_text("".join(job_lines()))
    with pytest.raises(InvalidValue):
        reading.tables(tmp_path / "steps.jsonl", unit="fortnight")


def test_kinds_of_records_may_be_mixed_in_one_file() -> None:
    mixed = [
        phase_line(0, 1, 100.0),
        '{"src": 0, "dst": 1, "step": 1, "channel": 2, "bytes": 1e6, "duration_ms": 0.8, "wait_ms": 0.3}\n',
        '{"rank": 1, "communicator": "dp0", "sequence": 5, "operation": "AllReduce", "finished": false}\n',
        '{"rank": 1, "kernel": "gemm", "stream": 7, "count": 90, "p50_us": 10, "p99_us": 14, "step": 0}\n',
        '{"event": "server port down", "rank": 1, "step": 4}\n',
    ]
    found = {type(table): table for table in lines.json_lines(mixed)}
    assert set(found) == {PhaseTable, EdgeTable, SequenceTable, DistributionTable, EventTable}
    edge, law, event = found[EdgeTable], found[DistributionTable], found[EventTable]
    assert isinstance(edge, EdgeTable)
    assert edge.net.tolist() == pytest.approx([0.0005])
    assert isinstance(law, DistributionTable)
    assert law.p99.tolist() == pytest.approx([14e-6])
    assert isinstance(event, EventTable)
    assert event.event.values() == ["server port down"]


def test_memory_stays_flat_however_long_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "CHUNK", 1000)
    alive: list[int] = []

    def endless() -> Iterator[str]:
        for number in range(20_000):
            alive.append(number)
            yield phase_line(number % 8, number // 8, 100.0)

    for table in lines.json_lines(endless()):
        assert len(table) <= 1000
        assert alive[-1] < 20_000
        alive.clear()


def test_of_endless_transfers_the_latest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_ROWS", 100)
    found = reading.Records()
    for step in range(10):
        line = f'{{"src": 0, "dst": 1, "step": {step}, "duration_ms": 1}}\n'
        for table in lines.json_lines([line] * 30):
            found.add(table)
    kept = found.jobs[""].edges
    assert sum(map(len, kept)) <= 100
    assert kept[-1].step[0] == 9
    assert [(remark.kind, remark.count) for remark in found.remarks] == [(RemarkKind.too_many, 210)]


def test_parquet_needs_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import builtins

    real = builtins.__import__

    def absent(name: str, *rest: object, **more: object) -> object:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest, **more)  # type: ignore[arg-type]

    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtra) as caught:
        list(reading.tables(tmp_path / "t.parquet"))
    assert "pip install 'incident-library[steps]'" in str(caught.value)


@pytest.mark.parametrize(
    "spec", ["imbalance_sequence dp=32 pp=2 single=0 steps=43", "imbalance_stage dp=2 single=0 steps=32"]
)
def test_other_jobs_in_the_layout_of_the_public_traces_accuse_nobody(tmp_path: Path, spec: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    table = made(spec, 1).phases
    assert table is not None
    kept = table.take(~table.phase.where("iteration", "data_load"))
    names = {"forward": "forward-compute", "backward": "backward-compute", "dp_reduce_scatter": "grads-reduce-scatter"}
    columns = {
        "dp_rank": kept.axes["dp"].astype(np.int8),
        "stage": kept.axes["pp"].astype(np.int8),
        "rank": kept.rank.astype(np.int16),
        "step": kept.step,
        "optype": pa.array([names.get(name, name) for name in kept.phase.values()]).dictionary_encode(),
        "start_ts": kept.start.astype(np.float32),
        "duration": kept.duration.astype(np.float32),
        "mb_id": kept.microbatch.astype(np.int8),
    }
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "trace.parquet")
    (job,) = reading.read([tmp_path / "trace.parquet"]).jobs.values()
    analysis = analyse(job.phases.grid())
    assert accused(analysis) == set()
    wanted = "workload_imbalance" if "sequence" in spec else "stage_imbalance"
    assert {v.kind.value for v in analysis.verdicts} == {wanted}


def entry(number: int, state: str, created: int, done: int | None, **more: object) -> dict[str, object]:
    return {
        "pg_id": 0, "process_group": ("0", "default_pg"), "collective_seq_id": number, "p2p_seq_id": 0,
        "profiling_name": "nccl:all_reduce", "time_created_ns": created, "input_sizes": [[3, 4]],
        "input_dtypes": ["Float"], "state": state, "time_discovered_started_ns": None,
        "time_discovered_completed_ns": done, "retired": done is not None, "is_p2p": False, **more,
    }  # fmt: skip


def dump(folder: Path, rank: int, last: int, *, as_json: bool = False) -> Path:
    """A rank's dump: operations up to `last`, of which 155 never ends."""
    start = 1_724_779_239_000_000_000
    entries = [
        entry(
            n,
            "started" if n == 155 else "completed",
            start + n * 10**9,
            None if n == 155 else start + n * 10**9 + 10**7,
        )
        for n in range(140, last + 1)
    ]
    content = {
        "version": "2.9",
        "nccl_version": "2.26.6",
        "pg_config": {"0": {"ranks": "[0, 1, 2, 3]"}},
        "entries": entries,
    }
    path = folder / f"nccl_trace_rank_{rank}"
    path.write_bytes(json.dumps(content).encode() if as_json else pickle.dumps(content))
    return path


@pytest.mark.parametrize("as_json", [True, False])
def test_flight_recorder_dumps_show_who_never_came(tmp_path: Path, as_json: bool) -> None:
    for rank in range(4):
        dump(tmp_path, rank, 154 if rank == 3 else 155, as_json=as_json)
    (job,) = reading.read([tmp_path]).jobs.values()
    assert [table.rank[0] for table in job.sequences] == [0, 1, 2, 3]
    assert job.sequences[0].bytes[0] == 48
    assert job.sequences[0].operation.names == ("all_reduce",)
    (hang,) = hangs(joined(job.sequences), now=1_724_779_239 + 155 + 600.0)
    assert (hang.kind, hang.ranks, hang.sequence) == (HangKind.not_posted, (3,), 155)


class Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (Path("/nonexistent/should-never-be-made"),)  # type: ignore[return-value]


def test_a_pickle_that_asks_for_more_than_plain_values_is_never_run(tmp_path: Path) -> None:
    path = tmp_path / "nccl_trace_rank_0"
    for content in (Trap(), {"entries": [np.float64(1.0)]}):
        path.write_bytes(pickle.dumps(content))
        with pytest.raises(UnreadableFile) as caught:
            list(reading.tables(path))
        assert "was not loaded" in str(caught.value)
    path.write_bytes(pickle.dumps({"entries": []})[:-3])
    with pytest.raises(UnreadableFile):
        list(reading.tables(path))


def test_a_folder_without_dumps_is_refused(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").write_text("nothing")
    with pytest.raises(UnreadableFile):
        list(reading.tables(tmp_path))


MEGATRON = """\
 [2025-08-01 07:19:37] iteration       10/    5000 | consumed samples:  1280 | elapsed time per iteration (ms): 1138.8
times across ranks (ms):
  forward-compute:
     rank  0: 401.25
     rank  1: 803.5
  backward-compute:
     rank  0: 700.00
     rank  1: 701.00
 [2025-08-01 07:19:57] iteration       20/    5000 | consumed samples:  2560 | elapsed time per iteration (ms): 1339.1
"""
DEEPSPEED = """\
[2024-05-02 10:00:01,123] [INFO] [logging.py:96:log_dist] [Rank 2] step=10, skipped=0, lr=[0.0001], mom=[(0.9, 0.95)]
[2024-05-02 10:00:02,123] [INFO] [logging.py:96:log_dist] [Rank 2] time (ms) | fwd_microstep: 101.5 \
| bwd_microstep: 250.0 | bwd_inner_microstep: 200.5 | bwd_allreduce_microstep: 49.5 | step_microstep: 30.0
steps: 20 loss: 2.1345 iter time (s): 0.451 samples/sec: 70.953
"""


def test_step_lines_of_megatron_and_deepspeed(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("some words\n" + MEGATRON + DEEPSPEED)
    (table,) = reading.tables(tmp_path / "train.log")
    assert isinstance(table, PhaseTable)
    rows = list(
        zip(table.rank.tolist(), table.step.tolist(), table.phase.values(), table.duration.tolist(), strict=True)
    )
    assert (0, 10, "iteration", pytest.approx(1.1388)) in rows
    assert (1, 10, "forward-compute", pytest.approx(0.8035)) in rows
    assert (0, 20, "iteration", pytest.approx(1.3391)) in rows
    assert (2, 10, "forward", pytest.approx(0.1015)) in rows
    assert (2, 10, "backward", pytest.approx(0.2005)) in rows
    assert (0, 20, "iteration", pytest.approx(0.451)) in rows
    assert len(rows) == 11


RAS = """\
Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4         8        32        32   RUNNING  MISMATCH

Warnings
========

#0-0 (27a079b828ff1a75) MISMATCH
  Communicator ranks have different AllReduce operation counts
  30 ranks have launched up to operation 6650
  Rank 7 has launched up to operation 6640 -- GPU 7 managed by process 483079 on node 192.0.2.10
  Rank 3 has not launched any operations -- GPU 3 managed by process 483075 on node 192.0.2.10
"""


def test_a_report_of_ras_shows_the_ranks_behind(tmp_path: Path) -> None:
    (tmp_path / "ras.txt").write_text(RAS)
    (table,) = reading.tables(tmp_path / "ras.txt")
    assert isinstance(table, SequenceTable)
    assert sorted(table.rank.tolist()) == list(range(32))
    behind = table.take(table.sequence < 6650)
    assert dict(zip(behind.rank.tolist(), behind.sequence.tolist(), strict=True)) == {7: 6640, 3: 0}


def test_calls_in_the_debug_log_of_nccl(tmp_path: Path) -> None:
    text = ""
    for rank in range(2):
        place = f"host{rank}:100{rank}:100{rank} [0] NCCL INFO"
        text += f"{place} ncclCommInitRank comm 0x55{rank} rank {rank} nranks 2 commId 0xabc - Init COMPLETE\n"
        for call in range(0x9, 0x9 + 3 - rank):
            text += (
                f"{place} AllReduce: opCount {call:x} sendbuff 0x1 recvbuff 0x2 count 18816 datatype 7 op 0 root 0 "
                f"comm 0x55{rank} [nranks=2] stream 0x3\n"
            )
    (tmp_path / "nccl.log").write_text(text)
    (table,) = reading.tables(tmp_path / "nccl.log")
    assert isinstance(table, SequenceTable)
    assert table.communicator.names == ("0xabc",)
    assert table.rank.tolist() == [0, 0, 0, 1, 1]
    assert table.sequence.tolist() == [9, 10, 11, 9, 10]
    assert table.finished.tolist() == [True, True, False, True, False]
    assert table.bytes[0] == 18816 * 4


def test_an_answer_of_prometheus_is_read_by_rank_and_phase(tmp_path: Path) -> None:
    result = [
        {
            "metric": {"__name__": "train_phase_seconds", "rank": str(rank), "dp_rank": str(rank), "phase": "forward"},
            "values": [[1000 + 15 * n, str(0.18 if rank == 2 else 0.1)] for n in range(12)],
        }
        for rank in range(8)
    ]
    (tmp_path / "answer.json").write_text(
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})
    )
    assert analysed(tmp_path / "answer.json") == {2}
    for one in result:
        del one["metric"]["rank"]  # type: ignore[attr-defined]
    (tmp_path / "answer.json").write_text(json.dumps({"data": {"resultType": "matrix", "result": result}}))
    with pytest.raises(UnreadableFile):
        reading.tables(tmp_path / "answer.json")


def test_the_writer_writes_what_the_reader_reads(tmp_path: Path) -> None:
    for rank in range(4):
        writer = StepWriter(str(tmp_path / "steps-{rank}.jsonl"), rank=rank, job="llm", dp=rank, pp=0)
        for step in range(12):
            writer.record(step, "backward", 0.2 if rank == 1 else 0.1, start=1000.0 + step, tokens=4096)
            with writer.phase(step, "data_load"):
                pass
        writer.event(11, "checkpoint")
        writer.close()
        writer.record(12, "backward", 9.9)
    found = reading.read(sorted(tmp_path.glob("*.jsonl")))
    job = found.jobs["llm"]
    grid = job.phases.grid()
    assert set(grid.phases) == {"backward", "data_load"}
    assert grid.covariates["tokens"].max() == 4096
    assert job.events[0].event.values() == ["checkpoint"]
    assert accused(analyse(grid)) == {1}


def test_a_writer_that_cannot_write_says_so_once_and_lets_training_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = StepWriter(str(tmp_path / "none" / "steps.jsonl"), rank=0)
    for step in range(3):
        with writer.phase(step, "forward"):
            pass
    assert capsys.readouterr().err.count("no longer written") == 1


def test_the_writer_needs_nothing_but_the_standard_library() -> None:
    import subprocess
    import sys

    code = "import kb.steps.writer, sys; sys.exit('numpy' in sys.modules or 'pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_numbers_of_numpy_are_written_and_what_is_no_number_does_not_stop_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "steps.jsonl"
    writer = StepWriter(str(path), rank=0)
    writer.record(np.int64(3), "forward", np.float32(0.5), start=np.float64(1.5), tokens=np.int64(4096))
    assert json.loads(path.read_text()) == {
        "rank": 0, "step": 3, "phase": "forward", "duration_s": 0.5, "start_s": 1.5, "tokens": 4096
    }  # fmt: skip
    for _ in range(2):
        writer.record(4, "forward", 0.5, tokens={4096})  # type: ignore[arg-type]
    assert capsys.readouterr().err.count("no longer written") == 1


def test_the_number_of_a_slurm_job_stays_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "steps.csv").write_text("job,rank,step,phase,duration_s\n12345,0,1,forward,0.1\n")
    (tmp_path / "steps.jsonl").write_text(
        '{"job": 12345, "rank": 0, "step": 1, "phase": "forward", "duration_s": 0.1}\n'
    )
    assert set(reading.read([tmp_path / "steps.csv", tmp_path / "steps.jsonl"]).jobs) == {"12345"}


def test_torchrun_s_number_of_a_process_is_no_rank_of_the_job(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("".join(f"[default3]:{text}\n" for text in MEGATRON.splitlines()))
    (table,) = reading.tables(tmp_path / "train.log")
    assert isinstance(table, PhaseTable)
    assert set(table.rank[table.phase.where("iteration")].tolist()) == {0}


def test_sends_and_receives_are_not_held_against_each_other_by_their_numbers(tmp_path: Path) -> None:
    for rank in range(4):
        path = dump(tmp_path, rank, 154)
        content = pickle.loads(path.read_bytes())
        # The last stage has sent nothing: that is its place in the pipeline.
        sent = [entry(154, "completed", 1, 2, is_p2p=True, p2p_seq_id=n) for n in range(1, 9 - 2 * rank)]
        path.write_bytes(pickle.dumps({**content, "entries": content["entries"] + sent}))
    (job,) = reading.read([tmp_path]).jobs.values()
    calls = joined(job.sequences)
    assert set(calls.operation.names) == {"all_reduce"}
    assert len(calls.communicator.names) == 1
    assert len(calls) == 4 * 15
    assert not any(table.remarks for table in job.sequences)


def test_a_send_that_has_not_ended_is_left_out_and_keeps_a_hang_from_being_ruled_out(tmp_path: Path) -> None:
    for rank in range(2):
        path = dump(tmp_path, rank, 154)
        content = pickle.loads(path.read_bytes())
        stuck = entry(154, "started", 1, None, is_p2p=True, p2p_seq_id=7)
        path.write_bytes(pickle.dumps({**content, "entries": [*content["entries"], stuck]}))
    catalogue, check = Catalogue.load(), "training/communication_hang"
    source = step_files([str(tmp_path)])
    assert [(remark.kind, remark.count) for remark in source.jobs()[0].remarks] == [(RemarkKind.unreadable, 2)]
    assert judged(judge_of(catalogue, check), source, settle(catalogue.cards[check])).answer is Answer.unknown


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        (
            "[default7]: iteration    45000/  115311 | elapsed time per iteration (s): 111.00 | lm loss: 2.1E+00 |",
            111.0,
        ),
        ("iteration: 45000 / 115311 | elapsed_time_per_iteration_ms: 3.2K | lm_loss: 2.1 |", 3.2),
        ("steps: 45000 loss: 6.9312 iter time (s): 1.204 samples/sec: 213.300", 1.204),
    ],
)
def test_the_line_of_an_iteration_is_read_as_checks_of_logs_read_it(tmp_path: Path, line: str, seconds: float) -> None:
    (tmp_path / "train.log").write_text(
        f"starting\n{line}\n iteration 45001/ 115311 | elapsed time per iteration (ms): nan |\n"
    )
    (table,) = reading.tables(tmp_path / "train.log")
    assert (table.step.tolist(), table.phase.values()) == ([45000], ["iteration"])
    assert table.duration.tolist() == [pytest.approx(seconds)]
    told = step_of(line)
    assert told is not None
    assert told.seconds == pytest.approx(seconds)


def test_calls_of_communicators_that_no_line_introduced_are_left_out_and_that_is_said(tmp_path: Path) -> None:
    text = ""
    for rank in range(4):
        place = f"host{rank}:100{rank}:100{rank} [0] NCCL INFO"
        text += (
            f"{place} AllReduce: opCount {5 + rank // 2:x} sendbuff 0x1 recvbuff 0x2 count 8 datatype 7 op 0 root 0 "
            f"comm 0x55{rank} [nranks=2] stream 0x3 rank {rank % 2}\n"
        )
    (tmp_path / "nccl.log").write_text(text)
    (table,) = reading.tables(tmp_path / "nccl.log")
    assert len(table) == 0
    (remark,) = table.remarks
    assert (remark.kind, remark.count) == (RemarkKind.unreadable, 4)
    assert "NCCL_DEBUG_SUBSYS" in remark.remedy.en
    assert "NCCL_DEBUG_SUBSYS" in (remark.remedy.ko or "")
