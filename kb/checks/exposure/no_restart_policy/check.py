"""Unfinished GPU Jobs that end with their first failure."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, condition, items, need, number, text
from kb.checks.workloads import gpus, pod_spec
from kb.model import Text

ENDS = ("Complete", "Failed")


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    for job in cluster.list("batch/v1/jobs"):
        owned = any(reference.get("controller") for reference in items(job, "metadata", "ownerReferences"))
        with survey.judging(job):
            need(job, "spec", "template")
            over = any(text(condition(job, kind), "status") == "True" for kind in ENDS)
            if owned or over or not gpus(pod_spec(job)) or number(job, "spec", "backoffLimit") > 0:
                continue
            if not text(job, "status", "startTime"):
                continue
            age = survey.age(job, "status", "startTime")
            if age > limit:
                survey.find(job, "backoffLimit: 0", lasted=age, limit=limit)
    return survey.outcome(nothing=Text(en="The cluster has no Jobs.", ko="클러스터에 Job이 없습니다."))
