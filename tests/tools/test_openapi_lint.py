"""Redocly's linter, at its strictest, has nothing to say about the OpenAPI document."""

import json
from pathlib import Path
from typing import Any

from kb.app import create_app
from kb.settings import Settings
from tests.tools import node

HERE = Path(__file__).resolve().parent


def lint(document: Any, folder: Path) -> tuple[int, str]:
    (folder / "openapi.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
    cli = node.modules() / "@redocly" / "cli" / "bin" / "cli.js"
    done = node.run(str(cli), "lint", "--config", str(HERE / "redocly.yaml"), "openapi.json", folder=folder)
    return done.returncode, done.stdout + done.stderr


def test_the_linter_finds_nothing_in_the_document(tmp_path: Path) -> None:
    status, said = lint(create_app(Settings()).openapi(), tmp_path)

    assert (status, "warning" in said) == (0, False), said[-4000:]


def test_the_linter_would_find_a_fault(tmp_path: Path) -> None:
    document = json.loads(json.dumps(create_app(Settings()).openapi()))
    del document["paths"]["/api/v1/status"]["get"]["operationId"]

    status, said = lint(document, tmp_path)

    assert status == 1
    assert "operation-operationId" in said
