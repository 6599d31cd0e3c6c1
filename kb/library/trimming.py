"""Make a whole case fit: only the sections asked for, and no larger than the budget."""

from collections.abc import Callable
from typing import Any

from kb.answers import IncidentAnswer
from kb.errors import UnknownValue
from kb.nearest import nearest

Size = Callable[[IncidentAnswer], int]

#: Always there, whatever is asked for: what a reader needs to know which case it is and where it stands.
KEPT = frozenset(
    "id slug domain org organisation title date date_precision date_basis page lang lang_fallback "
    "cut data_version".split()
)
#: What can be asked for; the rest comes in any case.
SECTIONS = tuple(name for name in IncidentAnswer.model_fields if name not in KEPT)
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
    return answer if budget is None else fit(answer, budget, json_size)


def json_size(answer: IncidentAnswer) -> int:
    return len(answer.model_dump_json())


def fit(answer: IncidentAnswer, budget: int, size: Size) -> IncidentAnswer:
    """The answer without as much as keeps `size` of it above `budget`; `cut` names what went.

    What a face does not show takes no room there, and is not said to be cut.
    """
    for name in DROP_ORDER:
        now = size(answer)
        if now <= budget:
            return answer
        if name == "narrative":
            answer = _shorten(answer, budget, size)
            continue
        without = _without(answer, [name])
        answer = without if size(without) < now else answer
    return answer


def _known(names: list[str]) -> set[str]:
    for name in names:
        if name not in IncidentAnswer.model_fields:
            raise UnknownValue(
                f"`{name[:60]}` is not a section of a case.",
                field="sections",
                allowed=SECTIONS,
                nearest=nearest(name, SECTIONS),
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


def _shorten(answer: IncidentAnswer, budget: int, size: Size) -> IncidentAnswer:
    """Cut the longest parts of the narrative at a sentence, longest first, until the answer fits."""
    for _ in range(12):
        over = size(answer) - budget
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
