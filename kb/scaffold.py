"""New files: a case with the next id, taken under a lock, and a check with its three replays to fill in."""

import fcntl
import re
from pathlib import Path

from kb import case_file, yaml_text
from kb.checks.card import FAMILIES, SourceName
from kb.checks.drafts import Draft, draft_of
from kb.errors import InvalidValue, UnknownValue
from kb.model import SLUG_PATTERN, Domain, Incident, Lang
from kb.nearest import nearest
from kb.vocabulary import Vocabulary

#: Ids below were given to a list of reports once; new cases append from here.
FIRST_NEW = 1001


def new_case(root: Path, slug: str, *, domain: Domain, org: str, title: str, url: str, today: str) -> Path:
    """Write a draft and list its id; returns the file.

    Raises:
        InvalidValue: a slug of another form, or one that is listed and written already.
    """
    if not re.fullmatch(SLUG_PATTERN, slug):
        raise InvalidValue(
            f"`{slug}` is not a slug.", field="slug", next_step="Write it like acme-2026-05-01-dns-loop."
        )
    case_id = _take_id(root, slug)
    path = root / "incidents" / f"{case_id}.yaml"
    if path.exists():
        raise InvalidValue(f"`{slug}` is {case_id} and is written already.", field="slug")
    draft = Incident.model_validate(
        {
            "id": case_id,
            "slug": slug,
            "domain": domain,
            "org": org,
            "title": {"en": title},
            "summary": {
                "en": "Sixty to a hundred and twenty words: what broke, for whom, how it was found and mended."
            },
            "symptoms": ["service-unavailable"],
            "root_causes": ["unknown"],
            "narrative": {"symptom": {"en": "What was seen, by whom."}},
            "sources": [
                {
                    "id": "S1",
                    "url": url,
                    "title": title,
                    "publisher": org,
                    "kind": "postmortem",
                    "read": "part",
                    "checked": today,
                }
            ],
            "review": {"status": "draft", "on": today},
        }
    )
    path.write_text(case_file.dumps(draft), encoding="utf-8")
    return path


def _take_id(root: Path, slug: str) -> str:
    """The id that is listed for the slug, else the next free one, which is listed now."""
    path = root / "ids.tsv"
    with path.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        rows = [line.split("\t") for line in file.read().splitlines()[1:] if line]
        known = {row[1]: row[0] for row in rows}
        if slug in known:
            return known[slug]
        number = max([FIRST_NEW - 1, *(int(row[0].rsplit("-", 1)[1]) for row in rows)]) + 1
        case_id = f"IL-{number:04d}"
        file.write(f"{case_id}\t{slug}\n")
        return case_id


def new_check(root: Path, check_id: str, *, kind: str, reads: str) -> Path:
    """Write a check with a replay of each answer to fill in; returns its folder.

    reads: what it looks at: a metric, a resource (`v1/pods`), a log (`kernel`), files below a root
        (`*/net/*/operstate`), or a verdict on a training job (`compute_straggler`).

    Raises:
        InvalidValue: an id of another form, an unknown family, or a check that exists.
        UnknownValue: a kind of source that does not exist.
    """
    kinds = [name.value for name in SourceName]
    if kind not in kinds:
        raise UnknownValue(
            f"`{kind}` is no kind of source.", field="kind", allowed=kinds, nearest=nearest(kind, kinds, limit=1)
        )
    source = SourceName(kind)
    family, _, name = check_id.partition("/")
    if family not in FAMILIES or not name.replace("_", "").isalnum() or name != name.lower():
        raise InvalidValue(
            f"`{check_id}` is not an id of a check.",
            field="id",
            allowed=FAMILIES,
            nearest=nearest(family, FAMILIES, limit=1),
            next_step="Write it like gpu/row_remap_failed.",
        )
    folder = root / family / name
    if folder.exists():
        raise InvalidValue(f"`{check_id}` exists already.", field="id")
    (folder / "replays").mkdir(parents=True)
    said = {"en": "Say it in one sentence.", "ko": "한 문장으로 쓰세요."}
    draft = draft_of(source, reads)
    card = {
        "id": check_id,
        "title": said,
        "about": said,
        "severity": "warning",
        "kind": kind,
        "catches": ["unknown"],
        **draft.card,
        "message": said,
        "next_step": "watch",
        "references": [{"title": "Where the maker documents it", "url": "https://example.org/"}],
    }
    (folder / "check.yaml").write_text(yaml_text.dump(card), encoding="utf-8")
    _write_draft(folder, source, draft)
    return folder


def _write_draft(folder: Path, source: SourceName, draft: Draft) -> None:
    """The function of a new check, if it has one, and its replays."""
    if draft.function:
        (folder / "check.py").write_text(draft.function, encoding="utf-8")
    for must, (data, expect) in draft.replays.items():
        at = {"at": "20m"} if source is SourceName.prometheus else {}
        replay: dict[str, object] = {"must": must, **at, "origin": "invented", "data": {source.value: data}}
        replay["expect"] = {"answer": must, **expect}
        (folder / "replays" / f"{must}.yaml").write_text(yaml_text.dump(replay), encoding="utf-8")


def checklist(case: Incident, vocabulary: Vocabulary) -> str:
    """What a reviewer goes through beside the sources, as Markdown: claims by source, then the labels."""
    lines = [f"# {case.id} {case.title.en}", ""]
    for source in case.sources:
        lines += [
            f"## {source.id} {source.title}",
            f"<{source.url}> · read {source.read} · checked {source.checked}",
            "",
        ]
        lines += [
            f"- [ ] {claim.id} **{claim.value}** — {claim.text.en} ({claim.where}; {claim.basis}"
            + (f": {claim.working}" if claim.working else "")
            + ")"
            for claim in case.claims
            if claim.source == source.id
        ]
        lines.append("")
    lines += ["## Is the main value of each kind right by its definition?", ""]
    for kind, slugs in (
        ("symptoms", case.symptoms),
        ("components", case.components),
        ("root_causes", case.root_causes),
    ):
        for slug in slugs[:1]:
            value = next((v[slug] for k, v in vocabulary.values.items() if k == kind and slug in v), None)
            lines.append(
                f"- [ ] {kind}: `{slug}` — {value.definition.say(Lang.en)[0] if value and value.definition else ''}"
            )
    lines += ["", "## Besides", ""]
    lines += [
        f"- [ ] {what}"
        for what in (
            "The title is no stronger than the source.",
            "Actions were done, follow-ups were planned.",
            "Evidence strings stand in the source letter by letter.",
            "Severity and times only as stated, or derived with the arithmetic.",
            "No sentence in Korean that no engineer would say.",
        )
    ]
    return "\n".join(lines) + "\n"
