"""Tests over every replay share runs of promtool, which cost more than what is evaluated in them."""

from collections.abc import Callable
from typing import Any

import pytest

from kb.checks.sources.promtool import Together

AllOfThem = Callable[[Callable[..., Any]], Any]
_KNOWN: dict[object, dict[object, Any]] = {}


@pytest.fixture
def all_of_them(request: pytest.FixtureRequest) -> AllOfThem:
    """`all_of_them(work)`: what `work(**parameters, promtool=…)` gives for the parameters of this test.

    The first test of a function that asks has the work done for all of its parameters that were selected.
    """
    function, mine = request.function, _parameters(request.node)

    def answer(work: Callable[..., Any]) -> Any:
        if function not in _KNOWN:
            _KNOWN[function] = _work_for_all(request.session, function, work)
        outcome = _KNOWN[function][_key(mine)]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    return answer


def _work_for_all(session: pytest.Session, function: object, work: Callable[..., Any]) -> dict[object, Any]:
    all_parameters = {
        _key(parameters): parameters
        for item in session.items
        if getattr(item, "function", None) is function and (parameters := _parameters(item))
    }
    together = Together()

    def one(key: object) -> Any:
        try:
            return work(**all_parameters[key], promtool=together)
        except Exception as error:  # it belongs to the test of these parameters
            return error

    return together.each(all_parameters, one)


def _parameters(item: Any) -> dict[str, Any]:
    return dict(item.callspec.params)


def _key(parameters: dict[str, Any]) -> object:
    return tuple(sorted((name, str(getattr(value, "name", value))) for name, value in parameters.items()))
