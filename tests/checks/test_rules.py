"""The exported rules: accepted by promtool, loaded by a real Prometheus, and firing on the replays of their checks."""

import subprocess
from pathlib import Path

import pytest

from kb import yaml_text
from kb.checks.card import Must, alert_name
from kb.checks.catalogue import Catalogue, ReplayFile
from kb.checks.contract import Ask
from kb.checks.replay import asked_at
from kb.checks.rules import as_object, inhibit_rules, rule_groups
from kb.checks.site import Site
from kb.checks.sources import promtool
from kb.errors import InvalidValue, NotFound
from kb.model import Lang

CATALOGUE = Catalogue.load()
PROMQL = sorted(check for check, card in CATALOGUE.cards.items() if card.rule)


def shortest(check: str) -> ReplayFile:
    """The found replay with the least data: promtool evaluates the rule at every step of it."""
    found = [file for file in CATALOGUE.replays(check) if file.replay.must is Must.found and file.replay.data]
    return min(found, key=lambda file: asked_at(file.replay) or 0.0)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [promtool.find("promtool"), *arguments], capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("lang", list(Lang))
def test_promtool_accepts_the_file(tmp_path: Path, lang: Lang) -> None:
    path = tmp_path / "rules.yml"
    path.write_text(yaml_text.dump(rule_groups(CATALOGUE, lang=lang, base_url="https://kb.test")), encoding="utf-8")
    done = run("check", "rules", "--lint=all", "--lint-fatal", str(path))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_alert_of_every_check_fires_on_a_replay_of_it(tmp_path: Path) -> None:
    asked = []
    for check in PROMQL:
        name, replay = check.replace("/", "."), shortest(check).replay
        [group] = rule_groups(CATALOGUE, [check])["groups"]
        alone = {"groups": [group | {"rules": group["rules"][:1]}]}
        (tmp_path / f"{name}.rules.yml").write_text(yaml_text.dump(alone), encoding="utf-8")
        at = asked_at(replay)
        assert at is not None
        assert replay.data
        assert replay.data.prometheus
        firing = Ask(f'ALERTS{{alertname="{alert_name(check)}",alertstate="firing"}}', at)
        text = promtool.test_file(replay.data.prometheus, [firing])
        text = text.replace("rule_files: []", f"rule_files: [{name}.rules.yml]\nevaluation_interval: 1m")
        (tmp_path / f"{name}.yml").write_text(text, encoding="utf-8")
        asked.append((check, firing, str(tmp_path / f"{name}.yml")))
    done = run("test", "rules", *(path for _, _, path in asked))
    said = f"\n{done.stderr}".split("\n  FAILED:\n")[1:]
    assert len(said) == len(asked), done.stderr[-500:]
    silent = [
        check
        for (check, firing, _), section in zip(asked, said, strict=True)
        if not promtool.answers_of(section, [firing])[0]
    ]
    assert silent == []


def test_labels_do_not_repeat_and_messages_become_templates() -> None:
    check = "gpu/xid_fatal_counted"
    [group] = rule_groups(CATALOGUE, [check], base_url="https://kb.test")["groups"]
    alert, blind, counted = group["rules"]
    assert alert["alert"] == "KbGpuXidFatalCounted"
    assert alert["labels"]["kb_check"] == check
    assert "{{ $labels." in alert["annotations"]["description"]
    assert "https://kb.test/en/incidents/IL-0224" in alert["annotations"]["cases"]
    assert alert["annotations"]["runbook_url"] == "https://kb.test/en/checks/gpu/xid_fatal_counted"
    assert (blind["alert"], blind["labels"]["severity"]) == ("KbGpuXidFatalCountedBlind", "info")
    assert counted["record"] == "kb:check_looked_at:count"
    names = [rule["alert"] for group in rule_groups(CATALOGUE)["groups"] for rule in group["rules"] if "alert" in rule]
    assert len(names) == len(set(names))
    assert "runbook_url" not in rule_groups(CATALOGUE, [check])["groups"][0]["rules"][0]["annotations"]


def test_a_site_s_knobs_and_names_are_in_the_rules() -> None:
    site = Site(labels={"hostname": "Hostname"}, knobs={"gpu/temperature_high": {"celsius": "91"}})
    [group] = rule_groups(CATALOGUE, ["gpu/temperature_high"], site=site)["groups"]
    alert, blind, _ = group["rules"]
    assert alert["expr"].count("91") == 2
    assert "DCGM_FI_DEV_GPU_TEMP_CELSIUS" in alert["expr"]
    assert "by (Hostname, gpu, UUID)" in alert["expr"]
    assert "$labels.Hostname" in alert["annotations"]["description"]
    assert "on (Hostname, gpu, UUID)" in blind["expr"]


def test_the_object_holds_the_same_groups() -> None:
    groups = rule_groups(CATALOGUE, ["gpu/count_drop"])
    made = as_object(groups)
    assert (made["kind"], made["spec"]) == ("PrometheusRule", groups)


def test_the_graver_alert_of_the_same_place_and_symptom_is_enough() -> None:
    hints = inhibit_rules(CATALOGUE)
    assert hints
    assert all(hint["equal"] for hint in hints)
    renamed = inhibit_rules(CATALOGUE, site=Site(labels={"hostname": "Hostname"}))
    assert any("Hostname" in hint["equal"] for hint in renamed)


def test_what_no_promql_rule_can_say_is_refused() -> None:
    with pytest.raises(InvalidValue, match="reads logs"):
        rule_groups(CATALOGUE, ["gpu/fell_off_bus_log"])
    with pytest.raises(NotFound):
        rule_groups(CATALOGUE, ["gpu/fell_off_the_bus"])
