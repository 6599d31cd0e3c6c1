"""What assistants install from this repository: every file parses, and names only what exists."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from kb import __version__
from kb.checks.catalogue import Catalogue
from kb.cli import app
from kb.mcp_server.local import LOCAL_TOOLS
from kb.mcp_server.tools import TOOLS
from kb.model import ID_PATTERN

ROOT = Path(__file__).resolve().parent.parent
INTEGRATIONS = ROOT / "integrations"
SKILL = INTEGRATIONS / "claude-code" / "skills" / "in-my-cluster-too" / "SKILL.md"
TEXTS = [SKILL, INTEGRATIONS / "README.md", ROOT / "AGENTS.md"]
SERVER = {"command": "kb", "args": ["mcp"]}
KB = re.compile(r"(?<![\w/.])kb ([a-z-]+)([^`\n|]*)")


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def commands() -> dict[str, Any]:
    group: Any = typer.main.get_command(app)
    return dict(group.commands)


def options(name: str) -> set[str]:
    return {option for parameter in commands()[name].params for option in parameter.opts}


def test_the_plugin_is_where_the_marketplace_says() -> None:
    market = load(ROOT / ".claude-plugin" / "marketplace.json")
    [entry] = market["plugins"]
    plugin = load(ROOT / entry["source"] / ".claude-plugin" / "plugin.json")

    assert market["name"] == entry["name"] == plugin["name"] == "incident-library"
    assert plugin["version"] == __version__
    assert (ROOT / entry["source"] / ".mcp.json").is_file()
    assert SKILL.is_relative_to(ROOT / entry["source"] / "skills")


@pytest.mark.parametrize(
    ("file", "keys"),
    [
        ("claude-code/.mcp.json", ("mcpServers", "incident-library")),
        ("cursor/mcp.json", ("mcpServers", "incident-library")),
        ("vscode/mcp.json", ("servers", "incident-library")),
        ("codex/config.toml", ("mcp_servers", "incident-library")),
    ],
)
def test_each_assistant_starts_the_server_that_exists(file: str, keys: tuple[str, str]) -> None:
    path = INTEGRATIONS / file
    document = tomllib.loads(path.read_text(encoding="utf-8")) if path.suffix == ".toml" else load(path)
    entry = document[keys[0]][keys[1]]

    assert {name: entry[name] for name in SERVER} == SERVER
    assert SERVER["args"][0] in commands()


def test_the_skill_has_what_every_assistant_needs() -> None:
    _, head, body = SKILL.read_text(encoding="utf-8").split("---\n", 2)
    said = yaml.safe_load(head)

    assert said["name"] == SKILL.parent.name
    assert re.fullmatch(r"[a-z0-9-]{1,64}", said["name"])
    assert 50 < len(said["description"]) <= 1024
    assert body.count("\n") < 200
    positions = [
        body.index(word) for word in ("search_incidents", "get_check", "kb check --for", "Unknown is not healthy")
    ]
    assert positions == sorted(positions)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_only_commands_and_options_that_exist_are_named(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    named = [(match[1], match[2]) for match in KB.finditer(text)]

    assert named
    for command, rest in named:
        assert command in commands(), command
        for option in re.findall(r"--[a-z][a-z-]*", rest):
            assert option in options(command), (command, option)


def test_the_skill_names_only_tools_checks_and_cases_that_exist() -> None:
    text = SKILL.read_text(encoding="utf-8")
    tools = {spec.name: set(spec.parameters) for spec in TOOLS} | {tool.name: set() for tool in LOCAL_TOOLS}
    words = set(re.findall(r"`([a-z]+_[a-z_]+)`", text))
    fields = {"next_checks"}

    assert words - fields <= set(tools), words - fields - set(tools)
    assert {"search_incidents", "get_incident", "match_evidence", "list_checks", "get_check"} <= words
    checks = set(re.findall(r"--check (\S+)", text))
    assert checks
    assert checks <= set(catalogue().cards)
    for case in re.findall(r"\b[A-Z]{2}-\d{4}\b", text):
        assert re.fullmatch(ID_PATTERN, case)
        assert (ROOT / "data" / "incidents" / f"{case}.yaml").is_file()


def catalogue() -> Catalogue:
    from kb.build import read_catalogue
    from kb.settings import Settings

    return read_catalogue(Settings(data=str(ROOT / "data")))


@pytest.mark.parametrize("assistant", ["codex", "cursor", "vscode"])
def test_the_installer_keeps_what_is_there_and_may_run_twice(tmp_path: Path, assistant: str) -> None:
    file, there = {
        "codex": (".codex/config.toml", 'model = "x"\n'),
        "cursor": (".cursor/mcp.json", '{"mcpServers": {"other": {"url": "http://x"}}, "more": 1}'),
        "vscode": (".vscode/mcp.json", '{"inputs": []}'),
    }[assistant]
    target = tmp_path / file
    target.parent.mkdir()
    target.write_text(there, encoding="utf-8")

    first = install(assistant, tmp_path)
    once = target.read_text(encoding="utf-8")
    install(assistant, tmp_path)

    assert target.read_text(encoding="utf-8") == once
    assert "incident-library" in once
    document = tomllib.loads(once) if target.suffix == ".toml" else json.loads(once)
    kept = tomllib.loads(there) if target.suffix == ".toml" else json.loads(there)
    for key, value in kept.items():
        assert document[key] == value or set(value) <= set(document[key])
    copied = tmp_path / ".agents" / "skills" / "in-my-cluster-too" / "SKILL.md"
    assert copied.read_bytes() == SKILL.read_bytes()
    assert ("pip install" in first) == (shutil.which("kb") is None)


def test_the_installer_leaves_a_file_alone_that_it_cannot_read(tmp_path: Path) -> None:
    target = tmp_path / ".cursor" / "mcp.json"
    target.parent.mkdir()
    target.write_text("{ // comment\n}", encoding="utf-8")

    with pytest.raises(AssertionError, match="add by hand"):
        install("cursor", tmp_path)

    assert target.read_text(encoding="utf-8") == "{ // comment\n}"


def install(assistant: str, folder: Path) -> str:
    run = [sys.executable, str(INTEGRATIONS / "install"), assistant, str(folder)]
    done = subprocess.run(run, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_guide_for_assistants_names_only_files_and_targets_that_exist() -> None:
    text = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    made = (ROOT / "Makefile").read_text(encoding="utf-8")

    for target in re.findall(r"make ([a-z]+)", text):
        assert re.search(rf"^{target}:", made, re.MULTILINE), target
    for name in re.findall(r"`((?:kb|data|docs|tests|scripts|schemas)/[\w./-]*|[A-Z]\w+\.md|pyproject\.toml)`", text):
        assert (ROOT / name).exists(), name
