"""Large GPU jobs that would leave no trace of a hung collective."""

from collections import Counter

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.objects import Survey, need
from kb.checks.workloads import environment, finished, gpus, made_by, pod_spec
from kb.model import Text

RECORDS = ("TORCH_FR_BUFFER_SIZE", "TORCH_NCCL_TRACE_BUFFER_SIZE", "TORCH_NCCL_DUMP_ON_TIMEOUT")


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, least = Survey(cluster), knobs.number("gpus")
    held, some = Counter[tuple[tuple[str, str], ...]](), dict[tuple[tuple[str, str], ...], KubeObject]()
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            need(pod, "spec", "containers")
            if not finished(pod) and (count := gpus(pod_spec(pod))):
                owner = tuple(made_by(pod).items())
                held[owner] += round(count)
                some[owner] = pod
    for owner, pod in some.items():
        settings = environment(pod_spec(pod))
        if held[owner] >= least and not any(settings.get(one, "0") not in ("", "0", "false") for one in RECORDS):
            survey.find(
                pod,
                "none of " + ", ".join(RECORDS),
                value=held[owner],
                unit="GPUs",
                threshold=f">= {least:g}",
                where=dict(owner),
            )
    return survey.outcome(nothing=Text(en="The cluster has no pods.", ko="클러스터에 파드가 없습니다."))
