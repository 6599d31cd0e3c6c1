"""From verdicts on training jobs to outcomes of checks. A check says which verdicts are its own and what it needs.

Nobody is named whom the verdict does not name: what is only known to be slow is `unknown`, with what would tell more.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb.checks.contract import Evidence, Finding, Outcome, ReasonKind, StepsSource, Unknown
from kb.model import Text

if TYPE_CHECKING:
    from kb.steps.job import Job
    from kb.steps.records import Remark
    from kb.steps.verdict import Verdict

UNNAMED = "(unnamed)"
#: Share of the records above which left-out ones are worth a remark: less is the dust of every large file.
DUST = 0.01
#: Evidence of one finding at most.
SHOWN = 8

Need = Callable[["Job"], "Unknown | Text | int"]
"""How many things of a job can be judged; why none can; or, as a text, why the job has nothing of the kind."""


@dataclass(frozen=True)
class Wanted:
    """kinds: the verdicts of this check, by their names. level: only those of one level. nameless: whether
    something slow without a place is a finding; otherwise it is unknown. unit, threshold: of the evidence. peers:
    whether ranks are held against each other by their coordinates, so that what hinders that leaves something unjudged.
    """

    kinds: tuple[str, ...]
    need: Need
    level: str = ""
    nameless: bool = False
    unit: str = "×"
    threshold: str = ""
    peers: bool = True

    def names(self, verdict: "Verdict") -> bool:
        """Whether the verdict says enough to be a finding; if not, it is `untold`."""
        return self.nameless or verdict.confidence.value != "detected_only"


def outcome(steps: StepsSource, wanted: Wanted) -> Outcome:
    """What the check says of all jobs of the source."""
    looked_at = 0
    findings: list[Finding] = []
    unknown: list[Unknown] = []
    absent: list[Text] = []
    for job in steps.jobs():
        own = [v for v in job.verdicts if v.kind.value in wanted.kinds and v.level.startswith(wanted.level)]
        named = [v for v in own if wanted.names(v)]
        findings += [finding_of(verdict, wanted) for verdict in named]
        unknown += [untold(verdict) for verdict in own if verdict not in named]
        counted = wanted.need(job)
        if isinstance(counted, int):
            looked_at += counted
        elif not named:
            unknown += [counted] if isinstance(counted, Unknown) else []
            absent += [counted] if isinstance(counted, Text) else []
        if not isinstance(counted, Unknown):
            unknown += [_remark(job, remark) for remark in _grave(job, peers=wanted.peers)]
    if absent and not (findings or unknown or looked_at):
        return Outcome(not_applicable=absent[0])
    return Outcome(looked_at, tuple(findings), tuple(unknown))


def lacking(job: "Job", en: str, ko: str, remedy_en: str, remedy_ko: str) -> Unknown:
    """Why nothing of a job can be judged."""
    return Unknown(
        Text(en=f"{_job(job.name)}: {en}", ko=f"{_job(job.name)}: {ko}"),
        ReasonKind.no_series,
        Text(en=remedy_en, ko=remedy_ko),
        ({"job": _job(job.name)},),
        1,
    )


def steps_with_time(least: int) -> Need:
    """What checks of the iteration time itself need: so many steps that can be judged, as their detectors count."""

    def need(job: "Job") -> Unknown | int:
        known = int(job.series.judged.sum())
        if known >= least:
            return known
        return lacking(
            job, f"{known} steps can be judged (after the warm-up, without pauses), and {least} are needed.",
            f"준비 구간과 정지를 빼면 판정할 수 있는 스텝이 {known}개뿐입니다. {least}개가 필요합니다.",
            "Record the phase `iteration` of more steps.", "더 많은 스텝의 `iteration` 단계를 기록하십시오.",
        )  # fmt: skip

    return need


def ranks_in_words(ranks: Iterable[int]) -> str:
    """`3,8-15`."""
    parts: list[list[int]] = []
    for rank in sorted(ranks):
        if parts and rank == parts[-1][1] + 1:
            parts[-1][1] = rank
        else:
            parts.append([rank, rank])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)


def finding_of(verdict: "Verdict", wanted: Wanted) -> Finding:
    """The place of a verdict and what it rests on."""
    where = {"job": _job(verdict.job)}
    # Of a connection both ends are known too, and only one of them may be at fault.
    if verdict.edges:
        where["link"] = ", ".join(f"{src}→{dst}" for src, dst in verdict.edges[:SHOWN])
    elif verdict.ranks:
        where["ranks"] = ranks_in_words(verdict.ranks)
    # Coordinates say nothing beside the ranks that they are of; a communicator may bear them as its name.
    if verdict.group and (verdict.operations or not ("=" in verdict.group and len(verdict.ranks) > 1)):
        where["group"] = verdict.group
    if verdict.phase and verdict.phase != "iteration":
        where["phase"] = verdict.phase
    where["operation" if verdict.operations else "steps"] = _window(verdict)
    value = round(verdict.ratio, 2) if math.isfinite(verdict.ratio) else None
    rule = f"{verdict.system.value} {verdict.level}"
    return Finding(
        where,
        Evidence(value=value, unit=wanted.unit, threshold=wanted.threshold, line=evidence_line(verdict), object=rule),
    )


def evidence_line(verdict: "Verdict") -> str:
    """What the verdict rests on, as `name=value`."""
    told = [f"{name}={_short(value)}" for name, value in verdict.evidence.items() if math.isfinite(value)]
    return "; ".join([*told[:SHOWN], *(["the published rule fires as well"] if verdict.published else [])])


def untold(verdict: "Verdict") -> Unknown:
    """What looks slow and names nobody, and what would tell more."""
    who = f"ranks {ranks_in_words(verdict.ranks)}" if verdict.ranks else (verdict.group or "somebody")
    who_ko = f"랭크 {ranks_in_words(verdict.ranks)}" if verdict.ranks else (verdict.group or "어느 랭크")
    times = f" ({verdict.ratio:.2f}×)" if math.isfinite(verdict.ratio) else ""
    job, window = _job(verdict.job), _window(verdict)
    return Unknown(
        Text(
            en=f"{job}: {who} looks slow in {verdict.phase}{times}, steps {window}, but the records do not tell it "
            "from a rank with more to do.",
            ko=f"{job}: {who_ko}이(가) {verdict.phase}에서 느려 보입니다{times}(스텝 {window}). "
            "다만 일이 더 많은 랭크인지 기록으로는 가릴 수 없습니다.",
        ),
        ReasonKind.unsupported,
        Text(
            en="Give the coordinates of every rank (dp, pp, tp …), and at least three ranks that do the same work.",
            ko="모든 랭크의 좌표(dp, pp, tp 등)를, 같은 일을 하는 랭크가 셋 이상 있도록 주십시오.",
        ),
        ({"job": job},),
        max(len(verdict.ranks), 1),
    )


def _grave(job: "Job", *, peers: bool) -> Sequence["Remark"]:
    """Remarks that leave a part of the job unjudged."""
    always = {"contradictory", "missing-ranks", "several-jobs", "absurd"} | (
        {"no-coordinates", "too-few"} if peers else set()
    )
    records = max(int(job.grid.count.sum()), 1)
    return [
        remark
        for remark in job.remarks
        if remark.kind.value in always
        or (remark.kind.value in {"unreadable", "not-a-number", "negative", "wrong-stream"}
            and remark.count > DUST * records)
    ]  # fmt: skip


def _remark(job: "Job", remark: "Remark") -> Unknown:
    return Unknown(
        Text(en=f"{_job(job.name)}: {remark.text.en}", ko=f"{_job(job.name)}: {remark.text.ko}"),
        ReasonKind.unsupported,
        remark.remedy,
        ({"job": _job(job.name)},),
        remark.count,
    )


def _job(name: str) -> str:
    return name or UNNAMED


def _window(verdict: "Verdict") -> str:
    if verdict.first_step == verdict.last_step:
        return str(verdict.first_step)
    return f"{verdict.first_step}-{verdict.last_step}"


def _short(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1e4 else f"{value:.0f}"
