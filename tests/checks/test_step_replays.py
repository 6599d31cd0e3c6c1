"""Every replay of step records, spoilt in several ways: the answer must change (T1), and nothing missing is clear."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from kb.checks.ask import judge_of, judged
from kb.checks.card import Answer, Must, StepData
from kb.checks.catalogue import Catalogue, ReplayFile
from kb.checks.contract import Outcome
from kb.checks.knobs import settle
from kb.checks.replay import difference
from kb.checks.sources.steps import step_tables, tables_of
from kb.steps import argus, job
from kb.steps.records import (
    DistributionTable,
    EdgeTable,
    EventTable,
    PhaseTable,
    SequenceTable,
    Table,
)

CATALOGUE = Catalogue.load()
CHECKS = sorted(check for check, card in CATALOGUE.cards.items() if card.kind == "steps")
ALL = [(check, file) for check in CHECKS for file in CATALOGUE.replays(check) if file.replay.data]
FOUND = [pair for pair in ALL if pair[1].replay.must is Must.found]
QUIET = [pair for pair in ALL if pair[1].replay.must is Must.clear]
#: Checks that compare ranks with each other, and so need to know which do the same work.
COMPARING = ("training/rank_computes_slowly", "training/rank_arrives_late", "training/work_uneven")
MOVED = 100_000
Change = Callable[[Table], Table | None]


def named(pairs: list[tuple[str, ReplayFile]]) -> list[str]:
    return [f"{check} {file.name}" for check, file in pairs]


def data_of(file: ReplayFile) -> StepData:
    assert file.replay.data
    assert file.replay.data.steps
    return file.replay.data.steps


def spoilt(check: str, file: ReplayFile, change: Change) -> Outcome:
    tables = [table for table in map(change, tables_of(data_of(file))) if table is not None]
    return judged(judge_of(CATALOGUE, check), step_tables(lambda: tables), settle(CATALOGUE.cards[check]))


def test_there_are_replays_of_steps() -> None:
    assert len(CHECKS) >= 10
    assert "training/rank_computes_slowly IL-0477.yaml" in named(FOUND)


# --- T1 -----------------------------------------------------------------------------------------------------


def elsewhere(table: Table) -> Table:
    """The same job under another name, on ranks of other numbers."""
    job = replace(table.job, names=tuple(f"other-{name}" for name in table.job.names))
    if isinstance(table, EdgeTable):
        return replace(table, job=job, src=table.src + MOVED, dst=table.dst + MOVED)
    return replace(table, job=job, rank=table.rank + MOVED)


@pytest.mark.parametrize(("check", "file"), FOUND, ids=named(FOUND))
def test_the_same_fault_elsewhere_is_found_there_and_not_here(check: str, file: ReplayFile) -> None:
    outcome = spoilt(check, file, elsewhere)
    assert outcome.answer is Answer.found
    assert file.replay.expect
    assert difference(file.replay.expect.model_copy(update={"looked_at": None}), outcome, None)


def even(table: Table) -> Table | None:
    """The same records without anything that sticks out: every duration the usual one of its kind."""
    match table:
        case PhaseTable():
            usual = np.array([np.median(table.duration[table.phase.codes == c]) for c in range(len(table.phase.names))])
            # Starts would still tell of waiting, events of failures.
            return replace(table, duration=usual[table.phase.codes], start=np.full(len(table), np.nan))
        case EdgeTable():
            return replace(table, duration=np.full(len(table), np.median(table.duration)), wait=np.zeros(len(table)))
        case DistributionTable():
            half = np.full(len(table), np.median(table.p50))
            return replace(table, p50=half, p99=1.1 * half)
        case SequenceTable():
            stuck = {int(number) for number in table.sequence[~table.finished]}
            kept = table.take(~np.isin(table.sequence, list(stuck)))
            return replace(kept, leave=kept.enter + np.nanmedian([*(kept.leave - kept.enter), 0.0]))
        case EventTable():
            return None


@pytest.mark.parametrize(("check", "file"), FOUND, ids=named(FOUND))
def test_a_found_replay_without_its_effect_is_not_found(check: str, file: ReplayFile) -> None:
    assert spoilt(check, file, even).answer is not Answer.found


@pytest.mark.parametrize(("check", "file"), FOUND, ids=named(FOUND))
def test_what_was_found_is_found_in_any_order_of_records(check: str, file: ReplayFile) -> None:
    rng = np.random.default_rng(0)
    outcome = spoilt(check, file, lambda table: table.take(rng.permutation(len(table))))
    assert file.replay.expect
    assert difference(file.replay.expect, outcome, None) == ""


@pytest.mark.parametrize(
    ("level", "check", "name"),
    [
        ("L1", "training/iteration_time_spiked", "compiling_kernels.yaml"),
        ("L2", "training/rank_computes_slowly", "IL-0477.yaml"),
        ("L3", "training/kernels_degraded", "one_group.yaml"),
        ("1F1B", "training/pipeline_amplifies_slow_rank", "too_small_for_comparison.yaml"),
        ("workload", "training/work_uneven", "uneven_sequences.yaml"),
    ],
)
def test_each_level_of_argus_carries_a_replay_that_fails_without_it(
    level: str, check: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    [file] = [file for file in CATALOGUE.replays(check) if file.name == name]
    assert spoilt(check, file, lambda table: table).answer is Answer.found
    rest = [one for one in argus.LEVELS if one != level]
    monkeypatch.setattr(job.argus, "analyse", partial(argus.analyse, levels=rest))
    assert spoilt(check, file, lambda table: table).answer is not Answer.found


# --- T3 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", CHECKS)
def test_no_record_at_all_is_never_clear(check: str) -> None:
    outcome = judged(judge_of(CATALOGUE, check), step_tables(list), settle(CATALOGUE.cards[check]))
    assert outcome.answer is Answer.unknown
    assert outcome.unknown[0].remedy.ko


@pytest.mark.parametrize(("check", "file"), QUIET, ids=named(QUIET))
def test_a_quiet_replay_cut_to_its_first_records_is_never_clear(check: str, file: ReplayFile) -> None:
    """One rank, one step: nothing can be held against anything."""

    def first(table: Table) -> Table | None:
        if isinstance(table, EventTable):
            return None
        own = table.src if isinstance(table, EdgeTable) else table.rank
        number = table.sequence if isinstance(table, SequenceTable) else table.step
        return table.take((own == own.min()) & (number == number.min()))

    assert spoilt(check, file, first).answer is not Answer.clear


@pytest.mark.parametrize(
    ("check", "file"), [p for p in ALL if p[0] in COMPARING], ids=named([p for p in ALL if p[0] in COMPARING])
)
def test_without_coordinates_nobody_is_compared(check: str, file: ReplayFile) -> None:
    def unplaced(table: Table) -> Table | None:
        # Operations name their communicator, which is all the peers they need.
        return replace(table, axes={}) if isinstance(table, PhaseTable | DistributionTable) else None

    outcome = spoilt(check, file, unplaced)
    assert outcome.answer is not Answer.clear
    assert not any("ranks" in finding.where for finding in outcome.findings)


@pytest.mark.parametrize(
    ("check", "file"),
    [p for p in QUIET if p[0] in COMPARING],
    ids=named([p for p in QUIET if p[0] in COMPARING]),
)
def test_half_of_the_ranks_missing_from_most_steps_is_never_clear(check: str, file: ReplayFile) -> None:
    def thinned(table: Table) -> Table:
        if not isinstance(table, PhaseTable):
            return table
        late = np.isin(table.rank, np.unique(table.rank)[::2]) & (table.step > np.quantile(table.step, 0.3))
        return table.take(~late)

    assert spoilt(check, file, thinned).answer is not Answer.clear
