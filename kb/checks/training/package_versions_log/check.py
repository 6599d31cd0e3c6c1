"""Versions of packages that change between lists, and builds that share a path."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line, ProgramLog
from kb.model import Text

#: `nvidia-nccl-cu12==2.28.9`, or `megatron-core    2.4.0` of `pip list`.
PACKAGE = re.compile(r"^\s*([A-Za-z][\w.-]*)(?:==|\s{2,})(\d[\w.+!-]*)\s*$")
#: Both builds of these unpack into one folder.
SHARED = re.compile(r"(nvidia-(?:nccl|cudnn))-cu(\d+)")


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = ProgramLog(
        name=Text(en="a list of packages", ko="패키지 목록"),
        remedy=Text(
            en="Let the job print pip freeze when it starts.", ko="잡이 시작할 때 pip freeze를 출력하게 하십시오."
        ),
    )
    known: dict[str, str] = {}
    builds: dict[tuple[str, str], tuple[str, Line]] = {}
    for line in log.read(logs):
        match = PACKAGE.match(line.text)
        if match is None:
            continue
        log.spoke(line)
        package, version = match[1].lower().replace("_", "-"), match[2]
        before = known.get(package)
        if before is not None and before != version:
            log.find(line, package=package, fault="version changed", told=f"{before} to {version}")
        known[package] = version
        shared = SHARED.fullmatch(package)
        if shared:
            other = builds.get((line.file, shared[1]))
            if other and other[0] != shared[2]:
                told = f"cu{other[0]} and cu{shared[2]}"
                log.find(line, package=shared[1], fault="two builds in one path", told=told)
            builds[line.file, shared[1]] = shared[2], line
    return log.outcome()
