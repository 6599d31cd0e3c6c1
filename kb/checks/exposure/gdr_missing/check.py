"""GPUs and InfiniBand without direct transfers between them."""

from kb.checks.contract import Evidence, Finding, HostSource, Knobs, Outcome, ReasonKind, unknown
from kb.model import Text

PEER_MODULES = ("nvidia_peermem", "nv_peer_mem")


def check(source: HostSource, _knobs: Knobs) -> Outcome:
    paths = source.paths("proc/modules") or source.paths("modules")
    loaded = {line.split()[0] for path in paths for line in (source.text(path) or "").splitlines() if line.split()}
    if not loaded:
        return unknown(
            Text(en="The list of kernel modules is not there.", ko="커널 모듈 목록이 없습니다."),
            ReasonKind.no_series,
            Text(en="Save /proc/modules of the node.", ko="노드의 /proc/modules를 저장하십시오."),
        )
    if "nvidia" not in loaded or not any(name in loaded for name in ("ib_core", "mlx5_ib")):
        return Outcome(
            not_applicable=Text(
                en="Not a node with both NVIDIA GPUs and RDMA adapters.",
                ko="NVIDIA GPU와 RDMA 어댑터가 모두 있는 노드가 아닙니다.",
            )
        )
    versions = [source.text(path) or "" for path in source.paths("driver/nvidia/version")]
    # The open module hands memory over by dma-buf and needs no peer module.
    if any(name in loaded for name in PEER_MODULES) or any("Open Kernel Module" in text for text in versions):
        return Outcome(1)
    if not versions:
        return unknown(
            Text(en="Which driver it is, open or not, is not told.", ko="공개 모듈 드라이버인지 알 수 없습니다."),
            ReasonKind.no_series,
            Text(en="Save /proc/driver/nvidia/version too.", ko="/proc/driver/nvidia/version도 저장하십시오."),
        )
    return Outcome(1, (Finding({"file": paths[0]}, Evidence(file=paths[0], line="no nvidia_peermem")),))
