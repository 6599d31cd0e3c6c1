"""What a check's folder holds: `check.yaml` and `replays/*.yaml`.

`schemas/check.schema.json` and `schemas/replay.schema.json` are generated from `CheckCard` and `Replay`.
A check knows nothing of cases; a replay that names a case and must be found is the link between them.
"""

import re
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from kb.model import CaseId, CheckId, Moment, NonEmpty, Slug, Strict, Text, Url

#: Families are folders; the list is closed so that an id can be guessed.
FAMILIES = (
    "gpu", "nvlink", "fabric", "host", "storage", "control_plane",
    "workload", "scheduling", "training", "exposure",
)  # fmt: skip

PromDuration = Annotated[str, StringConstraints(pattern=r"^\d+(ms|s|m|h|d|w)$")]


class SourceName(StrEnum):
    """The kinds of source a check reads; a check reads exactly one."""

    prometheus = "prometheus"
    kubernetes = "kubernetes"
    host = "host"
    logs = "logs"
    steps = "steps"


def pascal(check_id: str) -> str:
    """`gpu/xid_fatal_counted` → `GpuXidFatalCounted`; for tools that want one word."""
    return "".join(word.capitalize() for word in re.split(r"[/_]", check_id))


def alert_name(check_id: str) -> str:
    """What the alert of a check is called: `gpu/xid_fatal_counted` → `KbGpuXidFatalCounted`."""
    return f"Kb{pascal(check_id)}"


class Severity(StrEnum):
    critical = "critical"
    warning = "warning"
    info = "info"

    @property
    def rank(self) -> int:
        """0 for info, 2 for critical."""
        return ("info", "warning", "critical").index(self.value)


class Answer(StrEnum):
    """The four answers. None of them is a default."""

    found = "found"
    clear = "clear"
    unknown = "unknown"
    not_applicable = "not_applicable"


class CheckStatus(StrEnum):
    """Computed from proofs, never typed."""

    draft = "draft"
    proven = "proven"
    field_proven = "field-proven"


class LinkState(StrEnum):
    """How far the link of a check to a case can be believed.

    proven: the replay passes and the quantity the rule compares is published.
    rebuilt: the replay passes, but that quantity is filled in.
    unproven: there is no passing replay yet.
    """

    proven = "proven"
    rebuilt = "rebuilt"
    unproven = "unproven"


class Origin(StrEnum):
    captured = "captured"
    rebuilt = "rebuilt"
    invented = "invented"


class NextStep(StrEnum):
    watch = "watch"
    check_application = "check-application"
    restart_workload = "restart-workload"
    reboot_node = "reboot-node"
    drain_node = "drain-node"
    inspect_hardware = "inspect-hardware"
    replace_part = "replace-part"
    fix_configuration = "fix-configuration"
    add_capacity = "add-capacity"
    add_telemetry = "add-telemetry"


class Metric(Strict):
    name: NonEmpty
    also: tuple[NonEmpty, ...] = ()
    """Other names under which the same series is met (renames, relabelling)."""
    exporter: NonEmpty
    default_on: bool
    """Whether the exporter offers it without being told to."""
    switch_on: Text | None = None
    """What to do where it is missing; required when it is off by default."""


class Needs(Strict):
    metrics: tuple[Metric, ...] = ()
    objects: tuple[NonEmpty, ...] = ()
    """Kubernetes resources to be listed, as `group/version/resource`."""
    logs: tuple[NonEmpty, ...] = ()
    """Which log: `kernel`, `fabric-manager`, `training`, `kubelet` …"""


class Rule(Strict):
    """A PromQL rule. Knobs are written `$name` and filled in before anything is evaluated.

    expr: a vector that is not empty exactly where something is found.
    looked_at: a vector with one element a thing that was judged; empty means `unknown`, never `clear`.
    expected: a vector with one element a thing that ought to have been judged, from other, always-on
        series; elements of it that `looked_at` lacks are reported as `unknown`. Both carry the labels `where`.
    applies: a vector that is empty where the check has no business (no GPUs); only then, and only when
        the series it rests on exist, the answer is `not_applicable`.
    hold: how long `expr` has to stay true before it counts (`for` of an alerting rule).
    """

    expr: NonEmpty
    looked_at: NonEmpty
    expected: NonEmpty | None = None
    applies: NonEmpty | None = None
    hold: PromDuration | None = None
    where: tuple[NonEmpty, ...] = Field(min_length=1)
    unit: str = ""


