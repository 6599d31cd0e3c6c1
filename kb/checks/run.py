"""Runs checks over the sources that were given: each with a deadline, each apart from the others.

The order of the report depends on the checks alone, never on which of them was done first.
"""

import queue
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from kb.checks.ask import Judge, judge_of, judged, timed_out
from kb.checks.card import CheckCard, SourceName
from kb.checks.catalogue import Catalogue
from kb.checks.contract import (
    Knobs,
    KubernetesSource,
    LogSource,
    Outcome,
    PrometheusSource,
    ReadSource,
    ReasonKind,
    Source,
    StepsSource,
    unknown,
)
from kb.checks.knobs import settle
from kb.checks.report import OTHER_LOG, Report, ReportedUnknown, SourceNote, report_finding
from kb.checks.rule import iso
from kb.checks.siblings import with_siblings
from kb.checks.which_log import sort_out
from kb.errors import InvalidValue, KbError
from kb.model import Text

#: Seconds that one check may take, by the kind of its source. A log may be many gigabytes long.
DEADLINES: Mapping[SourceName, float] = {
    SourceName.prometheus: 60.0,
    SourceName.kubernetes: 300.0,
    SourceName.logs: 3600.0,
    SourceName.steps: 3600.0,
}
DEFAULT_DEADLINE = 120.0
PARALLEL = 4

Progress = Callable[[str, int, int], None]
"""Called with the id of a check that is done, how many are done, and how many there are."""


@dataclass(frozen=True)
class Sources:
    """What a run may look at; what is absent is not looked at."""

    prometheus: PrometheusSource | None = None
    kubernetes: KubernetesSource | None = None
    host: ReadSource | None = None
    logs: LogSource | None = None
    steps: StepsSource | None = None

    def get(self, kind: SourceName) -> Source | None:
        source: Source | None = getattr(self, kind.value)
        return source

    @property
    def given(self) -> tuple[Source, ...]:
        return tuple(source for kind in SourceName if (source := self.get(kind)) is not None)


@dataclass(frozen=True)
class Job:
    check: str
    judge: Judge
    source: Source
    knobs: Knobs
    deadline: float


def run_checks(
    catalogue: Catalogue,
    sources: Sources,
    *,
    data_version: str,
    checks: Collection[str] | None = None,
    knobs: Mapping[str, Mapping[str, str]] | None = None,
    started: str | None = None,
    deadline: float | None = None,
    parallel: int = PARALLEL,
    progress: Progress | None = None,
) -> Report:
    """Run the named checks, or all that the given sources can answer.

    checks: ids; a named check whose kind of source was not given is unknown, an unnamed one is skipped.
    knobs: check id → knob → value.
    deadline: seconds for each check, instead of the usual ones.

    Raises:
        NotFound: a check that does not exist.
        UnknownArgument, InvalidValue: a knob that does not exist or is out of bounds.
    """
    chosen = sorted({catalogue.folder(check).card.id for check in checks} if checks else catalogue.folders)
    settled = _settle(catalogue, chosen, knobs or {})
    outcomes: dict[str, Outcome] = {}
    skipped: dict[str, list[str]] = {}
    jobs = []
    for check in chosen:
        card = catalogue.cards[check]
        source = sources.get(card.kind)
        if source is None and checks:
            outcomes[check] = _no_source(card)
        elif source is None:
            skipped.setdefault(card.kind.value, []).append(check)
        else:
            limit = deadline or DEADLINES.get(card.kind, DEFAULT_DEADLINE)
            jobs.append(Job(check, judge_of(catalogue, check), source, settled[check], limit))
    total = len(jobs) + len(outcomes)
    outcomes.update(run_jobs(jobs, parallel, _counting(progress, len(outcomes), total)))
    if not checks:
        outcomes, absent = sort_out(outcomes, catalogue.cards)
        skipped |= {OTHER_LOG: list(absent)} if absent else {}
    clock = started or _clock(sources)
    return assemble(catalogue, outcomes, sources, data_version=data_version, started=clock, skipped=skipped)


