"""kb plan: spare servers, checkpoint intervals and what a slow job is worth doing about, worked out; nothing is
executed.
"""

import math
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import numpy as np
import typer

from kb.cli.measured import JSON, LANG, in_language, plan_diagnose, plan_isolate, plan_swap, show
from kb.errors import InvalidValue
from kb.model import Lang
from kb.steps import checkpoints, spares
from kb.steps.falcon import Cause
from kb.steps.mitigate import Costs, Level, escalation, redistribute
from kb.steps.runbook import runbook

DAY = 86_400.0
#: Iterations that a plan is worked out over; more are taken several at once.
MOST_ITERATIONS = 1_000_000


class Shape(StrEnum):
    ring = "ring"
    tree = "tree"


def register(app: typer.Typer) -> None:
    plan = typer.Typer(
        help="Spare servers, checkpoint intervals, and what to do about a slow job.", no_args_is_help=True
    )
    plan.command("spares")(plan_spares)
    plan.command("checkpoint")(plan_checkpoint)
    plan.command("mitigate")(plan_mitigate)
    plan.command("redistribute")(plan_redistribute)
    plan.command("validate")(plan_validate)
    plan.command("isolate")(plan_isolate)
    plan.command("diagnose")(plan_diagnose)
    plan.command("swap")(plan_swap)
    app.add_typer(plan, name="plan")


