"""A replay's data behind the same protocols as the live sources."""

from collections.abc import Sequence

from kb.checks.card import PrometheusData, Replay, SourceName
from kb.checks.contract import Ask, Sample, Source
from kb.checks.series import length
from kb.checks.sources.host import HostFiles
from kb.checks.sources.logs import LogTexts
from kb.checks.sources.manifests import Manifests
from kb.checks.sources.promtool import Evaluator, Promtool
from kb.errors import DataError


class PromtoolSource:
    """The series of a replay. Its clock stands at `at`, in seconds from the start of the data."""

    kind = SourceName.prometheus

    def __init__(self, data: PrometheusData, at: float | None = None, *, promtool: Evaluator | None = None) -> None:
        self.name = "promtool"
        self.data = data
        self._at = length(data) if at is None else at
        self._promtool = promtool or Promtool()

    def now(self) -> float:
        return self._at

    def query(self, expr: str, at: float) -> list[Sample]:
        return self.query_many([Ask(expr, at)])[0]

    def query_many(self, asks: Sequence[Ask]) -> list[list[Sample]]:
        """All in one run of promtool. Before the start of the data there is nothing.

        Raises:
            ToolMissing: promtool is not installed.
            SourceError: promtool does not accept the data or an expression.
        """
        within = [ask for ask in asks if ask.at >= 0]
        answers = iter(self._promtool.evaluate(self.data, within) if within else [])
        return [next(answers) if ask.at >= 0 else [] for ask in asks]


def source_of(replay: Replay, at: float | None, *, promtool: Evaluator | None = None) -> Source:
    """The source a replay stands for.

    Raises:
        DataError: a kind of data that no check of this version reads.
    """
    data = replay.data
    if data is not None and data.prometheus is not None:
        return PromtoolSource(data.prometheus, at, promtool=promtool)
    if data is not None and data.logs is not None:
        return LogTexts(data.logs.files)
    if data is not None and data.host is not None:
        return HostFiles("replay", data.host.tree)
    if data is not None and data.kubernetes is not None:
        return Manifests(data.kubernetes)
    if data is not None and data.steps is not None:
        from kb.checks.sources.steps import step_replay

        return step_replay(data.steps)
    raise DataError("The replay has no data that can be replayed.", field="data")
