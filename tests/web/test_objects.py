"""Replays of a Kubernetes API on pages: manifests, those marked on which a finding rests."""

import pytest

from kb.answers import ObjectAnswer, ReplayAnswer, ReplayChart
from kb.checks.card import Answer, KubernetesData, Origin
from kb.checks.proofs import ProofRecord
from kb.library.replays import MAX_OBJECTS, OBJECT_LINES, objects_of
from kb.model import Lang
from kb.web.chart import chart_of
from kb.web.render import environment
from kb.web.words import Words


def pod(name: str, **more: object) -> dict[str, object]:
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "namespace": "site"}, **more}


def proof(*lines: str) -> ProofRecord:
    return ProofRecord(
        check="workload/x", replay="r.yaml", check_digest="a", replay_digest="b", expected=Answer.found,
        actual=Answer.found, passes=True, lines=lines, tool="kb",
    )  # fmt: skip


def data(*objects: dict[str, object]) -> KubernetesData:
    return KubernetesData(now="2026-11-20T12:00:00Z", objects=objects)


def answer(objects: tuple[ObjectAnswer, ...], said: Answer) -> ReplayAnswer:
    chart = ReplayChart(
        series=(), lines=(), starts=None, length=0, threshold=None, direct=False, hold=0, fired_at=None,
        people_knew_at=None, looked_at=2, reason_kinds=(), objects=objects,
    )  # fmt: skip
    return ReplayAnswer(
        name="r.yaml", must=said, origin=Origin.rebuilt, case=None, how=None, link=None, passes=True, answer=said,
        fired_at=None, people_knew_at=None, published=(), filled_in=(), note=None, chart=chart,
    )  # fmt: skip


def test_the_objects_that_are_found_come_first_and_are_told_from_the_others() -> None:
    objects = objects_of(data(pod("a"), pod("b", status={"phase": "Failed"})), proof("Pod site/b"))
    assert [(item.name, item.found) for item in objects] == [("Pod site/b", True), ("Pod site/a", False)]
    assert "phase: Failed" in objects[0].text
    assert not any(item.found for item in objects_of(data(pod("a")), None))


def test_many_and_long_objects_are_shortened() -> None:
    long = pod("long", spec={"args": [str(n) for n in range(200)]})
    objects = objects_of(data(*(pod(f"p{n}") for n in range(50)), long), proof("Pod site/long"))
    assert len(objects) == MAX_OBJECTS
    assert objects[0].text.split("\n")[-1] == "…"
    assert len(objects[0].text.split("\n")) == OBJECT_LINES + 1


@pytest.mark.parametrize("lang", list(Lang))
def test_a_page_opens_what_was_found_and_folds_the_rest(lang: Lang) -> None:
    objects = (
        ObjectAnswer(name="Pod site/b", text="kind: Pod\nimage: <b>", found=True),
        ObjectAnswer(name="Pod site/a", text="kind: Pod", found=False),
    )
    replay = answer(objects, Answer.found)
    chart = chart_of(replay, lang)
    assert chart
    macros = environment().get_template("parts/chart.html").make_module({"t": Words(lang), "lang": lang})
    markup = str(macros.replay_chart(chart, replay, "caption"))  # type: ignore[attr-defined]
    assert markup.count("<details") == 2
    assert markup.count(" open>") == 1
    assert "<mark>Pod site/b</mark>" in markup
    assert "image: &lt;b&gt;" in markup
    assert "<svg" not in markup
    assert Words(lang).plain("chart_objects", n=2) in markup


def test_a_replay_that_could_not_be_judged_shows_no_objects() -> None:
    chart = chart_of(answer((ObjectAnswer(name="Pod a", text="kind: Pod", found=False),), Answer.unknown), Lang.en)
    assert chart
    assert chart.objects == ()
