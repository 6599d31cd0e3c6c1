"""Sources and claims: every figure a reader sees is tied to a place in a source."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from urllib.parse import urlsplit

from kb.corpus import CaseFile
from kb.figures import figures, numbers
from kb.model import Basis, Incident, ReviewStatus, SourceKind
from kb.validate.rules import Finding, at
from kb.validate.walk import passages
from kb.yaml_text import Place

#: The fields whose figures a reader may rely on.
_TOLD = ("title", "summary", "severity", "impact", "narrative", "timeline", "actions", "follow_ups")


def findings(case: CaseFile) -> Iterator[Finding]:
    yield from _sources(case)
    yield from _claims(case)
    yield from _workings(case)
    yield from _figures(case)


def _sources(case: CaseFile) -> Iterator[Finding]:
    incident = case.incident
    yield from _twice(case, "sources", "source-unique", (source.id for source in incident.sources))
    for i, source in enumerate(incident.sources):
        for name in ("url", "archived"):
            url = getattr(source, name)
            fault = address_fault(url) if url else None
            if fault:
                yield at(
                    case, ("sources", i, name), "source-address", f"`{url}` {fault}.",
                    "Write the public address of the page.",
                )  # fmt: skip
    secondary = all(source.kind is SourceKind.secondary for source in incident.sources)
    if incident.review.status is ReviewStatus.approved and secondary:
        yield at(
            case, ("sources",), "source-primary", "Every source is secondary.",
            "Add the report itself, or make the review `provisional` with a note.",
        )  # fmt: skip


def address_fault(url: str) -> str | None:
    """What is wrong with an address, as the end of a sentence."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        return f"is not an address: {error}"
    if parts.username or parts.password:
        return "holds credentials"
    if parts.scheme not in ("http", "https"):
        return "is not http or https"
    last = host.rpartition(".")[2]
    if "." not in host or host.startswith(".") or host.endswith(".") or not last.isalpha():
        return "has no public host"
    return None


def _claims(case: CaseFile) -> Iterator[Finding]:
    incident = case.incident
    yield from _twice(case, "claims", "claim-unique", (claim.id for claim in incident.claims))
    known = {source.id for source in incident.sources}
    for i, claim in enumerate(incident.claims):
        if claim.source not in known:
            yield at(
                case, ("claims", i, "source"), "claim-source", f"The case has no source {claim.source}.",
                f"Its sources are {', '.join(sorted(known))}.",
            )  # fmt: skip


def _twice(case: CaseFile, field: str, rule: str, ids: Iterable[str]) -> Iterator[Finding]:
    seen: set[str] = set()
    for i, held in enumerate(ids):
        if held in seen:
            yield at(case, (field, i, "id"), rule, f"{held} stands twice.", "Number them one after another.")
        seen.add(held)


def _workings(case: CaseFile) -> Iterator[Finding]:
    mend = "Write the arithmetic, such as `15:10 − 14:02`."
    for i, claim in enumerate(case.incident.claims):
        if claim.basis is Basis.derived and not claim.working:
            place: Place = ("claims", i)
            yield at(case, place, "derived-working", f"{claim.id} is derived and shows no working.", mend)
    for name in ("time_to_detect", "time_to_recover"):
        duration = getattr(case.incident, name)
        if duration and duration.basis is Basis.derived and not duration.working:
            yield at(case, (name,), "derived-working", "It is derived and shows no working.", mend)


def _figures(case: CaseFile) -> Iterator[Finding]:
    """Each missing value once per case, where it first stands."""
    claimed = claimed_numbers(case.incident)
    missing: dict[Decimal, list[tuple[Place, str]]] = {}
    for name in _TOLD:
        for place, _, passage in passages(getattr(case.incident, name), (name,)):
            for figure in figures(passage):
                if figure.value not in claimed:
                    around = passage[max(0, figure.start - 20) : figure.end + 15].replace("\n", " ")
                    missing.setdefault(figure.value, []).append((place, around))
    for value, places in missing.items():
        place, around = places[0]
        more = f" (and {len(places) - 1} more)" if len(places) > 1 else ""
        yield at(
            case, place, "figure-unclaimed", f"No claim holds {value:f}: `…{around}…`{more}.",
            "Add a claim with the source and the place in it, or leave the figure out.",
        )  # fmt: skip


def claimed_numbers(incident: Incident) -> set[Decimal]:
    """Every number in the values and workings of the claims and durations."""
    durations = [d for d in (incident.time_to_detect, incident.time_to_recover) if d]
    held = [text for claim in incident.claims for text in (claim.value, claim.working or "")]
    held += [duration.working or "" for duration in durations]
    return set().union(*(numbers(text) for text in held)) if held else set()
