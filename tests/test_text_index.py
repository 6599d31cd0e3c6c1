"""The contract of the index of words; whatever replaces its parts has to pass it."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb import text_index
from kb.text_index import FIELDS, MAX_TERMS, SLIPS, TextDocument, TextIndex, terms

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
    text_index.build(folder, documents, {}, {"raining", "unlike"})
    opened = TextIndex(folder)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def korean(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TextIndex]:
    """Three documents that say the same: what is meant must be familiar."""
    folder = tmp_path_factory.mktemp("korean")
    fields = dict.fromkeys(FIELDS, "") | {"body": "인증서 만료, 컨테이너 재시작, 눈에 뜨게"}
    text_index.build(folder, [TextDocument(id_, fields) for id_ in "ABC"], {})
    opened = TextIndex(folder)
    yield opened
    opened.close()


def found(index: TextIndex, text: str) -> list[str]:
    return [index.ids[number] for number in index.weigh(text).best(10)]


def weights(index: TextIndex, text: str) -> dict[str, float]:
    return dict(zip(index.ids, index.weigh(text).weight.tolist(), strict=True))


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
        index.weigh(text)
    assert found(index, "subn*") == []
    assert found(index, "id:A") == []


def test_rare_terms_weigh_more_and_unknown_ones_weigh_against(index: TextIndex) -> None:
    weighed = index.weigh("subnet zebra")
    assert weighed.missing == ("zebra",)
    assert 0 < weighed.weight[index.ids.index("A")] < weighed.whole
    assert index.rarity("subnet") > index.rarity("certif")
    assert index.rarity("zebra") == 0


def test_a_match_in_passing_weighs_less_than_one_in_the_title(index: TextIndex) -> None:
    told = weights(index, "pending certificate fine")
    assert told["A"] > told["B"] > 0


def test_nothing_in_common_gives_nothing(index: TextIndex) -> None:
    assert (found(index, "zebra crossing"), index.weigh("zebra crossing").missing) == ([], ("zebra", "cross"))
    assert (found(index, "the and of"), index.weigh("the and of").missing) == ([], ())


def test_a_long_paste_is_cut_to_its_rarest_terms(index: TextIndex) -> None:
    paste = " ".join(f"word{i}" for i in range(5000)) + " subnet ncclSystemError"
    assert set(found(index, paste)) == {"A", "B"}
    assert MAX_TERMS < 100


def test_a_real_word_is_suggested_and_known_words_are_not_touched(index: TextIndex) -> None:
    assert index.suggest("certifcate") == "certificate"
    assert index.suggest("Traning") == "training"
    assert index.suggest("certificate") is None
    assert index.suggest("Xid79") is None
    assert index.suggest("raining") is None


def test_a_misspelt_word_finds_what_was_meant_and_says_so(index: TextIndex) -> None:
    weighed = index.weigh("certifciate")
    number = index.ids.index("C")
    assert weighed.missing == ()
    assert 0 < weighed.weight[number] < index.weigh("certificate").weight[number]
    assert weighed.reasons(number).instead == (("certifci", "certif"),)


def test_a_misspelt_korean_word_keeps_its_particle_and_its_parts_are_not_guessed(korean: TextIndex) -> None:
    assert korean.suggest("인증써가") == "인증서가"
    assert korean.suggest("컨테이나가") == "컨테이너가"
    weighed = korean.weigh("인증써가")
    assert weighed.missing == ()
    assert {choice.stands for choice in weighed.choices} == {("인증서",), ("인증",)}
    assert weighed.reasons(0).instead == (("인증써", "인증서"),)
    # Of an unknown word the pairs stay what they are, though `뜨개` sounds like `뜨게`.
    assert korean.suggest("뜨개") == "뜨게"
    assert set(korean.weigh("뜨개질").missing) == {"뜨개질", "뜨개", "개질"}


def test_only_the_parts_of_the_word_that_was_guessed_are_left_out(index: TextIndex) -> None:
    assert index.weigh("certifcate rtif ifc zebra").missing == ("rtif", "ifc", "zebra")


def test_a_paste_of_unknown_words_is_not_searched_for_slips(index: TextIndex) -> None:
    slips = ["certifcate", "traning", "subnt", "adresses", "pendng", "evryone"]
    weighed = index.weigh(" ".join(slips))
    assert {choice.form for choice in weighed.choices} == {form for form, _, _ in terms(" ".join(slips[:SLIPS]))}
    assert len(weighed.missing) == len(slips) - SLIPS
    junk = " ".join("q" + "abcdefghij"[n % 10] * 3 + "abcdefghij"[n // 10 % 10] * 3 for n in range(250))
    assert len(index.weigh(junk).missing) > 50


def test_a_word_too_long_for_one_is_not_kept(index: TextIndex) -> None:
    before = index._choice.cache_info().currsize
    index.weigh(" ".join(f"{'x' * 200}{n}" for n in range(5)))
    assert index._choice.cache_info().currsize == before


def test_a_translation_stands_for_the_word(tmp_path: Path) -> None:
    empty = dict.fromkeys(FIELDS, "")
    text_index.build(tmp_path, [TextDocument("A", empty | {"body": "the job hangs"})], {"멈춤": (("hang", 0.8),)})
    opened = TextIndex(tmp_path)
    weighed = opened.weigh("멈춤")
    assert weighed.missing == ()
    assert weighed.reasons(0).instead == (("멈춤", "hang"),)
    assert opened.surface("hang") == "hangs"
    opened.close()


def test_a_word_that_stands_only_in_a_label_is_told_apart(tmp_path: Path) -> None:
    empty = dict.fromkeys(FIELDS, "")
    documents = [
        TextDocument("A", empty | {"terms": "memory exhaustion"}),
        TextDocument("B", empty | {"terms": "memory exhaustion", "body": "the memory was used up"}),
    ]
    text_index.build(tmp_path, documents, {})
    opened = TextIndex(tmp_path)
    weighed = opened.weigh("memory")
    assert (weighed.reasons(0).said, weighed.reasons(0).labelled) == ((), ("memori",))
    assert (weighed.reasons(1).said, weighed.reasons(1).labelled) == (("memori",), ())
    opened.close()


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


def test_an_index_without_documents_opens_and_finds_nothing(tmp_path: Path) -> None:
    text_index.build(tmp_path, [], {})
    opened = TextIndex(tmp_path)
    assert (opened.size, opened.weigh("certificate").bm25.tolist()) == (0, [])
    opened.close()


def test_equal_documents_give_equal_answers(tmp_path: Path) -> None:
    document = TextDocument("A", dict.fromkeys(FIELDS, "same words"))
    answers = []
    for name in ("one", "two"):
        text_index.build(tmp_path / name, [document], {})
        opened = TextIndex(tmp_path / name)
        answers.append(opened.weigh("words").bm25.tolist())
        opened.close()
    assert answers[0] == answers[1]


def test_only_the_best_are_kept_and_a_weak_match_in_many_does_not_displace_them(index: TextIndex) -> None:
    everything = index.weigh("pending certificate fine").best(10)
    assert index.weigh("pending certificate fine").best(2) == everything[:2]
    assert len(everything) > 2


def test_reasons_come_rarest_first(index: TextIndex) -> None:
    weighed = index.weigh("certificate GPU")
    assert weighed.reasons(index.ids.index("C")).said == ("certif",)
    assert weighed.reasons(index.ids.index("D")).said == ("gpu", "certif")


def test_words_of_any_length_are_cut_alike() -> None:
    short, long = "kube-proxy", "kube-" + "proxy" * 20
    assert [form for form, _, _ in text_index.terms(short)] == ["kube-proxy", "kube", "proxi"]
    assert [form for form, _, _ in text_index.terms(long)][:2] == [long, "kube"]
