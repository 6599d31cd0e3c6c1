"""Horizontal autoscalers that cannot scale further, or cannot read what they scale by."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, condition, need, number, place, text
from kb.model import Text

BLIND = (
    "FailedGetResourceMetric", "FailedGetPodsMetric", "FailedGetObjectMetric", "FailedGetExternalMetric",
    "FailedGetContainerResourceMetric", "InvalidMetricSourceType", "InvalidSelector",
)  # fmt: skip
#: Condition, the status in which it is bad, and the reasons meant.
BAD = (
    ("ScalingLimited", "True", ("TooManyReplicas",)),
    ("ScalingActive", "False", BLIND),
    ("AbleToScale", "False", ("FailedGetScale", "FailedUpdateScale")),
)


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    for scaler in cluster.list("autoscaling/v2/horizontalpodautoscalers"):
        with survey.judging(scaler):
            need(scaler, "status", "conditions")
            for kind, status, reasons in BAD:
                found = condition(scaler, kind)
                if text(found, "status") != status or text(found, "reason") not in reasons:
                    continue
                if survey.age(found, "lastTransitionTime") > limit:
                    most = number(scaler, "spec", "maxReplicas")
                    survey.find(
                        scaler,
                        text(found, "message"),
                        value=number(scaler, "status", "currentReplicas", default=0),
                        unit="replicas",
                        threshold=f"of {most:g}",
                        since=text(found, "lastTransitionTime"),
                        where={**place(scaler), "reason": text(found, "reason")},
                    )
    return survey.outcome(
        nothing=Text(en="The cluster has no autoscaled workloads.", ko="오토스케일러를 쓰는 워크로드가 없습니다.")
    )
