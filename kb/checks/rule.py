"""Evaluates a data-only PromQL rule over any `PrometheusSource`, live or replayed.

Order of judgement: what is found is found. Then what ought to have been looked at and was not is unknown.
Only when everything expected was looked at, and that was something, is the answer clear.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from kb.checks.card import CheckCard, Metric, Rule
from kb.checks.contract import (
    Ask,
    Evidence,
    Finding,
    Knobs,
    Outcome,
    PrometheusSource,
    Sample,
    Unknown,
)
from kb.checks.knobs import seconds
from kb.checks.promql import fill, rename, threshold, words
from kb.checks.remarks import never_there, no_expectation, stopped
from kb.model import Text

#: Where a series that is missing now is looked for, to tell "stopped" from "never there".
LOOK_BACK = "[1d:5m]"
#: How far back the beginning of a finding is looked for, in steps; the answer is exact to one step.
SINCE_STEPS = (300.0, 900.0, 3600.0, 6 * 3600.0, 86400.0)
#: At how many moments within `hold` the expression must hold.
HOLD_POINTS = 5

Place = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Filled:
    """A rule with its knobs and the metric names that exist filled in."""

    expr: str
    looked_at: str
    expected: str | None
    applies: str | None


@dataclass
class Judging:
    """One judgement under way: the rule, the moment, and what was seen so far."""

    card: CheckCard
    rule: Rule
    source: PrometheusSource
    at: float
    variants: tuple[Filled, ...]
    looked: set[Place] = field(default_factory=set)
    expected: set[Place] = field(default_factory=set)
    held: dict[Place, Finding] = field(default_factory=dict)

    def ask(self, exprs: Sequence[str]) -> list[list[Sample]]:
        return self.source.query_many([Ask(expr, self.at) for expr in exprs])

    def looked_earlier(self) -> set[Place]:
        """What was there to be looked at within the last day."""
        exprs = [f"max_over_time(({filled.looked_at}){LOOK_BACK})" for filled in self.variants]
        return {_by_where(sample.labels, self.rule) for answer in self.ask(exprs) for sample in answer}


def run_rule(card: CheckCard, source: PrometheusSource, knobs: Knobs) -> Outcome:
    """Judge once, at the source's own time.

    Raises:
        SourceError: the source did not answer; the caller makes it `unknown`.
    """
    rule = card.rule
    assert rule is not None, card.id
    at = source.now()
    judging = Judging(card, rule, source, at, variants_of(card, rule, source, knobs, at))
    for filled in judging.variants:
        vectors = source.query_many(_asks(filled, rule, at))
        judging.looked.update(_by_where(sample.labels, rule) for sample in vectors[0])
        judging.expected.update(_by_where(sample.labels, rule) for sample in vectors[1])
        for sample in _held(vectors[2:]):
            judging.held.setdefault(_identity(sample), _finding(sample, filled, rule, at))
    found = tuple(judging.held[key] for key in sorted(judging.held))
    return _conclude(judging, _with_since(found, judging.variants, source, at))


def _asks(filled: Filled, rule: Rule, at: float) -> list[Ask]:
    nothing = "vector(0) > 1"
    moments = _moments(rule, at)
    return [
        Ask(filled.looked_at, at),
        Ask(filled.expected or nothing, at),
        *(Ask(filled.expr, moment) for moment in moments),
    ]


def _moments(rule: Rule, at: float) -> list[float]:
    """`at`, and with `hold` four evenly spaced moments before it, the first `hold` ago."""
    if rule.hold is None:
        return [at]
    hold = seconds(rule.hold)
    return [at - hold * step / (HOLD_POINTS - 1) for step in range(HOLD_POINTS)]


def _held(vectors: Sequence[list[Sample]]) -> list[Sample]:
    """The samples of the latest moment whose labels are there at every other moment too."""
    others = [{_identity(sample) for sample in vector} for vector in vectors[1:]]
    return [sample for sample in vectors[0] if all(_identity(sample) in other for other in others)]


def variants_of(card: CheckCard, rule: Rule, source: PrometheusSource, knobs: Knobs, at: float) -> tuple[Filled, ...]:
    """One filled rule, or one for each generation of metric names that exist side by side.

    A fleet in the middle of an exporter upgrade serves old and new names; both halves are judged.
    """
    candidates = [metric for metric in card.needs.metrics if metric.also]
    existing = _existing(candidates, source, at)
    rounds = max((len(names) for names in existing.values()), default=1)
    out = []
    for number in range(max(rounds, 1)):
        names = {name: found[min(number, len(found) - 1)] for name, found in existing.items() if found}
        out.append(
            Filled(
                expr=_fill(rule.expr, knobs, names),
                looked_at=_fill(rule.looked_at, knobs, names),
                expected=_fill(rule.expected, knobs, names) if rule.expected else None,
                applies=_fill(rule.applies, knobs, names) if rule.applies else None,
            )
        )
    return tuple(out)


def _existing(metrics: Sequence[Metric], source: PrometheusSource, at: float) -> dict[str, list[str]]:
    names = [(metric.name, name) for metric in metrics for name in (metric.name, *metric.also)]
    answers = source.query_many([Ask(f"count({name})", at) for _, name in names]) if names else []
    out: dict[str, list[str]] = {metric.name: [] for metric in metrics}
    for (owner, name), answer in zip(names, answers, strict=True):
        if answer:
            out[owner].append(name)
    return out


def _fill(expr: str, knobs: Knobs, names: Mapping[str, str]) -> str:
    return rename(fill(expr, knobs.values), names)


def _finding(sample: Sample, filled: Filled, rule: Rule, at: float) -> Finding:
    since = iso(at - seconds(rule.hold)) if rule.hold else None
    return Finding(
        where=dict(_identity(sample)),
        evidence=Evidence(value=sample.value, unit=rule.unit, threshold=threshold(filled.expr), query=filled.expr),
        since=since,
    )


def _with_since(
    findings: tuple[Finding, ...], variants: Sequence[Filled], source: PrometheusSource, at: float
) -> tuple[Finding, ...]:
    """Name the earliest asked moment from which each finding has held without a break."""
    if not findings:
        return findings
    asks = [Ask(filled.expr, at - step) for filled in variants for step in SINCE_STEPS]
    answers = source.query_many(asks)
    held: list[set[Place]] = [set() for _ in SINCE_STEPS]
    for number, answer in enumerate(answers):
        held[number % len(SINCE_STEPS)].update(_identity(sample) for sample in answer)
    out = []
    for finding in findings:
        key = tuple(sorted(finding.where.items()))
        earliest = None
        for step, places in zip(SINCE_STEPS, held, strict=True):
            if key not in places:
                break
            earliest = iso(at - step)
        out.append(Finding(finding.where, finding.evidence, earliest or finding.since))
    return tuple(out)


def _conclude(judging: "Judging", findings: tuple[Finding, ...]) -> Outcome:
    card, rule = judging.card, judging.rule
    found = {_by_where(finding.where, rule) for finding in findings}
    judged = judging.looked | found
    if not judged and not judging.expected:
        return _not_applicable(judging) or _nothing_there(judging)
    remarks = list(_gaps(judging, sorted(judging.expected - judged)))
    if rule.expected is not None and not judging.expected:
        remarks.append(no_expectation(_metrics_in(card, rule.expected)))
    return Outcome(len(judged), findings, tuple(remarks))


def _gaps(judging: "Judging", missing: Sequence[Place]) -> tuple[Unknown, ...]:
    """Expected things that were not looked at: those that stopped apart from those never there."""
    if not missing:
        return ()
    metrics = _metrics_in(judging.card, judging.rule.looked_at)
    earlier = judging.looked_earlier()
    gone = [dict(place) for place in missing if place in earlier]
    absent = [dict(place) for place in missing if place not in earlier]
    total = len(judging.expected)
    split = ((stopped, gone), (never_there, absent))
    return tuple(remark(metrics, places, total) for remark, places in split if places)


def _nothing_there(judging: "Judging") -> Outcome:
    metrics = _metrics_in(judging.card, judging.rule.looked_at)
    remark = stopped(metrics) if judging.looked_earlier() else never_there(metrics)
    return Outcome(unknown=(remark,))


def _not_applicable(judging: "Judging") -> Outcome | None:
    """Only where the series that `applies` rests on are there, and say that there is nothing to judge."""
    ask, metrics = judging.ask, judging.card.needs.metrics
    applies = [filled.applies for filled in judging.variants if filled.applies]
    if not applies or any(ask(applies)):
        return None
    known = {name for metric in metrics for name in (metric.name, *metric.also)}
    rests_on = sorted(set().union(*(words(expr) for expr in applies)) & known)
    if not rests_on or not all(ask([f"count({name})" for name in rests_on])):
        return None
    names = ", ".join(rests_on)
    return Outcome(
        not_applicable=Text(
            en=f"Nothing here for this check to look at, by {names}.",
            ko=f"{names} 기준으로 이 검사가 볼 대상이 없습니다.",
        )
    )


def _metrics_in(card: CheckCard, expr: str) -> list[Metric]:
    return [metric for metric in card.needs.metrics if metric.name in words(expr)]


def _by_where(labels: Mapping[str, str], rule: Rule) -> Place:
    """The labels that name a thing, as the rule lists them; a label that is absent is left out."""
    return tuple((name, labels[name]) for name in rule.where if labels.get(name))


def _identity(sample: Sample) -> Place:
    return tuple(sorted((k, v) for k, v in sample.labels.items() if k != "__name__"))


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
