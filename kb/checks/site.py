"""The file in which a site writes what holds for it: knobs, accepted findings, its own names (`kb check --config`).

knobs:
  gpu/temperature_high:
    limit: '88'
ignore:
  - check: gpu/row_remap_failed
    where:
      hostname: gpu-17
    reason: RMA 4711 is under way
    until: 2027-01-31
labels:
  hostname: Hostname
metrics:
  node_filesystem_avail_bytes: site:node_filesystem_avail_bytes
fail_on: warning
"""

from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from kb import case_file
from kb.case_file import SchemaFault, SchemaFaults
from kb.checks.card import Severity
from kb.checks.catalogue import Catalogue
from kb.checks.contract import Finding
from kb.checks.knobs import settle
from kb.errors import KbError
from kb.model import NonEmpty, Strict
from kb.nearest import nearest
from kb.yaml_text import Document, Place


def _a_day(text: str) -> str:
    if len(text) != len("2027-01-31"):
        raise ValueError("must be a day, as 2027-01-31")
    return date.fromisoformat(text).isoformat()


Day = Annotated[str, AfterValidator(_a_day)]


class Ignore(Strict):
    """A finding that the site lives with, for a reason and for a time."""

    check: NonEmpty
    """A check id; `*` stands for any text, as in `exposure/*`."""
    where: dict[str, NonEmpty] = Field(default_factory=dict)
    """Labels of the place, all of which must agree; `*` stands for any text."""
    reason: NonEmpty
    until: Day
    """The last day on which it holds."""

    def covers(self, check: str, finding: Finding) -> bool:
        return fnmatchcase(check, self.check) and all(
            fnmatchcase(finding.where.get(name, ""), pattern) for name, pattern in self.where.items()
        )


class Access(Strict):
    """How Prometheus lets the site in. Only names of files stand here; what they hold is read when it is used."""

    token_file: NonEmpty | None = None
    """Holds a bearer token."""
    user: NonEmpty | None = None
    password_file: NonEmpty | None = None
    ca_file: NonEmpty | None = None
    """Certificates to trust instead of the system's."""
    certificate_file: NonEmpty | None = None
    """Client certificate, and its key if `key_file` is not given."""
    key_file: NonEmpty | None = None
    headers: dict[str, NonEmpty] = Field(default_factory=dict)
    """Further headers, such as `X-Scope-OrgID` of engines with tenants."""

    @model_validator(mode="after")
    def _one_way(self) -> "Access":
        ways = {
            "token_file": self.token_file,
            "user": self.user,
            "headers.Authorization": any(map(is_authorization, self.headers)),
        }
        given = [name for name, value in ways.items() if value]
        if len(given) > 1:
            raise ValueError(f"one way in is enough, and {' and '.join(given)} are given")
        for name, other in (("user", "password_file"), ("password_file", "user"), ("key_file", "certificate_file")):
            if getattr(self, name) and not getattr(self, other):
                raise ValueError(f"`{name}` needs `{other}` beside it")
        return self

    @property
    def authorizes(self) -> bool:
        """Whether it says by itself what stands in `Authorization`."""
        return bool(self.token_file or self.user or any(map(is_authorization, self.headers)))


def is_authorization(header: str) -> bool:
    return header.lower() == "authorization"


class Site(Strict):
    prometheus: Access = Access()
    knobs: dict[str, dict[str, NonEmpty]] = Field(default_factory=dict)
    """Check id → knob → value."""
    ignore: tuple[Ignore, ...] = ()
    labels: dict[str, NonEmpty] = Field(default_factory=dict)
    """Label as the checks name it → as this site's relabelling names it."""
    metrics: dict[str, NonEmpty] = Field(default_factory=dict)
    """Metric as its exporter names it → as this site names it."""
    fail_on: Severity = Severity.info
    """The least severity that makes the exit status 1."""


def read_site(path: Path, catalogue: Catalogue) -> Site:
    """
    Raises:
        SchemaFaults: everything in the file that does not fit, with line and field.
        UnreadableFile: not a file that could fit.
    """
    site, document = case_file.read(path, Site)
    faults = [*_knob_faults(site, catalogue, document), *_ignore_faults(site, catalogue, document)]
    if faults:
        raise SchemaFaults(path.name, faults)
    return site


def _knob_faults(site: Site, catalogue: Catalogue, document: Document) -> list[SchemaFault]:
    faults = []
    for check, knobs in site.knobs.items():
        place: Place = ("knobs", check)
        try:
            settle(catalogue.folder(check).card, knobs)
        except KbError as error:
            faults.append(SchemaFault(place, document.line(place), str(error)))
    return faults


def _ignore_faults(site: Site, catalogue: Catalogue, document: Document) -> list[SchemaFault]:
    faults = []
    for number, rule in enumerate(site.ignore):
        if not any(fnmatchcase(check, rule.check) for check in catalogue.folders):
            place: Place = ("ignore", number, "check")
            near = ", ".join(nearest(rule.check, catalogue.folders)) or "none"
            message = f"no check is called `{rule.check}`; nearest: {near}"
            faults.append(SchemaFault(place, document.line(place), message))
    return faults