def plan_spares(
    servers: Annotated[int, typer.Option(help="Servers that the jobs need.")],
    failures_a_day: Annotated[float, typer.Option(help="Failures of one server a day, e.g. 0.0065 (Meta, RSC-1).")],
    repair_days: Annotated[float, typer.Option(help="Days until a failed server is back.")],
    chance: Annotated[float, typer.Option(help="Chance that no job waits for a server.")] = 0.99,
    lang: Annotated[str | None, LANG] = None,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """How many spare servers so that no job waits for one."""
    _positive(servers=servers, repair_days=repair_days)
    _within(chance=(chance, 0.5, 0.999999), failures_a_day=(failures_a_day, 0.0, 10.0))
    pool = spares.pool_size(servers, failures_a_day, repair_days, chance)
    figures = {
        "spares": pool,
        "away_on_average": (servers + pool) * spares.out_of_service(failures_a_day, repair_days),
        "until_delivery": spares.pool_until(servers, failures_a_day, repair_days, chance),
    }
    words = {
        Lang.en: "{spares} spare servers; {away:.1f} are away on average. "
        "If nothing comes back for {days:g} days, {until} are needed.",
        Lang.ko: "예비 서버 {spares}대. 평균 {away:.1f}대가 빠져 있습니다. "
        "{days:g}일 동안 아무것도 복구되지 않으면 {until}대가 필요합니다.",
    }
    said = words[in_language(lang)].format(
        spares=pool, away=figures["away_on_average"], days=repair_days, until=figures["until_delivery"]
    )
    show(figures, said, as_json)


def plan_checkpoint(
    interval: Annotated[float, typer.Option(help="Seconds between checkpoints.")],
    save: Annotated[float, typer.Option(help="Seconds that the job stands still for one.")],
    restart: Annotated[float, typer.Option(help="Seconds from a failure until it trains again.")],
    failures: Annotated[int, typer.Option(help="Failures of the job …")],
    days: Annotated[float, typer.Option(help="… in so many days.")],
    lang: Annotated[str | None, LANG] = None,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """What the interval costs, and which would cost least (Young, Daly)."""
    _positive(interval=interval, save=save, days=days)
    _within(restart=(restart, 0.0, 30 * DAY), failures=(failures, 0, 10**9))
    judged = checkpoints.judge(interval, save, restart, checkpoints.rate_of(failures, days * DAY))
    words = {
        Lang.en: {
            "too-long": "Too long: {lost:.1f} hours a day are lost that {best:.0f} s between checkpoints would save.",
            "too-short": "Too short: {lost:.1f} hours a day go to saving; {best:.0f} s between them would be best.",
            "fine": "Fine: {best:.0f} s would be best, and gain {lost:.1f} hours a day.",
            "too-few-failures": "Too few failures to judge an interval by.",
        },
        Lang.ko: {
            "too-long": "너무 깁니다. 간격을 {best:.0f}초로 줄이면 하루 {lost:.1f}시간을 아낍니다.",
            "too-short": "너무 짧습니다. 간격을 {best:.0f}초로 늘리면 하루 {lost:.1f}시간을 아낍니다.",
            "fine": "적당합니다. {best:.0f}초가 가장 좋고, 하루 {lost:.1f}시간 차이입니다.",
            "too-few-failures": "간격을 판단하기에는 장애 수가 너무 적습니다.",
        },
    }
    said = words[in_language(lang)][judged.verdict].format(lost=judged.lost_hours_a_day, best=judged.daly)
    show({name: value for name, value in asdict(judged).items() if value != float("inf")}, said, as_json)


def plan_mitigate(
    slow: Annotated[float, typer.Option(help="Seconds of an iteration now.")],
    healthy: Annotated[float, typer.Option(help="Seconds of an iteration before.")],
    cause: Annotated[Cause | None, typer.Option(help="What validation found, if it was done.")] = None,
    lost_work: Annotated[float, typer.Option(help="Seconds since the last checkpoint.")] = 0.0,
    lang: Annotated[str | None, LANG] = None,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """When each of Greyhound's four levels is due; none of them is executed."""
    _within(slow=(slow, 0.0, DAY), lost_work=(lost_work, 0.0, 365 * DAY))
    _positive(healthy=healthy)
    if not slow > healthy:
        raise InvalidValue(f"An iteration of {slow:g} s is not slower than {healthy:g} s.", field="slow")
    costs = Costs.of(slow, healthy, lost_work=lost_work)
    # The slowness is taken to last: iterations all alike until the dearest level is due, many at once if short.
    needed = int(max(costs.by_level().values()) / (slow - healthy)) + 2
    block = -(-needed // MOST_ITERATIONS)
    lasting = np.full(-(-needed // block), block * slow)
    advice = escalation(lasting, block * healthy, costs, cause)[1:]
    language = in_language(lang)
    words = LEVELS[language]
    lines = [words[Level.ignore]] + [words[one.level].format(after=one.seconds) for one in advice]
    show({f"S{one.level.value}": round(one.seconds, 1) for one in advice}, "\n".join(lines), as_json)


def plan_redistribute(
    seconds: Annotated[list[float], typer.Argument(help="Seconds of one micro-batch in each data-parallel group.")],
    total: Annotated[int, typer.Option(help="Micro-batches of an iteration.")],
    lang: Annotated[str | None, LANG] = None,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Micro-batches of each group so that the groups end together (level S2)."""
    _positive(**{f"seconds[{n}]": value for n, value in enumerate(seconds)})
    shares = redistribute(np.array(seconds), total)
    if shares is None:
        raise InvalidValue(f"{total} micro-batches do not give each of {len(seconds)} groups one.", field="total")
    words = {
        Lang.en: "{shares}: the slowest group takes {after:.2f} s instead of {before:.2f} s.",
        Lang.ko: "{shares}: 가장 느린 그룹이 {before:.2f}초에서 {after:.2f}초로 줄어듭니다.",
    }
    listed = ", ".join(map(str, shares.microbatches))
    said = words[in_language(lang)].format(shares=listed, after=shares.after, before=shares.before)
    show(asdict(shares), said, as_json)


def plan_validate(
    ranks: Annotated[list[int], typer.Argument(help="Suspect ranks, in the order of their communicator.")],
    shape: Annotated[Shape, typer.Option(help="How the communicator is built.")] = Shape.ring,
    lang: Annotated[str | None, LANG] = None,
) -> None:
    """How to test suspects while the job is held: the steps, the pairs, and the times to expect."""
    language = in_language(lang)
    for number, step in enumerate(runbook(ranks, shape.value), 1):
        typer.echo(f"{number}. {step.say(language)[0]}")


LEVELS = {
    Lang.en: {
        Level.ignore: "S1 now: wait; most slow periods pass.",
        Level.redistribute: "S2 after {after:.0f} s of slowness: give the slow replica fewer micro-batches.",
        Level.swap: "S3 after {after:.0f} s: swap nodes, so that a slow link carries pipeline traffic.",
        Level.restart: "S4 after {after:.0f} s: checkpoint, and restart on other nodes.",
    },
    Lang.ko: {
        Level.ignore: "S1 지금: 기다립니다. 느려진 구간은 대부분 저절로 지나갑니다.",
        Level.redistribute: "S2 느려진 지 {after:.0f}초 뒤: 느린 복제본의 마이크로배치를 줄입니다.",
        Level.swap: "S3 {after:.0f}초 뒤: 노드 자리를 바꿔 느린 링크에 파이프라인 트래픽만 흐르게 합니다.",
        Level.restart: "S4 {after:.0f}초 뒤: 체크포인트를 남기고 다른 노드에서 다시 시작합니다.",
    },
}


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not 0 < value < math.inf:
            raise InvalidValue(f"{value:g} must be more than 0 and finite.", field=name)


def _within(**values: tuple[float, float, float]) -> None:
    for name, (value, low, high) in values.items():
        if not low <= value <= high:
            raise InvalidValue(f"{value:g} must lie between {low:g} and {high:g}.", field=name)
