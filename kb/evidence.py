"""Exact keys in pasted text: what decides a diagnosis more surely than any sentence. Pure and offline.

A key is a kind and a value (`xid` `79`, `nccl` `ncclSystemError`, `exit` `137`); the same extraction runs over
the evidence strings of the cases, and equal keys meet.
"""

import re
from dataclasses import dataclass

from kb.words import normalise

#: Event reasons and container states as Kubernetes spells them.
_REASONS = (
    "BackOff|CrashLoopBackOff|ImagePullBackOff|ErrImagePull|ErrImageNeverPull|InvalidImageName|CreateContainerConfigError|"
    "CreateContainerError|RunContainerError|ContainerCannotRun|OOMKilled|Evicted|FailedScheduling|FailedMount|FailedAttachVolume|"
    "FailedCreatePodSandBox|FailedCreate|FailedKillPod|FailedPreStopHook|FailedPostStartHook|NodeNotReady|NodeNotSchedulable|"
    "NetworkNotReady|NetworkUnavailable|MemoryPressure|DiskPressure|PIDPressure|EvictionThresholdMet|FreeDiskSpaceFailed|"
    "InvalidDiskCapacity|Unhealthy|ProbeWarning|DeadlineExceeded|BackoffLimitExceeded|UnexpectedAdmissionError|Preempted|"
    "SystemOOM|Rebooted|TaintManagerEviction|ProvisioningFailed|ContainerGCFailed|ImageGCFailed|KubeletNotReady|FailedToUpdateEndpoint|"
    "Terminating|ContainerCreating|Init:CrashLoopBackOff|Init:Error|PodInitializing|NotTriggerScaleUp|FailedGetResourceMetric"
)
#: Blanks and brackets are bounded: without it one line of blanks or brackets takes minutes.
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("sxid", r"\bSXid(?:\b|(?=\d))[^\n\d]{0,3}(?:\([^)\n]{0,80}\))?[:\s]{0,8}(\d{3,6})\b"),
    ("xid", r"\bXids?(?:\b|(?=\d))\s{0,8}(?:\([^)\n]{0,80}\))?\s{0,8}[:=#]?\s{0,8}(?:error|code)?\s{0,8}(\d{1,3})\b"),
    ("nccl", r"\b(nccl(?:SystemError|UnhandledCudaError|InternalError|InvalidArgument|InvalidUsage|RemoteError|InProgress))\b"),
    ("nccl", r"\b(NCCL_[A-Z0-9_]{3,})\b"),
    ("cuda", r"\b(CUDA_ERROR_[A-Z_]+|cudaError[A-Za-z]+|CUBLAS_STATUS_[A-Z_]+|CUDNN_STATUS_[A-Z_]+)\b"),
    ("reason", rf"(?<![A-Za-z])({_REASONS})(?![A-Za-z])"),
    ("exit", r"\b(?:exit(?:ed)?(?:\s{1,8}with)?(?:\s{1,8}(?:code|status))?|exitCode)\b\s{0,8}[:=]?\s{0,8}(-?\d{1,3})\b"),
    ("exit", r"(?:종료\s{0,8}(?:코드|상태)|(?:\bexit|엑시트)\s{0,8}코드)\s{0,8}(?:가|는|은)?\s{0,8}[:=]?\s{0,8}(-?\d{1,3})(?!\d)"),
    ("exit", r"\bexit(?:code)?(-?\d{1,3})\b"),
    ("exit", r"(?<!\d)(\d{1,3})\s{0,8}(?:번)?\s{0,8}코드로\s{0,8}(?:종료|죽)"),
    ("http", r"(?<![\d.])([45]\d\d)\s{0,8}(?:에러|오류|응답|상태)"),
    ("http", r"상태\s{0,8}코드\s{0,8}[:=]?\s{0,8}([45]\d\d)(?!\d)"),
    ("http", r"\b(?:HTTP(?:/\d(?:\.\d)?)?|status(?:\s{1,8}code)?|error)\b\s{0,8}[:=]?\s{0,8}([45]\d\d)\b"),
    ("http", r"\b([45]\d\d)\s{1,8}(?:Bad Gateway|Service Unavailable|Gateway Time-?out|Internal Server Error|Too Many Requests|Forbidden|Unauthorized|Not Found|errors?)\b"),
    ("http", r"\b([45]xx)\b"),
    ("grpc", r"(?-i:\b(DEADLINE_EXCEEDED|RESOURCE_EXHAUSTED|UNAVAILABLE|DeadlineExceeded|ResourceExhausted)\b)"),
    ("errno", r"(?-i:\b(E(?:AGAIN|BUSY|CONNREFUSED|CONNRESET|IO|MFILE|NFILE|NOENT|NOMEM|NOSPC|PERM|PIPE|ROFS|STALE|TIMEDOUT|HOSTUNREACH))\b)"),
    ("signal", r"(?-i:\b(SIG(?:KILL|TERM|SEGV|ABRT|BUS|PIPE|INT))\b)"),
    ("metric", r"\b(DCGM_(?:FI|EXP)_[A-Z0-9_]+)\b"),
    ("metric", r"\b((?:node|kube|container|etcd|apiserver|coredns|kubelet|scheduler|workqueue|rest_client)_[a-z0-9_]{4,})\b"),
    ("tls", r"\b(x509)\b"),
)  # fmt: skip
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)
#: Sentences of drivers and kernels that are known by heart; value → what to look for.
_SAYINGS: tuple[tuple[str, str], ...] = (
    ("fallen-off-the-bus", "fallen off the bus"),
    ("nvml-unknown-error", "failed to initialize nvml: unknown error"),
    ("nvml-version-mismatch", "driver/library version mismatch"),
    ("no-space-left", "no space left on device"),
    ("too-many-open-files", "too many open files"),
    ("connection-refused", "connection refused"),
    ("connection-reset", "connection reset by peer"),
    ("no-such-host", "no such host"),
    ("context-deadline-exceeded", "context deadline exceeded"),
    ("certificate-expired", "certificate has expired"),
    ("certificate-unknown-authority", "certificate signed by unknown authority"),
    ("hung-task", "blocked for more than"),
    ("out-of-memory", "out of memory"),
    ("cuda-out-of-memory", "cuda out of memory"),
    ("nccl-watchdog-timeout", "watchdog caught collective operation timeout"),
    ("conntrack-full", "nf_conntrack: table full"),
    ("etcd-no-space", "mvcc: database space exceeded"),
    ("insufficient-gpu", "insufficient nvidia.com/gpu"),
    ("pull-rate-limit", "you have reached your pull rate limit"),
    ("webhook-failed", "failed calling webhook"),
    ("failed-to-assign-ip", "failed to assign an ip address"),
)  # fmt: skip


@dataclass(frozen=True)
class Key:
    """`value` is in the form in which keys are compared; `text` as it stood."""

    kind: str
    value: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.value}"


def keys(text: str) -> list[Key]:
    """The distinct keys of a text, in order of first appearance."""
    plain = normalise(text)
    found: list[tuple[int, Key]] = []
    for kind, pattern in _COMPILED:
        for match in pattern.finditer(plain):
            found.append((match.start(), Key(kind, _compared(kind, match[1]), match.group().strip())))
    low = plain.lower()
    for value, saying in _SAYINGS:
        at = low.find(saying)
        if at >= 0:
            found.append((at, Key("saying", value, plain[at : at + len(saying)])))
    seen: dict[str, Key] = {}
    for _, key in sorted(found, key=lambda pair: pair[0]):
        seen.setdefault(key.name, key)
    return list(seen.values())


def _compared(kind: str, value: str) -> str:
    if kind in ("xid", "sxid", "exit"):
        return str(int(value))
    return value.lower()
