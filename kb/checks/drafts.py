"""What a new check of each kind begins as: its part of the card, its function, and data that it finds something in.

A draft runs as it is written, so that its author changes something that works.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kb.checks.card import SourceName

Data = dict[str, Any]
Replays = Mapping[str, tuple[Data, Data]]
"""Answer → the data of its replay, and what is expected besides the answer."""


@dataclass(frozen=True)
class Draft:
    card: Data
    function: str
    replays: Replays


def draft_of(kind: SourceName, reads: str) -> Draft:
    return _DRAFTS[kind](reads)


def _prometheus(metric: str) -> Draft:
    def series(values: str) -> Data:
        one = [{"series": f'{metric}{{instance="n1"}}', "values": values}] if values else []
        return {"interval": "1m", "series": one}

    return Draft(
        card={
            "needs": {"metrics": [{"name": metric, "exporter": "name the exporter", "default_on": "true"}]},
            "rule": {"expr": f"{metric} > 0", "looked_at": f"count by (instance) ({metric})", "where": ["instance"]},
        },
        function="",
        replays={
            "found": (series("0x10 1x10"), {"where": [{"instance": "n1"}]}),
            "clear": (series("0x20"), {"looked_at": "1"}),
            "unknown": (series(""), {"reason_kind": "no-series"}),
        },
    )


def _kubernetes(resource: str) -> Draft:
    version, _, plural = resource.rpartition("/")
    kind = plural.removesuffix("s").capitalize()

    def objects(phase: str) -> Data:
        item = {
            "kind": kind,
            "apiVersion": version,
            "metadata": {"name": "one", "namespace": "default"},
            "status": {"phase": phase},
        }
        return {"now": "2026-11-20T12:00:00Z", "objects": [item]}

    return Draft(
        card={"needs": {"objects": [resource]}, "function": "check"},
        function=_KUBERNETES.replace("RESOURCE", resource),
        replays={
            "found": (objects("Failed"), {"where": [{"namespace": "default", kind.lower(): "one"}]}),
            "clear": (objects("Running"), {"looked_at": "1"}),
            "unknown": ({**objects("Running"), "errors": {resource: "403"}}, {"reason_kind": "forbidden"}),
        },
    )


def _logs(log: str) -> Draft:
    driver = "Nov  3 01:00:01 n1 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  580.105.08\n"
    fault = "Nov  3 04:12:44 n1 kernel: NVRM: the words of the fault\n"

    def text(lines: str) -> Data:
        return {"files": {f"{log}.log": lines}}

    return Draft(
        card={"needs": {"logs": [log]}, "function": "check"},
        function=_LOGS,
        replays={
            "found": (text(driver + fault), {"where": [{"host": "n1"}]}),
            "clear": (text(driver), {"looked_at": "1"}),
            "unknown": (text("no line of the kernel\n"), {"reason_kind": "no-series"}),
        },
    )


def _host(pattern: str) -> Draft:
    path = "sys" + pattern.replace("*", "x") if pattern.startswith("/") else pattern.replace("*", "x")

    def tree(text: str) -> Data:
        return {"tree": {path: text}}

    return Draft(
        card={"needs": {}, "function": "check"},
        function=_HOST.replace("PATTERN", pattern.lstrip("/")),
        replays={
            "found": (tree("down"), {"where": [{"path": path}]}),
            "clear": (tree("up"), {"looked_at": "1"}),
            "unknown": ({"tree": {"etc/hostname": "n1"}}, {"reason_kind": "no-series"}),
        },
    )


def _steps(verdict: str) -> Draft:
    def trace(spec: str) -> Data:
        return {"generator": spec, "seed": "1"}

    slow = {"job": "job", "ranks": "3", "group": "dp=3", "phase": "backward", "steps": "20-39"}
    return Draft(
        card={"needs": {}, "function": "check"},
        function=_STEPS.replace("VERDICT", verdict),
        replays={
            "found": (trace("slow_rank dp=8 steps=40 factor=1.6"), {"where": [slow]}),
            "clear": (trace("healthy dp=8 steps=40"), {"looked_at": "8"}),
            "unknown": (trace("healthy dp=8 steps=2"), {"reason_kind": "no-series"}),
        },
    )


_KUBERNETES = '''"""Say in one sentence what is found."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, need


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    for item in cluster.list("RESOURCE"):
        with survey.judging(item):
            if need(item, "status", "phase") == "Failed":
                survey.find(item, "phase: Failed")
    return survey.outcome()
'''

_LOGS = '''"""Say in one sentence what is found."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.kernel_log import KernelLog

FAULT = re.compile(r"the words of the fault")


def check(logs: LogSource, _knobs: Knobs) -> Outcome:
    log = KernelLog()
    for line in log.read(logs):
        if FAULT.search(line.text):
            log.find(line)
    return log.outcome()
'''

_HOST = '''"""Say in one sentence what is found."""

from kb.checks.contract import Evidence, Finding, HostSource, Knobs, Outcome, ReasonKind, unknown
from kb.model import Text


def check(host: HostSource, _knobs: Knobs) -> Outcome:
    paths = host.paths("PATTERN")
    texts = {path: text for path in paths if (text := host.text(path)) is not None}
    if not texts:
        return unknown(
            Text(en="No such file on this host.", ko="이 호스트에 그런 파일이 없습니다."),
            ReasonKind.no_series,
            Text(en="Say how to get it.", ko="어떻게 얻는지 쓰세요."),
        )
    found = [
        Finding({"path": path}, Evidence(file=path, line_number=1, line=text))
        for path, text in texts.items()
        if text == "down"
    ]
    return Outcome(len(texts), tuple(found))
'''

_STEPS = '''"""Say in one sentence what is found."""

from kb.checks.contract import Knobs, Outcome, StepsSource
from kb.checks.step_check import Wanted, outcome
from kb.checks.step_needs import compared_ranks

WANTED = Wanted(kinds=("VERDICT",), need=compared_ranks, threshold="say which", unit="×")


def check(steps: StepsSource, _knobs: Knobs) -> Outcome:
    return outcome(steps, WANTED)
'''

_DRAFTS: Mapping[SourceName, Callable[[str], Draft]] = {
    SourceName.prometheus: _prometheus,
    SourceName.kubernetes: _kubernetes,
    SourceName.logs: _logs,
    SourceName.host: _host,
    SourceName.steps: _steps,
}
