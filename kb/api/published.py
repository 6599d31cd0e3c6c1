"""The arguments of a question as the OpenAPI document publishes them: exactly what is taken, no more and no less.

Beyond the flat schemas that every face shares: which vocabulary a slug is from (`format`), that text must hold
something readable, and that null and empty mean absent.
"""

from kb.library.trimming import SECTIONS
from kb.model import Kind
from kb.parameters import JsonSchema, properties, required
from kb.questions import Changes, Question

#: Something that is neither a space nor a control character.
READABLE = r"[^\s\u0000-\u001f\u007f-\u009f]"
ID = "^[A-Za-z]{2,8}-[0-9]{4,15}$"
#: Days that every year has.
DAY = "(0[1-9]|1[0-2])(-(0[1-9]|1[0-9]|2[0-8]){0})?|(0[13-9]|1[0-2])-(29|30){0}|(0[13578]|1[02])-31{0}"
#: Argument → how a date, or a part of one, is written there; a data version is a day with seven digits behind it.
MOMENT = f"^[1-9][0-9]{{3}}(-({DAY.format('')}))?$"
VERSION = f"^[1-9][0-9]{{3}}(-({DAY.format('([.][0-9a-f]{7})?')}))?$"
#: Argument → format, which says what a string has to be beyond its form.
FORMATS = {kind.filter_name: f"{kind.filter_name.replace('_', '-')}-slug" for kind in Kind} | {
    "cursor": "cursor",
    "sections": "section-names",
    "since": "date-or-part",
    "until": "date-or-part",
}
TEXTS = ("symptoms", "query", "text")
IDS = ("id", "case")


def arguments(question: type[Question]) -> dict[str, JsonSchema]:
    """Argument → schema with its description."""
    return {name: _exact(question, name, field) for name, field in properties(question).items()}


def body(question: type[Question]) -> JsonSchema:
    """The arguments as the members of a JSON object; optional ones may be null or empty."""
    needed = required(question)
    return {
        "type": "object",
        "properties": {
            name: field if name in needed else _optional(field) for name, field in arguments(question).items()
        },
        "required": needed,
        "additionalProperties": False,
    }


def _exact(question: type[Question], name: str, field: JsonSchema) -> JsonSchema:
    out: JsonSchema = dict(field)
    if name in FORMATS and out.get("type") == "string":
        # The format says more than the length, which is there to keep nonsense short.
        out.pop("maxLength", None)
        out["format"] = FORMATS[name]
        if "pattern" in out:
            out["pattern"] = VERSION if question is Changes else MOMENT
        if name == "sections":
            out["description"] += f" One or more of {', '.join(SECTIONS)}."
    elif name in TEXTS:
        out["pattern"] = READABLE
    elif name in IDS:
        out["pattern"] = ID
        out.pop("maxLength", None)
    elif name == "ids":
        out["items"] = {"type": "string", "pattern": ID}
    return out


def _optional(field: JsonSchema) -> JsonSchema:
    out: JsonSchema = dict(field)
    if "enum" in out:
        out["enum"] = [*out["enum"], "", None]
    out["type"] = [out["type"], "null"]
    return out
