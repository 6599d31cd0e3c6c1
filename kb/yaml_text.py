"""YAML read strictly, with line numbers; the only importer of the YAML parser.

Every scalar is text until a schema says otherwise: `on`, `no`, `2026-11-29` and `1.30` stay what was
written. Refused, each with its line: duplicate keys, anchors and aliases (they can explode), tags, tabs
as indentation, more than one document, anything but UTF-8, and files over `MAX_BYTES`.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from kb.errors import UnreadableFile

MAX_BYTES = 256 * 1024
WIDTH = 100
STR_TAG = "tag:yaml.org,2002:str"

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Place = tuple[str | int, ...]


@dataclass
class Document:
    """Plain data (dict, list, str) and the line, counted from 1, on which each part begins."""

    data: Any
    lines: dict[Place, int] = field(default_factory=dict)

    def line(self, place: Place) -> int:
        """The line of `place`, or of the nearest part around it."""
        while place not in self.lines and place:
            place = place[:-1]
        return self.lines.get(place, 1)


def read(path: Path, *, max_bytes: int = MAX_BYTES) -> Document:
    """Parse one file.

    Raises:
        UnreadableFile: with the file, the line and what to mend.
    """
    return parse(read_text(path, max_bytes=max_bytes), name=path.name)


def read_text(path: Path, *, max_bytes: int = MAX_BYTES) -> str:
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise UnreadableFile(
                f"{path.name}: {size} bytes, more than the {max_bytes} that a file may have.",
                next_step="Split it, or shorten quoted material.",
            )
        raw = path.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"{path.name}: cannot be read: {error.strerror}.") from error
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise UnreadableFile(f"{path.name}:{line}: not UTF-8 text.", next_step="Save the file as UTF-8.") from error


def parse(text: str, *, name: str) -> Document:
    if text.startswith("\ufeff"):
        raise UnreadableFile(f"{name}:1: begins with a byte order mark.", next_step="Save it as UTF-8 without one.")
    try:
        _refuse_aliases(text, name)
        node = yaml.compose(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise UnreadableFile(f"{name}:{line}: not YAML: {error.problem or error.context}.") from error
    except yaml.YAMLError as error:
        raise UnreadableFile(f"{name}: not YAML: {error}.") from error
    except RecursionError as error:
        raise UnreadableFile(f"{name}: nested too deeply.") from error
    if node is None:
        raise UnreadableFile(f"{name}: is empty.")
    document = Document(None)
    document.data = _plain(node, (), document.lines, name)
    return document


def _refuse_aliases(text: str, name: str) -> None:
    if "&" not in text and "*" not in text and "!" not in text:
        return
    for event in yaml.parse(text, Loader=Loader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise UnreadableFile(
                f"{name}:{line}: anchors and aliases are not used here.",
                next_step="Write the value out, or quote text that begins with & or *.",
            )
        if getattr(event, "tag", None):
            raise UnreadableFile(f"{name}:{line}: tags are not used here.", next_step="Quote text that begins with !.")


def _plain(node: Node, place: Place, lines: dict[Place, int], name: str) -> Any:
    lines[place] = node.start_mark.line + 1
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, SequenceNode):
        return [_plain(child, (*place, i), lines, name) for i, child in enumerate(node.value)]
    assert isinstance(node, MappingNode)
    out: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, ScalarNode):
            raise UnreadableFile(f"{name}:{key_node.start_mark.line + 1}: a key must be plain text.")
        key = key_node.value
        if key in out:
            raise UnreadableFile(
                f"{name}:{key_node.start_mark.line + 1}: the key `{key}` stands here twice.",
                next_step="Keep one of them.",
            )
        out[key] = _plain(value_node, (*place, key), lines, name)
        lines[(*place, key)] = key_node.start_mark.line + 1
    return out


class _Dumper(yaml.SafeDumper):
    """Writes text plainly wherever plain text reads back as the same text."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 (as the base class declares it)

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        """What stands in two places is written twice: the reader refuses aliases."""
        return True


def _write_text(dumper: yaml.SafeDumper, value: str) -> ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar(STR_TAG, value, style=style)


_Dumper.add_representer(str, _write_text)


def dump(data: Any) -> str:
    """Canonical text of plain data: `parse(dump(x)).data == x`."""
    text: str = yaml.dump(
        data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=WIDTH, default_flow_style=False
    )
    return text


def manifest(data: Any) -> str:
    """YAML as every other reader takes it: text that would be read as something else is quoted, `''` included."""
    text: str = yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=WIDTH, default_flow_style=False)
    return text
