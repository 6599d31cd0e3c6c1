"""Conditions that health agents have set on nodes, where the meaning of the condition is known."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome, ReasonKind, Unknown
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, items, need, place, text
from kb.model import Text

#: True is bad: node-problem-detector, AKS, OKE, GKE.
BAD = frozenset(
    "KernelDeadlock ReadonlyFilesystem CorruptDockerOverlay2 FrequentKubeletRestart FrequentDockerRestart "
    "FrequentContainerdRestart FrequentUnregisterNetDevice FilesystemCorruptionProblem ContainerRuntimeProblem "
    "KubeletProblem VMEventScheduled GPUMissing NVLinkStatusInactive XIDErrors IBLinkFlapping GPUClockThrottling "
    "UnhealthyNvidiaDevicePlugin UnhealthyNvidiaDCGMServices GpuXid GpuCount GpuBus GpuEcc GpuPcie GpuRowRemap "
    "GpuFabricManager GpuBadPages NvlinkSpeed DcgmiHealth Rocminfo RdmaLink RdmaLinkFlapping RdmaWpaAuth RdmaRttcc "
    "IpAddress OcaVersion CpuProfile XidCriticalError".split()
)
#: False is bad: the EKS agent.
GOOD = frozenset("AcceleratedHardwareReady ContainerRuntimeReady KernelReady NetworkingReady StorageReady".split())
OTHERS = frozenset("Ready MemoryPressure DiskPressure PIDPressure NetworkUnavailable EtcdIsVoter SysctlChanged".split())


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit, strange = Survey(cluster), seconds(knobs.text("after")), set[str]()
    for node in cluster.list("v1/nodes"):
        with survey.judging(node):
            need(node, "status", "conditions")
            for found in items(node, "status", "conditions"):
                kind, bad = text(found, "type"), text(found, "type") not in GOOD
                if kind not in BAD | GOOD | OTHERS:
                    strange.add(kind)
                elif (
                    kind not in OTHERS
                    and text(found, "status") == str(bad)
                    and survey.age(found, "lastTransitionTime") > limit
                ):
                    survey.find(
                        node,
                        text(found, "message"),
                        since=text(found, "lastTransitionTime"),
                        where={**place(node), "condition": kind, "reason": text(found, "reason") or "no reason"},
                    )
    if strange:
        survey.remark(unjudged(sorted(strange)))
    return survey.outcome()


def unjudged(kinds: list[str]) -> Unknown:
    said = ", ".join(kinds[:5])
    return Unknown(
        Text(
            en=f"Conditions of unknown meaning were not judged: {said}.",
            ko=f"뜻을 모르는 조건은 판단하지 않았습니다: {said}.",
        ),
        ReasonKind.unsupported,
        Text(
            en="Look them up in the documentation of the agent that writes them.",
            ko="조건을 쓰는 에이전트의 문서에서 찾아보십시오.",
        ),
        (),
        len(kinds),
    )
