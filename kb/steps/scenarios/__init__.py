"""Traces with a known truth, made by name and seed: what detectors are judged on and replays are drawn from.

`made("slow_rank dp=16 factor=1.5 noise=0.05", seed=3)`. Nothing is measured; each kind is the shape that reports tell.
"""

from dataclasses import fields, replace

import numpy as np

from kb.errors import InvalidValue, UnknownValue
from kb.steps.scenarios.argus_cases import CASES
from kb.steps.scenarios.falcon_cases import CASES as FALCON
from kb.steps.scenarios.faults import MAKERS as FAULTS
from kb.steps.scenarios.faults import SHAPES
from kb.steps.scenarios.simulate import Job
from kb.steps.scenarios.trace import Setting, Trace, Truth

__all__ = ["MAKERS", "Trace", "Truth", "made"]

#: Kind → what makes it.
MAKERS = {**FAULTS, **CASES, **FALCON}

#: Options of a fault; those of the job are its fields.
_FAULT = (
    "factor", "onset", "until", "bad_dp", "bad_pp", "skew", "missing", "covariates", "after_dp", "spread", "single",
    "iteration", "every", "save", "failures",
    "host", "before", "after", "later",
)  # fmt: skip
OPTIONS = tuple(field.name for field in fields(Job)) + _FAULT


def made(spec: str, seed: int) -> Trace:
    """The trace of a specification: a kind, then `name=value` for what differs from its defaults.

    Raises:
        UnknownValue: no such kind, or no such option.
        InvalidValue: a value that is no number, or a job without ranks or steps.
    """
    kind, *pairs = spec.split()
    if kind not in MAKERS:
        raise UnknownValue(f"No scenario is called {kind}.", field="generator", allowed=sorted(MAKERS))
    given = dict(_pair(pair) for pair in pairs)
    unknown = [name for name in given if name not in OPTIONS]
    if unknown:
        raise UnknownValue(f"Scenarios have no option {unknown[0]}.", field="generator", allowed=OPTIONS)
    job = _job(SHAPES.get(kind, Job()), given)
    if min(job.dp, job.pp, job.tp, job.steps, job.microbatches) < 1:
        raise InvalidValue(f"A job of {spec} has no ranks or no steps.", field="generator")
    return replace(MAKERS[kind](Setting(job, given, np.random.default_rng(seed))), name=spec)


def _job(job: Job, given: dict[str, float]) -> Job:
    return Job(
        dp=int(given.get("dp", job.dp)),
        pp=int(given.get("pp", job.pp)),
        tp=int(given.get("tp", job.tp)),
        steps=int(given.get("steps", job.steps)),
        microbatches=int(given.get("microbatches", job.microbatches)),
        noise=given.get("noise", job.noise),
        data_load=given.get("data_load", job.data_load),
        forward=given.get("forward", job.forward),
        backward=given.get("backward", job.backward),
        reduce=given.get("reduce", job.reduce),
        optimizer=given.get("optimizer", job.optimizer),
    )


def _pair(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError as error:
        raise InvalidValue(f"`{text}` is not `name=number`.", field="generator") from error
