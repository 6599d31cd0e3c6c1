"""kb eval: how well the search answers, measured on questions written from the asker's side."""

import os
import subprocess
import sys
from pathlib import Path

import typer

import kb
from kb.errors import ToolMissing


def register(app: typer.Typer) -> None:
    app.command("eval")(evaluate)


def evaluate() -> None:
    """nDCG, recall, wrong answers and parity by language, kind and method, at 45, 200 and all cases (minutes)."""
    root = Path(kb.__file__).resolve().parent.parent
    if not (root / "tests" / "eval" / "__main__.py").is_file():
        raise ToolMissing(
            "The questions that the search is measured on are not part of the installed package.",
            next_step="Run `kb eval` in a checkout of the project, after `make serve` or `make test` has installed it.",
        )
    # The questions are tests and may not be imported from here; they name cases of the checkout's own data.
    done = subprocess.run([sys.executable, "-m", "tests.eval", "--whole"], cwd=root, env=os.environ, check=False)
    raise typer.Exit(done.returncode)
