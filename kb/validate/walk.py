"""Every text of a case or a vocabulary value, with its place."""

from collections.abc import Iterator

from pydantic import BaseModel

from kb.model import Incident, Lang, Text
from kb.yaml_text import Place


def texts(part: object, place: Place = ()) -> Iterator[tuple[Place, Text]]:
    """Every bilingual passage below `part`, in the order of the fields."""
    for where, found in _walk(part, place):
        if isinstance(found, Text):
            yield where, found


def strings(part: object, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Every string below `part`, whatever it is for."""
    for where, found in _walk(part, place):
        if isinstance(found, str):
            yield where, found


def passages(part: object, place: Place = ()) -> Iterator[tuple[Place, Lang, str]]:
    """Every passage of every text, one language after the other."""
    for where, text in texts(part, place):
        yield (*where, "en"), Lang.en, text.en
        if text.ko is not None:
            yield (*where, "ko"), Lang.ko, text.ko


def phrases(incident: Incident) -> Iterator[tuple[Place, Lang, str]]:
    for i, phrase in enumerate(incident.phrases.en):
        yield ("phrases", "en", i), Lang.en, phrase
    for i, phrase in enumerate(incident.phrases.ko):
        yield ("phrases", "ko", i), Lang.ko, phrase


def _walk(part: object, place: Place) -> Iterator[tuple[Place, object]]:
    if isinstance(part, BaseModel):
        yield place, part
        for name in type(part).model_fields:
            yield from _walk(getattr(part, name), (*place, name))
    elif isinstance(part, tuple):
        for i, item in enumerate(part):
            yield from _walk(item, (*place, i))
    elif isinstance(part, str):
        yield place, part
