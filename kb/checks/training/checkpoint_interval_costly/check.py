"""The checkpoint interval against the one that the job's own failures make best."""

from kb.checks.contract import Evidence, Finding, Knobs, Outcome, StepsSource, Unknown
from kb.checks.step_check import UNNAMED, evidence_line, lacking
from kb.steps.saving import Saving, saving_of, verdict_of


def check(steps: StepsSource, knobs: Knobs) -> Outcome:
    looked_at, findings, unknown = 0, [], list[Unknown]()
    for job in steps.jobs():
        told = saving_of(job.grid, job.events, knobs.number("restart_seconds"))
        if not isinstance(told, Saving):
            unknown.append(lacking(job, told.en, told.ko or "", "Record checkpoints.", "체크포인트를 기록하십시오."))
        elif told.interval.verdict == "too-few-failures":
            unknown.append(
                lacking(
                    job, f"{told.rate.failures} failures are too few to judge an interval by.",
                    f"고장이 {told.rate.failures}번뿐이라 간격을 판단할 수 없습니다.",
                    "Record failures as events, over a longer time.", "고장을 이벤트로, 더 오래 기록하십시오.",
                )
            )  # fmt: skip
        else:
            looked_at += 1
            verdict = verdict_of(job.grid, told)
            if verdict is not None:
                where = {"job": job.name or UNNAMED, "phase": verdict.phase, "interval": verdict.level}
                evidence = Evidence(verdict.ratio, "×", "< 0.33, > 2", line=evidence_line(verdict))
                findings.append(Finding(where, evidence))
    return Outcome(looked_at, tuple(findings), tuple(unknown))
