"""Settings that cannot be used name themselves and say what they take, on every face."""

import os
import subprocess
import sys

import pytest

from kb.errors import InvalidValue
from kb.settings import Settings

BAD = [
    ("KB_WATCH_SECONDS", "0", "it takes a number above 0"),
    ("KB_WATCH_SECONDS", "soon", "it takes a number"),
    ("KB_VECTORS", "perhaps", "it takes true or false"),
    ("KB_RATE_LIMIT", "-1", "it takes a number of at least 0"),
    ("KB_RATE_LIMIT", "many", "it takes a whole number"),
    ("KB_RATE_WINDOW", "100000", "it takes a number of at most 86400"),
    ("KB_BASE_URL", "cases.example", "must begin with http:// or https://"),
    ("KB_TRUSTED_PROXIES", "proxy.example", "does not appear to be an IPv4 or IPv6 network"),
]


@pytest.mark.parametrize(("name", "value", "wanted"), BAD)
def test_a_bad_setting_names_itself_and_what_it_takes(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, wanted: str
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(InvalidValue) as caught:
        Settings()

    assert caught.value.field == name
    assert f"{name} is `{value}`" in str(caught.value)
    assert wanted in str(caught.value)
    assert "pydantic" not in str(caught.value)


def test_the_command_line_says_so_in_one_line() -> None:
    env = {**os.environ, "KB_WATCH_SECONDS": "soon"}
    done = subprocess.run(
        [sys.executable, "-m", "kb", "list"], env=env, capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 2
    assert done.stderr.startswith(
        "kb: The setting KB_WATCH_SECONDS is `soon`, which cannot be used: it takes a number."
    )
    assert done.stderr.count("\n") == 1


def test_good_settings_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"KB_TRUSTED_PROXIES": "10.0.0.0/8, 192.0.2.1", "KB_BASE_URL": "https://a.example/"}.items():
        monkeypatch.setenv(name, value)

    assert Settings().trusted_proxies == "10.0.0.0/8,192.0.2.1"
    assert Settings().base_url == "https://a.example"
