"""The contract of the index of words; whatever replaces Whoosh has to pass it."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb import text_index
from kb.text_index import FIELDS, MAX_TERMS, TextDocument, TextIndex

DOCUMENTS = (
    ("A", "Pods stay pending", "no IP addresses left in the subnet", "FailedScheduling"),
    ("B", "Training hangs", "all ranks wait in an all-reduce; kube-proxy is fine", "ncclSystemError"),
    ("C", "인증서가 만료됐다", "certificate ran out, everyone got 5xx", "x509"),
    ("D", "GPU 소실", "GPU가 버스에서 떨어졌다; the certificate was fine", "Xid 79"),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TextIndex]:
    folder = tmp_path_factory.mktemp("words")
    documents = [
        TextDocument(id_, {"title": title, "body": body, "codes": codes, "asked": "", "terms": ""})
        for id_, title, body, codes in DOCUMENTS
    ]
    text_index.build(folder, documents)
    opened = TextIndex(folder)
    yield opened
    opened.close()


def found(index: TextIndex, text: str) -> list[str]:
    return [hit.id for hit in index.search(text, limit=10)[0]]


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("pod pending", "A"),
        ("training hung", "B"),
        ("hang in training", "B"),
        ("ncclSystemError", "B"),
        ("kube-proxy", "B"),
        ("5xx", "C"),
        ("인증서 만료", "C"),
        ("GPU는 어디로 떨어졌나", "D"),
    ],
)
def test_the_document_that_says_so_comes_first(index: TextIndex, text: str, best: str) -> None:
    assert found(index, text)[0] == best


def test_query_syntax_is_plain_text(index: TextIndex) -> None:
    for text in ("title:pending", "pend*", "NOT pending", '"ran out" AND ~x^3', "a OR (b", "id:A"):
        index.search(text, limit=5)
    assert found(index, "subne*") == []
    assert found(index, "id:A") == []


def test_rare_terms_weigh_more_and_unknown_ones_weigh_against(index: TextIndex) -> None:
    (hit, *_), missing = index.search("subnet zebra", limit=5)
    assert missing == ("zebra",)
    assert 0 < hit.weight < hit.whole
    assert index.rarity("subnet") > index.rarity("certif")
    assert index.rarity("zebra") == 0


def test_a_match_in_passing_weighs_less_than_one_in_the_title(index: TextIndex) -> None:
    hits = {hit.id: hit.weight for hit in index.search("pending certificate fine", limit=5)[0]}
    assert hits["A"] > hits["B"]


def test_nothing_in_common_gives_nothing(index: TextIndex) -> None:
    assert index.search("zebra crossing", limit=5) == ([], ("zebra", "cross"))
    assert index.search("the and of", limit=5) == ([], ())


def test_a_long_paste_is_cut_to_its_rarest_terms(index: TextIndex) -> None:
    paste = " ".join(f"word{i}" for i in range(5000)) + " subnet ncclSystemError"
    assert set(found(index, paste)) == {"A", "B"}
    assert MAX_TERMS < 100


def test_one_edit_away_is_suggested_and_known_words_are_not_touched(index: TextIndex) -> None:
    assert index.suggest("certifcate") == "certif"
    assert index.suggest("certificate") is None
    assert index.suggest("Xid79") is None


def test_spans_mark_whole_matches_in_order() -> None:
    text = "pods were Pending; a pod again"
    assert [text[a:b] for a, b in text_index.spans(text, ["pod"])] == ["pods", "pod"]


def test_readers_do_not_disturb_each_other(index: TextIndex) -> None:
    wrong: list[str] = []

    def ask() -> None:
        for _ in range(50):
            if found(index, "ncclSystemError")[0] != "B":
                wrong.append("!")

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_equal_documents_give_equal_answers(tmp_path: Path) -> None:
    document = TextDocument("A", dict.fromkeys(FIELDS, "same words"))
    answers = []
    for name in ("one", "two"):
        text_index.build(tmp_path / name, [document])
        opened = TextIndex(tmp_path / name)
        answers.append(opened.search("words", limit=3))
        opened.close()
    assert answers[0] == answers[1]


def test_only_the_best_are_kept_and_a_weak_match_in_many_does_not_displace_them(index: TextIndex) -> None:
    everything = [hit.id for hit in index.search("pending certificate fine", limit=10)[0]]
    assert [hit.id for hit in index.search("pending certificate fine", limit=2)[0]] == everything[:2]
    assert len(everything) > 2


def test_matched_terms_come_rarest_first(index: TextIndex) -> None:
    matched = {hit.id: hit.matched for hit in index.search("certificate GPU", limit=10)[0]}
    assert matched == {"C": ("certif",), "D": ("gpu", "certif")}


def test_of_several_words_one_edit_away_the_most_frequent_is_suggested(tmp_path: Path) -> None:
    empty = dict.fromkeys(FIELDS, "")
    documents = [TextDocument(str(n), empty | {"body": body}) for n, body in enumerate(("node", "mode node", "nude"))]
    text_index.build(tmp_path, documents)
    opened = TextIndex(tmp_path)
    assert opened.suggest("nodde") == "node"
    assert opened.suggest("nxde") == "node"
    assert opened.suggest("xode") is None, "the first letter is never doubted"
    opened.close()


def test_words_of_any_length_are_cut_alike() -> None:
    short, long = "kube-proxy", "kube-" + "proxy" * 20
    assert [form for form, _, _ in text_index.terms(short)] == ["kube-proxy", "kube", "proxi"]
    assert [form for form, _, _ in text_index.terms(long)][:2] == [long, "kube"]
