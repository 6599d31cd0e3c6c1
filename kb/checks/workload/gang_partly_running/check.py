"""Jobs of which some pods run and hold GPUs while others of the same job are still pending."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, at, condition, items, key, labels, name, namespace, need, number, text, words
from kb.checks.workloads import gpus, optional, pod_spec
from kb.model import Text

POD_GROUPS = ("scheduling.volcano.sh/v1beta1/podgroups", "scheduling.x-k8s.io/v1alpha1/podgroups")
#: Labels and annotations by which pods say that they belong together, and what they name. The group of a scheduler
#: comes first, because it tells how many pods are needed.
MARKS = (
    ("scheduling.k8s.io/group-name", "PodGroup"),
    ("scheduling.volcano.sh/group-name", "PodGroup"),
    ("scheduling.x-k8s.io/pod-group", "PodGroup"),
    ("kueue.x-k8s.io/pod-group-name", "pod group"),
    ("leaderworkerset.sigs.k8s.io/group-key", "LeaderWorkerSet group"),
    ("jobset.sigs.k8s.io/jobset-name", "JobSet"),
    ("training.kubeflow.org/job-name", "training job"),
)
INDEX = "batch.kubernetes.io/job-completion-index"
NONE = Text(en="No GPU pods that belong together.", ko="함께 도는 GPU 파드가 없습니다.")

Gang = tuple[str, str]
"""Namespace, and kind with name."""


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    gangs = defaultdict[Gang, list[KubeObject]](list)
    for pod in cluster.list("v1/pods"):
        if belongs := gang_of(pod):
            gangs[belongs].append(pod)
    needed = members(cluster) if gangs else {}
    for (space, gang), pods in gangs.items():
        if len(pods) > 1 and any(gpus(pod_spec(pod)) for pod in pods):
            with survey.judging(pods[0]):
                judge(survey, {"namespace": space, "workload": gang}, pods, needed.get((space, gang)), limit)
    return survey.outcome(NONE)


def gang_of(pod: KubeObject) -> Gang | None:
    """What the pod runs together with; nothing where it says of no others that they must run too."""
    marks = {**words(pod, "metadata", "annotations"), **labels(pod)}
    for mark, kind in MARKS:
        if mark in marks:
            return namespace(pod), f"{kind} {marks[mark]}"
    jobs = [text(owner, "name") for owner in items(pod, "metadata", "ownerReferences") if owner.get("kind") == "Job"]
    return (namespace(pod), f"Job {jobs[0]}") if jobs and INDEX in marks else None


def members(cluster: KubernetesSource) -> Mapping[Gang, float]:
    """How many pods a group says that it needs; an indexed Job needs as many as may run at once."""
    out: dict[Gang, float] = {}
    for resource in POD_GROUPS:
        for group in optional(cluster, resource):
            if at(group, "spec", "minMember"):
                out[namespace(group), f"PodGroup {name(group)}"] = number(group, "spec", "minMember")
    for job in cluster.list("batch/v1/jobs"):
        # More completions than places: the pods come one after another and do not wait for each other.
        if number(job, "spec", "completions", default=0) > number(job, "spec", "parallelism", default=1):
            out[key(job)[0], f"Job {name(job)}"] = 0
    return out


def judge(
    survey: Survey, where: Mapping[str, str], pods: Sequence[KubeObject], least: float | None, limit: float
) -> None:
    """A finding if fewer than `least` pods (without it: not all) have started, and that for longer than `limit`."""
    phases = {key(pod): need(pod, "status", "phase") for pod in pods}
    running = [pod for pod in pods if phases[key(pod)] == "Running"]
    pending = [pod for pod in pods if phases[key(pod)] == "Pending" and not at(pod, "metadata", "deletionTimestamp")]
    held = sum(gpus(pod_spec(pod)) for pod in running)
    started = len(running) + sum(phase == "Succeeded" for phase in phases.values())
    if not (held and pending) or (least is not None and started >= least):
        return
    # Since when both is so: the oldest of those that run, and the oldest of those that wait.
    lasted = min(
        max(survey.age(pod, "status", "startTime") for pod in running),
        max(survey.age(pod, "metadata", "creationTimestamp") for pod in pending),
    )
    if lasted > limit:
        said = next(reasons(pending), "no reason given")
        line = f"{len(running)} run with {held:g} GPUs, {len(pending)} pending; {name(pending[0])}: {said}"
        survey.find(pods[0], line, lasted=lasted, limit=limit, where=where)


def reasons(pending: Sequence[KubeObject]) -> Iterator[str]:
    """Why they wait, as the scheduler or the kubelet puts it."""
    for pod in pending:
        placed = condition(pod, "PodScheduled")
        if text(placed, "status") == "False":
            yield text(placed, "message") or text(placed, "reason")
        for status in items(pod, "status", "containerStatuses"):
            if waiting := text(status, "state", "waiting", "reason"):
                yield waiting
