"""From one list to the next: links and buttons that change one thing of a question."""

import pytest

from kb import links
from kb.model import Lang
from kb.web.asking import Asked
from kb.web.steps import Step, Steps, closed, opened

FILTERS = {"component": "etcd", "symptom": "job-hang"}
ASKED = Asked(None, FILTERS, {"sort": "oldest", "cursor": "abc"})


@pytest.mark.parametrize(
    ("name", "value"), [("component", "etcd"), ("component", "gpu"), ("org", "a&b/c"), ("symptom", "job-hang")]
)
def test_a_step_is_the_address_of_the_toggled_question(name: str, value: str) -> None:
    step = Steps(Lang.en, ASKED).filter(name, value)

    assert step.href == links.library(Lang.en, links.toggle(ASKED.query, name, value))
    assert step.toggle == f"{name}={value}"


def test_a_second_value_of_a_filter_does_not_take_over_the_first() -> None:
    steps = Steps(Lang.ko, Asked(None, {}, {}))

    assert steps.filter("org", "a").href == "/ko/?org=a"
    assert steps.filter("org", "b").href == "/ko/?org=b"
    assert steps.filter("component", "c").href == "/ko/?component=c"


def test_the_text_of_a_search_stays_in_its_links_unless_it_is_kept_out_of_addresses() -> None:
    open_text, private = (Steps(Lang.en, Asked("a & b", {}, {}, private=private)) for private in (False, True))

    assert open_text.filter("org", "a").href == "/en/?symptoms=a%20%26%20b&org=a"
    assert private.filter("org", "a") == Step(None, "org=a")
    assert private.page("abc") == Step(None, "cursor=abc")


def test_another_page_keeps_the_question_and_changes_the_cursor() -> None:
    assert Steps(Lang.en, ASKED).page("next").href == "/en/?component=etcd&symptom=job-hang&sort=oldest&cursor=next"


def test_a_step_opens_as_a_link_or_as_a_button_and_is_escaped() -> None:
    link, button = Step("/en/?a=1&b=2", "a=1"), Step(None, 'a="1"')

    assert opened(link) == '<a href="/en/?a=1&amp;b=2">'
    assert opened(link, True, "chip", "<all>", "prev") == (
        '<a class="chip" href="/en/?a=1&amp;b=2" rel="prev" aria-current="true" aria-label="&lt;all&gt;">'
    )
    assert opened(button, True) == (
        '<button form="keep" name="toggle" value="a=&#34;1&#34;" class="plainly" aria-pressed="true">'
    )
    assert (closed(link), closed(button)) == ("</a>", "</button>")
