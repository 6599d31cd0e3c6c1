"""Every type of page is valid HTML, in both languages, by the rules of a validator that is not ours."""

import json
from pathlib import Path

from starlette.testclient import TestClient

from tests.browser.pages import ERRORS, LANGS, PAGES
from tests.tools import node

RULES = Path(node.__file__).with_name("htmlvalidate.json")


def faults(folder: Path) -> list[str]:
    """What html-validate finds in the `*.html` files of a folder: file, line, rule and sentence."""
    cli = node.modules() / "html-validate" / "bin" / "html-validate.mjs"
    names = sorted(path.name for path in folder.glob("*.html"))
    done = node.run(str(cli), "--config", str(RULES), "--formatter", "json", *names, folder=folder)
    assert done.returncode in (0, 1), done.stderr[-2000:]
    return [
        f"{Path(file['filePath']).name}:{fault['line']}: {fault['ruleId']}: {fault['message']}"
        for file in json.loads(done.stdout)
        for fault in file["messages"]
    ]


def test_every_page_is_valid(client: TestClient, tmp_path: Path) -> None:
    for name, address in PAGES.items():
        for lang in LANGS:
            answer = client.get(address.format(lang=lang))
            assert answer.status_code == ERRORS.get(name, 200), name
            (tmp_path / f"{name}-{lang}.html").write_text(answer.text, encoding="utf-8")

    assert faults(tmp_path)[:20] == []


def test_the_validator_would_find_a_fault(client: TestClient, tmp_path: Path) -> None:
    page = client.get("/en/about").text.replace("<main", '<main id="twice"', 1)
    (tmp_path / "about.html").write_text(page.replace("<h1>", "<h1><p>", 1), encoding="utf-8")

    assert {fault.split(": ")[1] for fault in faults(tmp_path)} >= {"no-dup-attr", "element-permitted-content"}
