"""Certificates of cert-manager that are not Ready or whose time of renewal has passed."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.knobs import seconds
from kb.checks.objects import Survey, condition, need, place, text
from kb.checks.workloads import optional
from kb.model import Text


def check(cluster: KubernetesSource, knobs: Knobs) -> Outcome:
    survey, limit = Survey(cluster), seconds(knobs.text("after"))
    for certificate in optional(cluster, "cert-manager.io/v1/certificates"):
        with survey.judging(certificate):
            need(certificate, "status")
            ready = condition(certificate, "Ready")
            unready = text(ready, "status") == "False" and survey.age(ready, "lastTransitionTime") > limit
            due = text(certificate, "status", "renewalTime")
            late = survey.age(certificate, "status", "renewalTime") if due else 0.0
            if late > limit or unready:
                reason = "renewal overdue" if late > limit else text(ready, "reason") or "not Ready"
                line = f"renewalTime {due or 'never'}, notAfter {text(certificate, 'status', 'notAfter') or 'none'}"
                survey.find(
                    certificate,
                    line,
                    value=round(late / 86400, 1) if late > 0 else None,
                    unit="d late",
                    threshold=f"> {limit / 86400:g}",
                    since=due,
                    where={**place(certificate), "reason": reason},
                )
    return survey.outcome(
        nothing=Text(
            en="cert-manager is not installed or has no Certificates.",
            ko="cert-manager가 없거나 Certificate가 없습니다.",
        )
    )
