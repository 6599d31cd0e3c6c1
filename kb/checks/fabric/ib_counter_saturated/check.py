"""A narrow counter of a port that has reached its end."""

from collections.abc import Sequence

from kb.checks.contract import Evidence, HostSource, Knobs, Outcome
from kb.checks.infiniband import Port, judge_ports

#: Widths of the classic port counters in the InfiniBand architecture: they stop at these values.
ENDS = {"symbol_error": 65535, "link_downed": 255, "link_error_recovery": 255, "port_rcv_errors": 65535}

#: A data counter beyond 32 bits shows an adapter with wide counters; its narrow ones are not what rates are taken from.
WIDE = 2**32


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    return judge_ports(source, full)


def full(source: HostSource, ports: Sequence[Port]) -> list[tuple[Port, Evidence]] | None:
    out, read = [], 0
    for port in ports:
        moved = source.text(f"{port.folder}/counters/port_xmit_data") or ""
        if moved.isdigit() and int(moved) >= WIDE:
            read += 1
            continue
        for name, end in ENDS.items():
            text = source.text(f"{port.folder}/counters/{name}") or ""
            read += text.isdigit()
            if text.isdigit() and int(text) == end:
                out.append((port, Evidence(value=end, threshold=name, file=f"{port.folder}/counters/{name}")))
                break
    return out if read else None
