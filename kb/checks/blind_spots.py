"""What this cluster could not have seen: every linked replay is run with the cluster's own set of metrics.

Series whose metric the cluster does not have are taken out of the replay; what then no longer fires would have gone
unseen here. A case is hidden only if none of its replays fires. Cases that are linked only to checks of other kinds
(logs, objects, a host, step times) are told apart: Prometheus says nothing about them either way.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kb.checks.card import Answer, CheckCard, LinkState, Metric, Replay, SourceName
from kb.checks.catalogue import Catalogue
from kb.checks.contract import Ask, PrometheusSource, ReasonKind
from kb.checks.promql import words
from kb.checks.replay import asked_at, replayed
from kb.checks.sources.promtool import Evaluator, Together
from kb.errors import InvalidValue, SourceError
from kb.model import Text
from kb.nearest import nearest

#: Names asked for in one query.
CHUNK = 40
#: Said of an exporter of which every metric is there, not only those that are on by default.
ALL = "=all"
#: Reasons for which a replay says nothing at all; lacking or stale series, on the other hand, are what a mask does.
FAILED = (ReasonKind.timeout, ReasonKind.crash, ReasonKind.unsupported)


def _quiet(_done: int, _of: int) -> None:
    """Nobody watches."""


Key = tuple[str, str]
"""Check and replay file."""


@dataclass(frozen=True)
class Gap:
    """What one exporter would have to give, and the cases that would then be seen."""

    exporter: str
    missing: tuple[Metric, ...]
    cases: tuple[str, ...]
    """Hidden cases that would be seen if everything missing of this exporter were there."""


@dataclass(frozen=True)
class HiddenCase:
    case: str
    checks: tuple[str, ...]
    missing: tuple[str, ...]
    """Metrics of those checks that are not there."""


@dataclass(frozen=True)
class BlindSpots:
    """Cases by what the cluster could have seen of them; each list is sorted by case id."""

    looked_in: str
    metrics_there: tuple[str, ...]
    metrics_missing: tuple[str, ...]
    seen: tuple[str, ...]
    hidden: tuple[HiddenCase, ...]
    gaps: tuple[Gap, ...]
    """By the number of cases, most first."""
    elsewhere: Mapping[str, tuple[str, ...]]
    """Case → the kinds of source that would show it; none of its checks reads Prometheus."""


def metrics_of(catalogue: Catalogue) -> dict[str, Metric]:
    """Every name a check knows a metric by, other names included."""
    return {
        name: metric
        for card in catalogue.cards.values()
        for metric in card.needs.metrics
        for name in (metric.name, *metric.also)
    }


def metrics_there(source: PrometheusSource, names: Iterable[str]) -> set[str]:
    """Those of the names that have series now.

    Raises:
        SourceError: the source did not answer; then nothing is known, and nothing is called blind.
    """
    ordered = sorted(names)
    at = source.now()
    asks = [
        Ask(f'count by (__name__) ({{__name__=~"{"|".join(ordered[i : i + CHUNK])}"}})', at)
        for i in range(0, len(ordered), CHUNK)
    ]
    return {sample.labels["__name__"] for answer in source.query_many(asks) for sample in answer}


def assumed(catalogue: Catalogue, exporters: Sequence[str]) -> set[str]:
    """The metrics that these exporters give as they are installed; `name=all` for everything they can give.

    Raises:
        InvalidValue: an exporter that no check needs.
    """
    metrics = metrics_of(catalogue)
    known = sorted({metric.exporter for metric in metrics.values()})
    there: set[str] = set()
    for text in exporters:
        name = text.removesuffix(ALL)
        if name not in known:
            near = nearest(name, known)
            raise InvalidValue(
                f"No check needs an exporter `{name}`.",
                field="assume",
                nearest=near,
                next_step="`kb doctor --prometheus URL` lists the exporters that checks know." if not near else "",
            )
        whole = text.endswith(ALL)
        there |= {
            name_of for name_of, metric in metrics.items() if metric.exporter == name and (whole or metric.default_on)
        }
    return there


def blind_spots(
    catalogue: Catalogue,
    there: Collection[str],
    *,
    looked_in: str,
    promtool: str = "promtool",
    progress: Callable[[int, int], None] = _quiet,
) -> BlindSpots:
    """Run the linked replays under the mask.

    there: the metrics the cluster has, by any name.

    Raises:
        ToolMissing: something is missing, and promtool, which has to say what that hides, is not installed.
        SourceError: promtool failed over a replay.
    """
    replays = _linked(catalogue)
    missing = {name for name, metric in metrics_of(catalogue).items() if by_any_name(metric, there) is None}
    fires = _firing(catalogue, replays, missing, promtool, progress)
    cases = _by_case(catalogue, replays)
    seen = sorted(case for case, keys in cases.items() if any(fires[key] for key in keys))
    hidden = {case: keys for case, keys in sorted(cases.items()) if case not in seen}
    return BlindSpots(
        looked_in=looked_in,
        metrics_there=tuple(sorted(set(there))),
        metrics_missing=tuple(sorted(missing)),
        seen=tuple(seen),
        hidden=tuple(_hidden(catalogue, case, keys, missing) for case, keys in hidden.items()),
        gaps=_gaps(catalogue, replays, hidden, missing, promtool),
        elsewhere=_elsewhere(catalogue, cases),
    )


def _linked(catalogue: Catalogue) -> dict[Key, Replay]:
    """The replays behind the links that were proven or rebuilt, of checks with a PromQL rule."""
    files = {
        (check, file.name): file.replay
        for check, folder in catalogue.folders.items()
        if folder.card.rule is not None
        for file in folder.replays
    }
    keys = [(link.check, link.replay) for link in catalogue.links if link.state is not LinkState.unproven]
    return {key: files[key] for key in keys if key in files}


def _by_case(catalogue: Catalogue, replays: Mapping[Key, Replay]) -> dict[str, list[Key]]:
    cases: dict[str, list[Key]] = {}
    for link in catalogue.links:
        if (link.check, link.replay) in replays:
            cases.setdefault(link.case, []).append((link.check, link.replay))
    return cases


def _elsewhere(catalogue: Catalogue, cases: Collection[str]) -> dict[str, tuple[str, ...]]:
    kinds: dict[str, set[str]] = {}
    for link in catalogue.links:
        if link.case not in cases and link.state is not LinkState.unproven:
            kinds.setdefault(link.case, set()).add(catalogue.cards[link.check].kind.value)
    prometheus = SourceName.prometheus.value
    return {case: tuple(sorted(kinds[case] - {prometheus})) for case in sorted(kinds)}


def by_any_name(metric: Metric, there: Collection[str]) -> str | None:
    """The name by which a metric is there; none if it is not, by any of its names."""
    return next((name for name in (metric.name, *metric.also) if name in there), None)


def _firing(
    catalogue: Catalogue,
    replays: Mapping[Key, Replay],
    missing: Collection[str],
    promtool: str,
    progress: Callable[[int, int], None] = _quiet,
) -> dict[Key, bool]:
    """Which replays still find something. One that loses nothing is as it was proven, and is not run again."""
    touched = {key: replay for key, replay in replays.items() if _names(replay) & set(missing)}
    together, done = Together(promtool), iter(range(1, len(touched) + 1))
    answers = together.each(
        touched,
        lambda key: _found(catalogue, key, touched[key], missing, together),
        lambda _: progress(next(done), len(touched)),
    )
    return {key: answers.get(key, True) for key in replays}


def _found(catalogue: Catalogue, key: Key, replay: Replay, missing: Collection[str], promtool: Evaluator) -> bool:
    masked = _masked(replay, missing)
    if masked.data is None or masked.data.prometheus is None or not masked.data.prometheus.series:
        return False
    outcome = replayed(catalogue, key[0], masked, promtool=promtool)
    failed = next((remark for remark in outcome.unknown if remark.kind in FAILED), None)
    if failed is not None and outcome.answer is Answer.unknown:
        # That promtool failed says nothing about what the cluster could have seen.
        raise SourceError(f"{key[0]}: {key[1]} could not be run: {failed.reason.en}", reason_kind=failed.kind.value)
    return outcome.answer is Answer.found


def _names(replay: Replay) -> set[str]:
    data = replay.data.prometheus if replay.data else None
    return {one.series.partition("{")[0].strip() for one in data.series} if data else set()


def _masked(replay: Replay, missing: Collection[str]) -> Replay:
    assert replay.data
    assert replay.data.prometheus
    kept = tuple(one for one in replay.data.prometheus.series if one.series.partition("{")[0].strip() not in missing)
    # The clock stays where it was even if the longest series is gone.
    at = replay.at or f"{round((asked_at(replay) or 0.0) * 1000)}ms"
    data = replay.data.prometheus.model_copy(update={"series": kept})
    return replay.model_copy(update={"at": at, "data": replay.data.model_copy(update={"prometheus": data})})


def _hidden(catalogue: Catalogue, case: str, keys: Sequence[Key], missing: Collection[str]) -> HiddenCase:
    checks = sorted({check for check, _ in keys})
    names = {name for check in checks for name in _judged(catalogue.cards[check]) if name in missing}
    return HiddenCase(case, tuple(checks), tuple(sorted(names)))


def _judged(card: CheckCard) -> set[str]:
    """The metrics whose absence can keep the rule from finding anything, by the names the card gives."""
    assert card.rule is not None
    return words(card.rule.expr) & {metric.name for metric in card.needs.metrics}


def _gaps(
    catalogue: Catalogue,
    replays: Mapping[Key, Replay],
    hidden: Mapping[str, Sequence[Key]],
    missing: Collection[str],
    promtool: str,
) -> tuple[Gap, ...]:
    """For each exporter: what of it is missing, and which hidden cases it alone would show."""
    metrics = metrics_of(catalogue)
    keys = {key for case in hidden.values() for key in case}
    concerned = {key: replay for key, replay in replays.items() if key in keys}
    gaps = []
    for exporter in sorted({metrics[name].exporter for name in missing}):
        theirs = {name for name in missing if metrics[name].exporter == exporter}
        helped = {key: replay for key, replay in concerned.items() if _names(replay) & theirs}
        fires = _firing(catalogue, helped, set(missing) - theirs, promtool)
        cases = sorted(case for case, of in hidden.items() if any(fires.get(key, False) for key in of))
        needed = {metrics[name].name: metrics[name] for name in theirs}
        gaps.append(Gap(exporter, tuple(needed[name] for name in sorted(needed)), tuple(cases)))
    return tuple(sorted(gaps, key=lambda gap: (-len(gap.cases), gap.exporter)))


def remedy(metric: Metric) -> Text:
    """What to do where a metric is missing."""
    if metric.switch_on is not None:
        return metric.switch_on
    return Text(
        en=f"{metric.exporter} gives it as installed: is it there, and is it scraped?",
        ko=f"{metric.exporter}가 기본으로 내보내는 지표입니다. 설치되어 있고 스크레이프되는지 확인하십시오.",
    )
