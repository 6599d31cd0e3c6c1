"""Every Kubernetes replay, spoilt in several ways: the answer must change (T1), and nothing missing is clear (T3)."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from kb.checks.card import Answer, KubernetesData, Must, Replay
from kb.checks.catalogue import Catalogue, ReplayFile
from kb.checks.contract import ReasonKind
from kb.checks.knobs import DURATION, settle
from kb.checks.replay import difference, replayed
from kb.checks.sources.kube_forms import resource_of
from kb.checks.sources.manifests import Manifests, resource_name
from tests.kubernetes_kinds import BUILT_IN

CATALOGUE = Catalogue.load()
CHECKS = sorted(check for check, card in CATALOGUE.cards.items() if card.kind == "kubernetes")
ALL = [(check, file) for check in CHECKS for file in CATALOGUE.replays(check) if file.replay.data]
FOUND = [pair for pair in ALL if pair[1].replay.must is Must.found]
QUIET = [pair for pair in ALL if pair[1].replay.must is Must.clear]
STANDARD = {str(kind) for kind in BUILT_IN}
Pair = tuple[str, ReplayFile]


def named(pairs: list[Pair]) -> list[str]:
    return [f"{check} {file.name}" for check, file in pairs]


def data_of(replay: Replay) -> KubernetesData:
    assert replay.data
    assert replay.data.kubernetes
    return replay.data.kubernetes


def changed(replay: Replay, **fields: Any) -> Replay:
    data = data_of(replay).model_copy(update=fields)
    assert replay.data
    return replay.model_copy(update={"data": replay.data.model_copy(update={"kubernetes": data})})


def over_objects(replay: Replay, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Replay:
    items = tuple(item for item in map(change, data_of(replay).objects) if item is not None)
    return changed(replay, objects=items)


def still_the_same(check: str, replay: Replay) -> bool:
    assert replay.expect
    expect = replay.expect.model_copy(update={"looked_at": None, "reason_kind": None})
    return difference(expect, replayed(CATALOGUE, check, replay), None) == ""


# --- T1 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("check", "file"), FOUND, ids=named(FOUND))
def test_objects_of_other_names_are_not_found_under_the_old_ones(check: str, file: ReplayFile) -> None:
    def renamed(item: dict[str, Any]) -> dict[str, Any]:
        metadata = item["metadata"]
        names: dict[str, Any] = {key: f"other-{metadata[key]}" for key in ("name", "namespace") if key in metadata}
        if "labels" in metadata:
            names["labels"] = {key: f"other-{value}" for key, value in metadata["labels"].items()}
        placed = item.get("spec", {}).get("nodeName")
        spec = {"spec": {**item["spec"], "nodeName": f"other-{placed}"}} if placed else {}
        return {**item, **spec, "metadata": {**item["metadata"], **names}}

    assert not still_the_same(check, over_objects(file.replay, renamed))


@pytest.mark.parametrize(("check", "file"), FOUND, ids=named(FOUND))
def test_objects_stripped_to_their_names_are_not_found(check: str, file: ReplayFile) -> None:
    """What was found rested on what the objects say, not on their being there."""

    def bare(item: dict[str, Any]) -> dict[str, Any]:
        metadata = {key: item["metadata"][key] for key in ("name", "namespace") if key in item["metadata"]}
        return {"kind": item["kind"], "apiVersion": item["apiVersion"], "metadata": metadata}

    assert replayed(CATALOGUE, check, over_objects(file.replay, bare)).answer is not Answer.found


@pytest.mark.parametrize(("check", "file"), FOUND, ids=named(FOUND))
def test_a_found_replay_without_the_objects_it_rests_on_is_not_found(check: str, file: ReplayFile) -> None:
    """Objects that findings name are taken away, and again, until no finding is left; some must remain clear."""
    replay = file.replay
    for _ in range(len(data_of(replay).objects) + 1):
        named_by = {finding.evidence.object for finding in replayed(CATALOGUE, check, replay).findings}
        if not named_by:
            return
        fewer = over_objects(replay, lambda item, gone=named_by: None if title(item) in gone else item)
        assert len(data_of(fewer).objects) < len(data_of(replay).objects), named_by
        replay = fewer
    raise AssertionError("found without objects")


def title(item: dict[str, Any]) -> str:
    metadata = item["metadata"]
    return f"{item['kind']} {'/'.join(filter(None, (metadata.get('namespace'), metadata['name'])))}"


AGED = [
    (check, file)
    for check, file in FOUND
    if any(DURATION.fullmatch(knob.default) for knob in CATALOGUE.cards[check].knobs)
]


@pytest.mark.parametrize(("check", "file"), AGED, ids=named(AGED))
def test_what_must_have_lasted_is_not_found_at_its_beginning(check: str, file: ReplayFile) -> None:
    moments = re.findall(r"'(\d{4}-\d\d-\d\dT[\d:]+Z)'", str(data_of(file.replay).objects))
    assert replayed(CATALOGUE, check, changed(file.replay, now=min(moments))).answer is not Answer.found


# --- T3 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "kind"), [(401, "forbidden"), (403, "forbidden"), (429, "timeout"), (500, "crash")])
@pytest.mark.parametrize("check", CHECKS)
def test_a_server_that_refuses_or_fails_is_never_clear(check: str, status: int, kind: str) -> None:
    [replay] = [file.replay for name, file in QUIET if name == check][:1]
    outcome = replayed(CATALOGUE, check, changed(replay, errors={"*": status}))
    assert (outcome.answer, [remark.kind for remark in outcome.unknown]) == (Answer.unknown, [ReasonKind(kind)])


NEEDED = [(check, file, resource) for check, file in QUIET for resource in CATALOGUE.cards[check].needs.objects]


@pytest.mark.parametrize(("check", "file", "resource"), NEEDED, ids=[f"{c} {f.name} {r}" for c, f, r in NEEDED])
def test_one_forbidden_resource_is_unknown_and_its_permission_is_named(
    check: str, file: ReplayFile, resource: str
) -> None:
    outcome = replayed(CATALOGUE, check, changed(file.replay, errors={resource: 403}))
    assert outcome.answer is Answer.unknown
    permission = resource_of(resource).permission
    assert permission in outcome.unknown[0].reason.en
    assert permission in str(outcome.unknown[0].reason.ko)


MISSING = [needed for needed in NEEDED if needed[2] in STANDARD]


@pytest.mark.parametrize(("check", "file", "resource"), MISSING, ids=[f"{c} {f.name} {r}" for c, f, r in MISSING])
def test_a_standard_resource_that_is_not_served_is_never_clear(check: str, file: ReplayFile, resource: str) -> None:
    outcome = replayed(CATALOGUE, check, changed(file.replay, errors={resource: 404}))
    assert (outcome.answer, outcome.unknown[0].kind) == (Answer.unknown, ReasonKind.unsupported)


@pytest.mark.parametrize("check", CHECKS)
def test_an_empty_cluster_is_never_clear(check: str) -> None:
    [replay] = [file.replay for name, file in QUIET if name == check][:1]
    outcome = replayed(CATALOGUE, check, changed(replay, objects=()))
    assert outcome.answer in (Answer.unknown, Answer.not_applicable)


@pytest.mark.parametrize(("check", "file"), QUIET, ids=named(QUIET))
def test_objects_without_content_are_never_clear(check: str, file: ReplayFile) -> None:
    """As if a proxy or an aggregated API had answered with the names alone."""

    def hollow(item: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in item.items() if key in ("kind", "apiVersion", "metadata")}

    outcome = replayed(CATALOGUE, check, over_objects(file.replay, hollow))
    assert outcome.answer is not Answer.clear


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_reads_the_resources_of_its_card_and_no_other(check: str) -> None:
    for name, file in ALL:
        if name == check and not data_of(file.replay).errors:
            read = Reading(data_of(file.replay))
            CATALOGUE.function(check)(read, settle(CATALOGUE.cards[check]))
            assert read.asked == set(CATALOGUE.cards[check].needs.objects), file.name


class Reading:
    """A source that remembers what it was asked for."""

    def __init__(self, data: KubernetesData) -> None:
        self.inner = Manifests(data)
        self.now, self.version = self.inner.now, self.inner.version
        self.asked: set[str] = set()

    def list(self, resource: str, **selectors: str) -> Any:
        self.asked.add(resource)
        return self.inner.list(resource, **selectors)


@pytest.mark.parametrize(("check", "file"), ALL, ids=named(ALL))
def test_a_replay_holds_only_objects_that_its_check_reads(check: str, file: ReplayFile) -> None:
    held = {resource_name(item) for item in data_of(file.replay).objects}
    assert held <= set(CATALOGUE.cards[check].needs.objects)
