"""What `kb mcp --checks` looks at: the sources that were named when it was started, and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kb.build import read_catalogue
from kb.checks.blind_spots import blind_spots, metrics_of, metrics_there
from kb.checks.catalogue import Catalogue
from kb.checks.report import Report
from kb.checks.report_markdown import markdown
from kb.checks.run import Sources
from kb.checks.site import Site
from kb.checks.sources.log_bytes import read_once
from kb.checks.sources.prometheus import shown
from kb.cli.checking import chosen_checks, look
from kb.cli.seeing import plain
from kb.cli.sources import open_prometheus, open_sources
from kb.errors import InvalidValue
from kb.model import Lang
from kb.settings import Settings

MAX_ROWS = 50


@dataclass(frozen=True)
class Given:
    """The options that name sources, as `kb check` takes them."""

    prometheus: str | None = None
    kube: str | None = None
    host: str | None = None
    logs: Sequence[str] = ()
    headers: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raises InvalidValue: no source, or one that the protocol itself needs."""
        if not self.words:
            raise InvalidValue(
                "`--checks` needs to be told what the assistant may look at: `--prometheus http://prometheus:9090`, "
                "`--kube` (the current context), `--host` (this machine) or `--logs FILE`."
            )
        if "-" in self.logs:
            raise InvalidValue("Standard input belongs to the assistant here; give `--logs` a file.", field="logs")
        once = [file for file in self.logs if read_once(Path(file))]
        if once:
            raise InvalidValue(
                f"`{once[0]}` is a pipe or a device, which can be read only once, and each run reads anew.",
                field="logs",
                next_step="Save it to a file and give `--logs` that.",
            )

    @property
    def words(self) -> list[str]:
        """The sources as the person is told of them: an address without what lets in."""
        said = [f"Prometheus {shown(self.prometheus)}"] if self.prometheus else []
        said += [f"Kubernetes {self.kube or '(current context)'}"] if self.kube is not None else []
        said += [f"host {self.host or '(this machine)'}"] if self.host is not None else []
        return said + [f"log {file}" for file in self.logs]


class OwnMachine:
    """Opens the sources anew for each run: they keep what they read, and the next run shall see what is there then."""

    def __init__(self, settings: Settings, site: Site, given: Given) -> None:
        self._settings = settings
        self._site = site
        self._given = given

    @property
    def where(self) -> str:
        return ", ".join(self._given.words)

    @cached_property
    def _catalogue(self) -> Catalogue:
        return read_catalogue(self._settings)

    @property
    def _sources(self) -> Sources:
        given = self._given
        return open_sources(
            self._site, prometheus=given.prometheus, kube=given.kube, host=given.host, logs=given.logs,
            headers=given.headers,
        )  # fmt: skip

    def run_checks(self, checks: list[str], case: str, component: str, lang: Lang) -> tuple[str, dict[str, Any]]:
        chosen = chosen_checks(self._catalogue, self._settings, case, component, checks)
        report = look(self._catalogue, self._settings, self._sources, chosen, self._site)
        return markdown(report, lang, self._settings.base_url), _shortened(report, lang)

    def blind_spots(self, lang: Lang) -> tuple[str, dict[str, Any]]:
        address = self._given.prometheus
        if not address:
            raise InvalidValue("No Prometheus was given at start: `kb mcp --checks --prometheus URL`.")
        source = open_prometheus(address, self._given.headers, self._site, self._given.kube)
        there = metrics_there(source, metrics_of(self._catalogue))
        found = blind_spots(self._catalogue, there, looked_in=source.name, promtool=self._settings.promtool)
        whole: dict[str, Any] = plain(found, lang)
        told = {
            "seen": len(found.seen),
            "hidden_count": len(found.hidden),
            "hidden": whole["hidden"][:MAX_ROWS],
            "gaps": [{**gap, "cases": gap["cases"][:MAX_ROWS]} for gap in whole["gaps"][:MAX_ROWS]],
            "metrics_missing": whole["metrics_missing"],
        }
        return _gaps(told), told


def _gaps(told: dict[str, Any]) -> str:
    lines = [f"{told['seen']} cases would have been seen, {told['hidden_count']} would have stayed hidden."]
    for gap in told["gaps"]:
        names = ", ".join(metric["name"] for metric in gap["missing"])
        lines.append(f"- {gap['exporter']}: {names} would show {len(gap['cases'])} more ({', '.join(gap['cases'])})")
    return "\n".join(lines)


def _shortened(report: Report, lang: Lang) -> dict[str, Any]:
    """The report without what a model does not need, and no list of more than `MAX_ROWS`."""
    whole: dict[str, Any] = report.as_dict(lang)
    answers = [answer.value for answer in report.answers.values()]
    return {
        "exit_status": whole["exit_status"],
        "checks_run": len(answers),
        "looked_at": report.looked_at_total,
        "clear": answers.count("clear"),
        "found": len(whole["findings"]),
        "findings": whole["findings"][:MAX_ROWS],
        "unknown_count": len(whole["unknown"]),
        "unknown": [{**row, "where": row["where"][:3]} for row in whole["unknown"][:MAX_ROWS]],
        "accepted": len(whole["accepted"]),
        "not_applicable": [row["check"] for row in whole["not_applicable"]],
        "skipped": [f"{row['reason']}: {row['count']}" for row in whole["skipped"]],
        "started": whole["started"],
        "data_version": whole["data_version"],
    }
