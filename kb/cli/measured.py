"""kb plan isolate, diagnose and swap: what step records, measurements of suspects and slow links come to. Nothing is
executed.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import numpy as np
import typer

from kb.cli.options import one_of
from kb.errors import InvalidValue
from kb.model import Lang, Text
from kb.questions import Question, ask
from kb.steps.c4d import PER_NODE, isolation
from kb.steps.falcon import Cause, Validation, diagnose
from kb.steps.mitigate import Links, link_swap

JSON = typer.Option("--json", help="Print figures as JSON.")
LANG = typer.Option(help=f"Language: {one_of(Lang)}")
NOBODY = Text(
    en="These records name no rank, connection or group that is slow or stuck.",
    ko="이 기록에서는 느리거나 멈춘 랭크, 연결, 그룹이 드러나지 않습니다.",
)
CAUSES = {
    Lang.en: {
        Cause.computation: "Computation: the GPU of rank {ranks} is slow.",
        Cause.communication: "Communication: the transfer {edges} is slow.",
        Cause.both: "Both: the GPU of rank {ranks} and the transfer {edges} are slow.",
        Cause.host: "GPUs and links are sound: look at the hosts (CPU contention, data loader, garbage collection).",
    },
    Lang.ko: {
        Cause.computation: "연산 문제: 랭크 {ranks}의 GPU가 느립니다.",
        Cause.communication: "통신 문제: {edges} 전송이 느립니다.",
        Cause.both: "둘 다: 랭크 {ranks}의 GPU와 {edges} 전송이 느립니다.",
        Cause.host: "GPU와 링크는 정상입니다. 호스트(CPU 경합, 데이터 로더, 가비지 컬렉션)를 보십시오.",
    },
}
SWAPS = {
    Lang.en: ("Swap {a} and {b}: slow links then add {after:.2f} s to an iteration instead of {before:.2f} s.",
              "No exchange of two nodes helps: slow links add {before:.2f} s to an iteration either way."),
    Lang.ko: ("{a}와 {b}를 맞바꾸십시오. 느린 링크가 더하는 시간이 반복당 {before:.2f}초에서 {after:.2f}초로 줍니다.",
              "노드 둘을 바꿔서 나아지는 경우가 없습니다. 느린 링크 때문에 반복당 {before:.2f}초가 늘어납니다."),
}  # fmt: skip


def plan_isolate(
    steps: Annotated[list[str], typer.Argument(help="Step records, as `kb check --steps` takes them.")],
    per_node: Annotated[int, typer.Option(min=1, help="Ranks of a server.")] = PER_NODE,
    lang: Annotated[str | None, LANG] = None,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Which servers to take out of a job by its step records, or what to test first (C4D)."""
    # The reader of records takes long to import, and every other command does without.
    from kb.checks.sources.steps import step_files

    language = in_language(lang)
    figures: dict[str, object] = {}
    said = []
    for job in step_files(steps).jobs():
        # A step that took longer says nothing about where.
        placed = [verdict for verdict in job.verdicts if verdict.ranks or verdict.edges or verdict.group]
        told = isolation(placed, per_node)
        why = (told.why if placed else NOBODY).say(language)[0]
        figures[job.name] = {"nodes": list(told.nodes), "why": why}
        said.append(f"{job.name}: {why}" if job.name else why)
    show(figures, "\n".join(said), as_json)


def plan_diagnose(
    measured: Annotated[
        list[str],
        typer.Argument(
            help="Seconds: RANK=SECONDS of a multiplication, FROM-TO=SECONDS of a transfer; `0=0.51 0-1=0.8`."
        ),
    ],
    lang: Annotated[str | None, LANG] = None,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """What the tests of `kb plan validate` say: a slow GPU, a slow link, or the host."""
    gemm: dict[int, float] = {}
    transfer: dict[tuple[int, int], float] = {}
    for text in measured:
        ends, seconds = _pair(text, "measured")
        numbers = ends.split("-")
        if not all(number.isdecimal() for number in numbers) or len(numbers) > 2:
            raise InvalidValue(f"`{ends}` is neither a rank nor two of them (`3`, `3-4`).", field="measured")
        if len(numbers) == 1:
            gemm[int(ends)] = seconds
        else:
            transfer[int(numbers[0]), int(numbers[1])] = seconds
    found = diagnose(
        Validation(np.array(list(gemm), np.int64), np.array(list(gemm.values())), tuple(transfer),
                   np.array(list(transfer.values())))
    )  # fmt: skip
    edges = ", ".join(f"{a}→{b}" for a, b in found.edges)
    said = CAUSES[in_language(lang)][found.cause].format(ranks=", ".join(map(str, found.ranks)), edges=edges)
    show(
        {name: value for name, value in asdict(found).items() if not isinstance(value, float) or math.isfinite(value)},
        said,
        as_json,
    )


def plan_swap(
    stage: Annotated[list[str], typer.Option(help="Nodes of a pipeline stage by replica, `a,b`; once for each stage.")],
    slow: Annotated[list[str], typer.Option(help="A slow link and its seconds for a gigabyte more, `a,b=0.5`.")],
    data: Annotated[float, typer.Option(help="Gigabytes an iteration between neighbours of a data-parallel ring.")],
    pipeline: Annotated[float, typer.Option(help="Gigabytes an iteration between neighbouring stages.")],
    lang: Annotated[str | None, LANG] = None,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Which two nodes to exchange so that a slow link carries pipeline traffic or none (level S3)."""
    placement = tuple(tuple(name.strip() for name in text.split(",")) for text in stage)
    nodes = {node for row in placement for node in row}
    if len({len(row) for row in placement}) > 1 or len(nodes) != sum(map(len, placement)):
        raise InvalidValue("Every stage must hold as many nodes, and each node once.", field="stage")
    links = {}
    for text in slow:
        ends, seconds = _pair(text, "slow")
        pair = frozenset(name.strip() for name in ends.split(","))
        if len(pair) != 2 or not pair <= nodes:
            raise InvalidValue(f"`{ends}` is no link between two nodes of the stages.", field="slow")
        links[pair] = seconds
    for name, size in (("data", data), ("pipeline", pipeline)):
        if not 0 <= size < math.inf:
            raise InvalidValue(f"{size:g} must be finite and not negative.", field=name)
    at = Links(placement, links, data, pipeline)
    swap = link_swap(at)
    helps, none = SWAPS[in_language(lang)]
    if swap is None:
        show({"before": at.added()}, none.format(before=at.added()), as_json)
    else:
        show(asdict(swap), helps.format(**asdict(swap)), as_json)


def _pair(text: str, field: str) -> tuple[str, float]:
    name, _, value = text.rpartition("=")
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not name or not 0 < seconds < math.inf:
        raise InvalidValue(f"`{text}` is not of the form NAME=SECONDS.", field=field)
    return name, seconds


def in_language(lang: str | None) -> Lang:
    return ask(Question, {"lang": lang}).lang


def show(figures: Mapping[str, object], said: str, as_json: bool) -> None:
    typer.echo(json.dumps(figures, ensure_ascii=False, indent=1) if as_json else said)
