"""'Is it in my cluster too?': the command and the text for an agent that look for the same state, read-only."""

from collections.abc import Iterable
from dataclasses import dataclass

from kb import links
from kb.answers import CheckLink, Facet
from kb.checks.card import SourceName
from kb.library import Library
from kb.model import Kind, Lang
from kb.questions import ListChecks, ask
from kb.web.words import Words

FLAGS = {
    SourceName.prometheus: '--prometheus "$PROM"',
    SourceName.kubernetes: "--kube",
    SourceName.host: "--host",
    SourceName.logs: "--logs kernel.log",
    SourceName.steps: "--steps steps.jsonl",
}
MOST_FREQUENT = 2


@dataclass(frozen=True)
class Mine:
    """components: name, count and page of the most frequent ones; command: nothing where no check applies."""

    components: tuple[tuple[str, int, str], ...]
    checks: int
    command: str | None
    agent: str | None


def command(arguments: Iterable[str], kinds: Iterable[SourceName]) -> str:
    """`kb check` with what to look for and every source that the checks read, one argument a line."""
    wanted = set(kinds)
    flags = [flag for kind, flag in FLAGS.items() if kind in wanted]
    return " \\\n  ".join(["kb check", *arguments, *flags])


def for_selection(library: Library, lang: Lang, facets: Iterable[Facet]) -> Mine:
    """For a list: its most frequent components and the checks that look at them."""
    values = next((facet.values for facet in facets if facet.kind is Kind.components), ())[:MOST_FREQUENT]
    kinds, ids, covered = set(), set(), []
    for value in values:
        checks = library.every_check(ask(ListChecks, {"component": value.slug, "lang": lang}))
        ids |= {check.id for check in checks}
        kinds |= {check.kind for check in checks}
        covered += [value.slug] if checks else []
    components = tuple((v.name, v.count, links.topic(lang, Kind.components, v.slug)) for v in values)
    if not covered:
        return Mine(components, 0, None, None)
    names = ", ".join(value.name for value in values if value.slug in covered)
    agent = Words(lang).plain("agent_list", components=names)
    return Mine(components, len(ids), command((f"--component {slug}" for slug in covered), kinds), agent)


def for_case(lang: Lang, case_id: str, checks: Iterable[CheckLink]) -> Mine:
    """For one case: the checks that a replay links to it."""
    linked, words = tuple(checks), Words(lang)
    if not linked:
        return Mine((), 0, None, words.plain("agent_read", id=case_id))
    text = command([f"--for {case_id}"], (check.kind for check in linked))
    return Mine((), len(linked), text, words.plain("agent_case", id=case_id))
