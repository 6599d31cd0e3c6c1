"""Sources for tests: answers given by the test, no engine behind them."""

from collections.abc import Callable, Sequence

from kb.checks.card import CheckCard, SourceName
from kb.checks.contract import Ask, Sample
from kb.errors import SourceError

Answers = Callable[[str, float], list[Sample]]


class FakePrometheus:
    kind = SourceName.prometheus
    name = "http://prometheus.test"

    def __init__(self, answers: Answers, at: float = 86_400.0) -> None:
        self.answers = answers
        self.at = at
        self.asked: list[Ask] = []

    def now(self) -> float:
        return self.at

    def query(self, expr: str, at: float) -> list[Sample]:
        self.asked.append(Ask(expr, at))
        return self.answers(expr, at)

    def query_many(self, asks: Sequence[Ask]) -> list[list[Sample]]:
        return [self.query(ask.expr, ask.at) for ask in asks]


def failing(kind: str) -> FakePrometheus:
    def answers(expr: str, at: float) -> list[Sample]:
        raise SourceError("it does not answer.", reason_kind=kind)

    return FakePrometheus(answers)


def vector(*labels: dict[str, str], value: float = 1.0) -> list[Sample]:
    return [Sample(one, value, 0.0) for one in labels]


def rule_card(**rule: object) -> CheckCard:
    """A rule over `seen` (expected from `always`), with a metric that was renamed."""
    return CheckCard.model_validate(
        {
            "id": "gpu/test_rule",
            "title": {"en": "Test", "ko": "시험"},
            "about": {"en": "About.", "ko": "설명."},
            "severity": "warning",
            "kind": "prometheus",
            "catches": ["gpu-error"],
            "needs": {
                "metrics": [
                    {
                        "name": "seen",
                        "also": ["seen_renamed"],
                        "exporter": "test-exporter",
                        "default_on": "false",
                        "switch_on": {"en": "Set --seen.", "ko": "--seen을 켜십시오."},
                    },
                    {"name": "always", "exporter": "test-exporter", "default_on": "true"},
                    {"name": "capacity", "exporter": "kube-state-metrics", "default_on": "true"},
                ]
            },
            "rule": {
                "expr": "seen > $limit",
                "looked_at": "count by (host) (seen)",
                "expected": "count by (host) (always)",
                "where": ["host"],
                "unit": "°C",
                **rule,
            },
            "message": {"en": "{host}: {value}, {nobody}", "ko": "{host}에서 {value}"},
            "knobs": [
                {
                    "name": "limit",
                    "default": "90",
                    "min": "0",
                    "max": "200",
                    "reason": {"en": "Ours.", "ko": "자체 기준."},
                    "source": "chosen here",
                }
            ],
            "next_step": "watch",
            "references": [{"title": "None", "url": "https://example.org/"}],
        }
    )
