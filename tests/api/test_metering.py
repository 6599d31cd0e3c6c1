"""Budgets: told on every answer, refused with the time to wait, apart for each client, shared where Redis is."""

import asyncio
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from kb.api.budgets import MOST_CLIENTS, LocalBudget, budget_of
from kb.api.costs import POINTS, cost
from kb.api.metering import Meter, Policies
from kb.api.operations import OPERATIONS
from kb.app import create_app
from kb.errors import InvalidValue
from kb.library import Library
from kb.settings import Settings
from tests.serving import served

STATUS, SEARCH = "/api/v1/status", "/api/v1/search?symptoms=pods+pending"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def limited(settings: Settings, **changes: object) -> TestClient:
    return TestClient(create_app(settings.model_copy(update={"rate_limit": 12, "vectors": False, **changes})))


def test_every_answer_of_the_api_tells_the_budget(settings: Settings, library: Library) -> None:
    with limited(settings) as client:
        first, second = client.get(STATUS), client.get(SEARCH)
        missing = client.get("/api/v1/incidents/IL-99999")
        unchanged = client.get(STATUS, headers={"If-None-Match": first.headers["etag"]})

    assert first.headers["ratelimit-policy"] == '"api";q=12;w=60'
    assert first.headers["ratelimit"].startswith('"api";r=11;t=')
    assert second.headers["ratelimit"].startswith('"api";r=6;t=')
    assert (missing.status_code, missing.headers["ratelimit"][:9]) == (404, '"api";r=5')
    assert (unchanged.status_code, unchanged.headers["ratelimit"][:9]) == (304, '"api";r=4')


def test_a_used_up_budget_is_refused_with_the_time_to_wait(settings: Settings, library: Library) -> None:
    with limited(settings) as client:
        assert [client.get(SEARCH).status_code for _ in range(3)] == [200, 200, 429]
        refused = client.get(SEARCH, headers={"Origin": "https://elsewhere.example"})
        cheaper = client.get(STATUS)
        page, health = client.get("/en/"), client.get("/healthz")

    problem = refused.json()
    assert problem["type"] == "https://iana.org/assignments/http-problem-types#quota-exceeded"
    assert (problem["status"], problem["title"]) == (429, "Quota exceeded")
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert f"Ask again in {refused.headers['retry-after']} seconds" in problem["detail"]
    assert refused.headers["ratelimit"].startswith('"api";r=2;')
    assert refused.headers["access-control-allow-origin"] == "*"
    assert (cheaper.status_code, page.status_code, health.status_code) == (200, 200, 200)


def test_pages_have_a_budget_of_their_own_and_refuse_as_a_page(settings: Settings, library: Library) -> None:
    with limited(settings, rate_limit_pages=1) as client:
        first, second = client.get("/ko/about"), client.get("/ko/about")
        again = client.get(STATUS)

    assert (first.status_code, second.status_code, again.status_code) == (200, 429, 200)
    assert second.headers["content-type"].startswith("text/html")
    assert "짧은 시간에 너무 많은 쪽을 열었습니다" in second.text
    assert int(second.headers["retry-after"]) >= 1


def test_no_quota_is_no_limit_and_no_field(settings: Settings, library: Library) -> None:
    with limited(settings, rate_limit=0) as client:
        assert "ratelimit" not in client.get(STATUS).headers


def test_a_search_costs_more_than_a_list_and_a_list_more_than_a_record() -> None:
    def points(path: str) -> int:
        charged = cost(path)
        assert charged is not None
        return charged.points

    assert points("/api/v1/incidents/IL-0477") < points("/api/v1/incidents") < points("/api/v1/search")
    assert points("/mcp") == points("/api/v1/search")
    assert points("/api/v1/export/all.zip") == max(POINTS.values())
    assert all(points(operation.path) for operation in OPERATIONS)
    assert (cost("/healthz"), cost("/static/style.css")) == (None, None)
    assert cost("/en/") == cost("/ko/incidents/IL-0477")


def test_a_window_begins_with_the_first_request_and_ends() -> None:
    clock = Clock()
    budget = LocalBudget(60, clock)

    async def spend(points: int) -> tuple[bool, int, int]:
        return tuple(await budget.spend("a", points, 10))

    assert asyncio.run(spend(6)) == (True, 4, 60)
    clock.now += 20
    assert asyncio.run(spend(5)) == (False, 4, 40)
    assert asyncio.run(spend(4)) == (True, 0, 40)
    clock.now += 40
    assert asyncio.run(spend(10)) == (True, 0, 60)


