"""Baselines, ignore rules, the site's file, and the forms a report is printed in."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from kb.case_file import SchemaFaults
from kb.checks.accepting import accept, read_baseline
from kb.checks.card import Answer, Severity
from kb.checks.catalogue import Catalogue
from kb.checks.contract import Evidence, Finding, Sample
from kb.checks.report import Report, ReportedUnknown, report_finding
from kb.checks.report_markdown import code, markdown, plain
from kb.checks.sarif import sarif
from kb.checks.site import Access, Ignore, read_site
from kb.checks.sources.relabelled import Relabelled
from kb.cli.reporting import draw
from kb.errors import InvalidValue
from kb.model import Lang, Text
from tests.checks.fakes import FakePrometheus, rule_card
from tests.checks.test_report import FINDING, REMARK, report

CATALOGUE = Catalogue.load()
OTHER = Finding({"host": "n2", "gpu": "1"}, Evidence(value=95.0), since=None)


def two_found(**changes: object) -> Report:
    found = tuple(report_finding(rule_card(), finding, ("IL-0224",)) for finding in (FINDING, OTHER))
    return report(findings=found, answers={"gpu/test_rule": Answer.found}, **changes)


def rule(**changes: object) -> Ignore:
    return Ignore.model_validate(
        {"check": "gpu/test_rule", "where": {"host": "n1"}, "reason": "RMA under way", "until": "2026-12-01"} | changes
    )


def test_an_ignore_rule_sets_its_finding_apart_and_the_rest_still_counts() -> None:
    left = accept(two_found(), ignore=[rule()], today="2026-11-29")
    assert [item.finding.where["host"] for item in left.findings] == ["n2"]
    [known] = left.accepted
    assert (known.by, known.reason, known.item.finding.where["host"]) == (
        "ignore", "RMA under way (until 2026-12-01)", "n1",
    )  # fmt: skip
    assert left.exit_status == 1
    everything = accept(two_found(), ignore=[rule(where={}, check="gpu/*")], today="2026-12-01")
    assert (everything.findings, everything.exit_status) == ((), 0)


def test_a_rule_that_has_run_out_accepts_nothing_and_is_named() -> None:
    left = accept(two_found(), ignore=[rule()], today="2026-12-02")
    assert len(left.findings) == 2
    assert [(r.check, r.until, r.covered) for r in left.lapsed] == [("gpu/test_rule", "2026-12-01", 1)]


def test_a_pattern_that_names_a_label_the_place_lacks_covers_nothing() -> None:
    assert len(accept(two_found(), ignore=[rule(where={"rack": "r1"})], today="2026-11-29").findings) == 2


def test_a_baseline_accepts_what_an_earlier_run_found_and_says_what_is_gone(tmp_path: Path) -> None:
    earlier = tmp_path / "last.json"
    earlier.write_text(json.dumps(two_found().as_dict()), encoding="utf-8")
    baseline = read_baseline(earlier)
    again = accept(two_found(), baseline=baseline, today="2026-11-29")
    assert (again.findings, len(again.accepted), again.gone, again.exit_status) == ((), 2, (), 0)
    # Accepted once, accepted always: a baseline made from a run that had one.
    earlier.write_text(json.dumps(again.as_dict()), encoding="utf-8")
    assert accept(two_found(), baseline=read_baseline(earlier), today="2026-11-29").findings == ()
    healthy = accept(report(), baseline=baseline, today="2026-11-29")
    assert [check for check, _ in healthy.gone] == ["gpu/test_rule"] * 2
    blind = report(answers={"gpu/test_rule": Answer.unknown}, unknown=(ReportedUnknown("gpu/test_rule", REMARK, ()),))
    assert accept(blind, baseline=baseline, today="2026-11-29").gone == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not a report"),
        ('{"schema": "kb-check-report/0"}', "is of the form `kb-check-report/0`"),
        ('{"schema": "kb-check-report/1", "findings": [{"id": "a"}]}', "damaged"),
        ('{"schema": "kb-check-report/1", "findings": 7}', "damaged"),
    ],
)
def test_a_baseline_that_is_none_is_refused_with_the_way_to_make_one(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "b.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidValue, match=said) as caught:
        read_baseline(path)
    assert "--json > FILE" in str(caught.value)
    with pytest.raises(InvalidValue, match="cannot be read"):
        read_baseline(tmp_path / "absent.json")


def test_the_least_severity_that_fails_can_be_raised_but_unknown_stays_unknown() -> None:
    assert two_found(fail_on=Severity.warning).exit_status == 1
    assert two_found(fail_on=Severity.critical).exit_status == 0
    remark = (ReportedUnknown("gpu/other", REMARK, ()),)
    assert two_found(fail_on=Severity.critical, unknown=remark).exit_status == 3


SITE = """
knobs:
  gpu/temperature_high:
    limit: 88
