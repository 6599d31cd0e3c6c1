"""A budget per client address: the `RateLimit` fields on every answer, and 429 once it is used up.

Fields and problem type as in draft-ietf-httpapi-ratelimit-headers. The address is the one the connection comes
from, or, behind proxies that `KB_TRUSTED_PROXIES` names, the one they report; it is kept no longer than the window.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from fastapi import Request
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb.api.budgets import Budget, Spent
from kb.api.costs import Cost, cost
from kb.api.problems import HttpFault

QUOTA_EXCEEDED = "quota-exceeded"


@dataclass(frozen=True)
class Policies:
    """Points per window of seconds, by policy; a policy without a quota is not limited."""

    window: int
    quotas: dict[str, int]


class Meter:
    """Charges before anything is worked out. `answer` renders the refusal as any other error."""

    def __init__(
        self,
        app: ASGIApp,
        budget: Budget,
        policies: Policies,
        answer: Callable[[Request, Exception], Response],
    ) -> None:
        self.app = app
        self.budget = budget
        self.policies = policies
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        charged = cost(scope["path"]) if scope["type"] == "http" else None
        quota = self.policies.quotas.get(charged.policy, 0) if charged else 0
        if charged is None or quota == 0:
            await self.app(scope, receive, send)
            return
        spent = await self.budget.spend(f"{charged.policy}:{_client(scope)}", charged.points, quota)
        fields = self._fields(charged.policy, quota, spent)

        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in fields.items():
                    headers[name] = value
            await send(message)

        if spent.allowed:
            await self.app(scope, receive, add)
            return
        await self.answer(Request(scope, receive), _refusal(charged, quota, spent, self.policies.window))(
            scope, receive, add
        )

    def _fields(self, policy: str, quota: int, spent: Spent) -> dict[str, str]:
        return {
            "RateLimit-Policy": f'"{policy}";q={quota};w={self.policies.window}',
            "RateLimit": f'"{policy}";r={spent.left};t={spent.reset}',
        }


def _refusal(charged: Cost, quota: int, spent: Spent, window: int) -> HttpFault:
    fault = HttpFault(
        429,
        QUOTA_EXCEEDED,
        f"Your address has used up its {quota} points of {window} seconds; this request costs {charged.points}.",
        next_step=f"Ask again in {spent.reset} seconds; to copy the library, fetch /api/v1/export/all.ndjson once.",
    )
    fault.headers["Retry-After"] = str(spent.reset)
    return fault


def _client(scope: Scope) -> str:
    """A digest of the client's address; an IPv6 client is its /64, of which each has billions of addresses."""
    client = scope.get("client")
    name = client[0] if client else "local"
    try:
        address = ip_address(name)
    except ValueError:
        pass
    else:
        if isinstance(address, IPv6Address):
            own = address.ipv4_mapped
            name = str(own) if own else address.exploded[:19]
    return hashlib.sha256(name.encode()).hexdigest()[:24]