class Knob(Strict):
    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
    default: NonEmpty
    min: float | None = None
    max: float | None = None
    reason: Text
    source: NonEmpty
    """The address of the page that gives the value, or `chosen here`."""


class Reference(Strict):
    title: NonEmpty
    url: Url


class CheckCard(Strict):
    """`check.yaml`. A check without `rule` has a `check.py` beside it with a function named `function`."""

    id: CheckId
    title: Text
    about: Text
    severity: Severity
    kind: SourceName
    catches: tuple[Slug, ...] = Field(min_length=1)
    same_as: tuple[CheckId, ...] = ()
    """Checks that see the same trouble through another source; it is enough that one of them says so."""
    needs: Needs
    rule: Rule | None = None
    function: NonEmpty | None = None
    message: Text
    """One sentence for a finding; `{label}` and `{value}` are filled in."""
    knobs: tuple[Knob, ...] = ()
    false_positives: tuple[Text, ...] = ()
    next_step: NextStep
    next_step_detail: Text | None = None
    references: tuple[Reference, ...] = Field(min_length=1)


class Published(Strict):
    """A figure of the replay that the report gives."""

    what: NonEmpty
    value: NonEmpty
    source: NonEmpty
    """Source id within the case (`S1`), or an address where the replay has no case."""
    where: NonEmpty
    compared: bool = False
    """True for the quantity that the rule compares: only then can the link be proven."""


class PrometheusSeries(Strict):
    series: NonEmpty
    values: NonEmpty
    """promtool's notation: `1+0x10 _x5 stale`."""


class PrometheusData(Strict):
    interval: PromDuration
    series: tuple[PrometheusSeries, ...] = ()


class KubernetesData(Strict):
    now: Moment
    """The server's clock when the check asks."""
    version: NonEmpty = "v1.34.0"
    """Of the server."""
    objects: tuple[dict[str, Any], ...] = ()
    """Manifests with their status, as `kubectl get -o yaml` writes them."""
    errors: dict[str, int] = Field(default_factory=dict)
    """Resource (or `*` for all) → HTTP status that listing it answers with."""


class LogData(Strict):
    files: dict[str, str]
    """File name → its text."""


class HostData(Strict):
    tree: dict[str, str]
    """Path below the root → content."""


class StepData(Strict):
    records: tuple[dict[str, Any], ...] = ()
    generator: NonEmpty | None = None
    seed: int | None = None


class ReplayData(Strict):
    prometheus: PrometheusData | None = None
    kubernetes: KubernetesData | None = None
    logs: LogData | None = None
    host: HostData | None = None
    steps: StepData | None = None


class Expect(Strict):
    answer: Answer
    where: tuple[dict[str, str], ...] = ()
    """Labels of each place that is found; every one must be named, and no other."""
    looked_at: int | None = None
    fires_at: PromDuration | None = None
    """When it is first found, counted from the start of the data."""
    reason_kind: NonEmpty | None = None


class Must(StrEnum):
    found = "found"
    clear = "clear"
    unknown = "unknown"


class Replay(Strict):
    """`replays/*.yaml`: recorded, rebuilt or invented data, and the answer it must give."""

    must: Must
    at: PromDuration | None = None
    """When the check is asked, counted from the start of the data; the end of it for logs and trees."""
    case: CaseId | None = None
    how: Text | None = None
    """How the check would have caught the case; required with `case`."""
    origin: Origin
    starts: Moment | None = None
    """Clock time of the data's first sample, where the report gives it."""
    published: tuple[Published, ...] = ()
    filled_in: tuple[Text, ...] = ()
    """What the report does not give and we chose."""
    people_knew_at: PromDuration | None = None
    """When people knew, by the report, counted from the start of the data."""
    why_not_replayed: Text | None = None
    note: Text | None = None
    data: ReplayData | None = None
    expect: Expect | None = None
