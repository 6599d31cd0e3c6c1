"""Processes with InfiniBand that may not lock enough memory."""

import re

from kb.checks.contract import Evidence, Finding, HostSource, Knobs, Outcome, ReasonKind, unknown
from kb.model import Text

LIMIT = re.compile(r"^Max locked memory\s+(\S+)", re.M)


def check(source: HostSource, knobs: Knobs) -> Outcome:
    """The processes that count are those of training: started by Python or a launcher of MPI."""
    findings, looked_at = [], 0
    for path in source.paths("*/limits"):
        folder = path.removesuffix("/limits")
        name = source.text(f"{folder}/comm") or ""
        limit = LIMIT.search(source.text(path) or "")
        if limit and re.match(knobs.text("processes"), name):
            looked_at += 1
            if limit[1] != "unlimited":
                process = folder.rpartition("/")[2]
                where = {"process": process, "command": name}
                findings.append(Finding(where, Evidence(file=path, line=limit[0], threshold="unlimited")))
    if not looked_at:
        return unknown(
            Text(en="No training process with its limits is there.", ko="한도를 확인할 학습 프로세스가 없습니다."),
            ReasonKind.no_series,
            Text(
                en="Save limits and comm of /proc/<pid> while a job runs, or run `kb check --host` then.",
                ko="작업이 도는 동안 /proc/<pid>의 limits와 comm을 저장하거나 그때 `kb check --host`를 실행하십시오.",
            ),
        )
    return Outcome(looked_at, tuple(findings))
