"""Lines whose collector's clock is far after the program's own."""

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.program_log import CLOCK, Line, ProgramLog, clock_of
from kb.model import Text

HOUR = 3600.0


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    limit = seconds(knobs.text("limit"))
    log = ProgramLog(
        name=Text(en="a line with two clocks", ko="시각이 두 개 있는 줄"),
        remedy=Text(en="Give the log with the collector's time stamps.", ko="수집기의 시각이 붙은 로그를 주십시오."),
    )
    worst: dict[str, tuple[float, Line]] = {}
    for line in log.read(logs):
        first = CLOCK.search(line.text)
        arrived = clock_of(line.text)
        written = clock_of(line.text[first.end() :]) if first else None
        if arrived is None or written is None:
            continue
        log.spoke(line)
        late = arrived - written
        if abs(late - round(late / HOUR) * HOUR) < 2 and abs(late) > HOUR / 2:
            continue
        if late > limit and late > worst.get(line.file, (0.0, line))[0]:
            worst[line.file] = late, line
    for late, line in worst.values():
        log.find(line, value=round(late / 60, 1), unit="min", threshold=f"> {limit / 60:g} min")
    return log.outcome()
