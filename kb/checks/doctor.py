"""What a Prometheus has of what the checks need: exporters, versions, and labels under other names (`kb doctor`)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kb.checks.blind_spots import by_any_name, metrics_of, metrics_there
from kb.checks.card import CheckCard, Metric
from kb.checks.catalogue import Catalogue
from kb.checks.contract import Ask, PrometheusSource
from kb.checks.promql import words

#: Series by which programs tell their version, with the label that holds it.
VERSIONS = {
    "prometheus_build_info": ("Prometheus", "version"),
    "node_exporter_build_info": ("node_exporter", "version"),
    "kube_state_metrics_build_info": ("kube-state-metrics", "version"),
    "kubernetes_build_info": ("Kubernetes", "git_version"),
    "coredns_build_info": ("CoreDNS", "version"),
    "etcd_server_version": ("etcd", "server_version"),
    "DCGM_FI_DEV_GPU_TEMP": ("NVIDIA driver", "DCGM_FI_DRIVER_VERSION"),
}
#: Names under which relabelling keeps a label that exporters call otherwise; case is ignored besides.
OTHER_NAMES = {
    "hostname": ("Hostname", "node", "kubernetes_node", "instance"),
    "instance": ("node", "nodename", "host"),
    "namespace": ("exported_namespace",),
    "pod": ("exported_pod",),
    "node": ("exported_node", "kubernetes_node"),
}


@dataclass(frozen=True)
class ExporterSeen:
    exporter: str
    there: tuple[str, ...]
    missing: tuple[Metric, ...]


@dataclass(frozen=True)
class LabelMissing:
    """A label that checks group by and a metric does not carry."""

    label: str
    metric: str
    checks: tuple[str, ...]
    perhaps: tuple[str, ...]
    """Labels that the metric does carry and that may be meant, for `labels:` of the site's file."""


@dataclass(frozen=True)
class Diagnosis:
    looked_in: str
    versions: Mapping[str, tuple[str, ...]]
    exporters: tuple[ExporterSeen, ...]
    """Those of which something is there first, then by name."""
    labels: tuple[LabelMissing, ...]
    checks_ready: int
    """Checks of which every metric they judge by is there."""
    checks: int


def examine(catalogue: Catalogue, source: PrometheusSource) -> Diagnosis:
    """Ask for names, versions and one sample of each metric; nothing else.

    Raises:
        SourceError: the source did not answer.
    """
    metrics = metrics_of(catalogue)
    there = metrics_there(source, {*metrics, *VERSIONS})
    cards = [card for card in catalogue.cards.values() if card.rule is not None]
    ready = [card for card in cards if not _lacks(card, there)]
    return Diagnosis(
        looked_in=source.name,
        versions=_versions(source, there),
        exporters=_exporters(metrics, there),
        labels=_labels(ready, source, there),
        checks_ready=len(ready),
        checks=len(cards),
    )


def _lacks(card: CheckCard, there: Collection[str]) -> bool:
    assert card.rule is not None
    judged = words(card.rule.expr) | words(card.rule.looked_at)
    return any(metric.name in judged and by_any_name(metric, there) is None for metric in card.needs.metrics)


def _versions(source: PrometheusSource, there: Collection[str]) -> dict[str, tuple[str, ...]]:
    names = [name for name in VERSIONS if name in there]
    at = source.now()
    answers = source.query_many([Ask(f"count by ({VERSIONS[name][1]}) ({name})", at) for name in names])
    out = {}
    for name, answer in zip(names, answers, strict=True):
        program, label = VERSIONS[name]
        said = sorted({sample.labels[label] for sample in answer if sample.labels.get(label)})
        if said:
            out[program] = tuple(said)
    return out


def _exporters(metrics: Mapping[str, Metric], there: Collection[str]) -> tuple[ExporterSeen, ...]:
    by_exporter: dict[str, dict[str, Metric]] = {}
    for metric in metrics.values():
        by_exporter.setdefault(metric.exporter, {})[metric.name] = metric
    seen = [
        ExporterSeen(
            exporter,
            tuple(sorted(name for m in theirs.values() if (name := by_any_name(m, there)))),
            tuple(m for _, m in sorted(theirs.items()) if by_any_name(m, there) is None),
        )
        for exporter, theirs in by_exporter.items()
    ]
    return tuple(sorted(seen, key=lambda one: (not one.there, one.exporter)))


def _labels(cards: Sequence[CheckCard], source: PrometheusSource, there: Collection[str]) -> tuple[LabelMissing, ...]:
    """Labels by which a ready check names places, and which the metric it looks at does not carry."""
    wanted: dict[tuple[str, str], list[str]] = {}
    for card in cards:
        assert card.rule is not None
        for metric in card.needs.metrics:
            name = by_any_name(metric, there)
            if name and metric.name in words(card.rule.looked_at):
                for label in card.rule.where:
                    wanted.setdefault((name, label), []).append(card.id)
    names = sorted({name for name, _ in wanted})
    at = source.now()
    answers = source.query_many([Ask(f"topk(1, {name})", at) for name in names])
    carried = {name: set(answer[0].labels) if answer else set() for name, answer in zip(names, answers, strict=True)}
    return tuple(
        LabelMissing(label, name, tuple(sorted(checks)), _perhaps(label, carried[name]))
        for (name, label), checks in sorted(wanted.items())
        if carried[name] and label not in carried[name]
    )


def _perhaps(label: str, carried: Collection[str]) -> tuple[str, ...]:
    same = [name for name in sorted(carried) if name.lower() == label.lower()]
    return tuple(dict.fromkeys([*same, *(name for name in OTHER_NAMES.get(label, ()) if name in carried)]))
