"""Automatic NUMA balancing on a node with GPUs."""

from kb.checks.contract import Evidence, Finding, HostSource, Knobs, Outcome, ReasonKind, unknown
from kb.model import Text


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    paths = source.paths("sys/kernel/numa_balancing")
    text = source.text(paths[0]) if paths else None
    if not text or not text.isdigit():
        return unknown(
            Text(en="Whether NUMA balancing is on is not told.", ko="NUMA 밸런싱이 켜져 있는지 알 수 없습니다."),
            ReasonKind.no_series,
            Text(
                en="Save /proc/sys/kernel/numa_balancing; kernels without NUMA do not have it.",
                ko="/proc/sys/kernel/numa_balancing을 저장하십시오. NUMA가 없는 커널에는 이 파일이 없습니다.",
            ),
        )
    if text == "0":
        return Outcome(1)
    return Outcome(1, (Finding({"file": paths[0]}, Evidence(value=float(text), threshold="> 0", file=paths[0])),))