ignore:
  - check: exposure/*
    reason: known
    until: 2027-01-31
labels:
  hostname: Hostname
"""


def test_a_site_s_file_is_read_whole_and_every_fault_is_named_with_its_line(tmp_path: Path) -> None:
    knob = next(card for card in CATALOGUE.cards.values() if card.knobs and card.knobs[0].max)
    path = tmp_path / "site.yaml"
    text = SITE.replace("gpu/temperature_high", knob.id).replace("limit: 88", f"{knob.knobs[0].name}: ${{}}")
    path.write_text(text.replace("${}", knob.knobs[0].default), encoding="utf-8")
    site = read_site(path, CATALOGUE)
    assert (site.labels, site.fail_on, site.ignore[0].until) == ({"hostname": "Hostname"}, "info", "2027-01-31")
    for wrong, said in [
        (("2027-01-31", "2027-02-31"), "day is out of range"),
        (("2027-01-31", "soon"), "must be a day"),
        (("exposure/*", "exposure/never_heard_of"), "no check is called"),
        (("labels:", "label:"), "no such field"),
        ((f"{knob.knobs[0].name}:", "no_such_knob:"), "has no knob"),
        (("    reason: known\n", ""), "required"),
        (("labels:", "prometheus:\n  user: reader\nlabels:"), "`user` needs `password_file`"),
    ]:
        path.write_text(text.replace("${}", knob.knobs[0].default).replace(*wrong), encoding="utf-8")
        with pytest.raises(SchemaFaults, match=said):
            read_site(path, CATALOGUE)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"token_file": "t", "user": "u", "password_file": "p"}, "token_file and user"),
        ({"token_file": "t", "headers": {"authorization": "Basic x"}}, "token_file and headers.Authorization"),
        ({"password_file": "p"}, "`password_file` needs `user`"),
        ({"key_file": "k"}, "`key_file` needs `certificate_file`"),
    ],
)
def test_ways_in_that_exclude_or_need_each_other_are_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Access.model_validate(given)


def test_a_site_s_own_names_are_asked_for_and_answered_in_the_exporter_s_words() -> None:
    theirs = {"__name__": "site:seen", "Hostname": "n1", "gpu": "0"}
    source = FakePrometheus(lambda expr, at: [Sample(theirs, 1.0, at)])
    seen = Relabelled(source, {"hostname": "Hostname"}, {"seen": "site:seen"})
    [sample] = seen.query('max by (hostname) (seen{job="seen", hostname=~"hostname.*"})', 60.0)
    assert source.asked[0].expr == 'max by (Hostname) (site:seen{job="seen", Hostname=~"hostname.*"})'
    assert sample.labels == {"__name__": "seen", "hostname": "n1", "gpu": "0"}
    assert (seen.now(), seen.name) == (source.now(), source.name)


def test_sarif_tells_the_four_answers_apart_and_places_are_logical() -> None:
    full = accept(
        two_found(
            unknown=(ReportedUnknown("gpu/test_rule", REMARK, ()),),
            not_applicable=(("gpu/test_rule", Text(en="No GPUs.", ko="GPU가 없습니다.")),),
        ),
        ignore=[rule()],
        today="2026-11-29",
    )
    document = json.loads(json.dumps(sarif(full, {"gpu/test_rule": rule_card()}, Lang.ko, "https://kb.test")))
    assert document["version"] == "2.1.0"
    [run] = document["runs"]
    assert run["tool"]["driver"]["rules"][0]["helpUri"] == "https://kb.test/ko/checks/gpu/test_rule"
    kinds = [(result["kind"], result["level"], "suppressions" in result) for result in run["results"]]
    assert kinds == [
        ("fail", "warning", False), ("fail", "warning", True), ("open", "none", False),
        ("notApplicable", "none", False),
    ]  # fmt: skip
    [finding] = [r for r in run["results"] if r["kind"] == "fail" and "suppressions" not in r]
    assert finding["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "gpu=1,host=n2"
    assert finding["partialFingerprints"]["kbFindingId/v1"] == full.findings[0].id
    assert all(rule["id"] == run["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] for r in run["results"]
               for rule in [run["tool"]["driver"]["rules"][r["ruleIndex"]]])  # fmt: skip
    clear = sarif(report(), {"gpu/test_rule": rule_card()}, Lang.en)["runs"][0]
    assert [r["kind"] for r in clear["results"]] == ["pass"]
    assert "helpUri" not in clear["tool"]["driver"]["rules"][0]


def test_a_finding_without_the_number_of_a_line_names_the_file_alone() -> None:
    of_a_file = Finding({"host": "n1"}, Evidence(file="proc/mounts", line="tmpfs"))
    shown = report(findings=(report_finding(rule_card(), of_a_file, ()),), looked_at={"gpu/test_rule": 1})
    drawn = io.StringIO()
    draw(Console(file=drawn, width=200), shown, Lang.en)
    assert "`proc/mounts: tmpfs`" in markdown(shown, Lang.en)
    assert "proc/mounts: tmpfs" in drawn.getvalue()
    assert Evidence(file="a", line_number=3, object="Pod default/web-0").place == "Pod default/web-0"


def test_markdown_holds_everything_and_hostile_text_stays_text() -> None:
    hostile = Finding({"host": "n1|<img>"}, Evidence(file="k.log", line_number=3, line="a `b` ``c`` | <script>"))
    full = accept(
        report(
            findings=(report_finding(rule_card(), hostile, ("IL-0224",)), report_finding(rule_card(), OTHER, ())),
            unknown=(ReportedUnknown("gpu/other", REMARK, ()),),
            answers={"gpu/test_rule": Answer.found, "gpu/third": Answer.clear},
            looked_at={"gpu/third": 5},
        ),
        ignore=[rule(where={"host": "n2"})],
        today="2026-11-29",
    )
    text = markdown(full, Lang.en, "https://kb.test")
    assert "[IL-0224](https://kb.test/en/incidents/IL-0224)" in text
    assert "n1\\|\\<img\\>" in text
    assert "``` k.log:3: a `b` ``c`` | <script> ```" in text
    assert "RMA under way (until 2026-12-01)" in text
    assert "- `gpu/third` (5)" in text
    assert "No series." in text
    assert "IL-0224" in markdown(full, Lang.ko)
    assert "](" not in markdown(full, Lang.ko)
    assert (plain("a\n b"), code("x")) == ("a b", "`x`")
