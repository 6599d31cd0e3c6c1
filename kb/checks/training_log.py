"""Training logs as checks read them: by file, and only where `kb.steps.step_lines` finds lines of steps."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.checks.contract import LogSource
from kb.checks.program_log import Line, ProgramLog, clock_of
from kb.model import Text
from kb.steps.step_lines import Step, step_of

__all__ = ["SAVED", "Step", "TrainingLog", "finite", "step_of"]

#: A save that has ended, as Megatron-LM (also `async saved`), SkyRL, torchtitan and others say it; older fairseq with a
#: small letter. torchtitan says the same once a copy for a save in the background is made.
SAVED = re.compile(
    r"successfully (?:a?sync )?saved checkpoint|Saved checkpoint |saved checkpoint \S+ \(epoch|checkpoint saved|"
    r"Finished saving the checkpoint|Finished: 'save_checkpoints?'"
)

NAME = Text(en="a training loop", ko="학습 루프")
REMEDY = Text(
    en="Give the log of the rank that prints the steps (Megatron: the last one; others: rank 0).",
    ko="스텝을 출력하는 랭크의 로그를 주십시오. Megatron은 마지막 랭크, 나머지는 보통 랭크 0입니다.",
)


@dataclass
class TrainingLog(ProgramLog):
    """A pass over training logs; only step lines count as looked at."""

    name: Text = field(default_factory=lambda: NAME)
    remedy: Text = field(default_factory=lambda: REMEDY)
    _file: str | None = None
    _ended: float | None = None
    """The last time of the lines of that file that were asked about."""

    def goes_on(self, line: Line) -> bool:
        """Whether this line of a step or a save belongs to the run of the one asked about before.

        It does in the same file, and in the next one if its clock begins where that of the file before ended. Logs
        whose clocks overlap, such as those of several ranks, or whose step lines bear no time are runs of their own.
        """
        begins, ended = clock_of(line.text), self._ended
        same = self._file in (None, line.file)
        # A line that bears no time, such as Megatron-LM's of a save, leaves the time of those before it.
        self._file, self._ended = line.file, begins if begins is not None or not same else ended
        return same or (ended is not None and begins is not None and begins >= ended)

    def steps(self, logs: LogSource) -> Iterator[tuple[Line, Step]]:
        """The step lines, counted."""
        for line in self.read(logs):
            step = step_of(line.text)
            if step is not None:
                self.spoke(line)
                yield line, step


def finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
