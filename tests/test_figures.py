"""Which numbers of a passage are figures, and what they are worth."""

from decimal import Decimal
from time import perf_counter

import pytest

from kb.figures import figures, numbers


@pytest.mark.parametrize(
    ("passage", "values"),
    [
        ("170–280 ms on 24,576 GPUs", [170, 280, 24576]),
        ("about 5.7 times, 3.2 million keys", ["5.7", 3200000]),
        ("GPU 1만 개, 5.7배, 2만 4천 개", [10000, "5.7", 24000]),
        ("3조 개의 토큰", [3 * 10**12]),
        ("2 replicas of 5", [2, 5]),
        ("500 nodes served 503,000 users, 404 pods and 503 GB, 500을 넘었다", [500, 503000, 404, 503, 500]),
    ],
)
def test_quantities_are_figures(passage, values):
    assert [figure.value for figure in figures(passage)] == [Decimal(value) for value in values]


@pytest.mark.parametrize(
    "passage",
    [
        "H100 and A100 with v1.24 of 2i2c, 2i2c가 운영하는 허브",
        "5xx를 돌려줬다, Xid 79, exit code 137, HTTP 503",
        "on 3 March 2025 at 10:05, 2025년 3월 1일 오후 3시",
        "`timeout 30s` at https://example.org/42",
        "the services answered 503, most returned a 502; 503 errors came, 503 응답이 이어졌고 다시 503을 냈다",
        "커널 4.19.91과 systemd 219 조합은 괜찮았다",
        "대역 10.0.0.0/24를 썼다, /16이 모자랐다",
        "제한의 4분의 1만 보장받았다",
    ],
)
def test_names_dates_codes_and_quotations_are_no_figures(passage):
    assert figures(passage) == []


def test_a_claim_holds_its_numbers_in_every_reading():
    assert numbers("175 B parameters, Xid 79, 24,576 GPUs") >= {Decimal(n) for n in (175, 175 * 10**9, 79, 24576)}


def test_a_long_word_is_read_in_no_time():
    begin = perf_counter()
    assert figures("x" * 3_000) == []
    assert perf_counter() - begin < 20
