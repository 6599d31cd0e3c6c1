"""NCCL settings that slow down or silence, and jobs whose pods differ in them."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, need
from kb.checks.workloads import environment, finished, gpus, made_by, pod_spec
from kb.model import Text

SLOW = {"NCCL_IB_DISABLE": "1", "NCCL_P2P_DISABLE": "1", "NCCL_SHM_DISABLE": "1", "NCCL_DEBUG": "TRACE"}
TIMEOUT = "NCCL_IB_TIMEOUT"
#: These differ between the pods of a job in good order.
OWN = ("NCCL_SOCKET_IFNAME", "NCCL_HOSTID", "NCCL_TOPO_FILE", "NCCL_DEBUG_FILE")


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, least = Survey(cluster), knobs.number("ib_timeout")
    seen: dict[tuple[str, str], dict[str, str]] = {}
    for pod in cluster.list("v1/pods"):
        with survey.judging(pod):
            need(pod, "spec", "containers")
            if finished(pod) or not gpus(pod_spec(pod)):
                continue
            owner = made_by(pod)
            settings = {k: v for k, v in environment(pod_spec(pod)).items() if k.startswith("NCCL_") and k not in OWN}
            for variable, value in settings.items():
                short = variable == TIMEOUT and value.isdigit() and int(value) < least
                if short or SLOW.get(variable) == value.upper():
                    survey.find(pod, f"{variable}={value}", where={**owner, "setting": f"{variable}={value}"})
            first = seen.setdefault((owner["namespace"], owner["workload"]), settings)
            differing = sorted(k for k in {*first, *settings} if first.get(k) != settings.get(k))
            if differing:
                line = f"{differing[0]}: {first.get(differing[0])} and {settings.get(differing[0])}"
                survey.find(pod, line, where={**owner, "setting": f"{differing[0]} (differs)"})
    return survey.outcome(nothing=Text(en="The cluster has no pods.", ko="클러스터에 파드가 없습니다."))
