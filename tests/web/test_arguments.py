"""A page takes the arguments that it uses; any other is named, with the nearest that it does take."""

import re

import pytest
from starlette.testclient import TestClient

from tests.web.conftest import visible

LOG = "NVRM%3A+Xid+79%0A" * 200


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/en/?symptm=x", "There is no argument symptm. Nearest: symptom"),
        ("/en/?limit=5", "There is no argument limit."),
        ("/en/?symptoms=pods&colour=red", "There is no argument colour."),
        (f"/en/?symptoms={LOG}&colour=red", "There is no argument colour."),
        ("/en/incidents/IL-0477?colour=red", "There is no argument colour."),
        ("/en/incidents/IL-0477.md?colour=red", "There is no argument colour."),
        ("/en/checks/gpu/xid_fatal_counted?colour=red", "There is no argument colour."),
        ("/en/checks?knd=logs", "There is no argument knd. Nearest: kind"),
        ("/en/symptoms/job-hang?symptom=x", "There is no argument symptom. Nearest: symptoms"),
        ("/en/symptoms/job-hang.md?colour=red", "There is no argument colour."),
        ("/en/about?colour=red", "There is no argument colour."),
    ],
)
def test_an_argument_that_a_page_does_not_take_is_named(client: TestClient, address: str, said: str) -> None:
    answer = client.get(address)

    assert answer.status_code == 422
    assert said in re.sub(r"\s+(?=[.])", "", " ".join(visible(answer.text).split()))


def test_what_the_page_takes_is_answered_with_a_whole_log_too(client: TestClient) -> None:
    assert client.get(f"/en/?symptoms={LOG}&component=gpu&sort=id&since=2024").status_code == 200
