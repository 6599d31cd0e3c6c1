"""A Prometheus whose labels or metrics are named otherwise than their exporters name them.

The checks go on asking in the exporters' own words; questions are translated, answers translated back.
"""

from collections.abc import Mapping, Sequence

from kb.checks.card import SourceName
from kb.checks.contract import Ask, PrometheusSource, Sample
from kb.checks.promql import rename


class Relabelled:
    """`source`, asked and understood through a site's own names."""

    kind = SourceName.prometheus

    def __init__(self, source: PrometheusSource, labels: Mapping[str, str], metrics: Mapping[str, str]) -> None:
        """
        labels: label as the checks name it → as the site does.
        metrics: the same for metric names.
        """
        self.name = source.name
        self._source = source
        self._there = {**labels, **metrics}
        self._back = {theirs: ours for ours, theirs in labels.items()}
        self._metrics_back = {theirs: ours for ours, theirs in metrics.items()}

    def now(self) -> float:
        return self._source.now()

    def query(self, expr: str, at: float) -> list[Sample]:
        return self.query_many([Ask(expr, at)])[0]

    def query_many(self, asks: Sequence[Ask]) -> list[list[Sample]]:
        answers = self._source.query_many([Ask(rename(ask.expr, self._there), ask.at) for ask in asks])
        return [[self._translated(sample) for sample in answer] for answer in answers]

    def _translated(self, sample: Sample) -> Sample:
        labels = {
            self._back.get(name, name): self._metrics_back.get(value, value) if name == "__name__" else value
            for name, value in sample.labels.items()
        }
        return Sample(labels, sample.value, sample.timestamp)
