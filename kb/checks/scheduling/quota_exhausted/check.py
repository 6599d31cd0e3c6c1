"""Resource quotas that are used up, or nearly."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.objects import Survey, number, place, words
from kb.model import Text


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), knobs.number("ratio")
    for quota in cluster.list("v1/resourcequotas"):
        with survey.judging(quota):
            for resource in words(quota, "spec", "hard") or {"": ""}:
                hard, used = number(quota, "status", "hard", resource), number(quota, "status", "used", resource)
                if hard > 0 and used / hard >= limit:
                    said = words(quota, "status", "used")[resource], words(quota, "status", "hard")[resource]
                    survey.find(
                        quota,
                        f"{resource}: used {said[0]} of {said[1]}",
                        value=round(100 * used / hard),
                        unit="%",
                        threshold=f">= {100 * limit:g}",
                        where={**place(quota), "resource": resource},
                    )
    return survey.outcome(nothing=Text(en="No namespace has a quota.", ko="쿼터가 있는 네임스페이스가 없습니다."))
