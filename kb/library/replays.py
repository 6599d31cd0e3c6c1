"""A stored replay as an answer, with what a chart of it needs: its series or its log lines, and the moments."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from kb.answers import HeatAnswer, LogLineAnswer, ObjectAnswer, ReplayAnswer, ReplayChart, SeriesAnswer
from kb.checks.card import Answer, CheckCard, KubernetesData, LogData, PrometheusData
from kb.checks.knobs import seconds
from kb.checks.objects import title
from kb.checks.promql import threshold, words
from kb.checks.proofs import ProofRecord
from kb.checks.series import length, series_values
from kb.checks.sources.logs import LogTexts
from kb.library.store import StoredCheck, StoredReplay
from kb.library.telling import Teller
from kb.model import Lang

MAX_LINES = 200
LINE_CHARACTERS = 240
MAX_OBJECTS = 20
OBJECT_LINES = 60
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:\\.|[^"\\])*)"')
#: What PromQL computes a new quantity with; aggregations that keep the unit are not among it.
COMPUTED = frozenset(
    "rate irate increase delta idelta deriv changes resets count sum count_over_time sum_over_time time timestamp "
    "histogram_quantile predict_linear stddev stddev_over_time absent absent_over_time log2 log10 ln".split()
)
#: Label selectors, ranges and quoted text, which are no arithmetic.
UNSEEN = re.compile(r'\{[^}]*\}|\[[^\]]*\]|"[^"]*"')
ARITHMETIC = re.compile(r"[*/%]|\s[-+]\s")
#: A replayed year is as good as any where a log gives none.
FORMS = ("%b %d %H:%M:%S %Y", "%a %b %d %H:%M:%S %Y")

Points = tuple[tuple[float, float | None], ...]


def replay(check: StoredCheck, stored: StoredReplay, lang: Lang) -> ReplayAnswer:
    told, proof, teller = stored.replay, stored.proof, Teller(lang)
    return ReplayAnswer(
        name=stored.name,
        must=Answer(told.must),
        origin=told.origin,
        case=told.case,
        how=teller.maybe(told.how, "how"),
        link=stored.link,
        passes=bool(proof and proof.passes),
        answer=proof.actual if proof else None,
        fired_at=_clock(proof.fired_at) if proof and proof.fired_at is not None else None,
        people_knew_at=told.people_knew_at,
        published=tuple(f"{item.what}: {item.value} ({item.source}, {item.where})" for item in told.published),
        filled_in=teller.each(told.filled_in, "filled_in"),
        note=teller.maybe(told.note, "note"),
        chart=chart(check, stored, lang),
    )


def chart(check: StoredCheck, stored: StoredReplay, lang: Lang) -> ReplayChart | None:
    """What the replay looks like; nothing where its data is neither series nor log lines nor step records."""
    told, proof, card, expr = stored.replay, stored.proof, check.card, check.expr or ""
    data = told.data
    series: tuple[SeriesAnswer, ...] = ()
    lines: tuple[LogLineAnswer, ...] = ()
    objects: tuple[ObjectAnswer, ...] = ()
    heat: HeatAnswer | None = None
    end = 0.0
    if data is not None and data.prometheus is not None:
        end = seconds(told.at) if told.at else length(data.prometheus)
        series = judged_series(card, data.prometheus, proof.where if proof else (), end)
    elif data is not None and data.logs is not None:
        lines = log_lines(data.logs, proof)
        end = max((line.seconds for line in lines if line.seconds is not None), default=0.0)
    elif data is not None and data.host is not None:
        lines = log_lines(LogData(files=data.host.tree), proof)
    elif data is not None and data.kubernetes is not None:
        objects = objects_of(data.kubernetes, proof)
    elif data is not None and data.steps is not None:
        from kb.library.heats import heat_of

        heat = heat_of(stored.heat, lang)
    else:
        return None
    return ReplayChart(
        series=series,
        lines=lines,
        starts=told.starts,
        length=end,
        threshold=(threshold(expr) or None) if expr else None,
        direct=bool(expr) and is_direct(expr),
        hold=seconds(card.rule.hold) if card.rule and card.rule.hold else 0.0,
        fired_at=proof.fired_at if proof else None,
        people_knew_at=seconds(told.people_knew_at) if told.people_knew_at else None,
        looked_at=proof.looked_at if proof else 0,
        reason_kinds=proof.reason_kinds if proof else (),
        objects=objects,
        heat=heat,
    )


def judged_series(
    card: CheckCard, data: PrometheusData, where: Sequence[dict[str, str]], end: float
) -> tuple[SeriesAnswer, ...]:
    """The series of the metrics that the rule judges, found ones first.

    A rule over several metrics has no peers to compare with: there the found series stand alone.
    """
    wanted = _judged_names(card)
    series = []
    for item in data.series:
        name, labels = _take_apart(item.series)
        if name in wanted:
            points = compact([(at, v) for at, v in series_values(item.values, data.interval) if at <= end])
            found = any(place.items() <= labels.items() for place in where)
            series.append(SeriesAnswer(name=name, labels=labels, found=found, points=points))
    if len({s.name for s in series}) > 1 and any(s.found for s in series):
        series = [s for s in series if s.found]
    return tuple(sorted(series, key=lambda s: not s.found))


def _judged_names(card: CheckCard) -> set[str]:
    """Metrics in the rule's expression, under every name they go by."""
    said = words(card.rule.expr) if card.rule else set()
    return {name for metric in card.needs.metrics if metric.name in said for name in (metric.name, *metric.also)}


