"""Step lines of training logs, as their makers print them: read here for checks of logs and for step records alike.

Read are Megatron-LM and Megatron-DeepSpeed, nanotron, DeepSpeed, fairseq and metaseq, the Trainer of Hugging Face,
PyTorch Lightning, torchtitan, Levanter, and the plain `step 100: loss 2.1` of many scripts.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

NUMBER = r"[-+]?(?:(?i:nan|inf(?:inity)?)|\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?)"
SUFFIX = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12, "k": 1e3}


@dataclass(frozen=True)
class Step:
    """What one step line says; what it leaves out is absent."""

    number: int | None = None
    loss: float | None = None
    grad_norm: float | None = None
    seconds: float | None = None
    """Time of an iteration."""
    rate: float | None = None
    """Speed, in `unit`; higher is faster."""
    unit: str = ""
    learning_rate: float | None = None
    loss_scale: float | None = None
    nan_iterations: int = 0

    @property
    def label(self) -> str:
        """The number as findings name it; `?` where the line gives none."""
        return "?" if self.number is None else str(self.number)


#: ` iteration    45000/  115311 | … | lm loss: 2.113567E+00 | … |` of Megatron-LM; nanotron has `iteration: 5 / 320 |`.
MEGATRON = re.compile(r"\biteration:?\s+(\d+)\s*/\s*\d+[^|]*\|(.*)")
#: `… | INFO | train_inner | {"epoch": 1, "loss": "2.2", "num_updates": "12100", …}`
FAIRSEQ = re.compile(r"\|\s*train(?:_inner)?\s*\|\s*(.*)")
#: `[Rank 0] step=10, skipped=0, lr=[0.0001, 0.0001], mom=…`
DEEPSPEED = re.compile(rf"\bstep=(\d+), skipped=\d+, lr=\[?({NUMBER})")
#: `steps: 10 loss: 6.93 iter time (s): 1.2 samples/sec: 213.3`
DEEPSPEED_PIPE = re.compile(
    rf"\bsteps: (\d+) loss: ({NUMBER}) (?:.*?)iter time \(s\): ({NUMBER}) samples/sec: ({NUMBER})", re.IGNORECASE
)
#: `{'loss': 2.31, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 0.5}`
TRAINER = re.compile(r"\{'loss': [^{}]*'epoch': [^{}]*\}")
#: `Epoch 0:  25%|██▌ | 250/1000 [00:30<01:30,  8.30it/s, v_num=0, train_loss=2.31]`
LIGHTNING = re.compile(rf"\bEpoch \d+:\s+\d+%\|[^|]*\| (\d+)/\d+ \[[^\]]*?({NUMBER})(it/s|s/it)([^\]]*)\]")
#: `step:  1  loss: 12.2  grad_norm: 3.1  memory: …  tps: 1,234  tflops: 100.1  mfu: 12%`
TORCHTITAN = re.compile(rf"\bstep:\s*(\d+)\s+loss:\s*({NUMBER})(.*)", re.IGNORECASE)
#: `Progress on:train 11.0it/18.0it rate:34.5s/it remaining:04:01 elapsed:17:46 postfix:loss=15.5`
LEVANTER = re.compile(
    rf"Progress on:train ([\d.]+)([kM]?)it/\S+ rate:({NUMBER})([kM]?)(s/it|it/s)(?:.*?postfix:.*?loss=({NUMBER}))?"
)
#: `step 1204 loss 2.113`, `iter 500: loss 2.12, time 88.11ms`, `step 0, loss: 10.9`
PLAIN = re.compile(rf"\b(?:step|iter|iteration)[\s:=#]*(\d+)\b[^|]{{0,40}}?\bloss[\s:=]+({NUMBER})", re.IGNORECASE)
#: `tokens/s 311200`, `tok/sec: 13.8K`
SPEED = re.compile(rf"\b(tokens|tok|samples|words)/s(?:ec)?[\s:=]+({NUMBER})([KMBT]?)\b")

PAIR = re.compile(rf"['\"]?([A-Za-z_][\w /()\-]*?)['\"]?\s*[:=]\s*['\"]?({NUMBER})([KMBT]?)\b")
#: Lines whose step is remembered: many checks ask about the same ones.
REMEMBERED = 1 << 15
#: Characters of a line that are looked at. With the lines that go on with it, it may have a million, and pairs are
#: searched in time that grows with the square of them.
LOOKED_AT = 4_000


def step_of(text: str) -> Step | None:
    """The step that a line tells of; nothing if it is no step line."""
    return _step_of(text[:LOOKED_AT])


@lru_cache(REMEMBERED)
def _step_of(text: str) -> Step | None:
    small = text.lower()
    for words, read in READERS:
        if all(word in small for word in words) and (step := read(text)) is not None:
            return step
    return None


def number(text: str, suffix: str = "") -> float:
    return float(text.replace(",", "")) * SUFFIX.get(suffix, 1.0)


def _pairs(text: str) -> dict[str, float]:
    return {name.strip().lower(): number(value, suffix) for name, value, suffix in PAIR.findall(text)}


def _first(pairs: dict[str, float], *names: str) -> float | None:
    return next((pairs[name] for name in names if name in pairs), None)


def _megatron(text: str) -> Step | None:
    match = MEGATRON.search(text)
    if match is None:
        return None
    pairs: dict[str, float] = {}
    for part in match[2].split("|"):
        pairs.update(_pairs(part))
    loss = _first(pairs, "lm loss", "lm_loss", "per_token_loss", "loss")
    if loss is None:
        loss = next((value for name, value in pairs.items() if name.endswith("loss")), None)
    milliseconds = _first(
        pairs, "elapsed time per iteration (ms)", "time_per_iteration_ms", "elapsed_time_per_iteration_ms"
    )
    seconds = milliseconds / 1000 if milliseconds is not None else pairs.get("elapsed time per iteration (s)")
    rate, unit = _rate(pairs)
    return Step(
        number=int(match[1]),
        loss=loss,
        grad_norm=_first(pairs, "grad norm", "grad_norm"),
        seconds=seconds,
        rate=rate,
        unit=unit,
        learning_rate=_first(pairs, "learning rate", "lr"),
        loss_scale=_first(pairs, "loss scale", "loss_scale"),
        nan_iterations=int(pairs.get("number of nan iterations", 0)),
    )


#: Names of speeds, the best first, and their units.
RATES = (
    ("tflops", "TFLOPs"),
    ("throughput per gpu (tflop/s/gpu)", "TFLOPs"),
    ("model_tflops_per_gpu", "TFLOPs"),
    ("tokens_per_sec", "tokens/s"),
    ("tokens/s", "tokens/s"),
    ("tps", "tokens/s"),
    ("wps", "words/s"),
    ("samples per second", "samples/s"),
    ("samples/sec", "samples/s"),
)


def _rate(pairs: dict[str, float]) -> tuple[float | None, str]:
    return next(((pairs[name], unit) for name, unit in RATES if name in pairs), (None, ""))


def _fairseq(text: str) -> Step | None:
    match = FAIRSEQ.search(text)
    pairs = _pairs(match[1]) if match else {}
    if match is None or not ({"loss", "gnorm", "num_updates"} & pairs.keys()):
        return None
    updates = pairs.get("num_updates")
    return Step(
        number=None if updates is None else int(updates),
        loss=_first(pairs, "loss", "train_loss"),
        grad_norm=pairs.get("gnorm"),
        rate=pairs.get("wps"),
        unit="words/s",
        learning_rate=pairs.get("lr"),
        loss_scale=pairs.get("loss_scale"),
    )


def _deepspeed(text: str) -> Step | None:
    match = DEEPSPEED.search(text)
    return Step(int(match[1]), learning_rate=number(match[2])) if match else None


def _deepspeed_pipe(text: str) -> Step | None:
    match = DEEPSPEED_PIPE.search(text)
    if match is None:
        return None
    return Step(int(match[1]), number(match[2]), seconds=number(match[3]), rate=number(match[4]), unit="samples/s")


def _trainer(text: str) -> Step | None:
    match = TRAINER.search(text)
    if match is None:
        return None
    pairs = _pairs(match[0])
    return Step(loss=pairs.get("loss"), grad_norm=pairs.get("grad_norm"), learning_rate=pairs.get("learning_rate"))


def _lightning(text: str) -> Step | None:
    found = list(LIGHTNING.finditer(text))
    if not found:
        return None
    # A progress bar rewrites its line; the last state counts.
    match = found[-1]
    pairs = _pairs(match[4])
    speed = number(match[2])
    seconds = speed if match[3] == "s/it" else 1 / speed if speed else None
    loss = _first(pairs, "loss", "train_loss", "loss_step", "train_loss_step")
    return Step(int(match[1]), loss, seconds=seconds)


def _torchtitan(text: str) -> Step | None:
    match = TORCHTITAN.search(text)
    if match is None:
        return None
    pairs = _pairs(match[3])
    rate, unit = _rate(pairs)
    return Step(int(match[1]), number(match[2]), pairs.get("grad_norm"), rate=rate, unit=unit)


def _levanter(text: str) -> Step | None:
    match = LEVANTER.search(text)
    if match is None:
        return None
    speed = number(match[3], match[4])
    seconds = speed if match[5] == "s/it" else 1 / speed if speed else None
    loss = number(match[6]) if match[6] else None
    return Step(int(number(match[1], match[2])), loss, seconds=seconds)


def _plain(text: str) -> Step | None:
    match = PLAIN.search(text)
    if match is None:
        return None
    pairs = _pairs(text[match.end() :])
    speed = SPEED.search(text)
    rate, unit = (number(speed[2], speed[3]), f"{speed[1]}/s") if speed else _rate(pairs)
    return Step(int(match[1]), number(match[2]), pairs.get("grad_norm"), rate=rate, unit=unit)


#: Words that every line of a maker holds, in lower case: a cheap test before the patterns. Then its reader.
READERS: tuple[tuple[tuple[str, ...], Callable[[str], Step | None]], ...] = (
    (("iteration", "|"), _megatron),
    (("train", "|"), _fairseq),
    (("iter time (s)",), _deepspeed_pipe),
    (("step=", "skipped="), _deepspeed),
    (("'loss':", "'epoch':"), _trainer),
    (("epoch ", "%|"), _lightning),
    (("progress on:train",), _levanter),
    (("step:", "loss:"), _torchtitan),
    (("loss",), _plain),
)

#: Who prints what an iteration took, and not a speed averaged over many.
MEASURED = (_megatron, _deepspeed_pipe)


def measured(text: str) -> Step | None:
    """The step of a line that gives its number and the time of its iteration; nothing of any other."""
    text = text[:LOOKED_AT]
    small = text.lower()
    for words, read in READERS:
        step = read(text) if read in MEASURED and all(word in small for word in words) else None
        if step is not None and step.number is not None and step.seconds is not None and math.isfinite(step.seconds):
            return step
    return None
