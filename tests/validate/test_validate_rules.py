"""One bad file for every rule, made from a good one by one small change."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb import corpus
from kb.checks.card import Answer
from kb.checks.catalogue import Catalogue, CatalogueFaults
from kb.checks.proofs import Proofs
from kb.validate import RULES, Level, findings, unread_checks

Break = Callable[[Any], object]


def put(dotted: str, value: Any) -> Break:
    return lambda root: root.put(dotted, value)


def both(*breaks: Break) -> Break:
    return lambda root: [one(root) for one in breaks]


def attribute(name: str, value: Any) -> Break:
    return lambda root: setattr(root, name, value)


def term(kind: str, index: int, **fields: Any) -> Break:
    return lambda root: root.vocabulary[kind][index].update(copy.deepcopy(fields))


def more(kind: str, slug: str, **fields: Any) -> Break:
    def change(root: Any) -> None:
        name = {"en": slug.title(), "ko": f"새 {slug.title()}"}
        value = {"slug": slug, "name": name, "definition": {"en": "A new one.", "ko": "새 값이다."}, "no_case": NOTE}
        root.vocabulary[kind].append(value | fields)

    return change


def replay(name: str, **fields: Any) -> Break:
    return lambda root: root.replays[name].update(fields)


def proof(number: int, **fields: Any) -> Break:
    def change(root: Any) -> None:
        root.proofs = lambda records: [
            record.model_copy(update=fields) if i == number else record for i, record in enumerate(records)
        ]

    return change


def relate(**fields: Any) -> Break:
    return lambda root: root.relate(**fields)


def own(prefix: str) -> Break:
    def change(root: Any) -> None:
        root.private = copy.deepcopy(root.case) | {"id": f"{prefix}-0007", "slug": "our-own"}
        root.private["dates"] = {"occurred": {"at": "2025-02-01", "precision": "day"}}
        root.private["no_check"] = {"en": "None.", "ko": "없다."}

    return change


def crowd(number: int) -> Break:
    """So many more cases with the values of the first."""
    return lambda root: setattr(root, "crowd", number)


def catch(*slugs: str) -> Break:
    return lambda root: root.check.update(catches=list(slugs))


def metric_of(exporter: str) -> Break:
    metric = {"name": "up", "exporter": exporter, "default_on": "true"}
    return lambda root: root.check["needs"].update(metrics=[metric])


def again(name: str) -> Break:
    """The first source or claim a second time."""
    return lambda root: root.put(f"{name}.1", copy.deepcopy(root.case[name][0]))


def orphan(root: Any) -> None:
    root.proofs = lambda records: [*records, records[0].model_copy(update={"replay": "gone.yaml"})]


def unlink(root: Any) -> None:
    for name in ("case", "how", "published"):
        del root.replays["found"][name]
    root.replays["found"]["origin"] = "invented"


def edge(kind: str, **fields: Any) -> Break:
    """The edges of all values are shown, and that of the first value of this kind is broken."""

    def change(root: Any) -> None:
        root.show_edges()
        for dotted, value in fields.items():
            place = root.vocabulary[kind][0]
            *way, last = ["examples", *dotted.split("__")] if dotted != "examples" else [dotted]
            for part in way:
                place = place[part]
            if value is None:
                del place[last]
            else:
                place[last] = value

    return change


def hide_near(root: Any) -> None:
    """The case that does not belong is not served."""
    root.show_edges()
    root.near["review"]["status"] = "draft"
    for values in root.vocabulary.values():
        for value in values[1:]:
            value["no_case"] = NOTE


WORDS = "word " * 40
NOTE = {"en": "Because.", "ko": "그래서 그렇다."}
EDGE = "[0].examples.does_not_belong"
#: rule, what is broken, the field, a part of the message
BAD: list[tuple[str, Break, str, str]] = [
    ("schema", put("colour", "red"), "colour", "no such field"),
    ("schema", attribute("raw", lambda text: "id: [\n"), "(file)", "not YAML"),
    ("schema", lambda root: root.vocabulary["factors"][0].pop("name"), "name", "is required and missing"),
    ("file-name", attribute("file_name", "IL-9.yaml"), "id", "The file is IL-9.yaml, its id is IL-0001."),
    ("id-unique", both(relate(mirrored=False, id="IL-0001"), put("relations", None)), "id", "is also the id of"),
    ("slug-unique", relate(slug="example-etcd-disk-full"), "slug", "also the slug of IL-0001"),
    ("id-listed", attribute("ids", "id\tslug\n"), "id", "IL-0001 is not in ids.tsv."),
    ("id-listed", attribute("ids", "id\tslug\nIL-0001\tother\n"), "slug", "gives IL-0001 to `other`"),
    ("ids-file", attribute("ids", None), "(file)", "cannot be read"),
    ("ids-file", lambda r: setattr(r, "ids", "id slug\n" + r.ids.split("\n", 1)[1]), "(row)", "The first line is not"),
    ("ids-file", lambda r: setattr(r, "ids", r.ids + "IL-3\tx\n"), "(row)", "is not an id, a tab and a slug"),
    ("ids-file", lambda r: setattr(r, "ids", r.ids + "IL-0002\tx\n"), "(row)", "IL-0002 is listed twice."),
    ("ids-file", lambda r: setattr(r, "ids", r.ids + "IL-0003\texample-etcd-disk-full\n"), "(row)", "The slug"),
    ("ids-file", lambda r: setattr(r, "ids", r.ids + "IL-0000\tx\n"), "(row)", "IL-0000 stands after a higher id."),
    ("id-prefix", own("IL"), "id", "IL-0007 does not fit the folder"),
    ("format", attribute("raw", lambda text: text.replace("id: IL-0001", "id: 'IL-0001'")), "(file)", "canonical"),
    ("trailing-space", attribute("raw", lambda text: text.replace("IL-0001\n", "IL-0001 \n")), "(line)", "blanks"),
    ("control-character", put("narrative.symptom.en", "Writes\u200b fail."), "narrative.symptom.en", "U+200B"),
    ("control-character", put("evidence.0", "\x1b[31merror"), "evidence[0]", "U+001B"),
    ("vocabulary-slug-unique", more("factors", "etcd"), "[2].slug", "`etcd` already means components/etcd."),
    ("vocabulary-slug-unique", term("factors", 0, old_slugs=["etcd"]), "[0].old_slugs[0]", "already means"),
    ("vocabulary-slug-unique", more("components", "etcd"), "[2].slug", "`etcd` already means components/etcd."),
    (
        "vocabulary-alias",
        term("components", 1, aliases={"en": ["ETCD"], "ko": []}),
        "[1].aliases.en[0]",
        "`ETCD` leads to `etcd` and to `storage`.",
    ),
    ("vocabulary-broader", term("components", 0, broader=["nothing"]), "[0].broader[0]", "not one of the components"),
    ("vocabulary-broader", term("components", 0, broader=["etcd"]), "[0].broader[0]", "narrower than `etcd`"),
    ("vocabulary-no-case", lambda r: r.vocabulary["components"][1].pop("no_case"), "[1]", "No case carries `storage`."),
    ("vocabulary-no-case", term("components", 0, no_case=NOTE), "[0].no_case", "1 cases carry `etcd`."),
    ("vocabulary-examples", both(crowd(1), edge("symptoms", examples=None)), "[0]", "2 approved cases carry"),
    ("vocabulary-examples", both(crowd(1), edge("factors", does_not_belong=None)), "[0]", "its edge is not shown"),
    ("vocabulary-example", edge("symptoms", belongs__case="IL-0900"), "[0].examples.belongs.case", "does not carry"),
    ("vocabulary-example", edge("symptoms", does_not_belong__instead="writes-fail"), EDGE + ".instead", "not carry"),
    ("vocabulary-example", edge("factors", does_not_belong__case="IL-0001"), EDGE + ".case", "carries `no-alert`"),
    ("vocabulary-example-case", edge("factors", belongs__case="IL-0007"), "[0].examples.belongs.case", "no case IL-"),
    ("vocabulary-example-case", hide_near, EDGE + ".case", "IL-0900 is draft and not served."),
    ("vocabulary-languages", term("factors", 0, definition={"en": "No alert."}), "[0].definition", "no Korean"),
    ("term-known", put("components.0", "etdc"), "components[0]", "`etdc` is not one of the components. Nearest: etcd"),
    ("term-known", put("factors.0", "disk-full"), "factors[0]", "`disk-full` is not one of the factors."),
    ("term-known", put("org", "nobody"), "org", "`nobody` is not one of the orgs."),
    (
        "term-former",
        both(term("components", 0, old_slugs=["etcd3"]), put("components.0", "etcd3")),
        "components[0]",
        "`etcd3` is now `etcd`.",
    ),
    ("term-twice", put("components.1", "etcd"), "components[1]", "`etcd` stands twice."),
    ("both-languages", put("narrative.cause.ko", None), "narrative.cause", "There is no Korean."),
    ("both-languages", put("claims.0.text.ko", None), "claims[0].text", "There is no Korean."),
    ("phrases-count", put("phrases.ko.5", None), "phrases.ko", "5 phrases, fewer than 6."),
    ("korean", put("narrative.cause.ko", "The volumes were full."), "narrative.cause.ko", "is not Korean"),
    ("korean", put("narrative.cause.ko", "Volumes had filled up 그래서"), "narrative.cause.ko", "is not Korean"),
    ("korean", put("phrases.ko.0", "nothing can be written"), "phrases.ko[0]", "is not Korean"),
    ("english", put("phrases.en.0", "kubectl이 hangs"), "phrases.en[0]", "holds Hangul"),
    ("html", put("narrative.cause.en", "It was <b>full</b>."), "narrative.cause.en", "`<b>` reads as an HTML tag."),
    ("backticks", put("actions.0.ko", "`etcd를 압축했다"), "actions[0].ko", "A backtick has no partner."),
    ("title-length", put("title.en", "x" * 111), "title.en", "111 characters, more than 110."),
    ("title-length", put("title.ko", "가" * 71), "title.ko", "71 characters, more than 70."),
    ("summary-length", put("summary.en", "Too short."), "summary.en", "2 words."),
    ("summary-length", put("summary.en", (WORDS * 5).strip()), "summary.en", "200 words."),
    ("summary-size", put("summary.en", WORDS.strip()), "summary.en", "40 words."),
    ("narrative-length", put("narrative.cause.en", "x" * 2501), "narrative.cause.en", "2501 characters"),
    ("phrase-length", put("phrases.en.0", "x" * 161), "phrases.en[0]", "161 characters"),
    ("evidence-length", put("evidence.0", "x" * 301), "evidence[0]", "301 characters"),
    (
        "phrase-twice",
        lambda root: root.put("phrases.en.6", root.case["phrases"]["en"][0].upper()),
        "phrases.en[6]",
        "stands twice",
    ),
    ("phrase-echo", put("phrases.en.0", "members of etcd stopping"), "phrases.en[0]", "with the title."),
    ("phrase-echo", put("phrases.en.0", "volume filled by revisions"), "phrases.en[0]", "with the cause."),
    ("phrase-names-cause", put("phrases.en.0", "is the disk full?"), "phrases.en[0]", "Names the cause, `disk full`."),
    ("phrase-names-cause", put("phrases.ko.0", "디스크 부족인가요"), "phrases.ko[0]", "`디스크 부족`"),
    ("source-unique", again("sources"), "sources[1].id", "S1 stands twice."),
    ("source-primary", put("sources.0.kind", "secondary"), "sources", "Every source is secondary."),
    ("source-address", put("sources.0.url", "https://me:secret@example.org/"), "sources[0].url", "holds credentials"),
    ("source-address", put("sources.0.url", "http://localhost/post"), "sources[0].url", "has no public host"),
    ("source-address", put("sources.0.archived", "https://10.0.0.1/post"), "sources[0].archived", "no public host"),
    ("claim-unique", again("claims"), "claims[1].id", "c1 stands twice."),
    ("claim-source", put("claims.0.source", "S2"), "claims[0].source", "The case has no source S2."),
    ("derived-working", put("claims.0.basis", "derived"), "claims[0]", "c1 is derived and shows no working."),
    ("derived-working", put("time_to_recover.working", None), "time_to_recover", "derived and shows no working"),
    ("figure-unclaimed", put("narrative.cause.en", "It held 8,000 keys."), "narrative.cause.en", "No claim holds 8000"),
    ("figure-unclaimed", put("actions.0.ko", "볼륨을 2만 개로 늘렸다"), "actions[0].ko", "No claim holds 20000"),
    ("date-real", put("timeline.1.at", "2025-02-30"), "timeline[1].at", "`2025-02-30` is not in the calendar."),
    ("date-real", put("review.on", "2025-13-01"), "review.on", "is not in the calendar"),
    ("date-precision", put("dates.ended.precision", "month"), "dates.ended.precision", "to the day, not to the month"),
    ("date-order", put("dates.ended.at", "2025-02-27"), "dates.ended.at", "ended `2025-02-27` lies before occurred"),
    ("date-order", put("dates.published.at", "2025-02"), "dates.published.at", "lies before occurred"),
    ("timeline-order", put("timeline.1.at", "2025-03-01T09:59Z"), "timeline[1].at", "stands after `2025-03-01T10:00Z`"),
    ("date-future", put("sources.0.checked", "2025-04-02"), "sources[0].checked", "after the review of 2025-04-01"),
    ("relation-known", put("relations", [{"kind": "follow-up-of", "id": "IL-0009"}]), "relations[0].id", "no case"),
    ("relation-known", put("relations", [{"kind": "follow-up-of", "id": "IL-0001"}]), "relations[0].id", "itself"),
    (
        "relation-twice",
        both(relate(), lambda root: root.case["relations"].append(dict(root.case["relations"][0]))),
        "relations[1].id",
        "`same-failure-mode` IL-0002 stands twice.",
    ),
    ("relation-mirrored", relate(mirrored=False), "relations[0].id", "IL-0002 does not say `same-failure-mode` of"),
    (
        "same-event",
        both(relate(mirrored=False), put("relations", None)),
        "dates.occurred",
        "IL-0001 is of example-org on 2025-03-01 too, with `writes-fail`.",
    ),
    ("review-note", put("review.status", "provisional"), "review", "A provisional case says why."),
    (
        "review-successor",
        relate(kind="superseded-by", mirrored=False),
        "review.status",
        "It is approved, yet superseded by IL-0002.",
    ),
    (
        "review-successor",
        both(put("review.status", "superseded"), put("review.note", NOTE), attribute("replays", {})),
        "review.status",
        "Nothing says which case supersedes it.",
    ),
    ("unlinked", unlink, "(file)", "No replay of a check must find it."),
    ("no-check-contradicted", put("no_check", NOTE), "no_check", "host/disk_full has a replay that must find it."),
    ("value-unlinked", both(crowd(2), catch("disk-full", "writes-fail")), "[0]", "3 cases carry `etcd`"),
    ("value-no-check-contradicted", term("root_causes", 0, no_check=NOTE), "[0].no_check", "catches `disk-full`"),
    ("replay-case", replay("found", case="IL-0009"), "case", "There is no case IL-0009."),
    ("replay-case", put("review", {"status": "draft", "on": "2025-04-01"}), "case", "IL-0001 is draft and not served."),
    ("replay-source", lambda r: r.replays["found"]["published"][0].update(source="S7"), "published[0].source", "S7"),
    ("check-catches", lambda r: r.check.update(catches=["example-org"]), "catches[0]", "`example-org` is no value"),
    ("check-exporter", metric_of("kube-api-server"), "needs.metrics[0].exporter", "Nearest: kube-apiserver"),
    ("check-same-as", lambda r: r.check.update(same_as=["host/disk_full"]), "same_as[0]", "another source than logs"),
    ("check-replays", lambda root: root.replays.pop("unknown"), "(file)", "No replay must be unknown"),
    ("proof-failing", proof(0, passes=False, actual=Answer.unknown, why_not="Nobody."), "(file)", "Nobody."),
    ("proof-stale", proof(0, replay_digest="old"), "(file)", "changed since it was last run"),
    ("proof-stale", orphan, "host/disk_full/gone.yaml", "There is no replay gone.yaml of host/disk_full."),
    ("proof-missing", attribute("proofs", lambda records: records[1:]), "(file)", "The replay was never run."),
]  # fmt: skip
#: Rules that cannot be broken alone.
ALSO = {
    "id-prefix": {"vocabulary-examples"},
    "id-unique": {"file-name", "id-listed", "no-check-contradicted", "same-event"},
    "slug-unique": {"id-listed"},
    "trailing-space": {"format"},
    "vocabulary-slug-unique": {"vocabulary-alias", "vocabulary-no-case"},
    "vocabulary-example": {"vocabulary-no-case"},
    "term-known": {"vocabulary-no-case"},
    "check-replays": {"proof-stale"},
    "replay-case": {"unlinked", "vocabulary-no-case"},
    "review-successor": {"check-replays", "vocabulary-no-case"},
}


@pytest.mark.parametrize(
    ("rule", "change", "field", "message"), BAD, ids=[f"{row[0]}-{i}" for i, row in enumerate(BAD)]
)
def test_a_bad_file_is_told_with_its_field_and_message(root, rule, change, field, message):
    change(root)
    found = root.judge()
    told = [finding for finding in found if finding.rule == rule]
    assert [f for f in told if f.field == field and message in f.message], found
    assert {finding.rule for finding in found} <= {rule, *ALSO.get(rule, ())}
    assert all(finding.mend and finding.line >= 1 for finding in found)


def test_a_check_that_cannot_be_read_is_a_finding_as_well(root):
    root.check["id"] = "host/other"
    with pytest.raises(CatalogueFaults) as caught:
        root.catalogue()
    (finding,) = unread_checks(caught.value)
    assert (finding.rule, finding.level, finding.field) == ("check-schema", Level.error, "id")
    assert finding.path == Path("host/disk_full/check.yaml")
    assert "`host/other` lies in the folder host/disk_full" in finding.message


def test_every_rule_has_a_bad_file_and_says_what_it_demands():
    assert {row[0] for row in BAD} | {"check-schema"} == set(RULES)
    assert all(rule.demands.endswith(".") for rule in RULES.values())


def test_what_leads_to_an_unreadable_file_is_not_called_wrong(root):
    root.relate()
    root.raw = lambda text: text + "colour: red\n"
    root.vocabulary["root_causes"][0]["colour"] = "red"
    assert {(f.path.name, f.rule) for f in root.judge()} == {
        ("IL-0001.yaml", "schema"),
        ("root_causes.yaml", "schema"),
    }


def test_a_good_corpus_has_no_findings(root):
    assert root.judge() == []


def test_two_cases_that_tell_the_same_day_are_fine_once_they_are_related(root):
    root.relate(kind="same-event")
    assert root.judge() == []


def test_a_case_of_ones_own_folder_has_another_prefix_and_needs_no_row_in_the_list(root):
    own("OPS")(root)
    assert root.judge() == []


def test_a_value_of_two_cases_needs_no_check_that_names_it(root):
    root.crowd = 1
    assert root.judge() == []


def test_a_value_with_a_reason_needs_no_check_that_names_it(root):
    root.crowd = 2
    for kind in ("symptoms", "components"):
        root.vocabulary[kind][0]["no_check"] = {"en": "Nothing measures it.", "ko": "재는 것이 없다."}
    assert root.judge() == []


def test_a_check_that_is_not_proven_leaves_its_values_unlinked_and_circumstances_are_none(root):
    both(crowd(2), catch("disk-full", "writes-fail", "etcd"))(root)
    root.proofs = lambda records: [record.model_copy(update={"passes": False}) for record in records]
    told = {(f.path.name, f.field) for f in root.judge() if f.rule == "value-unlinked"}
    assert told == {("symptoms.yaml", "[0]"), ("components.yaml", "[0]"), ("root_causes.yaml", "[0]")}


def test_cases_of_ones_own_do_not_make_a_value_a_failure_mode_of_the_library(root):
    root.crowd = 1
    own("OPS")(root)
    assert root.judge() == []


def test_all_findings_come_at_once_sorted_by_path_and_line(root):
    root.put("title.en", "x" * 111)
    root.put("components.1", "etdc")
    root.put("review.on", "2025-02-31")
    root.vocabulary["factors"][0]["definition"] = {"en": "No alert."}
    found = root.judge()
    assert [(f.path.name, f.rule) for f in found] == [
        ("IL-0001.yaml", "title-length"),
        ("IL-0001.yaml", "term-known"),
        ("IL-0001.yaml", "date-real"),
        ("factors.yaml", "vocabulary-languages"),
    ]
    lines = (root.folder / "data/incidents/IL-0001.yaml").read_text().splitlines()
    assert lines[found[0].line - 1].strip().startswith("en: xxx")
    assert lines[found[1].line - 1].strip() == "- etdc"


def test_without_a_catalogue_nothing_is_said_of_checks_and_links(root):
    root.replays.clear()
    assert findings(corpus.read(root.write()), None) == []


def test_a_finding_reads_as_one_line_and_as_json(root):
    root.put("title.ko", "가" * 71)
    (finding,) = root.judge()
    line = f"{finding.path}:{finding.line}: title.ko: error [title-length] 71 characters, more than 70. Shorten it."
    assert str(finding) == line
    assert finding.as_dict() == {
        "rule": "title-length", "level": "error", "path": finding.path.as_posix(), "line": finding.line,
        "field": "title.ko", "message": "71 characters, more than 70.", "mend": "Shorten it.",
    }  # fmt: skip


def test_a_figure_that_is_missing_is_told_once_for_a_case(root):
    root.put("actions.0", {"en": "Added 7 TB", "ko": "7 TB를 더했다"})
    root.put("narrative.symptom.en", "It wrote 7 TB.")
    (finding,) = root.judge()
    assert finding.field == "narrative.symptom.en"
    assert "(and 2 more)" in finding.message


def test_a_figure_in_the_working_of_a_claim_is_claimed(root):
    root.put("actions.0", {"en": "Added 2 volumes", "ko": "볼륨 2개를 더했다"})
    root.put("claims.0.working", "5 − 3 = 2")
    assert root.judge() == []


@pytest.mark.parametrize(
    "phrase", ["one of two members takes over", "members of some other cluster", "etcd members come and go"]
)
def test_small_words_and_two_content_words_are_no_echo(root, phrase):
    root.put("phrases.en.0", phrase)
    assert root.judge() == []


@pytest.mark.parametrize(
    ("passage", "korean"),
    [
        ("us-east-1, HTTP 503", True),
        ("North America", False),
        ("`kubectl drain` 명령이 멈췄다", True),
        ("GPU 12,960개", True),
        ("서비스 중단(outage)", True),
        ("mybinder.org 빌드와 실행의 일부", True),
        ("the node was drained 그리고", False),
    ],
)
def test_codes_and_names_count_for_neither_language(root, passage, korean):
    root.put("impact", {"scope": {"en": "Some 12,960", "ko": passage}})
    root.put("claims.0.value", "3 of 5; 12,960; 503")
    assert [f.rule for f in root.judge() if f.rule == "korean"] == [] if korean else ["korean"]


DATA = Path(__file__).parents[2] / "data"


def test_the_corpus_is_sound(subtests):
    files = corpus.read((DATA,))
    found = findings(files, Catalogue.load(proofs=Proofs.read(DATA / "proofs.json")))
    errors = [finding for finding in found if finding.level is Level.error]
    judged = {case.path for case in files.cases} | {file.path for file in files.vocabulary_files}
    for path in sorted(judged | {finding.path for finding in errors}):
        with subtests.test(path.stem):
            assert [str(error) for error in errors if error.path == path] == []
