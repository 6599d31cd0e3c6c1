"""What passages are made of: their language, their markup, their length."""

import re
from collections.abc import Iterator

from kb.corpus import CaseFile
from kb.model import Lang, ReviewStatus
from kb.validate.rules import Finding, Located, at
from kb.validate.walk import passages, phrases, strings, texts
from kb.yaml_text import Place

PHRASES = 6
#: Of the letters outside code and names, at least this share is Hangul; phrases may quote more.
HANGUL_SHARE = 0.5
HANGUL_SHARE_OF_PHRASES = 0.15
#: A syllable says as much as about this many Latin letters.
SYLLABLE = 2.5
LIMITS = {Lang.en: 110, Lang.ko: 70}
NARRATIVE = 2_500
PHRASE = 160
EVIDENCE = 300

_HANGUL = re.compile(r"[가-힣]")
_CODE = re.compile(r"`[^`]*`|https?://\S+")
#: A word that is a name or a code in either language: capitals, digits or joints in it.
_NAME = re.compile(r"[A-Za-z0-9_.\-/+:]*[A-Z0-9_\-/+][A-Za-z0-9_.\-/+:]*")
_PLAIN = re.compile(r"[a-z]")
_CODE_LIKE = re.compile(r"^[^A-Za-z]*$|[\d_/\-]|[A-Z].*[A-Z]")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def findings(case: CaseFile) -> Iterator[Finding]:
    yield from judge(case, case.incident)
    if case.incident.review.status is ReviewStatus.approved:
        yield from _both_languages(case)
    for place, lang, phrase in phrases(case.incident):
        yield from _language(case, place, lang, phrase, HANGUL_SHARE_OF_PHRASES)
        yield from _markup(case, place, phrase)
    yield from _lengths(case)


def judge(file: Located, part: object, place: Place = ()) -> Iterator[Finding]:
    """Language, markup and characters of everything below `part`, which stands at `place`."""
    for where, lang, passage in passages(part, place):
        yield from _language(file, where, lang, passage, HANGUL_SHARE)
        yield from _markup(file, where, passage)
    for where, held in strings(part, place):
        match = _CONTROL.search(held)
        if match:
            yield at(
                file, where, "control-character",
                f"Holds the character U+{ord(match.group()):04X}.",
                "Delete it; in evidence write it out, as in `\\t`.",
            )  # fmt: skip


def _both_languages(case: CaseFile) -> Iterator[Finding]:
    for place, text in texts(case.incident):
        if text.ko is None:
            yield at(
                case, place, "both-languages", "There is no Korean.",
                "Write `ko`, or make the review a `draft`.",
            )  # fmt: skip
    for lang in Lang:
        count = len(getattr(case.incident.phrases, lang.value))
        if count < PHRASES:
            yield at(
                case, ("phrases", lang.value), "phrases-count", f"{count} phrases, fewer than {PHRASES}.",
                "Add what a person in trouble would write, before knowing the cause.",
            )  # fmt: skip


def _language(file: Located, place: Place, lang: Lang, passage: str, floor: float) -> Iterator[Finding]:
    if lang is Lang.ko and not is_korean(passage, floor):
        yield at(file, place, "korean", f"`{passage[:60]}` is not Korean.", "Write it in Korean.")
    if lang is Lang.en and _HANGUL.search(passage):
        yield at(file, place, "english", f"`{passage[:60]}` holds Hangul.", "Write it in English.")


_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
"""A host name such as `mybinder.org` is a name in every language."""


def is_korean(passage: str, floor: float = HANGUL_SHARE) -> bool:
    """Whether a passage is Korean. Code, names and numbers count for neither language.

    A passage of nothing but codes (`us-east-1`, `HTTP 503`) needs no Hangul.
    """
    bare = _CODE.sub(" ", passage)
    hangul = SYLLABLE * len(_HANGUL.findall(bare))
    if not hangul:
        return all(_CODE_LIKE.search(word) for word in bare.split())
    latin = len(_PLAIN.findall(_NAME.sub(" ", _HOST.sub(" ", bare))))
    return hangul / (hangul + latin) >= floor


def _markup(file: Located, place: Place, passage: str) -> Iterator[Finding]:
    if passage.count("`") % 2:
        yield at(file, place, "backticks", "A backtick has no partner.", "Close the quotation.")
    tag = _TAG.search(_CODE.sub(" ", passage))
    if tag:
        yield at(
            file, place, "html", f"`{tag.group()[:40]}` reads as an HTML tag.",
            "Put code into backticks, and use no HTML.",
        )  # fmt: skip


def _lengths(case: CaseFile) -> Iterator[Finding]:
    incident = case.incident
    for place, lang, passage in passages(incident.title, ("title",)):
        yield from _longer(case, place, passage, LIMITS[lang], "title-length")
    for place, _, passage in passages(incident.narrative, ("narrative",)):
        yield from _longer(case, place, passage, NARRATIVE, "narrative-length")
    for place, _, phrase in phrases(incident):
        yield from _longer(case, place, phrase, PHRASE, "phrase-length")
    for i, line in enumerate(incident.evidence):
        yield from _longer(case, ("evidence", i), line, EVIDENCE, "evidence-length")
    count = len(incident.summary.en.split())
    if not 50 <= count <= 130:
        rule = "summary-size" if 30 <= count <= 180 else "summary-length"
        yield at(case, ("summary", "en"), rule, f"{count} words.", "60 to 120 are read best.")


def _longer(case: CaseFile, place: Place, passage: str, limit: int, rule: str) -> Iterator[Finding]:
    if len(passage) > limit:
        yield at(case, place, rule, f"{len(passage)} characters, more than {limit}.", "Shorten it.")
