"""One case, one file: text to `Incident` and back, exact inverses of each other."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kb import yaml_text
from kb.errors import UnreadableFile
from kb.model import Incident
from kb.yaml_text import Document, Place

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class SchemaFault:
    """One place where a file does not fit its schema."""

    place: Place
    line: int
    message: str

    @property
    def field(self) -> str:
        return dotted(self.place)


class SchemaFaults(UnreadableFile):
    """All the places at once; `str()` names the first and counts the rest."""

    def __init__(self, name: str, faults: list[SchemaFault]) -> None:
        self.faults = faults
        first = faults[0]
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(f"{name}:{first.line}: {first.field}: {first.message}{more}.")


def dotted(place: Place) -> str:
    """`narrative.symptom.en`, `claims[2].source`."""
    out = ""
    for part in place:
        out += f"[{part}]" if isinstance(part, int) else (f".{part}" if out else str(part))
    return out or "(file)"


def read(path: Path, model: type[Model]) -> tuple[Model, Document]:
    """Read a file into `model`, and keep the line numbers.

    Raises:
        SchemaFaults: everything that does not fit, at once.
        UnreadableFile: not a file that could fit.
    """
    document = yaml_text.read(path)
    return fit(document, model, path.name), document


def fit(document: Document, model: type[Model], name: str) -> Model:
    try:
        return model.model_validate(document.data)
    except ValidationError as error:
        raise SchemaFaults(name, [_fault(item, document) for item in error.errors()]) from error


def read_incident(path: Path) -> Incident:
    return read(path, Incident)[0]


def loads(text: str, name: str = "text") -> Incident:
    return fit(yaml_text.parse(text, name=name), Incident, name)


def dumps(incident: Incident) -> str:
    """The canonical text: fields in the order of the model, absent ones left out."""
    return yaml_text.dump(_lean(incident.model_dump(mode="json")))


def _lean(value: Any) -> Any:
    """Drop what is absent or empty; write numbers and booleans as text, as the reader expects them."""
    if isinstance(value, dict):
        lean = {key: _lean(item) for key, item in value.items()}
        return {key: item for key, item in lean.items() if item not in (None, [], {})}
    if isinstance(value, list):
        return [_lean(item) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value is None or isinstance(value, str) else str(value)


def _fault(item: Any, document: Document) -> SchemaFault:
    place: Place = tuple(item["loc"])
    kind, message = item["type"], item["msg"]
    if kind == "extra_forbidden":
        message = "no such field"
    elif kind == "missing":
        message = "is required and missing"
    elif kind == "string_pattern_mismatch":
        message = f"`{item['input']}` does not have the form {item['ctx']['pattern']}"
    elif kind in ("string_type", "model_type", "tuple_type", "dict_type", "model_attributes_type"):
        message = f"{message[0].lower()}{message[1:]}, found {_name_of(item['input'])}"
    return SchemaFault(place, document.line(place), message)


def _name_of(value: Any) -> str:
    names: dict[type, str] = {str: "text", list: "a list", dict: "a mapping"}
    return names.get(type(value), type(value).__name__)
