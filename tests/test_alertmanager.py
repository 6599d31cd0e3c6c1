"""A real Alertmanager sends its webhook to the library, to the bridge, and its chat template to a chat."""

import http.client
import json
import queue
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.testclient import TestClient

from kb.app import create_app
from kb.checks.card import alert_name
from kb.library import Library
from kb.questions import ListChecks
from kb.settings import Settings
from tests.serving import served

FOLDER = Path(__file__).resolve().parent.parent / "integrations" / "alertmanager"
ALERTMANAGER = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager") or "alertmanager"
ADDRESS = "/api/v1/match/alertmanager"
FELL_OFF = {
    "labels": {"alertname": "GpuFellOffBus", "instance": "node-17", "xid": "79"},
    "annotations": {"summary": "GPU has fallen off the bus, Xid 79", "description": "NVRM: Xid 79 on node-17"},
}
CONFIG = """
templates: ["{template}"]
route:
  receiver: chat
  group_by: [alertname]
  group_wait: 0s
  routes:
    - receiver: bridge
      continue: true
    - receiver: chat
receivers:
  - name: chat
    slack_configs:
      - api_url: "{chat}template"
        text: '{{{{ template "incident_library.slack" . }}}}'
  - name: bridge
    webhook_configs:
      - url: "{bridge}"
"""


@pytest.fixture(scope="module")
def here(settings: Settings) -> Iterator[str]:
    with served(settings) as address:
        yield address


@pytest.fixture
def client(settings: Settings, library: Library) -> Iterator[TestClient]:
    with TestClient(create_app(settings)) as opened:
        yield opened


@contextmanager
def chat(status: int = 200) -> Iterator[tuple[str, "queue.Queue[tuple[str, Any]]"]]:
    """Address of a chat that answers every text with this status, and the texts with their paths."""
    taken: queue.Queue[tuple[str, Any]] = queue.Queue()

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(b"ok")
            taken.put((self.path, body))

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/", taken
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def bridge(library: str, to: str, *more: str) -> Iterator[str]:
    command = [sys.executable, str(FOLDER / "bridge.py"), "--library", library, "--to", to, "--listen", "127.0.0.1:0"]
    with subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield f"http://{line.removeprefix('listening on ').strip()}/"
        finally:
            process.terminate()
            process.communicate(timeout=10)


