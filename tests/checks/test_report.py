import json

import pytest

from kb.checks.card import Answer
from kb.checks.contract import Evidence, Finding, ReasonKind, Unknown
from kb.checks.report import SCHEMA, Report, ReportedUnknown, SourceNote, fill_in, finding_id, report_finding
from kb.model import Lang, Text
from tests.checks.fakes import rule_card

SINCE = "2026-11-29T00:00:00Z"
FINDING = Finding({"host": "n1", "gpu": "0"}, Evidence(value=94.0, unit="°C", threshold="> 90"), since=SINCE)
REMARK = Unknown(
    Text(en="No series.", ko="시계열이 없습니다."), ReasonKind.no_series, Text(en="Add it.", ko="추가하십시오.")
)


def report(**changes: object) -> Report:
    fields: dict = {
        "data_version": "2026-11-29.abcdef0",
        "started": "2026-11-29T00:00:00Z",
        "sources": (SourceNote("prometheus", "http://p.test"),),
        "answers": {"gpu/test_rule": Answer.clear},
        "looked_at": {"gpu/test_rule": 3, "gpu/other": 4},
        "findings": (),
        "unknown": (),
        "not_applicable": (),
        "skipped": {},
    }
    return Report(**(fields | changes))


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, 0),
        ({"findings": (report_finding(rule_card(), FINDING, ()),)}, 1),
        ({"findings": (report_finding(rule_card(), FINDING, ()),), "unknown": (ReportedUnknown("a", REMARK, ()),)}, 1),
        ({"unknown": (ReportedUnknown("a", REMARK, ()),)}, 3),
        ({"answers": {}}, 3),
        ({"answers": {"gpu/test_rule": Answer.not_applicable}}, 0),
    ],
)
def test_the_exit_status_follows_from_what_was_found_and_what_is_unknown(changes: dict, status: int) -> None:
    assert report(**changes).exit_status == status


def test_placeholders_are_filled_with_labels_value_and_place_and_missing_ones_show() -> None:
    text = fill_in(rule_card().message, FINDING)
    assert (text.en, text.ko) == ("n1: 94 °C, ?", "n1에서 94 °C")


def test_a_label_that_looks_like_a_placeholder_is_not_filled_in_again() -> None:
    finding = Finding({"host": "{value}"}, Evidence(value=1.0))
    assert fill_in(Text(en="{host} {value}"), finding).en == "{value} 1"


def test_a_value_that_json_cannot_write_is_left_out() -> None:
    endless = Finding({"host": "n1"}, Evidence(value=float("inf")))
    answer = report(findings=(report_finding(rule_card(), endless, ()),)).as_dict()
    assert json.loads(json.dumps(answer, allow_nan=False))["findings"][0]["evidence"]["value"] is None


def test_the_plain_form_holds_everything_and_is_json() -> None:
    full = report(
        findings=(report_finding(rule_card(), FINDING, ("IL-0001",)),),
        unknown=(ReportedUnknown("gpu/other", REMARK, ("IL-0002",)),),
        not_applicable=(("gpu/third", Text(en="No GPUs.", ko="GPU가 없습니다.")),),
        skipped={"logs": ("gpu/fourth",)},
    )
    answer = json.loads(json.dumps(full.as_dict(Lang.ko)))
    assert answer["schema"] == SCHEMA
    assert answer["looked_at"] == {"total": 7, "checks": {"gpu/test_rule": 3, "gpu/other": 4}}
    assert answer["sources"] == [{"kind": "prometheus", "name": "http://p.test"}]
    [finding] = answer["findings"]
    assert (finding["answer"], finding["since"], finding["cases"]) == ("found", FINDING.since, ["IL-0001"])
    assert (finding["evidence"]["value"], finding["evidence"]["threshold"]) == (94.0, "> 90")
    assert answer["unknown"] == [
        {
            "check": "gpu/other",
            "reason": "시계열이 없습니다.",
            "reason_kind": "no-series",
            "remedy": "추가하십시오.",
            "where": [],
            "count": 0,
            "cases": ["IL-0002"],
        }
    ]
    assert answer["not_applicable"] == [{"check": "gpu/third", "reason": "GPU가 없습니다."}]
    assert answer["skipped"] == [
        {"reason": "logs 소스를 지정하지 않음", "kind": "logs", "count": 1, "checks": ["gpu/fourth"]}
    ]


def test_a_finding_keeps_its_id_while_the_window_of_steps_moves() -> None:
    place = {"job": "j", "ranks": "3", "steps": "10-40"}
    assert finding_id("training/slow_drift", place) == finding_id("training/slow_drift", place | {"steps": "10-90"})
    assert finding_id("training/slow_drift", place) != finding_id("training/slow_drift", place | {"ranks": "4"})
