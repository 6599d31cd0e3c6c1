"""The command line: what a person sees, what a program gets, and one line for every error."""

import io
import json
import shutil
import ssl
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.checks.finding_prometheus import Candidate
from kb.checks.site import Access, Site
from kb.cli import main
from kb.cli.holes import draw as draw_holes
from kb.cli.opening import console
from kb.cli.sources import _tls, open_prometheus, with_values
from kb.errors import InvalidValue
from kb.library import Library
from kb.model import Lang
from kb.questions import Holes, ask
from kb.settings import Settings
from kb.vectors import Embedder
from tests.library_fixtures import DATA

Run = Callable[..., tuple[int, str, str]]

XID_79 = "[   12.345678] NVRM: Xid (PCI:0000:4f:00): 79, pid=1234, GPU has fallen off the bus.\n"
QUIET = (
    "[    1.000000] nvidia: module license 'NVIDIA' taints kernel.\n"
    "[    2.000000] NVRM: loading NVIDIA UNIX Open Kernel Module\n"
)


@pytest.fixture
def kb(settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `kb` with these arguments: exit status, standard output, standard error."""
    monkeypatch.setenv("KB_DATA", settings.data)
    monkeypatch.setenv("KB_CACHE", str(settings.cache_folder))

    def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kb", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        try:
            main()
            status = 0
        except SystemExit as stop:
            status = int(stop.code or 0)
        out = capsys.readouterr()
        return status, out.out, out.err

    return run


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["search", "GPU", "fell", "off", "the", "bus"], "IL-0224"),
        (["search", "인증서가 만료됐어요", "--lang", "ko"], "강함"),
        (["search", "best pizza in town"], "Nothing like this is known here."),
        (["search", "IL-0224", "--component", "etcd"], "left out by the filters: 1."),
        (["show", "il-0477"], "iteration"),
        (["show", "IL-0477", "--lang", "ko"], "잠정"),
        (["show", "IL-0097", "--lang", "ko"], "적혀 있지 않음"),
        (["list", "--component", "gpu", "--limit", "2"], "More: --cursor"),
        (["topic", "symptoms", "gpu-unavailable"], "kb check --check gpu/fell_off_bus_log"),
        (["topic", "symptoms", "straggler"], "Does not: IL-0032"),
        (["vocab", "cert", "ran", "out"], "root_causes/certificate-expiry"),
        (["vocab", "--kind", "factors"], "factors/"),
        (["holes", "--kind", "components"], "made for it: "),
        (["holes", "--kind", "components"], "no check is made for it: A cache shows"),
        (["holes", "--kind", "root_causes", "--lang", "ko"], "다른 징후로: "),
        (["checks"], "gpu/xid_fatal_counted"),
        (["checks", "gpu/xid_fatal_counted"], "DCGM_EXP_XID_ERRORS_COUNT"),
        (["--version"], "0."),
        (["--help"], "search"),
    ],
)
def test_a_person_gets_a_readable_answer(kb: Run, arguments: list[str], shown: str) -> None:
    status, out, err = kb(*arguments)
    assert (status, err) == (0, "")
    assert shown in out
    assert "\x1b[" not in out


@pytest.mark.parametrize(("lang", "said"), [(Lang.en, "none"), (Lang.ko, "없음")])
def test_a_value_without_a_check_and_without_a_reason_says_none(
    library: Library, capsys: pytest.CaptureFixture[str], lang: Lang, said: str
) -> None:
    answer = library.holes(ask(Holes, {"kind": "symptoms", "lang": lang}))
    bare = answer.holes[0].model_copy(update={"checks": (), "no_check": None})
    draw_holes(console(), answer.model_copy(update={"holes": (bare,)}))

    assert said in capsys.readouterr().out.split()


def test_a_question_can_come_from_standard_input(kb: Run) -> None:
    assert "IL-0224" in kb("search", "-", stdin="GPU has fallen off the bus")[1]
    status, out, _ = kb("evidence", stdin=XID_79)
    assert status == 0
    assert "xid:79" in out
    assert "IL-0224" in out


CHOICES = (
    (["search", "x"], "domain"), (["search", "x"], "detail"), (["search", "x"], "lang"), (["list"], "lang"),
    (["show", "IL-0477"], "sections"),
    (["list"], "sort"), (["list"], "detail"), (["topic"], "KIND"), (["vocab"], "kind"), (["checks"], "kind"),
    (["checks"], "status"), (["holes"], "kind"), (["holes"], "show"), (["check", "--logs", "-"], "lang"),
    (["check", "--steps", "-"], "steps-unit"), (["new", "check", "gpu/x", "--reads", "x"], "kind"),
    (["new", "check", "--reads", "x"], "ID"), (["rules"], "lang"), (["blind-spots"], "lang"), (["doctor"], "lang"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("command", "name"), CHOICES, ids=lambda part: "-".join(part) if isinstance(part, list) else part
)
def test_an_error_offers_the_choices_that_the_help_lists(kb: Run, command: list[str], name: str) -> None:
    given = [f"--{name}", "nonsense"] if name.islower() else ["nonsense", "x"] if name == "KIND" else ["nonsense"]
    offered = kb(*command, *given, stdin="x")[2].split("Allowed: ")[1].split(". ")[0].rstrip(".\n").split(", ")

    text = kb(*command[: 2 if command[0] == "new" else 1], "--help")[1]
    assert "".join(f"{', '.join(offered[:-1])} or {offered[-1]}.".split()) in "".join(text.split())


def test_a_program_gets_json(kb: Run) -> None:
    for arguments in (
        ["search", "pods pending"],
        ["show", "IL-0477"],
        ["list"],
        ["topic", "orgs", "dfds"],
        ["vocab", "gpu"],
        ["holes", "--kind", "symptoms"],
        ["checks", "gpu/fell_off_bus_log"],
    ):
        assert json.loads(kb(*arguments, "--json")[1])["data_version"]
    (first, *_) = json.loads(kb("checks", "--json")[1])
    assert set(first) >= {"id", "title", "kind", "severity", "status", "catches", "cases"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search"], "`symptoms` is required. symptoms: What you see"),
        (["search", "--symptms"], "no option `--symptms`, and `symptoms` is required."),
        (["search", "--symptoms", "x"], "no option `--symptoms`. Allowed: --root-cause,"),
        (["search", "--symptoms", "x"], "`symptoms` is given without a name: `kb search SYMPTOMS`."),
        (["topic", "--smptoms=x", "--lnag", "ko"], "Nearest: --symptoms, --lang."),
        (["topic", "orgs", "--smptoms=x"], "no option `--smptoms`, and `slug` is required."),
        (["topic", "orgs"], "`slug` is required. slug: Slug of the value"),
        (["new", "case", "--titel=x"], "no option `--titel`, and `slug` is required."),
        (["check", "--logs", "-", "-Z"], "no option `-Z`."),
        (["search", "x", "--limit", "0"], "`limit` is 0; it must be at least 1."),
        (["search", "x" * 2001], "at most 2000"),
        (["search", "x", "--component", "gpuu"], "Nearest: gpu"),
        (["show", "477"], "Write it like IL-0001."),
        (["show", "IL-9999"], "There is no case IL-9999."),
        (["list", "--lang", "fr"], "en, ko"),
        (["list", "--sorted", "id"], "no option `--sorted`"),
        (["topic", "symptom", "x"], "symptoms"),
        (["serch", "x"], "No such command"),
        (["checks", "gpu/xid_fatal"], "Nearest: gpu/xid_fatal_counted"),
        (["check"], "dmesg | kb check --logs -"),
        (["check", "--logs", "-", "--for", "IL-0263"], "No check is linked to case IL-0263"),
        (["check", "--logs", "-", "--for", "IL-9999"], "There is no case IL-9999. Nearest: IL-"),
        (["checks", "--case", "IL-9999"], "There is no case IL-9999."),
        (["check", "--logs", "-", "--check", "gpu/nothing"], "gpu/nothing"),
        (["check", "--prometheus", "prometheus:9090"], "is not the address of a Prometheus server"),
        (["check", "--prometheus", "http://127.0.0.1:1", "--header", "secret-token"], "must look like `Name: value`"),
        (["replay", "IL-9999"], "No replay belongs to"),
        (["evidence", "/nowhere/at/all"], "cannot be read"),
        (["fmt", "nowhere.yaml"], "is not a file"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_two(kb: Run, arguments: list[str], message: str) -> None:
    status, out, err = kb(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("kb: ")
    assert message in err
    assert "secret-token" not in err


@pytest.mark.parametrize(
    ("log", "status", "shown"),
    [(XID_79, 1, "0000:4f:00"), (QUIET, 0, "✓ clear"), ("", 3, "? unknown"), ("just some words\n", 3, "? unknown")],
)
def test_a_kernel_log_is_found_clear_or_unknown_but_never_silently_healthy(
    kb: Run, log: str, status: int, shown: str
) -> None:
    got, out, err = kb("check", "--logs", "-", "--check", "gpu/fell_off_bus_log", stdin=log)
    assert (got, err) == (status, "")
    assert shown in out


def test_a_finding_names_place_evidence_cases_and_next_step(kb: Run, tmp_path: Path) -> None:
    path = tmp_path / "dmesg.txt"
    path.write_text(QUIET + XID_79, encoding="utf-8")
    status, out, _ = kb("check", "--logs", str(path), "--check", "gpu/fell_off_bus_log", "--json")
    report = json.loads(out)
    (finding,) = report["findings"]
    assert status == report["exit_status"] == 1
    assert finding["check"] == "gpu/fell_off_bus_log"
    assert finding["evidence"]["line_number"] == 3
    assert "IL-0224" in finding["cases"]
    assert finding["next_step"] == "reboot-node"
    assert report["looked_at"]["total"] > 0
    again = json.loads(kb("check", "--logs", str(path), "--check", "gpu/fell_off_bus_log", "--json")[1])["findings"][0]
    assert again["id"] == finding["id"]
    assert "버스" in kb("check", "--logs", str(path), "--lang", "ko")[1]


def test_findings_of_an_earlier_run_no_longer_count_and_every_form_can_be_printed(kb: Run, tmp_path: Path) -> None:
    log = tmp_path / "kern.log"
    log.write_text(QUIET + XID_79, encoding="utf-8")
    arguments = ["check", "--logs", str(log), "--check", "gpu/fell_off_bus_log"]
    status, out, _ = kb(*arguments, "--json")
    assert status == 1
    (tmp_path / "last.json").write_text(out, encoding="utf-8")
    status, out, _ = kb(*arguments, "--baseline", str(tmp_path / "last.json"))
    assert (status, "last.json" in out) == (0, True)
    site = tmp_path / "site.yaml"
    site.write_text(
        "ignore:\n  - check: gpu/fell_off_bus_log\n    reason: RMA\n    until: 2020-01-01\n", encoding="utf-8"
    )
    status, out, _ = kb(*arguments, "--config", str(site), "--lang", "ko")
    assert (status, "2020-01-01" in out) == (1, True)
    site.write_text(site.read_text(encoding="utf-8").replace("2020", "2999"), encoding="utf-8")
    assert kb(*arguments, "--config", str(site))[0] == 0
    status, out, _ = kb(*arguments, "--sarif")
    assert json.loads(out)["runs"][0]["results"][0]["kind"] == "fail"
    assert kb(*arguments, "--markdown")[1].startswith("# ")
    assert kb(*arguments, "--markdown", "--json")[0] == 2
    assert kb(*arguments, "--fail-on", "critical")[0] == 1


def test_a_bare_option_takes_no_value_from_the_next_one() -> None:
    assert with_values(["check", "--kube", "--json", "--host"]) == ["check", "--kube=", "--json", "--host="]
    assert with_values(["check", "--kube", "prod", "--host=x"]) == ["check", "--kube", "prod", "--host=x"]


def test_credentials_are_read_from_files_and_never_shown(kb: Run, tmp_path: Path) -> None:
    site, token = tmp_path / "site.yaml", tmp_path / "token"
    site.write_text(f"prometheus:\n  token_file: {token}\n", encoding="utf-8")
    arguments = ["check", "--prometheus", "http://127.0.0.1:9", "--check", "gpu/count_drop", "--config", str(site)]
    status, out, err = kb(*arguments)
    assert (status, "cannot be read" in err) == (2, True)
    token.write_text("first-secret\nsecond-secret\n", encoding="utf-8")
    status, out, err = kb(*arguments)
    assert (status, "exactly one line" in err) == (2, True)
    token.write_text("first-secret\n", encoding="utf-8")
    status, out, err = kb(*arguments, "--json")
    assert status == 3
    assert "secret" not in out + err
    site.write_text("prometheus:\n  ca_file: /nowhere.pem\n", encoding="utf-8")
    assert "certificates cannot be used" in kb(*arguments)[2]


def test_certificates_may_lie_at_home_and_a_header_does_not_compete_with_the_site_s_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[Path | None] = []

    class Context:
        def load_cert_chain(self, *files: Path | None) -> None:
            loaded.extend(files)

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(ssl, "create_default_context", lambda cafile: loaded.append(cafile) or Context())
    _tls(Access(ca_file="~/ca.pem", certificate_file="~/own.pem", key_file="~/own.key"))
    assert loaded == [tmp_path / name for name in ("ca.pem", "own.pem", "own.key")]
    with pytest.raises(InvalidValue, match="so does `--header`"):
        open_prometheus("http://x", ["authorization: Bearer x"], Site(prometheus=Access(token_file="~/token")))


def test_the_cluster_s_own_prometheus_is_opened_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Candidate("monitoring", "prometheus", 9090)
    monkeypatch.setattr("kb.cli.sources._kubernetes", lambda context: context)
    monkeypatch.setattr("kb.cli.sources.candidates", lambda cluster: [found] if cluster == "prod" else [])
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    assert open_prometheus("auto", None, Site(), "prod").name == found.address


def test_a_server_that_is_down_is_unknown_not_clear_and_not_a_crash(kb: Run) -> None:
    status, out, err = kb("check", "--prometheus", "http://127.0.0.1:1")
    assert (status, err) == (3, "")
    assert "? unknown" in out


def test_checks_can_be_chosen_by_component(kb: Run) -> None:
    status, out, _ = kb("check", "--logs", "-", "--component", "gpu", stdin=QUIET)
    assert status == 3, "the PromQL check was chosen by name and has no source"
    assert "gpu/fell_off_bus_log" in out


def test_proofs_are_run_and_shown(kb: Run) -> None:
    status, out, _ = kb("replay", "gpu/fell_off_bus_log")
    assert status == 0
    assert "replays pass" in out
    assert json.loads(kb("replay", "gpu/fell_off_bus_log", "--json")[1])[0]["passes"] is True


def test_validate_prints_every_finding_and_fails_on_errors(
    kb: Run, data_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Checks name cases of the whole library, which this choice of cases does not hold.
    monkeypatch.setenv("KB_DATA", str(DATA))
    assert kb("validate", "--quiet")[0] == 0
    root = tmp_path / "data"
    shutil.copytree(data_root, root)
    path = root / "incidents" / "IL-0097.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("- straggler", "- stragler"), encoding="utf-8")
    monkeypatch.setenv("KB_DATA", str(root))
    status, out, _ = kb("validate", "--quiet")
    assert status == 1
    assert "IL-0097.yaml" in out
    assert "stragler" in out
    assert [f for f in json.loads(kb("validate", "--json")[1]) if f["level"] == "error"]


def test_a_file_is_rewritten_in_canonical_form_once(kb: Run, data_root: Path, tmp_path: Path) -> None:
    path = tmp_path / "IL-0097.yaml"
    path.write_text("# a remark\n" + (data_root / "incidents" / "IL-0097.yaml").read_text("utf-8"), encoding="utf-8")
    assert str(path) in kb("fmt", str(path))[1]
    assert kb("fmt", str(path))[1] == ""


def test_build_says_what_is_served(kb: Run) -> None:
    status, out, _ = kb("build")
    assert status == 0
    assert out.startswith("20")


def test_an_unexpected_failure_shows_no_trace(kb: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("/secret/path")

    monkeypatch.setattr("kb.cli.asking.open_library", broken)
    status, out, err = kb("list")
    assert (status, out) == (2, "")
    assert "internal error" in err
    assert "/secret/path" not in err


def test_only_a_question_about_meaning_loads_the_model(
    kb: Run, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb("list")  # builds where something changed since
    loaded: list[str] = []
    real = Embedder.load
    monkeypatch.setattr(Embedder, "load", lambda self: loaded.append("model") or real(self))
    for arguments in (["show", "IL-0477"], ["list"], ["checks"], ["topic", "components", "etcd"]):
        assert kb(*arguments)[0] == 0
    assert loaded == []
    assert kb("search", "GPU fell off the bus", "--json")[0] == 0
    assert loaded == ["model"]
