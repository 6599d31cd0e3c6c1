"""What Kubernetes checks share, where it decides an answer."""

import pytest

from kb.checks.card import Answer, KubernetesData
from kb.checks.contract import ReasonKind
from kb.checks.cron import DAY, HOUR, busiest, period
from kb.checks.objects import MissingFieldError, Survey, chosen, moment, need, number, place, title
from kb.checks.sources.manifests import Manifests
from kb.checks.workloads import environment, gpus, owner
from kb.model import Text

POD = {
    "kind": "Pod",
    "apiVersion": "v1",
    "metadata": {"name": "web-0", "namespace": "site", "creationTimestamp": "2026-11-20T11:00:00Z"},
    "status": {"phase": "Running"},
}


@pytest.fixture
def survey() -> Survey:
    return Survey(Manifests(KubernetesData(now="2026-11-20T12:00:00Z")))


@pytest.mark.parametrize(
    ("said", "value"),
    [("500m", 0.5), ("2", 2), (3, 3), ("64Gi", 64 * 2**30), ("15k", 15_000), ("1e3", 1000), ("0", 0), ("100n", 1e-7)],
)
def test_quantities_are_read_as_the_api_writes_them(said: object, value: float) -> None:
    assert number({"a": {"b": said}}, "a", "b") == pytest.approx(value)


@pytest.mark.parametrize("said", ["", "lots", "12 GB", None, {}, "1Zi"])
def test_what_is_no_quantity_is_missing_and_not_zero(said: object) -> None:
    with pytest.raises(MissingFieldError, match=r"a\.b"):
        number({"a": {"b": said}}, "a", "b")


def test_only_what_is_absent_takes_a_default() -> None:
    assert number({}, "a", default=7) == 7
    with pytest.raises(MissingFieldError):
        number({"a": "lots"}, "a", default=7)


def test_a_path_through_something_else_is_absent() -> None:
    assert need({"a": {"b": 0}}, "a", "b") == 0
    for broken in ({}, {"a": None}, {"a": "text"}, {"a": [1]}, "text"):
        with pytest.raises(MissingFieldError):
            need(broken, "a", "b")


@pytest.mark.parametrize("said", ["2026-11-20T12:00:00Z", "2026-11-20T13:00:00+01:00", "2026-11-20T12:00:00.000000Z"])
def test_times_are_read_with_their_zone(said: str) -> None:
    assert moment({"t": said}, "t") == 1_795_176_000


@pytest.mark.parametrize(
    ("selector", "takes"),
    [
        (None, True),
        ({}, True),
        ({"matchLabels": {"app": "web"}}, True),
        ({"matchLabels": {"app": "api"}}, False),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "api"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, False),
        ({"matchExpressions": [{"key": "gone", "operator": "NotIn", "values": ["web"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False),
        ({"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "Exists"}]}, False),
    ],
)
def test_label_selectors_choose_as_kubernetes_defines_it(selector: object, takes: bool) -> None:
    assert chosen(selector, {"app": "web"}) is takes


def test_an_operator_of_the_future_is_not_guessed() -> None:
    with pytest.raises(MissingFieldError):
        chosen({"matchExpressions": [{"key": "app", "operator": "Near"}]}, {"app": "web"})


def test_places_and_titles_name_the_object() -> None:
    assert (title(POD), place(POD)) == ("Pod site/web-0", {"namespace": "site", "pod": "web-0"})
    node = {"kind": "Node", "metadata": {"name": "n1"}}
    assert (title(node), place(node)) == ("Node n1", {"node": "n1"})


def test_an_object_that_lacks_a_field_is_unknown_and_not_counted(survey: Survey) -> None:
    with survey.judging(POD):
        need(POD, "status", "phase")
    with survey.judging(POD):
        need(POD, "status", "conditions")
    outcome = survey.outcome()
    assert (outcome.answer, outcome.looked_at) == (Answer.unknown, 1)
    assert outcome.unknown[0].kind is ReasonKind.no_series
    assert "status.conditions" in outcome.unknown[0].reason.en
    assert outcome.unknown[0].where == ({"namespace": "site", "pod": "web-0"},)


def test_what_is_found_twice_at_a_place_is_one_finding_with_a_count(survey: Survey) -> None:
    for _ in range(3):
        with survey.judging(POD):
            survey.find(POD, "first", where={"node": "n1"})
    [finding] = survey.outcome().findings
    assert (finding.evidence.count, finding.evidence.object, finding.evidence.line) == (3, "Pod site/web-0", "first")


def test_nothing_to_look_at_is_never_clear(survey: Survey) -> None:
    assert survey.outcome().answer is Answer.unknown
    none = Text(en="None.", ko="없음.")
    assert survey.outcome(nothing=none).not_applicable == none
    survey.blind(POD, "spec")
    assert survey.outcome(nothing=none).answer is Answer.unknown


def test_ages_count_to_the_servers_now(survey: Survey) -> None:
    assert survey.age(POD, "metadata", "creationTimestamp") == 3600


def test_the_owner_of_a_pod_is_what_a_person_calls_it() -> None:
    def pod(kind: str, name: str, **labels: str) -> dict[str, object]:
        return {"metadata": {"name": "x", "labels": labels, "ownerReferences": [{"kind": kind, "name": name}]}}

    assert owner(pod("ReplicaSet", "web-5c9", **{"pod-template-hash": "5c9"})) == "Deployment web"
    assert owner(pod("ReplicaSet", "bare")) == "ReplicaSet bare"
    assert owner(pod("Job", "train")) == "Job train"
    assert owner({"metadata": {"name": "alone"}}) == "Pod alone"


def test_gpus_and_variables_are_those_of_all_containers() -> None:
    def container(resource: str, count: str, **variable: object) -> dict[str, object]:
        return {"resources": {"limits": {resource: count, "cpu": "8"}}, "env": [variable]}

    first = container("nvidia.com/gpu", "4", name="X", value="1")
    second = container("nvidia.com/mig-1g.10gb", "2", name="Y", valueFrom={})
    spec = {"containers": [first, second]}
    assert gpus(spec) == 6
    assert environment(spec) == {"X": "1"}


@pytest.mark.parametrize(
    ("schedule", "longest", "shortest"),
    [
        ("*/15 * * * *", 900, 900),
        ("5 * * * *", HOUR, HOUR),
        ("0 */6 * * *", 6 * HOUR, 6 * HOUR),
        ("0 2 * * *", DAY, DAY),
        ("*/15 9-19 * * Mon-Fri", 3 * DAY, 900),
        ("0 4 * * 1", 7 * DAY, DAY),
        ("0 4 1 * *", 31 * DAY, DAY),
        ("0 4 1 1 *", 366 * DAY, DAY),
        ("@hourly", HOUR, HOUR),
        ("CRON_TZ=Asia/Seoul 0,30 * * * *", HOUR, 1800),
    ],
)
def test_a_schedule_is_never_taken_for_more_frequent_than_it_is(schedule: str, longest: float, shortest: float) -> None:
    assert (period(schedule), busiest(schedule)) == (longest, shortest)


@pytest.mark.parametrize("schedule", ["", "@reboot", "0 2 * *", "0 2 * * * *"])
def test_what_is_no_schedule_is_unknown(schedule: str) -> None:
    with pytest.raises(MissingFieldError):
        period(schedule)
