"""Figures in running text, so that every one of them can be tied to a claim.

A figure is a number a reader may rely on: `170–280 ms`, `24,576`, `1만`, `5.7배`, `3.2 million`. Not figures:
dates, years and clock times, ids, versions, product names and codes (`H100`, `5xx`, `v1.24`, `Xid 79`,
`exit code 137`), and whatever stands in backticks. Numbers are compared by value, whatever the unit.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
#: Words after which a number is a name, not a quantity.
_NAMING = (
    r"xid|sxid|exit(?:ed with)?(?: code| status)?|status(?: code)?|code|error|http|https|port|rank|ranks|step|"
    r"iteration|iterations|layer|layers|page|section|table|figure|fig\.|chapter|day|phase|level|tier|stage|part|"
    r"version|release|kubernetes|python|ubuntu|debian|cuda|nccl|pytorch|torch|driver|kernel|systemd|linux|chart|module|"
    r"issue|pull request|pr|case|node|nodes|row|bucket|round|run|experiment|lineage|opus|sonnet|haiku|claude|"
    r"gpt|llama|llama-|bloom|opt|glm|phase|route|ipv|sha|md|utf|rfc|sev|severity|p|s|l|"
    r"랭크|스텝|단계|레이어|이터레이션|포트|코드|버전|종료 코드|상태 코드|절|표|그림|장|노드|쿠버네티스|커널|드라이버|이슈"
)
#: HTTP statuses that are told without the word HTTP.
_STATUS = r"(?:40[0134589]|429|499|50[0-4])(?![\d,.]*\d)"
_SKIPPED = "|".join(
    (
        r"`[^`]*`",
        r"https?://\S+",
        r"[A-Z]{2,8}-\d{4,}",
        r"\d{4}-\d{2}(?:-\d{2})?(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)?",
        r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?",
        r"\d{1,2}\s?[ap]\.?m\.?\b",
        rf"(?i:\b\d{{1,2}}(?:st|nd|rd|th)?(?:\s*(?:and|to|or|[–-])\s*\d{{1,2}}(?:st|nd|rd|th)?)?\s+(?:of\s+)?(?:{_MONTHS})\b(?:\s+\d{{4}})?)",
        rf"(?i:\b(?:{_MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:\s*(?:and|to|or|[–-])\s*\d{{1,2}})?\b(?:,?\s+\d{{4}})?)",
        r"\d{4}\s?년(?:대)?(?:\s?\d{1,2}\s?월)?(?:\s?\d{1,2}\s?일)?",
        r"\d{1,2}\s?월\s?\d{1,2}\s?일?(?:\s?[~–-]\s?\d{1,2}\s?일)?",
        r"\d{1,2}\s?월",
        r"(?:오전|오후|새벽|밤|저녁|아침|낮)\s?\d{1,2}시(?:\s?\d{1,2}분)?",
        r"\d{1,2}시(?!간)(?:\s?\d{1,2}분)?",
        r"(?<!\d)(?<![\d,.])\d{1,2}일(?!\s?(?:간|동안|만|마다|째|치|이\s?걸))",
        r"\bv\d+(?:\.\d+)*\b",
        r"\b\d+\.\d+\.\d+[\w.+-]*",
        r"\b\d+xx(?![A-Za-z])",
        r"\b2i2c(?![A-Za-z0-9])",
        rf"(?i:\b(?:return|answer|serv|respond)\w*(?: with)?(?: an?)? {_STATUS})",
        rf"(?<![\w.,]){_STATUS}\s?(?=errors?\b|answers?\b|responses?\b|오류|에러|응답|을\s?(?:냈|내|돌려|반환|받))",
        r"(?<!\d)[2-9]\s?분의\s?[1-9](?!\d)",
        rf"(?i:\b(?:{_NAMING})s?)[ -]?#?\d[\d.]*(?:\s?(?:,|and|to|or|[–~-]|및|와|과|번|에서)\s?\d[\d.]*)*",
        r"#\d+",
        r"(?<![\w.,])(?:19|20)\d{2}(?!\w|[.,]\d)",
        r"[A-Za-z_][\w./+-]*\d[\w./+:-]*",
        r"\d+[A-Za-z_][A-Za-z_]{2,}\w*",
        r"\d+(?:th|st|nd|rd)\b",
        r"/\d{1,3}(?!\d)",
    )
)
_SCALES = {
    "k": 10**3, "K": 10**3, "thousand": 10**3, "천": 10**3,
    "M": 10**6, "million": 10**6, "백만": 10**6,
    "B": 10**9, "billion": 10**9, "십억": 10**9, "trillion": 10**12, "조": 10**12,
    "만": 10**4, "억": 10**8,
}  # fmt: skip
_NUMBER = re.compile(
    r"(?<![\w.])(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\s?(?P<scale>thousand|million|billion|trillion|백만|십억|천|만|억(?!제)|조(?![합각치건정사])|[kKMB](?![A-Za-z])))?"
    r"(?:\s?(?P<rest>\d{1,4})(?=천)(?P<cheon>천)|\s(?P<tail>\d{1,4})(?=\s?(?:개|명|대|장|건|번|배|회)))?"
)


@dataclass(frozen=True)
class Figure:
    """A number, as it stands in `text[start:end]`."""

    value: Decimal
    start: int
    end: int


@cache
def _skipped() -> re.Pattern[str]:
    """Compiled when it is first wanted: that takes a fifth of a second, and no search needs it."""
    return re.compile(_SKIPPED)


def figures(text: str) -> list[Figure]:
    """Every figure of a passage, in order."""
    masked = _skipped().sub(lambda match: " " * len(match.group()), text)
    return [Figure(_value(match), match.start(), match.end()) for match in _NUMBER.finditer(masked)]


def numbers(text: str) -> set[Decimal]:
    """Every number that a claim's `value` or `working` holds, names and codes included.

    Scaled numbers count in both readings: `175 B` is 175 and 175,000,000,000.
    """
    found: set[Decimal] = set()
    for match in re.finditer(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?", text):
        found.add(_decimal(match.group()))
    for match in _NUMBER.finditer(text):
        found.add(_value(match))
    return found


def _value(match: re.Match[str]) -> Decimal:
    value = _decimal(match["digits"]) * _SCALES.get(match["scale"] or "", 1)
    if match["rest"]:
        value += Decimal(match["rest"]) * 1000
    elif match["tail"] and match["scale"] in ("만", "억"):
        value += Decimal(match["tail"])
    return value.normalize()


def _decimal(digits: str) -> Decimal:
    return Decimal(digits.replace(",", "")).normalize()
