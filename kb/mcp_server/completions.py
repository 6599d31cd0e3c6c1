"""Completions for ids, slugs, kinds and check names, by prefix in either language."""

from collections.abc import Callable

import anyio.to_thread
from mcp.server.mcpserver import MCPServer
from mcp_types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from kb.errors import BuildError
from kb.library import Library
from kb.model import Kind, Lang
from kb.questions import ListChecks

MAX_VALUES = 100
Given = dict[str, str]


def add(server: MCPServer[dict[str, object]], current: Callable[[], Library]) -> None:
    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion:
        where = ref.uri if isinstance(ref, ResourceTemplateReference) else ref.name
        given = dict(context.arguments or {}) if context else {}
        found = await anyio.to_thread.run_sync(_values, current, where, argument.name, argument.value, given)
        return Completion(values=found[:MAX_VALUES], total=len(found), has_more=len(found) > MAX_VALUES)


def _values(current: Callable[[], Library], where: str, name: str, prefix: str, given: Given) -> list[str]:
    if name == "lang":
        return [lang for lang in Lang if lang.startswith(prefix)]
    if name == "kind":
        return [kind for kind in Kind if kind.startswith(prefix)]
    try:
        return list(_held(current(), where, name, prefix, given))
    except BuildError:
        return []


def _held(library: Library, where: str, name: str, prefix: str, given: Given) -> tuple[str, ...]:
    """Values that only the library knows."""
    if name == "id" and where.startswith("incident:"):
        return library.complete("id", prefix) or _numbered(library, prefix)
    if name == "slug":
        kinds = [given["kind"]] if given.get("kind") in list(Kind) else list(Kind)
        begin = [slug for kind in kinds for slug in library.complete(kind, prefix)]
        slugs = [slug for kind in kinds for slug in sorted(library.vocabulary.values[Kind(kind)])]
        return tuple(dict.fromkeys((*begin, *(slug for slug in slugs if _has(slug, prefix)))))
    if name == "component":
        return library.complete(Kind.components, prefix)
    pairs = [check.id.split("/", 1) for check in library.every_check(ListChecks())]
    if name == "family":
        return tuple(dict.fromkeys(family for family, _ in pairs if family.startswith(prefix)))
    if name == "name":
        family = given.get("family")
        return tuple(own for its, own in pairs if own.startswith(prefix) and family in (None, its))
    return ()


def _numbered(library: Library, prefix: str) -> tuple[str, ...]:
    """Ids by their number alone: `477` for IL-0477."""
    if not prefix.isdecimal():
        return ()
    numbers = {found: found.partition("-")[2].lstrip("0") for found in library.complete("id", "")}
    return tuple(found for found, number in numbers.items() if number.startswith(prefix))


def _has(slug: str, prefix: str) -> bool:
    """Whether a word of the slug begins so: `exp` for `certificate-expiry`."""
    return bool(prefix) and any(word.startswith(prefix.lower()) for word in slug.split("-"))
