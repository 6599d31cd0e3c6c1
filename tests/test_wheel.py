"""The wheel, installed in an empty environment outside the checkout, answers on every face."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

PAGE = """
import threading, time, urllib.request, json, socket, uvicorn
from kb.app import create_app
from kb.settings import Settings
sock = socket.socket(); sock.bind(("127.0.0.1", 0)); port = sock.getsockname()[1]
server = uvicorn.Server(uvicorn.Config(create_app(Settings()), log_level="warning"))
thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True); thread.start()
while not server.started: time.sleep(0.02)
here = f"http://127.0.0.1:{port}"
page = urllib.request.urlopen(here + "/ko/incidents/IL-0477").read().decode()
assert "IL-0477" in page and "<html" in page
call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "get_incident", "arguments": {"id": "IL-0477"}}}
request = urllib.request.Request(here + "/mcp", json.dumps(call).encode(), {
    "content-type": "application/json", "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25"})
assert "IL-0477" in urllib.request.urlopen(request).read().decode()
server.should_exit = True; thread.join()
print("served")
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of an environment that holds the wheel; its dependencies are lent by the one that runs the tests."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel)],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    lent = next(path for path in sys.path if path.endswith("site-packages"))
    (site,) = (folder / "env" / "lib").glob("python*/site-packages")
    # Appended, so that the wheel's own modules win; editable installs of the checkout are not followed.
    (site / "lent.pth").write_text(f"import sys; sys.path.append({lent!r})\n", encoding="utf-8")
    return python


def run(python: Path, *arguments: str, tmp_path: Path) -> str:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("KB_", "PYTHON"))}
    done = subprocess.run(
        [python, *arguments], cwd="/", env={**env, "KB_CACHE": str(tmp_path), "KB_VECTORS": "false"},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_brings_everything_it_needs(installed: Path, tmp_path: Path) -> None:
    where = run(installed, "-c", "import kb; print(kb.__file__)", tmp_path=tmp_path)
    assert where.startswith(str(installed.parent.parent))
    assert "IL-0477" in run(installed, "-m", "kb", "show", "IL-0477", tmp_path=tmp_path)
    assert "IL-" in run(installed, "-m", "kb", "search", "pods stuck in Pending", tmp_path=tmp_path)
    assert "proven" in run(installed, "-m", "kb", "checks", tmp_path=tmp_path)
    assert run(installed, "-c", PAGE, tmp_path=tmp_path).strip() == "served"
