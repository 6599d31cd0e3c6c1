"""Make a whole case fit: only the sections asked for, and no larger than the budget."""

from typing import Any

from kb.answers import IncidentAnswer
from kb.errors import UnknownValue
from kb.nearest import nearest

#: Always there, whatever is asked for: what a reader needs to know which case it is and where it stands.
KEPT = frozenset(
    "id slug domain org organisation title date date_precision date_basis page lang lang_fallback "
    "cut data_version".split()
)
#: Dropped first to last until the answer fits; what decides a diagnosis goes last.
DROP_ORDER = (
    "phrases", "related_terms", "similar_cases", "claims", "timeline", "follow_ups", "relations", "sources",
    "review", "actions", "evidence", "impact", "dates", "no_check", "checks", "narrative", "terms", "summary",
)  # fmt: skip
_EMPTY: dict[str, Any] = {
    "dates": {"occurred": None, "ended": None, "published": None},
    "impact": {"scope": None, "users": None, "regions": None},
    "review": None,
    "summary": "",
    "no_check": None,
}


def trim(answer: IncidentAnswer, sections: str | None, budget: int | None) -> IncidentAnswer:
    """The answer with everything but `sections` emptied, then shortened to `budget` characters of JSON.

    Raises:
        UnknownValue: a section that does not exist.
    """
    if sections:
        wanted = _known([name.strip() for name in sections.split(",") if name.strip()])
        answer = _without(answer, [n for n in IncidentAnswer.model_fields if n not in wanted | KEPT])
    if budget is None:
        return answer
    for name in DROP_ORDER:
        if len(answer.model_dump_json()) <= budget:
            return answer
        if name == "narrative":
            answer = _shorten(answer, budget)
            continue
        answer = _without(answer, [name])
    return answer


def _known(names: list[str]) -> set[str]:
    for name in names:
        if name not in IncidentAnswer.model_fields:
            raise UnknownValue(
                f"`{name[:60]}` is not a section of a case.",
                field="sections",
                nearest=nearest(name, IncidentAnswer.model_fields),
                next_step="Sections are the top-level fields of the case.",
            )
    return set(names)


def _without(answer: IncidentAnswer, names: list[str]) -> IncidentAnswer:
    changes: dict[str, Any] = {}
    for name in names:
        value = getattr(answer, name)
        if value in (None, "", ()) or name in KEPT or name in ("symptoms", "components", "root_causes", "factors"):
            continue
        if name == "narrative":
            changes[name] = _bare(answer)
        elif name == "review":
            changes[name] = value.model_copy(update={"note": None})
        elif name in _EMPTY and isinstance(_EMPTY[name], dict):
            changes[name] = type(value).model_validate(_EMPTY[name])
        else:
            changes[name] = _EMPTY.get(name, () if isinstance(value, tuple) else None)
    return answer.model_copy(update=changes | {"cut": (*answer.cut, *changes)})


def _bare(answer: IncidentAnswer) -> Any:
    gone = {"cause": None, "trigger": None, "detection": None, "lessons": None}
    return answer.narrative.model_copy(update=gone | {"symptom": ""})


def _shorten(answer: IncidentAnswer, budget: int) -> IncidentAnswer:
    """Cut the longest parts of the narrative at a sentence, longest first, until the answer fits."""
    for _ in range(12):
        over = len(answer.model_dump_json()) - budget
        if over <= 0:
            return answer
        story = {k: v for k, v in answer.narrative.model_dump().items() if v}
        name = max(story, key=lambda k: len(story[k]))
        text = story[name]
        if len(text) <= 80:
            break
        keep = max(60, min(len(text) // 2, len(text) - over))
        cut = text[:keep].rsplit(". ", 1)[0].rsplit(" ", 1)[0] + " …"
        answer = answer.model_copy(
            update={
                "narrative": answer.narrative.model_copy(update={name: cut}),
                "cut": tuple(dict.fromkeys((*answer.cut, f"narrative.{name}"))),
            }
        )
    return answer
