"""One `Settings`, read once from the environment and passed in.

Every variable is named `KB_…`; a field's comment says what it is for. Nothing else reads the environment.
"""

import os
from importlib import resources
from pathlib import Path

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from kb.errors import DataError


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
    real_data: Path = Path("../shared/data")
    """Folder of real measurements that some tests read."""
    vectors: bool = True
    """Search by meaning too; off saves about 160 MB of memory a process."""
    watch_seconds: float = Field(default=1.0, gt=0)
    """How often, at most, a running server looks for a new build."""
    promtool: str = "promtool"
    """Program that evaluates PromQL replays."""

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


def shipped(name: str) -> Path:
    """A folder that lies beside the package in a checkout and inside it in the wheel (`data`, `templates`)."""
    inside = Path(str(resources.files("kb"))) / "_shipped" / name
    return inside if inside.is_dir() else Path(__file__).resolve().parent.parent / name
