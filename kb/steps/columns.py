"""From the columns of a file, whatever they are called, to clean tables in seconds.

A record that cannot be true is left out and counted; a table that comes out of here holds only finite,
non-negative durations of less than a day, with a rank and a step.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kb.errors import InvalidValue
from kb.model import Text
from kb.steps.phases import kind_of
from kb.steps.records import AXES, COVARIATES, Bools, Coded, Floats, Ints, Kind, PhaseTable, Remark, RemarkKind

Column = Coded | NDArray[np.generic]
Raw = Mapping[str, Column]

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_UNIT_NAMES = {
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "millis": "ms", "msec": "ms", "milliseconds": "ms",
    "µs": "us", "μs": "us", "usec": "us", "micros": "us", "microseconds": "us", "nanoseconds": "ns",
}  # fmt: skip

#: Field → the names under which it is met, first come first served.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "job": ("job", "job_id", "job_name", "trial_name"),
    "attempt": ("attempt", "restart", "run_id"),
    "rank": ("rank", "global_rank", "worker", "worker_rank"),
    "step": ("step", "iteration", "iter", "global_step", "training_step"),
    "phase": ("phase", "optype", "op_type", "section", "timer", "name"),
    "kind": ("kind",),
    "unit": ("unit",),
    "duration": ("duration", "dur", "elapsed", "value"),
    "start": ("start", "start_ts", "begin", "ts", "timestamp"),
    "microbatch": ("microbatch", "mb_id", "mb", "micro_batch"),
    "dp": ("dp", "dp_rank", "data_parallel_rank"),
    "pp": ("pp", "pp_rank", "stage", "pipeline_stage", "pipeline_parallel_rank"),
    "tp": ("tp", "tp_rank", "tensor_parallel_rank"),
    "ep": ("ep", "ep_rank", "expert_parallel_rank"),
    "cp": ("cp", "cp_rank", "context_parallel_rank"),
    "tokens": ("tokens", "num_tokens"),
    "sum_len_sq": ("sum_len_sq",),
    "bytes": ("bytes", "size_bytes"),
}
_TIMES = ("duration", "start", "wait", "p50", "p99", "enter", "leave")
_SUFFIX = re.compile(r"^(.*?)_?(ms|us|µs|ns|s|sec|secs|seconds|milliseconds|microseconds)$")

#: Layouts whose unit is known from their maker, by the columns that only they have together.
_KNOWN_LAYOUTS = ((frozenset({"optype", "start_ts", "duration", "dp_rank", "stage"}), "s"),)

DAY = 86_400.0
#: No link of one GPU moves more; a collective that would have needs another stream to be timed on.
PEAK_BYTES_PER_SECOND = 4e12


def unit_of(name: str) -> str:
    """The unit's short name.

    Raises:
        InvalidValue: no unit of time.
    """
    unit = _UNIT_NAMES.get(name.strip().lower(), name.strip().lower())
    if unit not in SECONDS:
        raise InvalidValue(f"`{name}` is no unit of time here.", field="unit", allowed=tuple(SECONDS))
    return unit


def fields_of(
    names: Sequence[str], aliases: Mapping[str, tuple[str, ...]] = ALIASES
) -> dict[str, tuple[str, str | None]]:
    """field → (name in the file, unit that the name states), for a file with these column names."""
    found: dict[str, tuple[str, str | None]] = {}
    by_lower = {name.lower(): name for name in names}
    for field, known in aliases.items():
        for alias in known:
            if alias in by_lower:
                found.setdefault(field, (by_lower[alias], None))
            elif field in _TIMES:
                for lower, name in by_lower.items():
                    match = _SUFFIX.match(lower)
                    if match and match[1] == alias:
                        found.setdefault(field, (name, unit_of(match[2])))
    layout = {name.lower() for name in names}
    for marks, unit in _KNOWN_LAYOUTS:
        if marks <= layout:
            found = {field: (name, unit if field in _TIMES else own) for field, (name, own) in found.items()}
    return found


def phase_table(raw: Raw, units: Mapping[str, str | None], *, unit: str | None = None, job: str = "") -> PhaseTable:
    """A clean table from the columns of one chunk.

    raw: field (of `ALIASES`) → column as it was read. units: field → unit that its name states.
    unit: declared for the whole file; used for times whose name states none. job: where no column says.
    """
    length = len(raw["duration"])
    remarks: list[Remark] = []
    scale = _scales(raw, unit, length, remarks, stated=units.get("duration"))
    duration = numbers(raw["duration"]) * scale
    start_scale = SECONDS[units["start"] or "s"] if units.get("start") else scale
    start = numbers(raw["start"]) * start_scale if "start" in raw else np.full(length, np.nan)
    rank, step = integers(raw["rank"]), integers(raw["step"])
    phase = coded(raw.get("phase"), "iteration", length)
    kinds = _kinds(raw, phase)
    covariates = {name: numbers(raw[name]) for name in COVARIATES if name in raw}
    keep = _plausible(duration, rank, step, remarks)
    if "bytes" in covariates:
        keep &= _on_the_right_stream(phase, kinds, duration, covariates["bytes"], keep, remarks)
    table = PhaseTable(
        job=_jobs(raw, job, length),
        rank=rank,
        step=step,
        phase=phase,
        duration=duration,
        start=start,
        microbatch=integers(raw["microbatch"]) if "microbatch" in raw else np.full(length, -1),
        axes={name: integers(raw[name]) for name in AXES if name in raw},
        covariates={name: values for name, values in covariates.items() if not np.isnan(values).all()},
        kinds=kinds,
        remarks=tuple(remarks),
    )
    return table if keep.all() else table.take(keep)


def numbers(column: Column) -> Floats:
    """A column as floats; what is no number is NaN."""
    if isinstance(column, Coded):
        return np.array([_number(name) for name in column.names] or [np.nan])[column.codes]
    if column.dtype.kind in "OUS":
        return np.array([_number(value) for value in column.tolist()], np.float64)
    return column.astype(np.float64)


def integers(column: Column) -> Ints:
    """A column as integers; what is not whole, negative or missing is -1. Integer columns are not looked at twice."""
    if not isinstance(column, Coded) and column.dtype.kind in "iu":
        found = column.astype(np.int64)
        return found if not len(found) or found.min() >= 0 else np.maximum(found, -1)
    return whole(numbers(column))


def whole(values: Floats) -> Ints:
    """Floats as integers; what is not whole, negative or missing is -1."""
    good = np.isfinite(values) & (values >= 0) & (values < 2**62)
    if good.all():
        found = values.astype(np.int64)
        return found if (found == values).all() else np.where(found == values, found, -1)
    found = np.where(good, values, -1).astype(np.int64)
    return np.where(good & (found == values), found, -1)


def coded(column: Column | None, default: str, length: int) -> Coded:
    if column is None:
        return Coded.constant(default, length)
    if isinstance(column, Coded):
        return column
    return Coded.of([str(value) for value in column.tolist()])


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return float("nan")


def _scales(raw: Raw, unit: str | None, length: int, remarks: list[Remark], *, stated: str | None) -> Floats | float:
    if "unit" in raw:
        column = coded(raw["unit"], "", length)
        known = [SECONDS.get(_UNIT_NAMES.get(name.lower(), name.lower()), np.nan) for name in column.names]
        scales = np.array(known)[column.codes]
        fallback = SECONDS[unit] if unit else np.nan
        return np.where(np.isnan(scales), fallback, scales)
    if stated or unit:
        return SECONDS[stated or unit or "s"]
    text = Text(
        en="No unit is declared; times are shown as seconds. Ratios do not depend on it.",
        ko="단위가 선언되지 않아 초로 표시합니다. 비율은 단위와 무관합니다.",
    )
    remarks.append(Remark(RemarkKind.no_unit, length, text))
    return 1.0


def _kinds(raw: Raw, phase: Coded) -> dict[str, Kind]:
    if "kind" not in raw:
        return {}
    kind = coded(raw["kind"], "", len(phase))
    known = {member.value: member for member in Kind}
    first = dict(zip(phase.codes[::-1].tolist(), kind.codes[::-1].tolist(), strict=True))
    return {phase.names[p]: known[kind.names[k].lower()] for p, k in first.items() if kind.names[k].lower() in known}


def _jobs(raw: Raw, job: str, length: int) -> Coded:
    jobs = coded(raw.get("job"), job, length)
    if "attempt" not in raw:
        return jobs
    attempts = coded(raw["attempt"], "", length)
    if len(attempts.names) < 2 and "job" in raw:
        return jobs
    pair = jobs.codes * len(attempts.names) + attempts.codes
    distinct, codes = np.unique(pair, return_inverse=True)
    size = len(attempts.names)
    names = tuple(f"{jobs.names[p // size]}#{attempts.names[p % size]}".lstrip("#") for p in distinct.tolist())
    return Coded(codes.astype(np.int64), names)


def _plausible(duration: Floats, rank: Ints, step: Ints, remarks: list[Remark]) -> Bools:
    keep: Bools = np.ones(len(duration), bool)
    if not len(duration) or (
        # NaN fails both comparisons, so that one look at the ends tells that all is well.
        duration.min() >= 0 and duration.max() <= DAY and rank.min() >= 0 and step.min() >= 0
    ):
        return keep
    missing = (rank < 0) | (step < 0)
    wrong = ~np.isfinite(duration) & ~missing
    with np.errstate(invalid="ignore"):
        negative = (duration < 0) & ~missing & ~wrong
        absurd = (duration > DAY) & ~missing & ~wrong
    for mask, kind, text in (
        (missing, RemarkKind.unreadable, NO_RANK_OR_STEP),
        (wrong, RemarkKind.not_a_number, NOT_A_NUMBER),
        (negative, RemarkKind.negative, NEGATIVE),
        (absurd, RemarkKind.absurd, ABSURD),
    ):
        if mask.any():
            remarks.append(Remark(kind, int(mask.sum()), text))
            keep &= ~mask
    return keep


def _on_the_right_stream(
    phase: Coded, kinds: Mapping[str, Kind], duration: Floats, size: Floats, keep: Bools, remarks: list[Remark]
) -> Bools:
    kind = [kinds.get(name) or kind_of(name) for name in phase.names]
    moving = np.array([k in (Kind.collective, Kind.p2p) for k in kind], bool)[phase.codes]
    with np.errstate(invalid="ignore"):
        impossible = keep & moving & (size > duration * PEAK_BYTES_PER_SECOND)
    if impossible.any():
        remarks.append(Remark(RemarkKind.wrong_stream, int(impossible.sum()), WRONG_STREAM))
    right: Bools = ~impossible
    return right


NO_RANK_OR_STEP = Text(en="Records without a rank or a step were left out.", ko="랭크나 스텝이 없는 기록은 뺐습니다.")
NOT_A_NUMBER = Text(
    en="Durations that are no finite number were left out.", ko="길이가 유한한 수가 아닌 기록은 뺐습니다."
)
NEGATIVE = Text(en="Negative durations were left out.", ko="길이가 음수인 기록은 뺐습니다.")
ABSURD = Text(
    en="Durations of more than a day were left out; is the declared unit right?",
    ko="하루를 넘는 길이는 뺐습니다. 선언한 단위가 맞는지 확인하십시오.",
)
WRONG_STREAM = Text(
    en="Collectives that would have moved their bytes faster than any link were left out: they were timed on a stream "
    "that does not run them.",
    ko="어떤 링크보다도 빠른 집합 통신 기록은 뺐습니다. 통신이 실행되지 않는 스트림에서 시간을 쟀기 때문입니다.",
)
