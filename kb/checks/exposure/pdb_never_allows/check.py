"""Disruption budgets that forbid every disruption whatever the state of the pods."""

import math

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import MissingFieldError, Survey, at, number
from kb.model import Text


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    for budget in cluster.list("policy/v1/poddisruptionbudgets"):
        with survey.judging(budget):
            pods = number(budget, "status", "expectedPods")
            most, least = at(budget, "spec", "maxUnavailable"), at(budget, "spec", "minAvailable")
            allowed = share(most, pods) if most is not None else pods - share(least, pods)
            if pods and allowed < 1:
                said = f"maxUnavailable: {most}" if most is not None else f"minAvailable: {least}"
                survey.find(
                    budget, f"{said}, expectedPods: {pods:g}", value=pods, unit="pods", threshold="< 1 to spare"
                )
    return survey.outcome(
        nothing=Text(en="The cluster has no disruption budgets.", ko="클러스터에 disruption budget이 없습니다.")
    )


def share(value: object, pods: float) -> float:
    """A count, or a percentage of the pods rounded up, as the controller rounds both fields."""
    if isinstance(value, int):
        return value
    if isinstance(value, str) and value.endswith("%") and value[:-1].isdigit():
        return math.ceil(int(value[:-1]) * pods / 100)
    raise MissingFieldError("spec.minAvailable")
