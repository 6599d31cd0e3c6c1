"""What is kept so that it is not done twice: answers of a build, the judgement of equal files."""

import gc
import shutil
from pathlib import Path

import pytest

from kb import build as building
from kb.checks.card import Replay
from kb.errors import DataError, NotFound, UnknownValue
from kb.library import KEPT_ANSWERS, Library, heats, replays
from kb.library.store import StoredReplay
from kb.live import LiveLibrary
from kb.model import Lang
from kb.questions import GetCheck, GetIncident, Holes, ListIncidents, SearchIncidents, ask
from kb.settings import Settings
from kb.web.case_view import charts_of_case


def test_a_question_asked_again_is_answered_from_memory(library: Library) -> None:
    first, again, other = (
        library.search_incidents(ask(SearchIncidents, {"symptoms": "pods stuck in Pending", "lang": lang}))
        for lang in ("en", "en", "ko")
    )
    assert again is first
    assert other is not first


def test_the_map_of_holes_is_drawn_once(library: Library) -> None:
    assert library.holes(ask(Holes, {})) is library.holes(ask(Holes, {}))


def test_a_replay_alone_is_the_one_of_its_check(library: Library) -> None:
    check = library.get_check(ask(GetCheck, {"id": "gpu/xid_fatal_counted", "lang": "ko"}))
    for replay in check.replays:
        assert library.replay(check.id, replay.name, Lang.ko) == replay
    with pytest.raises(NotFound, match="has no replay"):
        library.replay(check.id, "no-such-replay", Lang.ko)


def test_the_page_of_a_case_makes_no_replay_that_it_does_not_show(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    make = replays.replay
    monkeypatch.setattr(replays, "replay", lambda check, one, lang: made.append(one.name) or make(check, one, lang))
    case = library.get_incident(ask(GetIncident, {"id": "IL-0335"}))
    charts_of_case(library, case)
    assert case.checks
    assert made == [link.replay for link in case.checks]


def test_step_records_are_drawn_once_a_build_for_each_replay(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[object] = []
    monkeypatch.setattr(heats, "drawn", drawn.append)
    replay = Replay.model_validate(
        {"origin": "invented", "must": "found", "data": {"steps": {"generator": "healthy dp=4", "seed": 1}}}
    )
    stored = StoredReplay("one", replay, None, None)
    assert [stored.heat, stored.heat] == [None, None]
    assert len(drawn) == 1


def test_the_memory_of_answers_has_a_bound(library: Library) -> None:
    first = library.list_incidents(ask(ListIncidents, {"limit": "1"}))
    for year in range(1000, 1000 + KEPT_ANSWERS):
        library.list_incidents(ask(ListIncidents, {"limit": "1", "since": str(year)}))
    again = library.list_incidents(ask(ListIncidents, {"limit": "1"}))
    assert again == first
    assert again is not first


def test_an_error_is_raised_each_time(library: Library) -> None:
    for _ in range(2):
        with pytest.raises(UnknownValue):
            library.list_incidents(ask(ListIncidents, {"component": "no-such-thing"}))


def test_what_is_open_is_left_out_of_the_rounds_of_the_collector(live: LiveLibrary) -> None:
    live.current()
    assert gc.get_freeze_count() > 10_000


def test_files_that_were_built_are_not_judged_again_but_a_broken_one_is(
    data_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = shutil.copytree(data_root, tmp_path / "data")
    settings = Settings(data=str(root), cache=tmp_path / "cache", vectors=False)
    stamp = building.build(settings)
    judged: list[int] = []
    judge = building.findings
    monkeypatch.setattr(building, "findings", lambda *given, **named: judged.append(1) or judge(*given, **named))
    assert building.build(settings) == stamp
    assert judged == []
    (root / "incidents" / "IL-9999.yaml").write_text("id: [", encoding="utf-8")
    with pytest.raises(DataError):
        building.build(settings)
    assert judged == [1]
