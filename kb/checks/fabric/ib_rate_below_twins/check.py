"""A port that is slower than its twins on the same node."""

import re
from collections import Counter
from collections.abc import Sequence

from kb.checks.contract import Evidence, HostSource, Knobs, Outcome
from kb.checks.infiniband import Port, judge_ports

RATE = re.compile(r"^(\d+(?:\.\d+)?) Gb/sec")


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    return judge_ports(source, slower)


def slower(_source: HostSource, ports: Sequence[Port]) -> list[tuple[Port, Evidence]] | None:
    """Ports of one adapter model and link layer are twins; the rate that most of them have is the right one."""
    rates = {port: float(match[1]) for port in ports if (match := RATE.match(port.rate)) and "ACTIVE" in port.state}
    if not rates:
        return None
    twins = Counter((port.hca_type, port.link_layer, rate) for port, rate in rates.items())
    out = []
    for port, rate in rates.items():
        usual = max((n, r) for (hca, layer, r), n in twins.items() if (hca, layer) == (port.hca_type, port.link_layer))
        if rate < usual[1] and usual[0] > 1:
            evidence = Evidence(value=rate, unit="Gb/s", threshold=f"< {usual[1]:g}", file=f"{port.folder}/rate")
            out.append((port, evidence))
    return out
