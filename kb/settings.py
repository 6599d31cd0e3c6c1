"""One `Settings`, read once from the environment and passed in.

Every variable is named `KB_…`; a field's comment says what it is for. Nothing else reads the environment.
"""

import os
from importlib import resources
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from kb.errors import DataError, InvalidValue


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="KB_", frozen=True, extra="ignore")

    data: str = ""
    """Data roots, separated by `:` (`;` on Windows); the first is public, later ones are laid over it.
    Default: `./data` where it exists, else the copy shipped in the wheel."""
    cache: Path | None = None
    """Folder for build products. Default: the user's cache folder (`XDG_CACHE_HOME`)."""
    database_url: str = ""
    """An SQLAlchemy address for the tables; default: an SQLite file inside the build."""
    base_url: str = ""
    """Public address of the website, for absolute links; default: relative to the request."""
    allowed_hosts: str = "localhost,127.0.0.1,[::1],testserver"
    """Host names (comma-separated) that the MCP endpoint answers to; `*` for any, behind a proxy that checks."""
    allowed_origins: str = ""
    """Browser origins (comma-separated) that the MCP endpoint answers to, beside the host's own."""
    rate_limit: int = Field(default=6000, ge=0)
    """Points that one client address may spend on API and MCP in a window; 0 sets no limit. A record costs 1, a list
    2, a search 5, a batch 10, an exported file 20."""
    rate_limit_pages: int = Field(default=12_000, ge=0)
    """Pages of the website for one client address in a window; 0 sets no limit."""
    rate_window: int = Field(default=60, ge=1, le=86_400)
    """Seconds after which a used-up budget is whole again."""
    redis_url: str = ""
    """Address of a Redis in which several servers share the budgets; default: each process counts for itself."""
    trusted_proxies: str = ""
    """Addresses or networks (comma-separated) of proxies whose `X-Forwarded-For` and `-Proto` are believed."""
    real_data: Path = Path("../shared/data")
    """Folder of real measurements that some tests read."""
    vectors: bool = True
    """Search by meaning too; off saves about 160 MB of memory a process."""
    watch_seconds: float = Field(default=1.0, gt=0)
    """How often, at most, a running server looks for a new build."""
    promtool: str = "promtool"
    """Program that evaluates PromQL replays."""

    def __init__(self, **values: Any) -> None:
        """Raises InvalidValue: names the variable, what it holds and what it takes."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _unusable(error) from error

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: str) -> str:
        parts = [part.strip() for part in value.split(",") if part.strip()]
        for part in parts:
            if part != "*":
                ip_network(part, strict=False)
        return ",".join(parts)

    @field_validator("base_url")
    @classmethod
    def _no_trailing_slash(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://")
        return value.rstrip("/")

    @property
    def data_roots(self) -> tuple[Path, ...]:
        """The data roots in use, public one first.

        Raises:
            DataError: a root that is no folder.
        """
        if not self.data:
            here = Path("data")
            return (here.resolve(),) if (here / "incidents").is_dir() else (shipped("data"),)
        roots = tuple(Path(part).expanduser().resolve() for part in self.data.split(os.pathsep) if part)
        for root in roots:
            if not root.is_dir():
                raise DataError(
                    f"The data root `{root}` is not a folder.",
                    field="KB_DATA",
                    next_step="Give existing folders that hold `incidents/`, separated by a colon.",
                )
        return roots

    @property
    def cache_folder(self) -> Path:
        if self.cache is not None:
            return self.cache.expanduser().resolve()
        home = os.environ.get("XDG_CACHE_HOME")
        return (Path(home) if home else Path.home() / ".cache") / "incident-library"

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.allowed_hosts.split(",") if part.strip())

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.allowed_origins.split(",") if part.strip())


def _unusable(error: ValidationError) -> InvalidValue:
    item = error.errors()[0]
    name = f"KB_{item['loc'][0]}".upper()
    limits = item.get("ctx", {})
    bounds = [f"{words} {limits[key]}" for key, words in _BOUNDS.items() if key in limits]
    takes = _TAKES.get(item["type"], "")
    said = str(item["msg"]).removeprefix("Value error, ")
    wanted = " ".join([takes, *bounds]).strip() or said[0].lower() + said[1:]
    return InvalidValue(
        f"The setting {name} is `{str(item['input'])[:60]}`, which cannot be used: {wanted}.",
        field=name,
        next_step="Correct it or take it out of the environment; the README lists every setting.",
    )


_BOUNDS = {"ge": "of at least", "gt": "above", "le": "of at most", "lt": "below"}
_TAKES = {
    "bool_parsing": "it takes true or false",
    "int_parsing": "it takes a whole number",
    "float_parsing": "it takes a number",
    "greater_than_equal": "it takes a number",
    "greater_than": "it takes a number",
    "less_than_equal": "it takes a number",
}


def shipped(name: str) -> Path:
    """A folder that lies beside the package in a checkout and inside it in the wheel (`data`, `templates`)."""
    inside = Path(str(resources.files("kb"))) / "_shipped" / name
    return inside if inside.is_dir() else Path(__file__).resolve().parent.parent / name
