"""Real measurements (`real_data`): left out, and counted, where their folder is absent; required in CI."""

import os
from pathlib import Path

import pytest

from kb.settings import Settings
from tests.library_fixtures import data_root, library, live, settings

__all__ = ["data_root", "library", "live", "settings"]

LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if Settings().real_data.is_dir() or os.environ.get("CI"):
        return
    left_out = [item for item in items if item.get_closest_marker("real_data")]
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)
        config.stash[LEFT_OUT] = len(left_out)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    count = config.stash.get(LEFT_OUT, 0)
    if count:
        terminalreporter.write_line(f"{count} tests left out: no real measurements at KB_REAL_DATA")


@pytest.fixture
def real_data() -> Path:
    folder = Settings().real_data
    assert folder.is_dir(), f"no folder {folder}: set KB_REAL_DATA"
    return folder
