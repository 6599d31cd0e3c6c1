"""CronJobs that run often, may overlap, and are ended by nothing."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.cron import busiest
from kb.checks.objects import Survey, at, items, need, text
from kb.model import Text

HOUR = 3600


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    for cron in cluster.list("batch/v1/cronjobs"):
        with survey.judging(cron):
            policy, schedule = need(cron, "spec", "concurrencyPolicy"), str(need(cron, "spec", "schedule"))
            active = len(items(cron, "status", "active"))
            ends = at(cron, "spec", "jobTemplate", "spec", "activeDeadlineSeconds") is not None
            if at(cron, "spec", "suspend") is True or policy != "Allow":
                continue
            if active > 1 or (busiest(schedule) <= HOUR and not ends):
                line = f"concurrencyPolicy: Allow, schedule {schedule}, active {active}"
                survey.find(
                    cron, line, value=active, unit="active runs", since=text(cron, "status", "lastScheduleTime")
                )
    return survey.outcome(nothing=Text(en="The cluster has no CronJobs.", ko="클러스터에 크론잡이 없습니다."))
