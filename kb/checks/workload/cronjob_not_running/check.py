"""CronJobs whose last start or success lies too far back for their schedule."""

from kb.checks.contract import Knobs, KubernetesSource, Outcome
from kb.checks.cron import period
from kb.checks.objects import Survey, need, place, text
from kb.model import Text

#: What is never later than this many of the longest pauses: the start, and the success of a run.
START, SUCCESS = 2, 3


def check(cluster: KubernetesSource, _knobs: Knobs) -> Outcome:
    survey = Survey(cluster)
    for cron in cluster.list("batch/v1/cronjobs"):
        with survey.judging(cron):
            pause = period(str(need(cron, "spec", "schedule")))
            born = survey.age(cron, "metadata", "creationTimestamp")
            for field, state, most in (
                ("lastScheduleTime", "has not started", START),
                ("lastSuccessfulTime", "has not succeeded", SUCCESS),
            ):
                last = text(cron, "status", field)
                late = survey.age(cron, "status", field) if last else born
                if late > most * pause:
                    survey.find(
                        cron,
                        f"{field} {last or 'never'}",
                        lasted=late,
                        limit=most * pause,
                        since=last,
                        where={**place(cron), "state": state},
                    )
                    break
    return survey.outcome(nothing=Text(en="The cluster has no CronJobs.", ko="클러스터에 크론잡이 없습니다."))