def test_who_waits_as_told_finds_the_budget_whole() -> None:
    clock = Clock()
    budget = LocalBudget(60, clock)
    asyncio.run(budget.spend("a", 10, 10))
    clock.now += 58.6
    refused = asyncio.run(budget.spend("a", 1, 10))
    clock.now += refused.reset

    assert (refused.allowed, refused.reset) == (False, 2)
    assert asyncio.run(budget.spend("a", 1, 10)).allowed


def test_the_memory_of_clients_has_a_bound() -> None:
    clock = Clock()
    budget = LocalBudget(60, clock)

    async def crowd() -> None:
        for number in range(MOST_CLIENTS + 50):
            await budget.spend(str(number), 1, 10)

    asyncio.run(crowd())
    assert len(budget._used) == MOST_CLIENTS
    clock.now += 61
    asyncio.run(budget.spend("late", 1, 10))
    assert list(budget._used) == ["late"]


def asked_from(*addresses: str) -> list[int]:
    """Status of one request from each address, with a budget for one."""

    async def inner(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def refuse(_request: object, _error: Exception) -> object:
        async def answer(_scope: Scope, _receive: Receive, send: Send) -> None:
            await send({"type": "http.response.start", "status": 429, "headers": []})
            await send({"type": "http.response.body", "body": b""})

        return answer

    meter = Meter(inner, LocalBudget(60), Policies(60, {"api": 1}), refuse)  # type: ignore[arg-type]
    statuses: list[int] = []

    async def one(address: str) -> None:
        async def send(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(int(str(message["status"])))

        scope = {"type": "http", "path": STATUS, "method": "GET", "headers": [], "client": (address, 1)}
        await meter(scope, None, send)  # type: ignore[arg-type]

    async def every() -> None:
        for address in addresses:
            await one(address)

    asyncio.run(every())
    return statuses


def test_each_address_has_its_own_budget_and_an_ipv6_network_one() -> None:
    assert asked_from("192.0.2.1", "192.0.2.1", "192.0.2.2") == [200, 429, 200]
    assert asked_from("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", "2001:db8:0:2::1") == [200, 429, 200]
    assert asked_from("::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.9") == [200, 429, 200]


def forwarded(settings: Settings, *clients: str) -> list[int]:
    with served(settings) as here:
        return [
            httpx.get(here + SEARCH, headers={"X-Forwarded-For": client}, timeout=60).status_code for client in clients
        ]


def test_a_proxy_is_believed_only_where_it_is_named(settings: Settings, library: Library) -> None:
    strict = settings.model_copy(update={"rate_limit": 5, "vectors": False})
    behind = strict.model_copy(update={"trusted_proxies": "127.0.0.0/8"})

    assert forwarded(strict, "192.0.2.1", "192.0.2.2") == [200, 429]
    assert forwarded(behind, "192.0.2.1", "192.0.2.2", "192.0.2.1") == [200, 200, 429]
    # What a client wrote itself stands further left than what the proxy added, and counts for nothing.
    assert forwarded(behind, "198.51.100.1, 192.0.2.7", "198.51.100.2, 192.0.2.7") == [200, 429]


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a real Redis."""
    program = shutil.which("redis-server")
    assert program, "install redis-server (scripts/test-tools does)"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder: Path = tmp_path_factory.mktemp("redis")
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    ready = threading.Event()
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            ready.wait(0.05)
    yield f"redis://127.0.0.1:{port}/0"
    process.terminate()
    process.wait(10)


def test_two_servers_share_one_budget_through_redis(settings: Settings, library: Library, redis: str) -> None:
    shared = settings.model_copy(update={"rate_limit": 12, "vectors": False, "redis_url": redis})
    with served(shared) as one, served(shared) as two:
        answers = [httpx.get(here + SEARCH, timeout=60) for here in (one, two, one, two)]
        later = httpx.get(two + STATUS, timeout=60)

    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert [answer.headers["ratelimit"][:9] for answer in answers] == ['"api";r=7', *['"api";r=2'] * 3]
    assert (later.status_code, later.headers["ratelimit"][:9]) == (200, '"api";r=1')


def test_a_redis_that_is_gone_turns_nobody_away(settings: Settings, library: Library) -> None:
    alone = settings.model_copy(update={"rate_limit": 12, "vectors": False, "redis_url": "redis://127.0.0.1:9/0"})
    with served(alone) as here:
        assert [httpx.get(here + SEARCH, timeout=60).status_code for _ in range(3)] == [200, 200, 429]


def test_an_address_that_is_no_redis_is_refused_in_words() -> None:
    with pytest.raises(InvalidValue, match="KB_REDIS_URL is not an address of Redis"):
        budget_of("http://127.0.0.1/", 60)
