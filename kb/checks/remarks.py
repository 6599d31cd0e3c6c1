"""What is said when a PromQL rule cannot judge: the reason, and how to make it able to."""

from collections.abc import Mapping, Sequence

from kb.checks.card import Metric
from kb.checks.contract import ReasonKind, Unknown
from kb.model import Text

SHOWN = 20

Places = Sequence[Mapping[str, str]]


def never_there(metrics: Sequence[Metric], places: Places = (), of: int = 0) -> Unknown:
    """Series that are absent: of all (`places` empty), or of some things among `of`."""
    names = _names(metrics)
    if places:
        reason = Text(
            en=f"{names} is missing for {len(places)} of {of}.",
            ko=f"{of}개 가운데 {len(places)}개에 {names} 시계열이 없습니다.",
        )
    else:
        reason = Text(en=f"No series of {names}.", ko=f"{names} 시계열이 없습니다.")
    return Unknown(reason, ReasonKind.no_series, remedy(metrics), tuple(places[:SHOWN]), len(places))


def stopped(metrics: Sequence[Metric], places: Places = (), of: int = 0) -> Unknown:
    """Series that were there within the last day and are not there now."""
    names = _names(metrics)
    en = f"{names} was there within the last day and has stopped"
    ko = f"{names} 시계열이 최근 하루 안에는 있었지만 지금은 끊겼습니다"
    if places:
        en, ko = f"{en} for {len(places)} of {of}", f"{ko}({of}개 가운데 {len(places)}개)"
    return Unknown(
        Text(en=f"{en}.", ko=f"{ko}."),
        ReasonKind.stale,
        Text(
            en="See whether the exporter and its scrape target are up; a dying device can take them down.",
            ko="익스포터와 스크레이프 타깃이 살아 있는지 확인하십시오. "
            "장치에 장애가 나면 익스포터까지 함께 멈추기도 합니다.",
        ),
        tuple(places[:SHOWN]),
        len(places),
    )


def no_expectation(metrics: Sequence[Metric]) -> Unknown:
    """The series that tell how many things there are is absent, so a gap could not be noticed."""
    names = _names(metrics)
    return Unknown(
        Text(
            en=f"No series of {names}, so it cannot be told whether everything was looked at.",
            ko=f"{names} 시계열이 없어서 빠짐없이 검사했는지 알 수 없습니다.",
        ),
        ReasonKind.no_series,
        remedy(metrics),
    )


def remedy(metrics: Sequence[Metric]) -> Text:
    """Which exporter offers the series, and how to switch them on."""
    en, ko = [], []
    for metric in metrics:
        if metric.default_on:
            en.append(f"{metric.name} comes from {metric.exporter}, on by default: see that it is scraped.")
            ko.append(f"{metric.name}: {metric.exporter} 기본 지표입니다. 스크레이프되는지 확인하십시오.")
        else:
            how = metric.switch_on or Text(en="Switch it on.", ko="설정에서 켜십시오.")
            en.append(f"{metric.name} comes from {metric.exporter}, off by default. {how.en}")
            ko.append(f"{metric.name}: {metric.exporter}에서 기본으로 꺼져 있습니다. {how.ko or how.en}")
    return Text(en=" ".join(en) or "Add the series.", ko=" ".join(ko) or "시계열을 추가하십시오.")


def _names(metrics: Sequence[Metric]) -> str:
    return ", ".join(metric.name for metric in metrics) or "the series looked at"
