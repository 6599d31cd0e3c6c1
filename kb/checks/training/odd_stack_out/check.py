"""Main threads of a job, from py-spy dumps, held side by side."""

import re
from dataclasses import dataclass, field

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line, ProgramLog
from kb.model import Text

#: `Thread 688514 (idle): "MainThread"`; other threads end the stack before them.
THREAD = re.compile(r'^\s*Thread (0x[0-9A-Fa-f]+|\d+) \([^)]*\): "([^"]*)"')
#: `    broadcast (torch/distributed/distributed_c10d.py:1191)`
FRAME = re.compile(r"^\s+(\S.*?) \((\S+?)(?::\d+)?\)\s*$")
PROCESS = re.compile(r"^Process (\d+):")
UNREADABLE = re.compile(r"Failed to suspend process|EPERM: Operation not permitted")
COLLECTIVE = re.compile(
    r"^_?(?:broadcast|all_?reduce|all_?gather|reduce_scatter|all_?to_?all|barrier|reduce|gather|scatter|i?recv|i?send|"
    r"batch_isend_irecv|wait_for_everyone|synchronize|monitored_barrier|block_until_ready)"
)
LEAST = 4


@dataclass
class Stack:
    line: Line
    process: str
    frames: list[str] = field(default_factory=list)

    @property
    def waits(self) -> bool:
        return any(COLLECTIVE.match(name) for name in self.frames[:4])


def main_threads(log: ProgramLog, logs: LogSource) -> list[Stack]:
    """The main thread of each process that was read; those that could not be are findings at once."""
    stacks: list[Stack] = []
    stack: Stack | None = None
    process = ""
    for line in log.read(logs):
        head, named = THREAD.match(line.text), PROCESS.match(line.text)
        if named:
            process, stack = named[1], None
        elif head and head[2] == "MainThread":
            log.spoke(line)
            stack = Stack(line, process or head[1])
            stacks.append(stack)
            process = ""
        elif head:
            stack = None
        elif UNREADABLE.search(line.text):
            log.find(line, process="unreadable", at="the kernel, perhaps")
        elif stack is not None and (frame := FRAME.match(line.text)):
            stack.frames.append(frame[1])
    return stacks


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    share = knobs.number("share")
    log = ProgramLog(
        name=Text(en="py-spy dump", ko="py-spy dump"),
        remedy=Text(
            en="Run py-spy dump on every process of the job.", ko="잡의 모든 프로세스에 py-spy dump를 실행하십시오."
        ),
    )
    stacks = [stack for stack in main_threads(log, logs) if stack.frames]
    if len(stacks) < LEAST:
        for file, told in log.files.items():
            if told.spoken and not told.found:
                reason = Text(en=f"Only {len(stacks)} stacks in all.", ko=f"스택이 모두 {len(stacks)}개뿐입니다.")
                log.doubt(file, reason)
        return log.outcome()
    outside = [one for one in stacks if not one.waits]
    if len(outside) > len(stacks) / 2:
        groups: dict[tuple[str, ...], list[Stack]] = {}
        for one in stacks:
            groups.setdefault(tuple(one.frames[:2]), []).append(one)
        # Where no stack is that of most, none of them is the odd one.
        together = max(map(len, groups.values())) > len(stacks) / 2
        fewest = min(map(len, groups.values()))
        outside = [one for group in groups.values() if together and len(group) == fewest for one in group]
    if len(outside) <= share * len(stacks):
        for one in outside:
            log.find(one.line, value=len(stacks), unit="stacks", process=one.process, at=one.frames[0])
    return log.outcome()
