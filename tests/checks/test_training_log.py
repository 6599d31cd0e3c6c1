"""Step lines as their makers print them, and logs of programs read by file."""

import math
import re

import pytest

from kb.checks.card import Answer
from kb.checks.program_log import Fault, ProgramLog, clock_of, rank_of, search_faults
from kb.checks.sources.logs import LogTexts
from kb.checks.training_log import SAVED, Step, TrainingLog, step_of
from kb.model import Text

BLOOM = (
    "[default7]: iteration    45000/  115311 | consumed samples:     76002224 | consumed tokens: 155652554752 | "
    "elapsed time per iteration (s): 111.00 | learning rate: 4.298E-05 | global batch size:  2048 | "
    "lm loss: 2.113567E+00 | grad norm: 0.139 | num zeros: 0.0 | number of skipped iterations:   0 | "
    "number of nan iterations:   0 | samples per second: 18.451 | TFLOPs: 141.26 |"
)
SKIPPED = (
    " iteration     9027/  159576 | consumed samples:       540656 | elapsed time per iteration (ms): 63274.6 | "
    "learning rate: 6.000E-05 | global batch size:   192 | loss scale: 8192.0 | grad norm: 20609.780 |"
)
MEGATRON = (
    " [2026-01-02 10:11:12.123456] iteration       10/    1000 | consumed samples:          960 | "
    "elapsed time per iteration (ms): 12010.0 | throughput per GPU (TFLOP/s/GPU): 404.1 | "
    "learning rate: 6.000000E-05 | lm loss: nan | loss scale: 1.0 | number of nan iterations:   1 |"
)


@pytest.mark.parametrize(
    ("line", "step"),
    [
        (BLOOM, Step(45000, 2.113567, 0.139, 111.0, 141.26, "TFLOPs", 4.298e-05)),
        (SKIPPED, Step(9027, None, 20609.78, 63.2746, None, "", 6e-05, 8192.0)),
        (
            '2021-12-01 10:00:00 | INFO | train_inner | {"epoch": 1, "loss": "2.2", "wps": "110000.5", '
            '"num_updates": "12100", "lr": "0.00012", "gnorm": "0.9", "loss_scale": "0.25"}',
            Step(12100, 2.2, 0.9, None, 110000.5, "words/s", 0.00012, 0.25),
        ),
        (
            "| train_inner | epoch 001:    100 / 1000 loss=9.1, wps=1000, num_updates=100, lr=1e-05, gnorm=1.2",
            Step(100, 9.1, 1.2, None, 1000.0, "words/s", 1e-05),
        ),
        ("[Rank 0] step=10, skipped=0, lr=[0.0001, 0.0001], mom=[[0.9, 0.95]]", Step(10, learning_rate=0.0001)),
        (
            "steps: 10 loss: 6.9312 iter time (s): 1.204 samples/sec: 213.300",
            Step(10, 6.9312, seconds=1.204, rate=213.3, unit="samples/s"),
        ),
        (
            "{'loss': 2.31, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 0.5}",
            Step(None, 2.31, 1.2, learning_rate=5e-05),
        ),
        (
            "{'loss': '2.31', 'grad_norm': '1.2', 'learning_rate': '5e-05', 'epoch': '0.5'}",
            Step(None, 2.31, 1.2, learning_rate=5e-05),
        ),
        (
            "Epoch 0:  25%|##5 | 250/1000 [00:30<01:30,  4.00it/s, v_num=0, train_loss=2.31]",
            Step(250, 2.31, None, 0.25),
        ),
        (
            "[titan] step:  1  loss: 12.2  grad_norm: 3.1  memory: 10GiB(10%)  tps: 1,234  tflops: 100.1  mfu: 12%",
            Step(1, 12.2, 3.1, None, 100.1, "TFLOPs"),
        ),
        (
            "Progress on:train 1.20kit/100kit rate:34.5s/it remaining:04:01 elapsed:17:46 postfix:loss=15.5",
            Step(1200, 15.5, None, 34.5),
        ),
        (
            "iteration: 5 / 32000 | time_per_iteration_ms: 1.2K | tokens_per_sec: 13.8K | lm_loss: 10.9 | lr: 3e-05",
            Step(5, 10.9, None, 1.2, 13800.0, "tokens/s", 3e-05),
        ),
        ("step 1204 loss 2.113 tokens/s 311200", Step(1204, 2.113, rate=311200.0, unit="tokens/s")),
        ("iter 500: loss 2.1233, time 88.11ms, mfu 12.1%", Step(500, 2.1233)),
    ],
)
def test_a_step_line_of_each_maker_is_read(line: str, step: Step) -> None:
    assert step_of(line) == step


def test_a_loss_that_is_no_number_is_read_as_such() -> None:
    step = step_of(MEGATRON)
    assert step is not None
    assert math.isnan(step.loss or 0)
    assert (step.number, step.rate, step.nan_iterations) == (10, 404.1, 1)


@pytest.mark.parametrize(
    "line",
    [
        "saving checkpoint at iteration   33241 to /ckpt",
        "[default7]:valid loss at iteration 45000 | lm loss value: 2.327091E+00 | lm loss PPL: 1.024808E+01 |",
        "PID 2232678:  After save batch at opt_step 833",
        "NCCL INFO Using network IB",
        "loss functions are listed in step with the optimisers",
        "",
    ],
)
def test_other_lines_are_no_steps(line: str) -> None:
    assert step_of(line) is None


