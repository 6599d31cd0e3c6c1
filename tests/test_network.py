"""One text at a time gets the vector that the embedding package makes of it."""

from typing import Any

import numpy as np
import pytest

from kb import network
from kb.network import Network
from kb.vectors import DIMENSIONS, MAX_PIECES, Embedder, Vectors
from kb.word_pieces import AWKWARD

TEXTS = (
    "pods stuck", "파드가 안 떠요", "a", "가", "nobody could log in since half past three, the certificate expired",
    "NCCL watchdog timeout: rank 17 collective ALLREDUCE 1800000 ms", "노드 하나만 느려서 전체 학습이 느려졌어요",
    *AWKWARD,
)  # fmt: skip


#: What keeping halves may cost; vectors have unit length and 512 numbers.
CLOSE = 1e-3


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    made = Embedder()
    assert made.load()
    return made


def far(embedder: Embedder, texts: tuple[str, ...]) -> float:
    """The most that one number of a vector differs."""
    return max(float(np.abs(embedder.encode_one(text) - embedder.encode([text])[0]).max()) for text in texts)


def test_one_text_gets_the_vector_of_the_package(embedder: Embedder) -> None:
    made = embedder.encode_one("pods stuck")
    assert made.shape == (DIMENSIONS,)
    assert made.dtype == np.float32
    assert far(embedder, TEXTS) < CLOSE
    assert far(embedder, TEXTS) < CLOSE, "the same from what was kept"


def test_a_long_text_is_cut_where_the_package_gets_it_cut(embedder: Embedder) -> None:
    assert far(embedder, (" ".join(f"word{n}" for n in range(400)), "한글 " * 400)) < CLOSE


def test_signs_that_stand_for_many_letters_cost_no_more_than_letters(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, read = "\ufdfa" * 512, []
    assert len(embedder._model.sp.encode(text)) > 2 * MAX_PIECES

    def note(pieces: list[int]) -> Vectors:
        read.append(len(pieces))
        return np.zeros(DIMENSIONS, dtype=np.float32)

    monkeypatch.setattr(embedder._network, "encode", note)
    embedder.encode_one(text)
    assert read == [MAX_PIECES]


def test_pieces_that_find_no_room_push_the_others_out(monkeypatch: pytest.MonkeyPatch, embedder: Embedder) -> None:
    monkeypatch.setattr(network, "KEPT_PIECES", 120)
    small = Embedder()
    assert small.load()
    assert small._network is not None
    first = set(small._model.sp.encode(TEXTS[0]))
    small.encode_one(TEXTS[0])
    met = set(first)
    for number in range(40):
        text = " ".join(chr(0x4E00 + 13 * (40 * number + n)) for n in range(40))
        met.update(small._model.sp.encode(text))
        small.encode_one(text)
        assert len(small._network._place) <= 120
    assert len(met) > 2 * 120, "more than find room"
    assert not first <= small._network._place.keys()
    assert far(small, TEXTS) < CLOSE


@pytest.mark.parametrize("damage", [{"w1": []}, {"d0": None}, {"table": ...}])
def test_another_kind_of_model_is_said_to_be_one(embedder: Embedder, damage: dict[str, Any]) -> None:
    model = {name: value for name, value in vars(embedder._model).items() if damage.get(name, 0) is not ...} | {
        name: value for name, value in damage.items() if value is not ...
    }
    with pytest.raises((KeyError, ValueError, AttributeError, TypeError)):
        Network(model)


def test_without_it_the_package_answers(monkeypatch: pytest.MonkeyPatch, embedder: Embedder) -> None:
    expected = embedder.encode(["pods stuck"])[0]

    def refuse(_: object) -> Network:
        raise ValueError("another kind")

    monkeypatch.setattr("kb.vectors.Network", refuse)
    other = Embedder()
    assert other.load()
    assert np.array_equal(other.encode_one("pods stuck"), expected)
