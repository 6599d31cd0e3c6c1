"""Runs replays: the same rule and the same function as live, over the data of the replay."""

import itertools
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import cast

import kb
from kb.checks.ask import judge_of, judged
from kb.checks.card import Answer, CheckCard, Expect, Replay
from kb.checks.catalogue import Catalogue, ReplayFile
from kb.checks.contract import Ask, Evidence, Outcome
from kb.checks.knobs import seconds, settle
from kb.checks.proofs import ProofRecord, Proofs
from kb.checks.rule import variants_of
from kb.checks.series import length
from kb.checks.sources.promtool import Evaluator, Promtool, Together, find
from kb.checks.sources.replay import PromtoolSource, source_of
from kb.errors import DataError

Progress = Callable[[str, int, int], None]
"""Called with `check replay-file`, how many are done, and how many there are."""


def run_replays(
    catalogue: Catalogue,
    select: Collection[str] | None = None,
    *,
    promtool: str = "promtool",
    progress: Progress | None = None,
) -> list[ProofRecord]:
    """Run every replay of the catalogue, or those of the selected checks and cases.

    select: check ids and case ids; a replay runs if its check or its case is among them.

    Raises:
        NotFound: a selected check that does not exist.
        ToolMissing: PromQL replays without promtool.
    """
    for name in select or ():
        if "/" in name:
            catalogue.folder(name)
    chosen = [
        (check, file)
        for check, folder in catalogue.folders.items()
        for file in folder.replays
        if file.replay.data is not None and (not select or check in select or file.replay.case in select)
    ]
    if any(catalogue.cards[check].rule for check, _ in chosen):
        find(promtool)
    together, count = Together(promtool), itertools.count(1)
    files = {(check, file.name): file for check, file in chosen}

    def done(key: tuple[str, str]) -> None:
        if progress is not None:
            progress(" ".join(key), next(count), len(chosen))

    records = together.each(files, lambda key: run_replay(catalogue, key[0], files[key], promtool=together), done)
    return [records[key] for key in files]


def record(catalogue: Catalogue, records: Collection[ProofRecord], path: Path) -> Proofs:
    """Lay new records over those the catalogue knows, drop those of replays that are gone, and write them."""
    known = [(check, file.name) for check, folder in catalogue.folders.items() for file in folder.replays]
    proofs = catalogue.proofs.merged(records).only(known)
    proofs.write(path)
    return proofs


def run_replay(catalogue: Catalogue, check: str, file: ReplayFile, *, promtool: Evaluator | None = None) -> ProofRecord:
    """Run one replay and compare it with what it must give.

    Raises:
        ToolMissing: a PromQL replay without promtool.
    """
    folder = catalogue.folder(check)
    replay, expect = file.replay, file.replay.expect
    if expect is None:
        raise DataError(f"{check}: {file.name} has nothing to compare with.", field="expect")
    outcome = replayed(catalogue, check, replay, promtool=promtool)
    # Earlier steps of data that is clear at its end may well have fired; that says nothing here.
    fired = fired_at(folder.card, replay, promtool=promtool) if expect.answer is Answer.found else None
    why_not = difference(expect, outcome, fired)
    return ProofRecord(
        check=check,
        replay=file.name,
        check_digest=folder.digest,
        replay_digest=file.digest,
        expected=expect.answer,
        actual=outcome.answer,
        passes=not why_not,
        why_not=why_not,
        looked_at=outcome.looked_at,
        where=tuple(dict(finding.where) for finding in outcome.findings),
        lines=tuple(place for finding in outcome.findings if (place := _rests_on(finding.evidence))),
        fired_at=fired,
        reason_kinds=tuple(remark.kind.value for remark in outcome.unknown),
        tool=(promtool or Promtool()).version() if folder.card.rule else f"kb {kb.__version__}",
    )


def _rests_on(evidence: Evidence) -> str:
    """The line of a log or the Kubernetes object; empty for samples."""
    return f"{evidence.file}:{evidence.line_number}" if evidence.line_number else evidence.object


def replayed(catalogue: Catalogue, check: str, replay: Replay, *, promtool: Evaluator | None = None) -> Outcome:
    """The outcome of a check over the data of a replay.

    Raises:
        ToolMissing: a PromQL replay without promtool.
    """
    card = catalogue.folder(check).card
    if card.rule is not None:
        (promtool or Promtool()).version()
    source = source_of(replay, asked_at(replay), promtool=promtool)
    return judged(judge_of(catalogue, check), source, settle(card))


def asked_at(replay: Replay) -> float | None:
    """Seconds from the start of the data at which the check is asked; none for data without a time axis."""
    if replay.data is None or replay.data.prometheus is None:
        return None
    return seconds(replay.at) if replay.at else length(replay.data.prometheus)


def fired_at(card: CheckCard, replay: Replay, *, promtool: Evaluator | None = None) -> float | None:
    """The first step of the data at which the rule has held for its `hold`; none if it never does."""
    data, rule = replay.data.prometheus if replay.data else None, card.rule
    if data is None or rule is None:
        return None
    end = cast(float, asked_at(replay))
    step = seconds(data.interval)
    source = PromtoolSource(data, end, promtool=promtool)
    moments = [number * step for number in range(int(end // step) + 1)]
    hold = seconds(rule.hold) if rule.hold else 0.0
    first: float | None = None
    for filled in variants_of(card, rule, source, settle(card), end):
        since: dict[frozenset[tuple[str, str]], float] = {}
        answers = source.query_many([Ask(filled.expr, moment) for moment in moments])
        for moment, answer in zip(moments, answers, strict=True):
            places = [frozenset(sample.labels.items()) for sample in answer]
            since = {place: since.get(place, moment) for place in places}
            if any(moment - began >= hold for began in since.values()):
                first = moment if first is None else min(first, moment)
                break
    return first


def difference(expect: Expect, outcome: Outcome, fired: float | None) -> str:
    """What of the outcome is not as expected, in one sentence; empty if all is."""
    if outcome.answer is not expect.answer:
        reasons = "; ".join(remark.reason.en for remark in outcome.unknown)
        return f"answered {outcome.answer.value}, not {expect.answer.value}{reasons and f' ({reasons})'}"
    places = {_key(finding.where) for finding in outcome.findings}
    if expect.answer is Answer.found and places != {_key(place) for place in expect.where}:
        named = [dict(finding.where) for finding in outcome.findings]
        return f"found at {named}, not at {list(expect.where)}"
    if expect.looked_at is not None and outcome.looked_at != expect.looked_at:
        return f"looked at {outcome.looked_at}, not {expect.looked_at}"
    if expect.fires_at is not None and fired != seconds(expect.fires_at):
        return f"first found at {fired} s, not at {expect.fires_at}"
    kinds = {remark.kind.value for remark in outcome.unknown}
    if expect.reason_kind is not None and expect.reason_kind not in kinds:
        return f"unknown for {sorted(kinds)}, not for {expect.reason_kind}"
    return ""


def _key(where: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset(where.items())
