"""A dictionary out of texts that say the same twice."""

from kb.bilingual import KEPT, LONGEST_EN, learn


def pair(en: str, ko: str) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(en.split()), frozenset(ko.split())


def test_words_that_keep_company_translate_each_other() -> None:
    found = learn([pair("pod pending", "파드 대기"), pair("pod gone", "파드 소멸"), pair("node gone", "노드 소멸")])
    assert [word for word, _ in found["파드"]] == ["pod"]
    assert [word for word, _ in found["gone"]] == ["소멸"]
    assert "pending" not in found, "one meeting proves nothing"


def test_a_word_of_both_texts_is_no_translation() -> None:
    assert learn([pair("gpu lost", "gpu 소실")] * 2).keys() == {"lost", "소실"}


def test_long_pairs_are_left_out_and_few_translations_kept() -> None:
    long = " ".join(f"w{n}" for n in range(LONGEST_EN + 1))
    assert learn([pair(long, "말")] * 3) == {}
    assert len(learn([pair("a b c d e", "말")] * 9)["말"]) == KEPT


def test_order_does_not_matter() -> None:
    pairs = [pair("a b", "가 나"), pair("b c", "나 다"), pair("a c", "가 다"), pair("a b c", "가 나 다")]
    assert learn(pairs) == learn(reversed(pairs))
