"""The two tables of words: the same keys, the same gaps to fill, and nothing that no page says."""

import re
import string
from itertools import chain

import pytest
from markupsafe import Markup

from kb.checks.card import Origin
from kb.model import Basis, Kind, Lang, RelationKind, ReviewStatus, SourceKind
from kb.settings import shipped
from kb.web.words import Words, table

PREFIXES = (
    "graph_", "status_", "link_", "source_", "read_", "relation_", "severity_", "error_", "list_", "sort_", "theme_",
    "nav_", "index_lead_", "op_", "code_", "limit_", "chart_origin_", "show_", "hole_", "heat_",
)  # fmt: skip


def gaps(entry: str | list[str]) -> set[str]:
    parts = [entry] if isinstance(entry, str) else entry
    return {name for part in parts for _, name, _, _ in string.Formatter().parse(part) if name}


def test_both_languages_say_the_same_things() -> None:
    assert list(table(Lang.en)) == list(table(Lang.ko))


def test_korean_fills_no_gap_that_english_does_not_have() -> None:
    for key, entry in table(Lang.en).items():
        assert gaps(table(Lang.ko)[key]) <= gaps(entry) | {"n"}, key
        assert gaps(entry) - {"n"} <= gaps(table(Lang.ko)[key]), key


def test_korean_is_korean() -> None:
    names = {"site", "nav_api"}
    latin = [k for k, v in table(Lang.ko).items() if not re.search("[가-힣]", str(v)) and k not in names]

    assert latin == []


def test_every_word_is_said_somewhere() -> None:
    templates = "".join(path.read_text() for path in shipped("templates").rglob("*.html"))
    code = "".join(path.read_text() for path in (shipped("kb") / "web").glob("*.py"))
    said = set(re.findall(r'["\']([a-z0-9_-]+)["\']', templates + code))
    enums = {str(v) for v in chain(Kind, Basis, Origin)} | {k.filter_name for k in Kind}
    unsaid = [k for k in table(Lang.en) if k not in said | enums and not k.startswith(PREFIXES)]

    assert unsaid == []


@pytest.mark.parametrize("lang", list(Lang))
def test_every_value_that_data_can_hold_has_a_word(lang: Lang) -> None:
    words = table(lang)
    needed = [f"source_{v}" for v in SourceKind] + [f"relation_{v}" for v in RelationKind]
    needed += [*(str(v) for v in chain(Basis, Origin)), *(f"status_{v}" for v in ReviewStatus)]
    needed += [v for k in Kind for v in (k.value, k.filter_name)]

    assert [key for key in needed if key not in words] == []


def test_what_is_filled_in_is_escaped_unless_it_is_markup() -> None:
    words = Words(Lang.en)

    assert words("did_you_mean", word="<b>") == "Did you mean &lt;b&gt;?"
    assert words("did_you_mean", word=Markup("<b>x</b>")) == "Did you mean <b>x</b>?"
    assert words.plain("did_you_mean", word="<b>") == "Did you mean <b>?"


def test_one_and_many_are_told_apart() -> None:
    assert [str(Words(Lang.en)("n_cases", n=n)) for n in (0, 1, 2)] == ["0 cases", "1 case", "2 cases"]
    assert str(Words(Lang.ko)("n_cases", n=1)) == "사례 1건"
