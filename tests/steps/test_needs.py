"""What was not recorded is unknown; a check does not apply only where the job cannot have what it judges."""

import numpy as np
import pytest

from kb.checks.ask import judge_of, judged
from kb.checks.card import Answer
from kb.checks.catalogue import Catalogue
from kb.checks.contract import Outcome
from kb.checks.knobs import settle
from kb.checks.sources.steps import step_tables
from kb.steps.records import Table
from kb.steps.scenarios import made
from tests.steps.making import noisy, records

CATALOGUE = Catalogue.load()
CHECKS = sorted(check for check, card in CATALOGUE.cards.items() if card.kind == "steps")
STEPS, RANKS = 60, 4


def asked(check: str, *tables: Table) -> Outcome:
    return judged(judge_of(CATALOGUE, check), step_tables(lambda: list(tables)), settle(CATALOGUE.cards[check]))


@pytest.mark.parametrize("check", CHECKS)
def test_a_kind_of_record_that_is_absent_leaves_its_checks_unknown_and_says_what_to_record(check: str) -> None:
    hangs = made("hang_non_comm bad_dp=3", 1).sequences
    links = made("healthy_links dp=8", 0).edges
    assert hangs is not None
    assert links is not None
    other = links if check == "training/communication_hang" else hangs.take(hangs.finished)
    if check == "training/rank_arrives_late":
        other = links
    outcome = asked(check, other)
    assert outcome.answer is Answer.unknown
    assert outcome.unknown[0].remedy.en
    assert outcome.unknown[0].remedy.ko


def forward(axes: dict[str, range] | None) -> Table:
    return records({"forward": noisy(np.random.default_rng(0), 0.2, STEPS, RANKS)}, axes=axes)


def test_a_pipeline_is_no_matter_of_a_job_whose_coordinates_show_none_and_unknown_without_coordinates() -> None:
    check = "training/pipeline_amplifies_slow_rank"
    assert asked(check, forward({"dp": range(RANKS)})).answer is Answer.not_applicable
    assert asked(check, forward(None)).answer is Answer.unknown


def test_sibling_groups_are_no_matter_of_a_job_that_has_one_group_and_unknown_where_none_is_recorded() -> None:
    check = "training/collective_group_slow"
    reduce = {"dp_all_reduce": noisy(np.random.default_rng(0), 0.2, STEPS, RANKS)}
    assert asked(check, records(reduce, axes={"dp": range(RANKS)})).answer is Answer.not_applicable
    assert asked(check, forward({"dp": range(RANKS)})).answer is Answer.unknown
