"""Tokens of English, Korean and the jargon between them."""

import unicodedata

import pytest

from kb.words import TokenKind, aloud, bare, contracted, normalise, tokens


def forms(text: str) -> list[str]:
    return [token.text for token in tokens(normalise(text))]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("CrashLoopBackOff", "crashloopbackoff"),
        ("ncclSystemError", "ncclsystemerror"),
        ("5xx", "5xx"),
        ("kube-proxy", "kube-proxy"),
        ("NCCL_IB_TIMEOUT", "nccl_ib_timeout"),
        ("nvidia.com/gpu", "nvidia.com/gpu"),
        ("v1.24.3", "v1.24.3"),
    ],
)
def test_technical_tokens_stay_whole(text: str, whole: str) -> None:
    assert whole in forms(text)


def test_technical_tokens_are_also_found_by_their_parts() -> None:
    assert {"crash", "loop", "back", "off"} <= set(forms("CrashLoopBackOff"))
    assert {"kube", "proxy"} <= set(forms("kube-proxy"))


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("파드가", "파드"),
        ("노드에서는", "노드"),
        ("학습이", "학습"),
        ("인증서를", "인증서"),
        ("상태로", "상태"),
        ("이", "이"),
    ],
)
def test_korean_words_lose_their_particle(word: str, stem: str) -> None:
    assert bare(word) == stem


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("지피유가", "gpu"),
        ("씨피유", "cpu"),
        ("에이피아이", "api"),
        ("에이피아이가", "api"),
        ("에스에스에이치로", "ssh"),
    ],
)
def test_latin_letters_that_are_spelled_out_are_these_letters(text: str, letters: str) -> None:
    assert [(token.text, token.kind, token.start) for token in tokens(text)] == [(letters, TokenKind.technical, 0)]


def test_a_short_word_is_no_row_of_letters_by_chance() -> None:
    assert forms("유지") == ["유지"]
    assert forms("이유가") == ["이유"]


def test_a_korean_compound_is_found_by_its_parts() -> None:
    assert set(forms("처리량저하")) >= {"처리", "저하"}


@pytest.mark.parametrize(
    ("apart", "as_one"),
    [
        ("멈추었다", "멈췄다"),
        ("되었다", "됐다"),
        ("하였다", "했다"),
        ("보았다", "봤다"),
        ("되어", "돼"),
        ("어디", "어디"),
        ("아이", "아이"),
    ],
)
def test_vowels_that_are_written_apart_are_as_one(apart: str, as_one: str) -> None:
    assert contracted(apart) == as_one
    assert forms(apart)[0] == forms(as_one)[0]


def test_the_last_pair_of_a_sentence_is_an_ending() -> None:
    assert forms("사라졌다") == ["사라졌다", "사라", "라졌"]
    assert forms("체크포인트")[-1] == "인트"


def test_mixed_jargon_keeps_both_languages() -> None:
    found = forms("파드가 pending 상태에서 OOMKilled로 죽어요")
    assert {"파드", "pending", "상태", "oomkilled"} <= set(found)


def test_decomposed_hangul_and_full_width_letters_are_what_they_look_like() -> None:
    assert forms(unicodedata.normalize("NFD", "파드가 안 떠요")) == forms("파드가 안 떠요")
    assert forms("ＧＰＵ") == ["gpu"]


@pytest.mark.parametrize(
    ("one", "other"), [("DNS", "dns"), ("CERTIFICATE", "certificate"), ("GPUs", "gpus"), ("PVCs", "PVCS")]
)
def test_a_word_is_the_same_whatever_its_capitals(one: str, other: str) -> None:
    assert tokens(one) == tokens(other)
    assert len(tokens(one)) == 1


@pytest.mark.parametrize("word", ["OOMKilled", "CrashLoopBackOff", "NotReady", "ncclSystemError"])
def test_a_compound_of_capitals_is_found_without_them(word: str) -> None:
    assert tokens(word)[0] == tokens(word.lower())[0]


def test_signs_that_nobody_sees_vanish() -> None:
    assert normalise("kube\u00adlet \ufeffgp\u200bu \u202eecc") == "kubelet gpu ecc"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("PODS STUCK IN PENDING", "pods stuck in pending"),
        ("GPU", "GPU"),
        ("NCCL WARN", "NCCL WARN"),
        ("OOMKilled PENDING", "OOMKilled PENDING"),
        ("PENDING 상태", "PENDING 상태"),
    ],
)
def test_what_is_shouted_is_read_in_plain_letters(text: str, plain: str) -> None:
    assert aloud(text) == plain


def test_terminal_colours_vanish() -> None:
    assert normalise("\x1b[31mERROR\x1b[0m ok") == "ERROR ok"


@pytest.mark.parametrize(
    ("coloured", "plain"),
    [
        ("[31mERROR[0m ok", "ERROR ok"),
        (r"\u001b[1;31mERROR\u001b[0m ok", "ERROR ok"),
        ("^[[31mERROR^[[0m ok", "ERROR ok"),
        ("rate(x[5m]) and [1h:5m]", "rate(x[5m]) and [1h:5m]"),
        ("[30m:1m]", "[30m:1m]"),
    ],
)
def test_what_is_left_of_colours_vanishes_too(coloured: str, plain: str) -> None:
    assert normalise(coloured) == plain


def test_codes_glued_to_their_number_are_cut() -> None:
    assert {"xid", "79"} <= set(forms("Xid79"))
    assert {"exit", "137"} <= set(forms("exit137"))
    assert forms("gb200") == ["gb200"]


def test_offsets_lead_back_into_the_text() -> None:
    text = normalise("파드가 kube-proxy 때문에")
    for token in tokens(text):
        if token.kind is not TokenKind.korean:
            assert text[token.start : token.end].lower() == token.text


@pytest.mark.parametrize("text", ["", "   ", "!!! ??? ---", "\N{GRINNING FACE}"])
def test_text_without_words_gives_no_tokens(text: str) -> None:
    assert tokens(normalise(text)) == []
