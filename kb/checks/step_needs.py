"""What of a job each check on step records can judge, and what to say where it can judge nothing.

One rule: a check does not apply where the records show that the job cannot have what it judges, as a job without
pipeline stages has no pipeline. What was merely not recorded is unknown, with what would have to be recorded.
"""

from typing import TYPE_CHECKING

import numpy as np

from kb.checks.contract import Unknown
from kb.checks.step_check import lacking
from kb.model import Text

if TYPE_CHECKING:
    from kb.steps.job import Job

#: Fewest steps for a verdict on ranks, and iterations for one on the job.
STEPS, ITERATIONS = 5, 16
WRITE = "Write them in the training loop with kb.steps.writer (five lines)."
WRITE_KO = "학습 루프에서 kb.steps.writer로 다섯 줄이면 남길 수 있습니다."


def compared_ranks(job: "Job") -> Unknown | int:
    """Ranks that have at least two others with the same work."""
    from kb.steps.phases import is_own

    grid = job.grid
    if not len(grid.steps):
        return lacking(
            job, "no phase times.", "단계별 시간 기록이 없습니다.",
            f"Record forward, backward and optimizer for each rank. {WRITE}",
            f"랭크마다 forward, backward, optimizer 시간을 남기십시오. {WRITE_KO}",
        )  # fmt: skip
    phases = [index for index, kind in enumerate(grid.kinds) if is_own(grid.phases[index], kind)]
    if not phases:
        return lacking(
            job, "no time of computing is recorded, only iterations or communication.",
            "계산 단계의 시간이 없고 반복이나 통신 시간만 있습니다.",
            f"Record forward, backward and optimizer for each rank. {WRITE}",
            f"랭크마다 forward, backward, optimizer 시간을 남기십시오. {WRITE_KO}",
        )  # fmt: skip
    return _ranks_with_peers(job, phases[0])


def _ranks_with_peers(job: "Job", phase: int) -> Unknown | int:
    from kb.steps.groups import groups_of
    from kb.steps.phases import route

    grid = job.grid
    if len(grid.steps) < STEPS:
        return lacking(
            job, f"{len(grid.steps)} steps are too few to tell a slow rank from a slow step.",
            f"스텝 {len(grid.steps)}개로는 느린 랭크와 느린 스텝을 가릴 수 없습니다.",
            f"Give at least {STEPS} steps.", f"스텝을 {STEPS}개 이상 주십시오.",
        )  # fmt: skip
    if not grid.axes and len(grid.ranks) > 1:
        return lacking(
            job, "no rank has coordinates, so a pipeline stage could look like a slow rank.",
            "랭크의 좌표가 없어 파이프라인 스테이지가 느린 랭크로 보일 수 있습니다.",
            "Add the columns dp, pp, tp …; `dp` alone is enough for a purely data-parallel job.",
            "dp, pp, tp 열을 더하십시오. 데이터 병렬뿐이면 `dp`만으로 됩니다.",
        )  # fmt: skip
    groups = groups_of(grid, route(grid.phases[phase], grid.kinds[phase]))
    compared = int(groups.sizes[groups.sizes >= 3].sum()) if len(groups) else 0
    if compared:
        return compared
    return lacking(
        job, "no three ranks do the same work, so the odd one cannot be told from the normal one.",
        "같은 일을 하는 랭크가 셋이 안 되어 어느 쪽이 이상한지 알 수 없습니다.",
        "Give the records of all data-parallel replicas.", "모든 데이터 병렬 복제의 기록을 주십시오.",
    )  # fmt: skip


def judged_iterations(job: "Job") -> Unknown | int:
    """Iterations whose time can be held against others."""
    if not len(job.grid.steps):
        return lacking(
            job, "no iteration times.", "반복 시간 기록이 없습니다.",
            f"Record the phase `iteration`. {WRITE}", f"`iteration` 단계를 남기십시오. {WRITE_KO}",
        )  # fmt: skip
    judged = int(np.count_nonzero(job.analysis.series.judged))
    if judged >= ITERATIONS:
        return judged
    return lacking(
        job, f"{judged} iterations can be judged, which is too few for a level to hold them against.",
        f"판정할 수 있는 반복이 {judged}개뿐이라 비교할 기준이 서지 않습니다.",
        f"Give at least {ITERATIONS} iterations after the warm-up.",
        f"준비 구간을 빼고 반복 {ITERATIONS}개 이상을 주십시오.",
    )  # fmt: skip


def pipeline_ranks(job: "Job") -> Unknown | Text | int:
    """Ranks of pipelines whose waiting can be worked out."""
    grid = job.grid
    stages = grid.axes.get("pp")
    if not grid.axes:
        return compared_ranks(job)
    if stages is None or len(np.unique(stages[stages >= 0])) < 2:
        return Text(en="The job has no pipeline stages.", ko="파이프라인 스테이지가 없는 작업입니다.")
    if grid.first is None:
        return lacking(
            job, "operations have no start times, so waiting inside the pipeline cannot be worked out.",
            "연산의 시작 시각이 없어 파이프라인 안의 대기를 계산할 수 없습니다.",
            f"Record the start of every forward and backward pass. {WRITE}",
            f"forward와 backward마다 시작 시각을 남기십시오. {WRITE_KO}",
        )  # fmt: skip
    return compared_ranks(job)


def ranks_with_kernels(job: "Job") -> Unknown | int:
    """Ranks whose distributions of kernel times can be compared."""
    if not job.records.distributions:
        return lacking(
            job, "no distributions of kernel times.", "커널 시간 분포 기록이 없습니다.",
            "Record the p50, p99 and count of each kernel for each rank.",
            "랭크마다 커널별 p50, p99, 횟수를 남기십시오.",
        )  # fmt: skip
    if job.kernels >= 4:
        return job.kernels
    return lacking(
        job, f"kernel distributions of {job.kernels} ranks are too few to compare.",
        f"커널 시간 분포가 랭크 {job.kernels}개뿐이라 비교할 수 없습니다.",
        "Give the distributions of at least four ranks.", "랭크 4개 이상의 분포를 주십시오.",
    )  # fmt: skip


def sibling_groups(job: "Job") -> Unknown | Text | int:
    """Groups of collectives that others of the same stage can be held against."""
    from kb.steps.records import Kind
    from kb.steps.slow_groups import comparable_groups

    grid = job.grid
    if not grid.phases_of(Kind.collective):
        return lacking(
            job, "no times of collectives.", "집합 통신 시간 기록이 없습니다.",
            f"Record the collectives of each rank. {WRITE}", f"랭크마다 집합 통신 시간을 남기십시오. {WRITE_KO}",
        )  # fmt: skip
    if not grid.axes:
        return lacking(
            job, "no rank has coordinates, so it is not known who communicates with whom.",
            "랭크의 좌표가 없어 누가 누구와 통신하는지 알 수 없습니다.",
            "Add the columns dp, pp, tp …", "dp, pp, tp 열을 더하십시오.",
        )  # fmt: skip
    groups = comparable_groups(grid)
    if not groups:
        return Text(
            en="No three groups do the same collective, so none can be held against others.",
            ko="같은 집합 통신을 하는 그룹이 셋이 안 되어 서로 비교할 수 없습니다.",
        )
    if len(grid.steps) < STEPS:
        return lacking(
            job, f"{len(grid.steps)} steps are too few.", f"스텝 {len(grid.steps)}개로는 부족합니다.",
            f"Give at least {STEPS} steps.", f"스텝을 {STEPS}개 이상 주십시오.",
        )  # fmt: skip
    return groups
