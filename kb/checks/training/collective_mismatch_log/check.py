"""What the ranks of one job say when a collective times out, held side by side."""

import re
from dataclasses import dataclass

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line, ProgramLog
from kb.model import Text

#: `[rank9]:[E1001 …] [PG ID 4 PG GUID 45 Rank 1]`: the first is the rank within the job, the last the one within the
#: group; the id of the group counts within one process, and only its GUID is the same on all ranks.
RANK = re.compile(r"\[rank(\d+)\]")
GROUP = re.compile(r"\[PG ID \d+ PG GUID (.+?) Rank (\d+)\]")
#: The group of all ranks, in which both ranks are the same.
DEFAULT = ("0", "0(default_pg)")
WORK = re.compile(r"WorkNCCL\(SeqNum=(\d+), OpType=(\w+)")
AT_WORK = re.compile(r"detected by watchdog at work: (\d+)")
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
    groups, unplaced = heard(log, logs)
    if len({rank for ranks in groups.values() for rank in ranks}) < 2:
        for file, told in log.files.items():
            if told.spoken:
                log.doubt(file, Text(en=f"Only one rank speaks in {file}.", ko=f"{file}에는 한 랭크의 말만 있습니다."))
    for file in unplaced:
        log.doubt(
            file, Text(en=f"No global rank or no PG GUID in {file}.", ko=f"{file}에 전역 랭크나 PG GUID가 없습니다.")
        )
    for group, ranks in groups.items():
        stuck = min((said.stuck for said in ranks.values() if said.stuck is not None), default=None)
        for rank, said in ranks.items():
            if stuck is not None and said.enqueued is not None and said.enqueued < stuck:
                operation = f"number {stuck} of group {group}"
                log.find(said.line, value=said.enqueued, fault="never joined", rank=rank, operation=operation)
    crossed(log, groups)
    return log.outcome()


def heard(log: ProgramLog, logs: LogSource) -> tuple[Groups, set[str]]:
    """What the ranks said of each group, and the files of which no line tells both."""
    groups: Groups = {}
    placed: set[str] = set()
    operations: dict[tuple[str, str], str] = {}
    for line in log.read(logs):
        work, counts = WORK.search(line.text), COUNTS.search(line.text)
        if "Rank " not in line.text or (work is None and counts is None):
            continue
        log.spoke(line)
        rank, group = place(line.text)
        if rank and work:
            operations[rank, work[1]] = work[2]
        if not rank or not group:
            continue
        placed.add(line.file)
        said = groups.setdefault(group, {}).setdefault(rank, Said(line))
        # Of some versions only the second line names the group, and only the first the operation.
        at = work or AT_WORK.search(line.text)
        if at:
            said.stuck, said.operation = int(at[1]), operations.get((rank, at[1]), "")
        if counts:
            said.line, said.enqueued = line, int(counts[1])
    return groups, {file for file, told in log.files.items() if told.spoken} - placed


def place(text: str) -> tuple[str, str]:
    """The rank within the job and the group, each empty where the line does not tell it."""
    rank, group = RANK.search(text), GROUP.search(text)
    if rank is None and group is not None and group[1] in DEFAULT:
        return group[2], group[1]
    return rank[1] if rank else "", group[1] if group else ""


def crossed(log: ProgramLog, groups: Groups) -> None:
    """Ranks that wait in different operations of groups that share a rank; one of each is named."""
    waiting = {
        (group, said.operation): (rank, said)
        for group, ranks in groups.items()
        for rank, said in ranks.items()
        if said.operation
    }
    for (group, operation), (rank, said) in sorted(waiting.items(), key=lambda item: item[0]):
        if any(
            group != other and operation != another and groups[group].keys() & groups[other].keys()
            for other, another in waiting
        ):
            where = f"{operation} of group {group}"
            log.find(said.line, fault="waits in another collective", rank=rank, operation=where)