def test_indented_step_lines_that_the_source_joined_are_taken_apart() -> None:
    """Megatron begins its lines with a blank, and the source takes those for continuations."""
    log = TrainingLog()
    text = f"start\n{SKIPPED}\n{SKIPPED}\n\n{SKIPPED}\n"
    assert [line.number for line, _ in log.steps(LogTexts({"a": text}))] == [2, 3, 5]
    assert (log.outcome().answer, log.outcome().looked_at) == (Answer.clear, 3)


def test_clocks_with_and_without_zone() -> None:
    assert clock_of("2026-09-05T19:34:36+02:00 x") == clock_of("[2026-09-05 17:34:36] y")
    assert clock_of("[2021-08-08 01:00:44,500]") == clock_of("2021-08-08T01:00:44.5Z")
    assert clock_of("2026-13-45T99:00:00Z") is None
    assert clock_of("no time") is None


def test_the_rank_is_named_as_the_line_names_it() -> None:
    assert rank_of("[rank3]: Traceback") == {"rank": "3"}
    assert rank_of("[PG ID 0 PG GUID 0 Rank 5] dump") == {"rank": "5"}
    assert rank_of("[default7]: x") == {"local_rank": "7"}
    assert rank_of("nothing") == {}


FAULTS = (Fault("broken", re.compile("it broke")),)


def judge(files: dict[str, str]) -> tuple[Answer, int, list[tuple[dict[str, str], int]]]:
    log = ProgramLog(Text(en="the program", ko="프로그램"), Text(en="Give it.", ko="주십시오."))
    outcome = search_faults(LogTexts(files), log, lambda text: text.startswith("prog"), FAULTS)
    return outcome.answer, outcome.looked_at, [(dict(f.where), f.evidence.count) for f in outcome.findings]


def test_a_silent_file_beside_a_good_one_is_unknown() -> None:
    assert judge({"a": "prog ok\n", "b": "other\n"})[0] is Answer.unknown
    assert judge({"a": "prog ok\nprog ok\n"}) == (Answer.clear, 2, [])
    assert judge({"a": ""})[0] is Answer.unknown


def test_a_fault_speaks_for_its_file_and_is_counted_once() -> None:
    assert judge({"a": "it broke\nit broke\n"}) == (Answer.found, 2, [({"file": "a", "fault": "broken"}, 2)])


def test_words_and_numbers_of_step_lines_are_read_in_capitals_too() -> None:
    assert step_of("Step 5 Loss: 2.5") == Step(5, 2.5)
    assert step_of("STEP 5: LOSS 2.5") == Step(5, 2.5)
    for text in ("lm loss: NAN |", "lm loss: nan |", "lm loss: NaN |"):
        step = step_of(f" iteration       10/    1000 | {text}")
        assert step is not None
        assert step.loss is not None
        assert math.isnan(step.loss)
    infinite = step_of("step 3 loss INF")
    assert infinite is not None
    assert infinite.loss == math.inf


def test_a_step_is_looked_for_where_a_line_begins_however_long_it_is() -> None:
    rest = " and on" * 150_000
    assert step_of(f"step 7 loss 2.5{rest}") == Step(7, 2.5)
    assert step_of(f"{rest}step 7 loss 2.5") is None


def test_step_zero_is_named_and_only_a_missing_number_is_not() -> None:
    assert [Step(0).label, Step(12).label, Step().label] == ["0", "12", "?"]


def test_a_line_without_a_time_at_the_end_of_a_log_does_not_part_it_from_the_next() -> None:
    log, told = TrainingLog(), []
    early, late = "[2024-03-02 10:00:00] step 1 loss 2.5\n", "[2024-03-02 11:00:00] step 2 loss 2.5\n"
    save = "  successfully saved checkpoint from iteration 1 to /c\n"
    for line in log.read(LogTexts({"a": early + save, "b": late})):
        if SAVED.search(line.text) or step_of(line.text):
            told.append(log.goes_on(line))
    assert told == [True, True, True]


def runs_of(files: dict[str, str]) -> list[bool]:
    log = TrainingLog()
    return [log.goes_on(line) for line, _ in log.steps(LogTexts(files))]


def test_a_log_goes_on_with_the_one_before_it_only_if_its_clock_does() -> None:
    early, late = "[2024-03-02 10:00:00] step 1 loss 2.5\n", "[2024-03-02 11:00:00] step 2 loss 2.5\n"
    assert runs_of({"a": early + late, "b": late}) == [True, True, True]
    assert runs_of({"a": early + late, "b": early + late}) == [True, True, False, True]
    assert runs_of({"a": "step 1 loss 2.5\n", "b": late}) == [True, False]
    assert runs_of({"a": early, "b": "step 1 loss 2.5\nstep 2 loss 2.5\n"}) == [True, False, True]


@pytest.mark.parametrize(
    ("line", "saved"),
    [
        ("  successfully saved checkpoint from iteration     845 to /ckpt [ t 1/8, p 1/4 ]", True),
        ("successfully async saved checkpoint from step 100 to /ckpt", True),
        (
            "Saved checkpoint /c/checkpoint_1_200.pt (epoch 1 @ 200 updates, score None) (writing took 2.3 seconds)",
            True,
        ),
        (
            "saved checkpoint /c/checkpoint_1_200.pt (epoch 1 @ 200 updates, score None) (writing took 2.3 seconds)",
            True,
        ),
        ("Finished saving the checkpoint (or staging if async is enabled)in 5.53 seconds.", True),
        ("saving checkpoint at iteration     845 to /ckpt", False),
        ("Resuming from the last saved checkpoint of step 100", False),
        ("Saving the checkpoint.", False),
    ],
)
def test_a_save_that_ended_is_told_from_one_that_begins(line: str, saved: bool) -> None:
    assert (SAVED.search(line) is not None) is saved
