"""A port of an adapter that is not up."""

from collections.abc import Sequence

from kb.checks.contract import Evidence, HostSource, Knobs, Outcome
from kb.checks.infiniband import Port, judge_ports


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    return judge_ports(source, down)


def down(_source: HostSource, ports: Sequence[Port]) -> list[tuple[Port, Evidence]] | None:
    """Disabled on purpose is not down; a physical link that polls or is up without the fabric is."""
    return [
        (port, Evidence(file=f"{port.folder}/state", line=f"{port.state}; {port.phys_state}"))
        for port in ports
        if port.state and "ACTIVE" not in port.state and "Disabled" not in port.phys_state
    ]
