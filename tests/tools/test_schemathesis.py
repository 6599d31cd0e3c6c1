"""schemathesis asks every address of the OpenAPI document what it must answer and what it must refuse: all checks.

`KB_FUZZ_EXAMPLES=200 pytest tests/tools/test_schemathesis.py` asks far more than there is time for in CI.
"""

import os
import subprocess
import sys
from pathlib import Path

import httpx

from kb.library import Library
from kb.settings import Settings
from tests.serving import served

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXAMPLES = os.environ.get("KB_FUZZ_EXAMPLES", "2")


def test_every_check_of_schemathesis_passes(settings: Settings, library: Library, tmp_path: Path) -> None:
    env = {**os.environ, "KB_DATA": settings.data, "PYTHONPATH": str(ROOT)}
    # Meaning takes no part: it is asked for by no schema, and costs most of a request.
    with served(settings.model_copy(update={"rate_limit": 0, "vectors": False})) as address:
        httpx.get(f"{address}/api/v1/status", timeout=120).raise_for_status()
        command = [
            str(Path(sys.executable).with_name("schemathesis")),
            "--config-file",
            str(HERE / "schemathesis.toml"),
        ]
        command += [
            "run",
            f"{address}/openapi.json",
            "--checks",
            "all",
            "--max-examples",
            EXAMPLES,
            "--seed",
            "1",
            "--request-timeout",
            "60",
        ]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "Selected: 24/24" in done.stdout
