"""Made-up cases in any number, from the sentences of the real ones.

Each takes its skeleton (vocabulary, sources, claims, timeline) from one real case, and its prose from that case and
a second one of the same domain: the first half of a sentence here, the second half of a sentence there. So lengths,
languages and the distribution of words are those of real cases, no passage is embedded twice, and nothing makes
sense. They lie in a data root of their own under the prefix `GEN-`, and fulfil every rule that a build demands.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from kb import case_file, corpus
from kb.model import Claim, Dated, Dates, Impact, Incident, Lang, Narrative, Phrases, Precision, Source, Text
from kb.validate import Level, findings
from tests.library_fixtures import DATA, copy_chosen

LIMITS = {Lang.en: 110, Lang.ko: 70}
PHRASE = 160
#: Share of made-up cases that break a rule and are thrown away, rounded up: a figure cut in two, mostly.
SURPLUS = 1.15
#: Made-up cases beside the real ones, however small the library.
FEWEST = 4
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Roots:
    """`base` holds the few real cases that the checks' replays name, `made` the generated ones."""

    base: Path
    made: Path

    @property
    def setting(self) -> str:
        return f"{self.base}:{self.made}"

    @property
    def cases(self) -> int:
        return sum(1 for root in (self.base, self.made) for _ in (root / "incidents").glob("*.yaml"))


def write(folder: Path, count: int, seed: int) -> Roots:
    """Two data roots with `count` cases together, more only where the checks' replays name more real ones.

    Equal arguments give equal files for the same real cases.
    """
    roots = Roots(copy_chosen(folder / "base", ()), folder / "made")
    target = roots.made / "incidents"
    target.mkdir(parents=True)
    wanted = max(FEWEST, count - roots.cases)
    stream = incidents(real_cases(), seed)
    for incident in islice(stream, int(wanted * SURPLUS) + 8):
        text = case_file.dumps(incident)
        (target / f"{incident.id}.yaml").write_text(text, encoding="utf-8")
    broken = {f.path for f in findings(_read(roots), None, layout=False) if f.level is Level.error}
    # The vocabulary's examples name real cases, which are not held here; that breaks its files, not the cases.
    for path in broken & set(target.iterdir()):
        path.unlink()
    whole = sorted(target.glob("*.yaml"))
    assert len(whole) >= wanted, f"only {len(whole)} of the {wanted} cases fulfil the rules: raise SURPLUS"
    for path in whole[wanted:]:
        path.unlink()
    return roots


def part(roots: Roots, folder: Path, count: int) -> Roots:
    """The first `count` cases of `roots`, linked into a folder of their own."""
    smaller = Roots(roots.base, folder)
    (folder / "incidents").mkdir(parents=True)
    wanted = max(FEWEST, count - smaller.cases)
    for path in sorted((roots.made / "incidents").glob("*.yaml"))[:wanted]:
        (folder / "incidents" / path.name).hardlink_to(path)
    return smaller


def _read(roots: Roots) -> corpus.Corpus:
    return corpus.read((roots.base, roots.made))


def real_cases() -> list[Incident]:
    """All served real cases that can be read."""
    return [case.incident for case in corpus.read((DATA,)).served]


def incidents(real: Sequence[Incident], seed: int) -> Iterator[Incident]:
    """An endless stream of made-up cases; number n is the same whatever comes before it."""
    number = 0
    by_domain = {domain: [case for case in real if case.domain is domain] for domain in {c.domain for c in real}}
    while True:
        number += 1
        chance = random.Random(f"{seed}/{number}")
        first = chance.choice(real)
        second = chance.choice(by_domain[first.domain])
        yield _made(number, first, second, chance)


def _made(number: int, first: Incident, second: Incident, chance: random.Random) -> Incident:
    sources, claims = _backing(first, second)
    one, two = first.narrative, second.narrative
    return first.model_copy(
        update={
            "id": f"GEN-{number:04d}",
            "slug": f"generated-{number}",
            "title": _shortened(_spliced(first.title, second.title), LIMITS),
            "summary": _spliced(first.summary, second.summary),
            "dates": _dates(first),
            "impact": Impact(),
            "narrative": Narrative(
                symptom=_spliced(one.symptom, two.symptom),
                cause=_perhaps(one.cause, two.cause),
                trigger=_perhaps(one.trigger, two.trigger),
                detection=_perhaps(one.detection, two.detection),
                lessons=_perhaps(one.lessons, two.lessons),
            ),
            "timeline": tuple(entry.model_copy(update={"at": None}) for entry in first.timeline),
            "phrases": Phrases(
                en=_phrases(first.phrases.en, second.phrases.en, chance),
                ko=_phrases(first.phrases.ko, second.phrases.ko, chance),
            ),
            "sources": sources,
            "claims": claims,
            "relations": (),
        }
    )


def _backing(first: Incident, second: Incident) -> tuple[tuple[Source, ...], tuple[Claim, ...]]:
    """The sources and claims of both, numbered anew: every figure stays claimed."""
    sources: list[Source] = []
    claims: list[Claim] = []
    for case in (first, second):
        new = {source.id: f"S{len(sources) + i}" for i, source in enumerate(case.sources, start=1)}
        sources += [source.model_copy(update={"id": new[source.id]}) for source in case.sources]
        claims += [
            claim.model_copy(update={"id": f"c{len(claims) + i}", "source": new[claim.source]})
            for i, claim in enumerate(case.claims, start=1)
        ]
    return tuple(sources), tuple(claims)


def _dates(case: Incident) -> Dates:
    """The month alone: two made-up cases of one day would count as the same event."""
    at = case.date[0]
    if at is None or len(at) < 7:
        return Dates()
    return Dates(published=Dated(at=at[:7], precision=Precision.month))


def _perhaps(first: Text | None, second: Text | None) -> Text | None:
    return _spliced(first, second) if first and second else None


def _spliced(first: Text, second: Text) -> Text:
    korean = _told(first.ko, second.ko) if first.ko and second.ko else None
    return Text(en=_told(first.en, second.en), ko=korean)


def _told(first: str, second: str) -> str:
    """Paragraph by paragraph of `first`, each sentence ended with that of `second`."""
    ends = cycle(_SENTENCE.split(second.replace("`", "").replace("\n\n", " ")))
    paragraphs = first.replace("`", "").split("\n\n")
    return "\n\n".join(
        " ".join(_crossed(sentence, next(ends)) for sentence in _SENTENCE.split(paragraph)) for paragraph in paragraphs
    )


def _crossed(first: str, second: str) -> str:
    start, end = first.split(), second.split()
    return " ".join([*start[: (len(start) + 1) // 2], *end[len(end) // 2 :]])


def _shortened(text: Text, limits: dict[Lang, int]) -> Text:
    return Text(en=_cut(text.en, limits[Lang.en]), ko=_cut(text.ko, limits[Lang.ko]) if text.ko else None)


def _cut(text: str, limit: int) -> str:
    while len(text) > limit:
        text = text.rpartition(" ")[0] or text[:limit]
    return text


def _phrases(first: Sequence[str], second: Sequence[str], chance: random.Random) -> tuple[str, ...]:
    ends = chance.sample(second, len(second)) or list(first)
    crossed = [_cut(_crossed(a.replace("`", ""), b.replace("`", "")), PHRASE) for a, b in zip(first, cycle(ends))]
    return tuple(dict.fromkeys(crossed))
