"""kb blind-spots and kb doctor: what the monitoring that is there could not have seen, and what it has."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from kb.build import read_catalogue
from kb.checks.blind_spots import BlindSpots, assumed, blind_spots, metrics_of, metrics_there, remedy
from kb.checks.doctor import Diagnosis, examine
from kb.checks.site import Site, read_site
from kb.cli import options
from kb.cli.opening import console, one_row
from kb.cli.sources import open_prometheus
from kb.errors import InvalidValue, SourceError
from kb.model import Lang
from kb.questions import Question, ask
from kb.settings import Settings

SAID = {
    Lang.en: {
        "seen": "{n} cases would have been seen", "hidden": "{n} cases would have stayed hidden",
        "gap": "{e}: {n} hidden cases would be seen", "add": "add", "elsewhere": "{n} cases show only in {k}",
        "metrics": "{n} of {m} metrics that the checks know are there", "versions": "versions",
        "ready": "{n} of {m} PromQL checks have every metric they judge by", "label": "no label `{l}` on {m}",
        "perhaps": "perhaps `{p}`: write `labels: {{{l}: {p}}}` into the site's file", "none": "nothing there",
    },
    Lang.ko: {
        "seen": "사례 {n}건은 보였을 것입니다", "hidden": "사례 {n}건은 보이지 않았을 것입니다",
        "gap": "{e}: 숨은 사례 {n}건이 보이게 됩니다", "add": "추가", "elsewhere": "사례 {n}건은 {k}에서만 보입니다",
        "metrics": "검사가 아는 지표 {m}개 가운데 {n}개가 있습니다", "versions": "버전",
        "ready": "PromQL 검사 {m}개 가운데 {n}개는 필요한 지표가 모두 있습니다",
        "label": "{m}에 레이블 `{l}`이 없습니다",
        "perhaps": "혹시 `{p}`라면 사이트 설정 파일에 `labels: {{{l}: {p}}}`를 적으십시오", "none": "없음",
    },
}  # fmt: skip


def register(app: typer.Typer) -> None:
    app.command("blind-spots")(blind)
    app.command("doctor")(doctor)


def blind(
    prometheus: options.PrometheusAddress = None,
    kube: options.KubeContext = None,
    assume: Annotated[
        list[str] | None,
        typer.Option(help="Instead of a server: an exporter as it is installed, or `name=all`; repeatable."),
    ] = None,
    metrics: Annotated[
        Path | None, typer.Option(help="Instead of a server: a file of metric names, one a line.")
    ] = None,
    header: options.Header = None,
    config: options.Config = None,
    lang: options.Language = None,
    as_json: options.AsJson = False,
) -> None:
    """Which of the library's incidents could this cluster not even have seen, and what has to be switched on?

    Exit status: 0 nothing hidden, 1 something hidden, 2 wrong usage, 3 the server could not be asked
    or promtool failed.
    """
    language = ask(Question, {"lang": lang}).lang
    settings = Settings()
    catalogue = read_catalogue(settings)
    site = read_site(config, catalogue) if config else Site()
    if sum(map(bool, (prometheus, assume, metrics))) != 1:
        raise InvalidValue(
            "Say what to look at, in one way: `--prometheus http://prometheus:9090`, `--assume node_exporter --assume "
            "dcgm-exporter`, or `--metrics names.txt`.",
            field="prometheus",
        )
    with _three_without_an_answer():
        if prometheus:
            source = open_prometheus(prometheus, header, site, kube)
            looked_in, there = source.name, metrics_there(source, metrics_of(catalogue))
        else:
            looked_in = ", ".join(assume or ()) or str(metrics)
            there = assumed(catalogue, assume) if assume else _names_in(metrics or Path())
        with one_row("replays") as tell:
            progress = partial(tell, "replays")
            report = blind_spots(catalogue, there, looked_in=looked_in, promtool=settings.promtool, progress=progress)
    if as_json:
        typer.echo(json.dumps(plain(report, language), ensure_ascii=False, indent=1))
    else:
        _draw(console(), report, language, len(metrics_of(catalogue)))
    raise typer.Exit(1 if report.hidden else 0)


@contextmanager
def _three_without_an_answer() -> Iterator[None]:
    """A server that does not answer, or a promtool that fails, is status 3: then nothing is known."""
    try:
        yield
    except SourceError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(3) from error


def _names_in(path: Path) -> set[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidValue(f"The file `{path}` cannot be read.", field="metrics") from error
    names = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
    if not names:
        raise InvalidValue(f"The file `{path}` names no metric.", field="metrics", next_step="One name a line.")
    return names


def plain(report: BlindSpots, lang: Lang) -> dict[str, object]:
    return {
        "schema": "kb-blind-spots/1",
        "looked_in": report.looked_in,
        "metrics_there": list(report.metrics_there),
        "metrics_missing": list(report.metrics_missing),
        "seen": list(report.seen),
        "hidden": [
            {"case": one.case, "checks": list(one.checks), "missing": list(one.missing)} for one in report.hidden
        ],
        "gaps": [
            {
                "exporter": gap.exporter,
                "cases": list(gap.cases),
                "missing": [{"name": m.name, "remedy": remedy(m).say(lang)[0]} for m in gap.missing],
            }
            for gap in report.gaps
        ],
        "elsewhere": {case: list(kinds) for case, kinds in report.elsewhere.items()},
    }


def _draw(out: Console, report: BlindSpots, lang: Lang, known: int) -> None:
    said = SAID[lang]
    out.print(f"[dim]{escape(report.looked_in)}[/]")
    out.print(said["metrics"].format(n=known - len(report.metrics_missing), m=known))
    out.print(f"✓ {said['seen'].format(n=len(report.seen))}")
    if report.hidden:
        out.print(f"[bold red]! {said['hidden'].format(n=len(report.hidden))}[/]")
    for gap in report.gaps:
        if not gap.cases:
            continue
        out.print(f"[bold]{escape(said['gap'].format(e=gap.exporter, n=len(gap.cases)))}[/]: {', '.join(gap.cases)}")
        for metric in gap.missing:
            out.print(f"    {said['add']} {metric.name}: {escape(remedy(metric).say(lang)[0])}")
    for one in report.hidden:
        out.print(f"[dim]    {one.case}: {', '.join(one.checks)} ({', '.join(one.missing)})[/]")
    kinds: dict[tuple[str, ...], int] = {}
    for of in report.elsewhere.values():
        kinds[of] = kinds.get(of, 0) + 1
    for of, count in sorted(kinds.items()):
        out.print(f"[dim]{said['elsewhere'].format(n=count, k=', '.join(of))}[/]")


def doctor(
    prometheus: options.PrometheusAddress = None,
    kube: options.KubeContext = None,
    header: options.Header = None,
    config: options.Config = None,
    lang: options.Language = None,
) -> None:
    """What a Prometheus has of what the checks need: exporters, versions, labels under other names.

    Exit status: 0 every exporter that is there gives all it can, 1 something is missing, 3 the server cannot be asked.
    """
    language = ask(Question, {"lang": lang}).lang
    settings = Settings()
    catalogue = read_catalogue(settings)
    site = read_site(config, catalogue) if config else Site()
    if not prometheus:
        known = sorted({metric.exporter for metric in metrics_of(catalogue).values()})
        raise InvalidValue(
            "Give the server to look at: `kb doctor --prometheus http://prometheus:9090`. "
            f"Exporters that the checks know: {', '.join(known)}.",
            field="prometheus",
        )
    with _three_without_an_answer():
        diagnosis = examine(catalogue, open_prometheus(prometheus, header, site, kube))
    _draw_diagnosis(console(), diagnosis, language)
    lacking = any(one.there and one.missing for one in diagnosis.exporters)
    raise typer.Exit(1 if lacking or diagnosis.labels else 0)


def _draw_diagnosis(out: Console, found: Diagnosis, lang: Lang) -> None:
    said = SAID[lang]
    out.print(f"[dim]{escape(found.looked_in)}[/]")
    for program, versions in found.versions.items():
        out.print(f"{said['versions']}: {escape(program)} {escape(', '.join(versions))}")
    for one in found.exporters:
        count = f"{len(one.there)}/{len(one.there) + len(one.missing)}" if one.there else said["none"]
        mark = "✓" if one.there and not one.missing else "–" if not one.there else "!"
        out.print(f"{mark} {escape(one.exporter)} ({count})")
        for metric in one.missing if one.there else ():
            out.print(f"    {said['add']} {metric.name}: {escape(remedy(metric).say(lang)[0])}")
    for label in found.labels:
        out.print(f"! {escape(said['label'].format(l=label.label, m=label.metric))}: {', '.join(label.checks)}")
        for name in label.perhaps[:1]:
            out.print(f"    {escape(said['perhaps'].format(l=label.label, p=name))}")
    out.print(said["ready"].format(n=found.checks_ready, m=found.checks))
