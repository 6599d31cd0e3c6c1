"""What the ranks of one job say when a collective times out, held side by side."""

import re
from dataclasses import dataclass

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line, ProgramLog
from kb.model import Text

RANK = re.compile(r"Rank (\d+)\]")
GROUP = re.compile(r"PG ID (\d+)")
WORK = re.compile(r"WorkNCCL\(SeqNum=(\d+), OpType=(\w+)")
COUNTS = re.compile(r"last enqueued (?:NCCL )?work: (-?\d+), last completed (?:NCCL )?work: (-?\d+)", re.IGNORECASE)


@dataclass
class Said:
    """What a rank last said about one process group."""

    line: Line
    enqueued: int | None = None
    stuck: int | None = None
    """The number of the operation that timed out for it."""
    operation: str = ""


Groups = dict[str, dict[str, Said]]


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = ProgramLog(
        name=Text(en="a collective that timed out", ko="시간 초과된 집합 통신"),
        remedy=Text(
            en="Give the logs of all ranks of the job, to the end.", ko="잡의 모든 랭크 로그를 끝까지 주십시오."
        ),
    )
    groups = heard(log, logs)
    if len({rank for ranks in groups.values() for rank in ranks}) < 2:
        for file, told in log.files.items():
            if told.spoken:
                log.doubt(file, Text(en=f"Only one rank speaks in {file}.", ko=f"{file}에는 한 랭크의 말만 있습니다."))
    for group, ranks in groups.items():
        stuck = min((said.stuck for said in ranks.values() if said.stuck is not None), default=None)
        for rank, said in ranks.items():
            if stuck is not None and said.enqueued is not None and said.enqueued < stuck:
                operation = f"number {stuck} of group {group}"
                log.find(said.line, value=said.enqueued, fault="never joined", rank=rank, operation=operation)
    crossed(log, groups)
    return log.outcome()


def heard(log: ProgramLog, logs: LogSource) -> Groups:
    groups: Groups = {}
    for line in log.read(logs):
        who, work, counts = RANK.search(line.text), WORK.search(line.text), COUNTS.search(line.text)
        if who is None or (work is None and counts is None):
            continue
        log.spoke(line)
        group = GROUP.search(line.text)
        said = groups.setdefault(group[1] if group else "?", {}).setdefault(who[1], Said(line))
        if work:
            said.stuck, said.operation = int(work[1]), work[2]
        if counts:
            said.line, said.enqueued = line, int(counts[1])
    return groups


def crossed(log: ProgramLog, groups: Groups) -> None:
    """Ranks that wait in different operations of different groups; one of each is named."""
    waiting = {
        (group, said.operation): (rank, said)
        for group, ranks in groups.items()
        for rank, said in ranks.items()
        if said.operation
    }
    if len({operation for _, operation in waiting}) > 1 and len({group for group, _ in waiting}) > 1:
        for (group, operation), (rank, said) in sorted(waiting.items(), key=lambda item: item[0]):
            where = f"{operation} of group {group}"
            log.find(said.line, fault="waits in another collective", rank=rank, operation=where)
