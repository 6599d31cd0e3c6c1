"""InfiniBand and RoCE ports as the kernel shows them: `infiniband/<device>/ports/<number>/…` of a node."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kb.checks.contract import Evidence, Finding, HostSource, Outcome, ReasonKind, Unknown, unknown
from kb.model import Text


@dataclass(frozen=True)
class Port:
    """One port; texts as the kernel writes them, such as `4: ACTIVE` and `400 Gb/sec (4X NDR)`."""

    folder: str
    device: str
    number: str
    state: str
    phys_state: str
    rate: str
    link_layer: str
    hca_type: str

    @property
    def where(self) -> dict[str, str]:
        return {"device": self.device, "port": self.number}


Judge = Callable[[HostSource, Sequence[Port]], list[tuple[Port, Evidence]] | None]
"""What is wrong, port by port; none where the files that decide it are missing."""


def ports(source: HostSource) -> tuple[Port, ...]:
    """Every port of which the state is known."""
    found = []
    for path in source.paths("*/ports/*/state"):
        folder = path.removesuffix("/state")
        device, _, number = folder.rsplit("/", 2)
        texts = {name: source.text(f"{folder}/{name}") or "" for name in ("state", "phys_state", "rate", "link_layer")}
        hca_type = source.text(f"{device}/hca_type") or ""
        found.append(Port(folder, device.rpartition("/")[2], number, hca_type=hca_type, **texts))
    return tuple(found)


def judge_ports(source: HostSource, judge: Judge) -> Outcome:
    """A node without ports, or without the files that decide it, is unknown."""
    seen = ports(source)
    wrong = judge(source, seen) if seen else None
    if wrong is None:
        return unknown(
            Text(
                en="The node's InfiniBand ports are not in what was given.",
                ko="주어진 자료에 이 노드의 InfiniBand 포트가 없습니다.",
            ),
            ReasonKind.no_series,
            Text(
                en="Save /sys/class/infiniband with its ports and counters (cp -rL), or run `kb check --host` there.",
                ko="/sys/class/infiniband를 카운터까지 저장하거나(cp -rL) 노드에서 `kb check --host`를 실행하십시오.",
            ),
        )
    unclear = [port.where for port in seen if not port.state]
    remarks = (_unclear(unclear),) if unclear else ()
    findings = tuple(Finding(port.where, evidence) for port, evidence in wrong)
    return Outcome(len(seen) - len(unclear), findings, remarks)


def _unclear(places: list[dict[str, str]]) -> Unknown:
    return Unknown(
        Text(en="The state of a port is empty.", ko="상태가 비어 있는 포트가 있습니다."),
        ReasonKind.no_series,
        Text(en="Save the files again.", ko="파일을 다시 저장하십시오."),
        tuple(places),
        len(places),
    )