def run_jobs(jobs: Sequence[Job], parallel: int, done: Callable[[str], None]) -> dict[str, Outcome]:
    """Each job in a thread of its own, so that one that hangs holds up nothing but its own place."""
    outcomes: dict[str, Outcome] = {}
    results: queue.SimpleQueue[tuple[str, Outcome]] = queue.SimpleQueue()
    waiting = list(reversed(jobs))
    running: dict[str, tuple[Job, float]] = {}
    while waiting or running:
        while waiting and len(running) < max(parallel, 1):
            job = waiting.pop()
            running[job.check] = (job, time.monotonic() + job.deadline)
            threading.Thread(target=_work, args=(job, results), daemon=True, name=job.check).start()
        nearest = min(until for _, until in running.values())
        try:
            check, outcome = results.get(timeout=max(nearest - time.monotonic(), 0))
            if check in running:
                del running[check]
                outcomes[check] = outcome
                done(check)
        except queue.Empty:
            late = [check for check, (_, until) in running.items() if until <= time.monotonic()]
            for check in late:
                job, _ = running.pop(check)
                outcomes[check] = timed_out(job.deadline)
                done(check)
    return outcomes


def _work(job: Job, results: "queue.SimpleQueue[tuple[str, Outcome]]") -> None:
    results.put((job.check, judged(job.judge, job.source, job.knobs)))


def assemble(
    catalogue: Catalogue,
    outcomes: Mapping[str, Outcome],
    sources: Sources,
    *,
    data_version: str,
    started: str,
    skipped: Mapping[str, Sequence[str]],
) -> Report:
    """The report of the outcomes, in the order of check ids."""
    order = sorted(outcomes)
    cases = {check: catalogue.cases(check) for check in order}
    return Report(
        data_version=data_version,
        started=started,
        sources=tuple(SourceNote(source.kind.value, source.name) for source in sources.given),
        answers={check: outcomes[check].answer for check in order},
        looked_at={check: outcomes[check].looked_at for check in order},
        findings=with_siblings(
            [
                report_finding(catalogue.cards[check], finding, cases[check])
                for check in order
                for finding in outcomes[check].findings
            ],
            catalogue.cards,
        ),
        unknown=tuple(
            ReportedUnknown(check, remark, cases[check]) for check in order for remark in outcomes[check].unknown
        ),
        not_applicable=tuple(
            (check, reason) for check in order if (reason := outcomes[check].not_applicable) is not None
        ),
        skipped={kind: tuple(names) for kind, names in sorted(skipped.items())},
    )


def _settle(catalogue: Catalogue, chosen: Sequence[str], given: Mapping[str, Mapping[str, str]]) -> dict[str, Knobs]:
    for check in given:
        if check not in chosen:
            catalogue.folder(check)
            raise InvalidValue(f"A knob of `{check}` is set, but that check is not run.", field=check)
    return {check: settle(catalogue.cards[check], given.get(check)) for check in chosen}


def _no_source(card: CheckCard) -> Outcome:
    kind = card.kind.value
    option = "kube" if card.kind is SourceName.kubernetes else kind
    return unknown(
        Text(en=f"No {kind} source was given.", ko=f"{kind} 소스를 지정하지 않았습니다."),
        ReasonKind.no_series,
        Text(en=f"Pass it with --{option}.", ko=f"--{option} 옵션으로 지정하십시오."),
    )


def _clock(sources: Sources) -> str:
    if sources.prometheus is None:
        return ""
    try:
        return iso(sources.prometheus.now())
    except KbError:
        return ""


def _counting(progress: Progress | None, before: int, total: int) -> Callable[[str], None]:
    count = before

    def done(check: str) -> None:
        nonlocal count
        count += 1
        if progress is not None:
            progress(check, count, total)

    return done
