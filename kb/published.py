"""Where this project can be had: the one place that knows, for everything that would print such an address.

Empty means not published yet. Whoever releases fills these in and runs `scripts/server-json`; what is empty is left out
or left to the reader to fill in, and never stands anywhere as if it were real.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """base_url: of the public server, `https://…` without a slash at the end.

    package: the name to install, in the Python package index.
    repository: web address of the source.
    """

    base_url: str = ""
    package: str = ""
    repository: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of what is not known yet."""
        return tuple(name for name, value in vars(self).items() if not value)


PUBLISHED = Published()