@contextmanager
def alertmanager(folder: Path, config: str) -> Iterator[str]:
    """Address of a real Alertmanager that is ready."""
    (folder / "alertmanager.yml").write_text(config, encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [f"--config.file={folder / 'alertmanager.yml'}", f"--storage.path={folder / 'state'}"]
    options += [f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address="]
    log = (folder / "log").open("w")
    process = subprocess.Popen([ALERTMANAGER, *options], stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    ready = threading.Event()
    try:
        for _ in range(200):
            assert process.poll() is None, (folder / "log").read_text()
            try:
                if httpx.get(f"{address}/-/ready").status_code == 200:
                    break
            except httpx.TransportError:
                ready.wait(0.05)
        yield address
    finally:
        process.terminate()
        process.wait(10)
        log.close()


def test_a_real_alertmanager_brings_similar_cases_into_a_chat(here: str, tmp_path: Path) -> None:
    with chat() as (address, taken), bridge(here, f"{address}bridge", "--form", "slack") as relay:
        config = CONFIG.format(template=FOLDER / "incident-library.tmpl", chat=address, bridge=relay)
        with alertmanager(tmp_path, config) as manager:
            httpx.post(f"{manager}/api/v2/alerts", json=[FELL_OFF]).raise_for_status()
            texts = dict(taken.get(timeout=30) for _ in range(2))
    told = texts["/bridge"]["text"]
    assert told.startswith("GpuFellOffBus firing (instance=node-17, xid=79)\nThis has happened before:\n- <")
    assert "|IL-" in told
    assert "kb check --check gpu/" in told
    link = texts["/template"]["attachments"][0]["text"].removeprefix("<").split("|")[0]
    assert link.endswith("/en/?symptoms=GpuFellOffBus+GPU+has+fallen+off+the+bus%2C+Xid+79")
    assert httpx.get(link.replace("http://127.0.0.1:8000", here)).status_code == 200


def test_the_answer_names_cases_checks_and_what_was_searched(client: TestClient) -> None:
    answer = client.post(ADDRESS, json={"version": "4", "new": [1], "alerts": [FELL_OFF]}).json()

    assert (answer["status"], answer["alerts"], answer["verdict"]) == ("firing", 1, "strong")
    assert answer["text"].startswith("Gpu Fell Off Bus. GPU has fallen off the bus, Xid 79. NVRM")
    assert answer["count"] == len(answer["cases"]) == 3
    assert [hit["score"] for hit in answer["cases"]] == sorted((h["score"] for h in answer["cases"]), reverse=True)
    assert answer["checks"][0]["command"] == f"kb check --check {answer['checks'][0]['id']}"
    assert f"[{answer['cases'][0]['id']}: " in answer["message"]
    assert "](http://testserver/en/incidents/IL-" in answer["message"]


def test_an_alert_of_our_own_rules_leads_with_its_check(client: TestClient, library: Library) -> None:
    check = library.every_check(ListChecks())[-1].id
    alert = {"labels": {"alertname": alert_name(check)}}

    answer = client.post(f"{ADDRESS}?lang=ko&limit=1", json={"alerts": [alert]}).json()

    assert answer["checks"][0]["id"] == check
    assert answer["lang"] == "ko"
    assert "다음으로 확인할 것" in answer["message"]


def test_alerts_about_nothing_we_know_say_so(client: TestClient) -> None:
    alert = {"labels": {"alertname": "CoffeeMachineEmpty"}, "annotations": {"summary": "The coffee is gone"}}

    answer = client.post(ADDRESS, json={"alerts": [alert]}).json()

    assert (answer["verdict"], answer["cases"]) == ("none", [])
    assert answer["message"] == "The Incident Library holds nothing like it."


def test_a_large_group_is_read_in_part_and_says_so(client: TestClient) -> None:
    alerts = [{"labels": {"alertname": f"A{n}", "pod": "x" * 200}} for n in range(500)]

    answer = client.post(ADDRESS, json={"status": "resolved", "alerts": alerts}).json()

    assert (answer["status"], answer["alerts"], answer["alerts_used"]) == ("resolved", 500, 50)


def test_of_a_group_that_fires_what_is_over_is_left_out(client: TestClient) -> None:
    over = {"status": "resolved", "labels": {"alertname": "DiskFull"}}
    mixed = client.post(ADDRESS, json={"status": "firing", "alerts": [over, {"status": "firing", **FELL_OFF}]}).json()
    ended = client.post(ADDRESS, json={"status": "resolved", "alerts": [over]}).json()

    assert (mixed["alerts"], mixed["alerts_used"]) == (2, 1)
    assert mixed["text"].startswith("Gpu Fell Off Bus")
    assert ended["text"] == "Disk Full"


@pytest.mark.parametrize(
    "body",
    [{}, {"alerts": []}, {"alerts": "none"}, {"alerts": [{"labels": []}]}, {"alerts": [{"labels": {"a": 1}}]}],
)
def test_what_is_no_webhook_is_refused_in_words(client: TestClient, body: object) -> None:
    answer = client.post(ADDRESS, json=body)

    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("The body is not a webhook of Alertmanager: `alerts")


def test_the_bridge_says_when_it_cannot_reach_the_library() -> None:
    with chat() as (address, taken), bridge("http://127.0.0.1:9", address) as relay:
        answer = httpx.post(relay, json={"alerts": [FELL_OFF]}, timeout=20)

    assert answer.status_code == 502
    assert taken.empty()


@pytest.mark.parametrize("status", [422, 404, 500])
def test_an_alert_that_the_chat_refuses_is_sent_again_and_its_address_is_told_to_nobody(here: str, status: int) -> None:
    with chat(status) as (address, taken), bridge(here, f"{address}secret-hook") as relay:
        answer = httpx.post(relay, json={"alerts": [FELL_OFF]}, timeout=20)

    assert taken.get(timeout=5)[0] == "/secret-hook"
    assert (answer.status_code, answer.text) == (502, f"the chat answered {status}")


def test_a_chat_that_is_not_there_is_told_without_its_address(here: str) -> None:
    with bridge(here, "http://127.0.0.1:9/secret-hook") as relay:
        answer = httpx.post(relay, json={"alerts": [FELL_OFF]}, timeout=20)

    assert answer.status_code == 502
    assert "secret-hook" not in answer.text


def test_a_body_that_the_library_refuses_is_not_sent_again(here: str) -> None:
    with chat() as (address, taken), bridge(here, address) as relay:
        answer = httpx.post(relay, json={"alerts": []}, timeout=20)

    assert (answer.status_code, answer.text) == (400, "the library answered 422")
    assert taken.empty()


def test_what_is_no_library_is_answered_and_not_dropped(here: str) -> None:
    with chat() as (other, _), bridge(other.rstrip("/"), other) as relay:
        answer = httpx.post(relay, json={"alerts": [FELL_OFF]}, timeout=20)
        connection = http.client.HTTPConnection(urlsplit(relay).netloc, timeout=20)
        connection.request("POST", "/", body=b"{}", headers={"Content-Length": "-1"})
        odd = connection.getresponse().status
        connection.close()

    assert (answer.status_code, odd) == (502, 400)


def test_what_an_alert_says_is_no_order_to_slack(here: str) -> None:
    labels = {"alertname": "GpuFellOffBus", "queue": "<!channel> & co"}
    with chat() as (address, taken), bridge(here, address, "--form", "slack") as relay:
        body = {"alerts": [FELL_OFF], "commonLabels": labels}
        httpx.post(relay, json=body, timeout=20).raise_for_status()

    text = taken.get(timeout=5)[1]["text"]
    assert text.startswith("GpuFellOffBus firing (queue=&lt;!channel&gt; &amp; co)\n")
    assert "\n- <http" in text


def test_the_bridge_stays_silent_below_the_verdict_asked_for(here: str) -> None:
    alert = {"labels": {"alertname": "CoffeeMachineEmpty"}}
    with chat() as (address, taken), bridge(here, address) as relay:
        answer = httpx.post(relay, json={"alerts": [alert]}, timeout=20)

    assert (answer.status_code, answer.text) == (200, "nothing to add")
    assert taken.empty()
