"""holes: each value of the vocabulary between the cases that carry it and the checks that catch those cases."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

from kb import links
from kb.answers import Hole, HoleCheck, HolesAnswer, HoleState
from kb.checks.card import CheckStatus
from kb.library import briefs
from kb.library.sharing import DIAGNOSIS
from kb.library.store import Store, StoredCheck
from kb.model import Kind, Lang
from kb.questions import Holes, Show

SHOWN = {
    Show.all: frozenset(HoleState),
    Show.case_without_check: frozenset({HoleState.no_check, HoleState.not_proven}),
    Show.check_without_case: frozenset({HoleState.no_case}),
    Show.both_proven: frozenset({HoleState.proven}),
}


def holes(store: Store, question: Holes, data_version: str) -> HolesAnswer:
    """Values with neither a case nor a check are left out: there is no hole to see."""
    kinds = (question.kind,) if question.kind else DIAGNOSIS
    looking = _looking(store)
    rows = [
        _hole(store, kind, slug, looking.get(slug, ()), question.lang)
        for kind in kinds
        for slug in store.vocabulary.values.get(kind, {})
    ]
    kept = [row for row in rows if (row.cases or row.checks) and row.state in SHOWN[question.show]]
    kept.sort(key=lambda row: (-row.hole, -row.cases, -len(row.checks), row.kind, row.slug))
    return HolesAnswer(count=len(kept), holes=tuple(kept), lang=question.lang, data_version=data_version)


def _looking(store: Store) -> dict[str, list[StoredCheck]]:
    """Value → the checks that name it or catch a case that carries it, in their order."""
    found: dict[str, list[StoredCheck]] = defaultdict(list)
    for check in store.checks.values():
        caught = (store.cases[i].incident.terms(kind) for i in check.cases if i in store.cases for kind in Kind)
        for slug in {*check.card.catches, *chain.from_iterable(caught)}:
            found[slug].append(check)
    return found


def _hole(store: Store, kind: Kind, slug: str, looking: Sequence[StoredCheck], lang: Lang) -> Hole:
    ids = store.by_term.get((kind, slug), frozenset())
    checks = tuple(
        HoleCheck(
            id=check.card.id,
            status=check.status,
            names=slug in check.card.catches,
            cases=tuple(i for i in check.cases if i in ids),
            page=links.check(lang, check.card.id),
        )
        for check in looking
    )
    caught = {case for check in checks for case in check.cases}
    return Hole(
        kind=kind,
        slug=slug,
        name=store.vocabulary.name(kind, slug, lang),
        cases=len(ids),
        caught=len(caught),
        hole=len(ids) - len(caught),
        checks=checks,
        proven=sum(1 for check in checks if check.status is not CheckStatus.draft),
        state=_state(len(ids), len(caught), len(checks)),
        no_check=briefs.no_check(store, kind, slug, lang),
        page=links.topic(lang, kind, slug),
    )


def _state(cases: int, caught: int, checks: int) -> HoleState:
    if not cases:
        return HoleState.no_case
    if caught:
        return HoleState.proven
    return HoleState.not_proven if checks else HoleState.no_check
