"""One trouble seen through two sources: each finding says that the other check sees it as well."""

from collections.abc import Mapping

from kb.checks.catalogue import Catalogue
from kb.checks.contract import Evidence, Finding, Outcome
from kb.checks.report import Report
from kb.checks.report_markdown import markdown
from kb.checks.run import Sources, assemble
from kb.checks.sarif import sarif
from kb.model import Lang

COUNTED, NAMED = "workload/image_pull_backoff", "workload/image_pull_failing"


def report(found: Mapping[str, list[dict[str, str]]]) -> Report:
    outcomes = {
        check: Outcome(3, tuple(Finding(place, Evidence(value=1, unit="", threshold="> 0")) for place in places))
        for check, places in found.items()
    }
    return assemble(Catalogue.load(), outcomes, Sources(), data_version="1", started="", skipped={})


def seen(found: Mapping[str, list[dict[str, str]]]) -> list[tuple[str, tuple[str, ...]]]:
    return [(item.check, item.also_seen_by) for item in report(found).findings]


def test_findings_of_two_sources_at_one_place_name_each_other() -> None:
    assert seen({
        COUNTED: [{"namespace": "gitlab"}, {"namespace": "shop"}],
        NAMED: [{"namespace": "gitlab", "workload": "a"}, {"namespace": "gitlab", "workload": "b"}],
    }) == [(COUNTED, (NAMED,)), (COUNTED, ()), (NAMED, (COUNTED,)), (NAMED, (COUNTED,))]  # fmt: skip


def test_a_place_without_a_label_in_common_is_not_called_the_same() -> None:
    assert seen({COUNTED: [{"namespace": "gitlab"}], NAMED: [{"workload": "gitlab"}]}) == [(COUNTED, ()), (NAMED, ())]


def test_all_labels_in_common_have_to_agree() -> None:
    used, exhausted = "scheduling/quota_used_up", "scheduling/quota_exhausted"
    one = {"namespace": "shop", "resourcequota": "q", "resource": "pods"}
    other = {**one, "resource": "cpu"}

    assert seen({used: [one], exhausted: [one, other]}) == [(exhausted, (used,)), (exhausted, ()), (used, (exhausted,))]


def test_a_sibling_that_found_nothing_is_not_named() -> None:
    assert seen({COUNTED: [{"namespace": "gitlab"}], NAMED: []}) == [(COUNTED, ())]


def test_the_report_says_it_in_both_languages_and_in_json() -> None:
    whole = report({COUNTED: [{"namespace": "gitlab"}], NAMED: [{"namespace": "gitlab", "workload": "a"}]})

    assert f"Also seen by: `{NAMED}`" in markdown(whole, Lang.en)
    assert f"같은 문제를 본 검사: `{NAMED}`" in markdown(whole, Lang.ko)
    rows = whole.as_dict()["findings"]
    assert isinstance(rows, list)
    assert [row["also_seen_by"] for row in rows] == [[NAMED], [COUNTED]]
    results = sarif(whole, Catalogue.load().cards, Lang.en)["runs"][0]["results"]
    assert [row["properties"]["alsoSeenBy"] for row in results] == [[NAMED], [COUNTED]]
