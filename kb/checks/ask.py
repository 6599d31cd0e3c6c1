"""One check over one source: the rule or the function, and every failure turned into `unknown`."""

import logging
from collections.abc import Callable
from functools import partial
from typing import cast

from kb.checks.card import CheckCard
from kb.checks.catalogue import Catalogue
from kb.checks.contract import (
    REASON_WORDS,
    Knobs,
    Outcome,
    PrometheusSource,
    ReadSource,
    ReasonKind,
    Source,
    unknown,
)
from kb.checks.rule import run_rule
from kb.errors import KbError, SourceError
from kb.model import Text

log = logging.getLogger(__name__)

Judge = Callable[[Source, Knobs], Outcome]


def judge_of(catalogue: Catalogue, check: str) -> Judge:
    """What judges: the rule of the card, or the function beside it, loaded when it is first asked.

    Raises:
        NotFound: no such check.
    """
    card = catalogue.folder(check).card
    if card.rule is not None:
        return partial(_by_rule, card)
    return partial(_by_function, catalogue, check)


def _by_rule(card: CheckCard, source: Source, knobs: Knobs) -> Outcome:
    return run_rule(card, cast(PrometheusSource, source), knobs)


def _by_function(catalogue: Catalogue, check: str, source: Source, knobs: Knobs) -> Outcome:
    """The function's outcome; what could not be read stays in it even if the function forgets them."""
    read = cast(ReadSource, source)
    outcome = catalogue.function(check)(read, knobs)
    return outcome.with_unknown([remark for remark in read.problems() if remark not in outcome.unknown])


def judged(judge: Judge, source: Source, knobs: Knobs) -> Outcome:
    """The outcome; whatever goes wrong is `unknown`, never clear and never an error of the run."""
    try:
        return judge(source, knobs)
    except SourceError as error:
        return from_source_error(error)
    except KbError as error:
        return _crashed(str(error))
    except Exception as error:  # a faulty check must not end the run
        log.exception("check failed")
        return _crashed(type(error).__name__)


def from_source_error(error: SourceError) -> Outcome:
    kind = ReasonKind(error.reason_kind)
    words = REASON_WORDS[kind]
    next_step = error.next_step or "See the log of the source."
    return unknown(
        Text(en=error.what, ko=error.what_ko or f"{words.ko}: {error.what}"),
        kind,
        Text(en=next_step, ko=error.next_step_ko or REMEDY_KO[kind]),
    )


def timed_out(limit: float) -> Outcome:
    return unknown(
        Text(en=f"No answer within {limit:g} s.", ko=f"{limit:g}초 안에 끝나지 않았습니다."),
        ReasonKind.timeout,
        Text(
            en="Run this check alone, or give it more time.",
            ko="이 검사만 따로 돌리거나 제한 시간을 늘리십시오.",
        ),
    )


def _crashed(what: str) -> Outcome:
    return unknown(
        Text(en=f"The check itself failed: {what}.", ko=f"검사가 오류로 끝났습니다: {what}."),
        ReasonKind.crash,
        Text(en="Report this as a defect of the check.", ko="검사 자체의 결함이니 신고해 주십시오."),
    )


REMEDY_KO = {
    ReasonKind.no_series: "필요한 지표가 수집되는지 확인하십시오.",
    ReasonKind.stale: "익스포터와 스크레이프 타깃이 살아 있는지 확인하십시오.",
    ReasonKind.forbidden: "필요한 인증 정보를 주거나, 로그인을 거치지 않는 주소를 쓰십시오.",
    ReasonKind.timeout: "다시 시도하거나 시계열이 더 적은 서버에 물으십시오.",
    ReasonKind.crash: "주소와 네트워크 경로, 서버 로그를 확인하십시오.",
    ReasonKind.unsupported: "/api/v1/query가 있는 주소를, 경로 접두어까지 포함해 주십시오.",
}
