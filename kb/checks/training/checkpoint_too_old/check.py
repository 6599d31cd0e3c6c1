"""Steps since the last checkpoint of a run, against the steps between those before it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line
from kb.checks.training_log import SAVED, TrainingLog, step_of
from kb.model import Text

#: Distances that a rhythm can be told from.
LEAST = 2


@dataclass
class Run:
    """What the lines of one run have shown so far.

    kept: the step that a failure now would throw the run back to, that of the last save or resume.
    """

    line: Line | None = None
    last: int | None = None
    kept: int | None = None
    files: dict[str, Line] = field(default_factory=dict)
    """The newest step line of each."""
    saved_in: set[str] = field(default_factory=set)
    distances: list[int] = field(default_factory=list)

    def step(self, line: Line, number: int) -> None:
        if self.last is not None and number < self.last:
            self.kept = number
        self.line = self.files[line.file] = line
        self.last = number

    def save(self, line: Line) -> None:
        self.saved_in.add(line.file)
        # Several ranks may say the same of one save.
        if self.last is not None and self.kept is not None and self.last > self.kept:
            self.distances.append(self.last - self.kept)
        self.kept = self.last


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    factor = knobs.number("factor")
    log = TrainingLog(name=Text(en="a checkpoint save that ended", ko="끝난 체크포인트 저장"))
    for run in list(runs(log, logs)):
        if len(run.distances) < LEAST:
            for file in run.saved_in:
                en = f"Fewer than {LEAST + 1} saves at numbered steps in {file}."
                log.doubt(file, Text(en=en, ko=f"{file}에 스텝 번호를 알 수 있는 저장이 {LEAST + 1}번 미만입니다."))
            continue
        # A log that goes on with another may have no save of its own yet.
        for line in run.files.values():
            log.spoke(line)
        assert run.line is not None
        assert run.last is not None
        assert run.kept is not None
        since, limit = run.last - run.kept, factor * median(run.distances)
        if since > limit:
            log.find(run.line, value=since, threshold=f"> {limit:g} steps", step=str(run.kept))
    return log.outcome()


def runs(log: TrainingLog, logs: LogSource) -> Iterator[Run]:
    run = Run()
    for line in log.read(logs):
        saved = SAVED.search(line.text) is not None
        step = None if saved else step_of(line.text)
        if not saved and (step is None or step.number is None):
            continue
        if not log.goes_on(line):
            yield run
            run = Run()
        if step is not None and step.number is not None:
            run.step(line, step.number)
        else:
            log.spoke(line)
            run.save(line)
    yield run