def is_direct(expr: str) -> bool:
    """Whether an expression compares a metric's own values: nothing is counted, divided or differentiated."""
    bare = UNSEEN.sub(" ", expr)
    return not (COMPUTED & words(bare)) and not ARITHMETIC.search(bare)


def compact(samples: Sequence[tuple[float, float | None]]) -> Points:
    """Samples without those that a straight line between their neighbours gives as well."""
    kept: list[tuple[float, float | None]] = []
    for number, (at, value) in enumerate(samples):
        before = samples[number - 1] if number else None
        after = samples[number + 1] if number + 1 < len(samples) else None
        if before is None or after is None or not _between(before, (at, value), after):
            kept.append((at, value))
    return tuple(kept)


def _between(
    before: tuple[float, float | None], here: tuple[float, float | None], after: tuple[float, float | None]
) -> bool:
    values = (before[1], here[1], after[1])
    if any(value is None for value in values):
        return values[0] is None and values[1] is None
    first, second, third = (float(value or 0.0) for value in values)
    return abs((second - first) - (third - second)) < 1e-9


def _take_apart(series: str) -> tuple[str, dict[str, str]]:
    name, _, labels = series.partition("{")
    return name.strip(), {match[1]: match[2] for match in LABEL.finditer(labels)}


def log_lines(data: LogData, proof: ProofRecord | None) -> tuple[LogLineAnswer, ...]:
    """The first messages of a log, each with its moment where it has one."""
    found = set(proof.lines) if proof else set()
    lines = [line for _, line in zip(range(MAX_LINES), LogTexts(data.files).lines(), strict=False)]
    moments = [moment(line.time) for line in lines]
    first = min((at for at in moments if at is not None), default=0.0)
    return tuple(
        LogLineAnswer(
            file=line.file,
            number=line.number,
            seconds=None if at is None else round(at - first, 3),
            text=line.raw[:LINE_CHARACTERS],
            found=f"{line.file}:{line.number}" in found,
        )
        for line, at in zip(lines, moments, strict=True)
    )


def objects_of(data: KubernetesData, proof: ProofRecord | None) -> tuple[ObjectAnswer, ...]:
    """The first objects of a replay as manifests, found ones before the others."""
    from kb import yaml_text

    found = set(proof.lines) if proof else set()
    objects = [
        ObjectAnswer(name=title(item), text=_shortened(yaml_text.manifest(item)), found=title(item) in found)
        for item in data.objects
    ]
    return tuple(sorted(objects, key=lambda item: not item.found)[:MAX_OBJECTS])


def _shortened(text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    return "\n".join([*lines[:OBJECT_LINES], "…"] if len(lines) > OBJECT_LINES else lines)


def moment(time: str) -> float | None:
    """Seconds on the line's own clock: since the boot, or of the Unix era; nothing where it cannot be read."""
    return next(_readings(time.strip()), None)


def _readings(time: str) -> Iterator[float]:
    if re.fullmatch(r"\d+\.\d+", time):
        yield float(time)
    elif time.isdigit():
        yield int(time) / 1e6
    else:
        for form in FORMS:
            try:
                yield (
                    datetime.strptime(f"{time} 2000" if form is FORMS[0] else time, form)
                    .replace(tzinfo=UTC)
                    .timestamp()
                )
            except ValueError:
                continue
        try:
            read = datetime.fromisoformat(time.replace(",", "."))
        except ValueError:
            return
        yield (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def _clock(moment: float) -> str:
    """Seconds from the start of the data as `1h2m`, in the notation of the rules."""
    minutes, rest = divmod(round(moment), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{n}{unit}" for n, unit in ((hours, "h"), (minutes, "m"), (rest, "s")) if n]
    return "".join(parts) or "0s"
