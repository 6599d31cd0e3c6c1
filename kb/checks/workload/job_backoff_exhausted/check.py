"""Jobs that have failed for good lately and that nothing has made good."""

from kb.checks.contract import Knobs, KubeObject, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, condition, moment, name, namespace, need, text
from kb.checks.workloads import owner
from kb.model import Text


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("within"))
    jobs = list(cluster.list("batch/v1/jobs"))
    good: dict[tuple[str, str], float] = {}
    for job in jobs:
        if text(condition(job, "Complete"), "status") == "True":
            maker = namespace(job), made_by(job)
            good[maker] = max(good.get(maker, 0.0), moment(job, "metadata", "creationTimestamp"))
    for job in jobs:
        with survey.judging(job):
            need(job, "status")
            failed = condition(job, "Failed")
            if text(failed, "status") != "True" or not 0 <= survey.age(failed, "lastTransitionTime") <= limit:
                continue
            maker = namespace(job), made_by(job)
            if good.get(maker, 0.0) <= moment(job, "metadata", "creationTimestamp"):
                where = {"namespace": maker[0], "workload": maker[1], "reason": text(failed, "reason") or "no reason"}
                survey.find(job, text(failed, "message"), since=text(failed, "lastTransitionTime"), where=where)
    return survey.outcome(nothing=Text(en="The cluster has no Jobs.", ko="클러스터에 Job이 없습니다."))


def made_by(job: KubeObject) -> str:
    made = owner(job)
    return f"Job {name(job)}" if made.startswith("Pod ") else made
