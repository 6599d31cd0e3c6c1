"""What schemathesis has to know of the library: real slugs, and what a refusal of well-formed data may be about.

Loaded by schemathesis itself (`hooks` in schemathesis.toml); KB_DATA names the data that the server serves.
"""

from datetime import date

import schemathesis
from hypothesis import strategies as st

from kb import corpus
from kb.api.published import FORMATS
from kb.library.trimming import SECTIONS
from kb.model import Kind
from kb.settings import Settings

VALUES = corpus.read(Settings().data_roots).vocabulary.values
DAYS = st.dates(date(1990, 1, 1), date(2030, 12, 31)).map(str)

for kind in Kind:
    schemathesis.openapi.format(FORMATS[kind.filter_name], st.sampled_from(sorted(VALUES[kind])))
schemathesis.openapi.format("section-names", st.lists(st.sampled_from(SECTIONS), min_size=1, max_size=4).map(",".join))
schemathesis.openapi.format("cursor", st.text("abcXYZ019-_", min_size=1, max_size=40))


@schemathesis.hook
def map_query(_context: object, query: dict[str, object] | None) -> dict[str, object] | None:
    """`since` after `until` is refused, which no schema of one argument can say."""
    if query and {"since", "until"} <= query.keys():
        query = {name: value for name, value in query.items() if name != "until"}
    return query


schemathesis.openapi.format(
    "date-or-part", st.one_of(DAYS, DAYS.map(lambda day: day[:7]), DAYS.map(lambda day: day[:4]))
)


@schemathesis.check
def refused_for_its_cursor_or_case_only(
    _context: object, response: schemathesis.Response, case: schemathesis.Case
) -> None:
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 422:
        return
    problem = response.json()
    unheld = problem["type"].endswith("#unknown-value") and problem.get("field") == "case"
    assert unheld or problem["type"].endswith("#bad-cursor"), problem["detail"]


@schemathesis.check
def every_answer_may_be_read_by_any_page(
    _context: object, response: schemathesis.Response, _case: schemathesis.Case
) -> None:
    assert response.headers.get("access-control-allow-origin") == ["*"], response.headers
