"""A small data root that breaks no rule, to be broken in one place at a time."""

import contextlib
import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kb import case_file, corpus, yaml_text
from kb.checks.catalogue import Catalogue
from kb.checks.proofs import ProofRecord, Proofs
from kb.errors import KbError
from kb.validate import Finding, findings

ID, SLUG = "IL-0001", "example-etcd-disk-full"
OTHER, OTHER_SLUG = "IL-0002", "example-dns-lookups-slow"


def text(en: str, ko: str) -> dict[str, str]:
    return {"en": en, "ko": ko}


CASE: dict[str, Any] = {
    "id": ID,
    "slug": SLUG,
    "domain": "kubernetes",
    "org": "example-org",
    "title": text("etcd ran out of room and 3 of 5 members stopped", "etcd 공간이 바닥나 멤버 5개 중 3개가 멈췄다"),
    "summary": text(
        "Three members of an etcd cluster with 5 members stopped within a few minutes of each other, because "
        "the volumes that held their data were full. Reads went on for a while from what clients had cached, but "
        "nothing could be written, so no deployment moved and no pod was replaced. The team compacted the "
        "history, made the volumes larger and started the members again one after another. Afterwards they "
        "added an alert on free room and a regular defragmentation.",
        "멤버 5개로 이루어진 etcd 클러스터에서 데이터 볼륨이 가득 차 몇 분 사이에 3개가 멈췄다. "
        "읽기는 캐시 덕에 한동안 버텼지만 쓰기가 막혀 배포도 파드 교체도 진행되지 않았다. "
        "팀은 이력을 압축하고 볼륨을 늘린 뒤 멤버를 하나씩 "
        "다시 띄웠다. 이후 남은 공간에 대한 알림과 정기 조각 모음을 넣었다.",
    ),
    "dates": {
        "occurred": {"at": "2025-03-01T10:00Z", "precision": "minute"},
        "ended": {"at": "2025-03-01", "precision": "day"},
        "published": {"at": "2025-03", "precision": "month"},
    },
    "time_to_recover": {"value": "PT45M", "basis": "derived", "working": "10:45 − 10:00"},
    "symptoms": ["writes-fail"],
    "components": ["etcd"],
    "root_causes": ["disk-full"],
    "factors": ["no-alert"],
    "narrative": {
        "symptom": text("Every write was refused with `mvcc: database space exceeded`.", "모든 쓰기가 거부됐다."),
        "cause": text("The volumes had filled with old revisions.", "볼륨이 오래된 리비전으로 가득 찼다."),
    },
    "timeline": [
        {"at": "2025-03-01T10:00Z", "text": text("Writes begin to fail", "쓰기 실패 시작")},
        {"at": "2025-03-01T10:45Z", "text": text("Writes work again", "쓰기 복구")},
    ],
    "actions": [text("Compacted the history", "이력을 압축했다")],
    "phrases": {
        "en": [
            "kubectl apply hangs and then errors out",
            "cannot create anything, get still works",
            "apiserver says request timed out on every post",
            "deployments stuck, nobody can roll out",
            "control plane is read only all of a sudden",
            "new pods never show up after I delete old ones",
        ],
        "ko": [
            "kubectl apply가 멈췄다가 에러 나요",
            "조회는 되는데 생성이 하나도 안 됩니다",
            "배포가 진행이 안 돼요",
            "컨트롤 플레인이 읽기 전용처럼 굴어요",
            "파드 지웠는데 새로 안 뜹니다",
            "API 서버 타임아웃만 계속 나옴",
        ],
    },
    "evidence": ["mvcc: database space exceeded"],
    "sources": [
        {
            "id": "S1", "url": "https://example.org/post", "title": "When etcd was full", "publisher": "Example",
            "published": "2025-03-10", "kind": "postmortem", "read": "full", "checked": "2025-04-01",
        }
    ],
    "claims": [
        {
            "id": "c1", "value": "3 of 5 members", "text": text("Members that stopped", "멈춘 멤버 수"),
            "source": "S1", "where": "First paragraph", "basis": "stated",
        }
    ],
    "review": {"status": "approved", "on": "2025-04-01"},
}  # fmt: skip


def term(slug: str, en: str, ko: str) -> dict[str, Any]:
    return {"slug": slug, "name": text(en, ko), "definition": text(f"{en}, defined.", f"{ko}의 뜻.")}


UNUSED = text("A check looks for it.", "검사가 이것을 찾는다.")
VOCABULARY: dict[str, list[dict[str, Any]]] = {
    "symptoms": [
        term("writes-fail", "Writes fail", "쓰기 실패"),
        term("slow-lookups", "Slow lookups", "느린 조회") | {"no_case": UNUSED},
    ],
    "components": [term("etcd", "etcd", "etcd"), term("storage", "Storage", "스토리지") | {"no_case": UNUSED}],
    "root_causes": [
        term("disk-full", "Disk full", "디스크 부족"),
        term("bad-record", "Bad record", "잘못된 레코드") | {"no_case": UNUSED},
    ],
    "factors": [
        term("no-alert", "No alert", "알림 없음"),
        term("no-test", "No test", "테스트 없음") | {"no_case": UNUSED},
    ],
    "orgs": [{"slug": "example-org", "name": text("Example", "Example")}],
}
#: A case that comes near the first one and carries the second value of each kind.
NEAR: dict[str, Any] = CASE | {
    "id": "IL-0900",
    "slug": "example-near-miss",
    "dates": {"occurred": {"at": "2024-01-01", "precision": "day"}},
    "timeline": [],
    "symptoms": ["slow-lookups"],
    "components": ["storage"],
    "root_causes": ["bad-record"],
    "factors": ["no-test"],
    "review": {"status": "provisional", "on": "2025-04-01", "note": text("From a summary.", "요약만 보았다.")},
}
CHECK = {
    "id": "host/disk_full",
    "title": text("Disk full", "디스크 부족"),
    "about": text("Looks for a full disk.", "가득 찬 디스크를 찾습니다."),
    "severity": "critical",
    "kind": "logs",
    "catches": ["disk-full"],
    "needs": {"logs": ["kernel"]},
    "function": "check",
    "message": text("{place} is full.", "{place}가 가득 찼습니다."),
    "next_step": "add-capacity",
    "references": [{"title": "Manual", "url": "https://example.org/manual"}],
}
FOUND: dict[str, Any] = {
    "must": "found",
    "case": ID,
    "how": text("The log names the full disk.", "로그에 가득 찬 디스크가 나온다."),
    "origin": "rebuilt",
    "published": [{"what": "message", "value": "no space left", "source": "S1", "where": "First paragraph"}],
    "data": {"logs": {"files": {"kern.log": "disk full"}}},
    "expect": {"answer": "found", "where": [{"place": "a"}]},
}
CLEAR = {
    "must": "clear", "origin": "invented", "data": {"logs": {"files": {"kern.log": "fine"}}},
    "expect": {"answer": "clear", "looked_at": "1"},
}  # fmt: skip
UNKNOWN = {
    "must": "unknown", "origin": "invented", "data": {"logs": {"files": {"kern.log": "nothing"}}},
    "expect": {"answer": "unknown", "reason_kind": "no-series"},
}  # fmt: skip


def _set(data: Any, dotted: str, value: Any) -> None:
    *way, last = [int(part) if part.isdigit() else part for part in dotted.split(".")]
    for part in way:
        data = data[part]
    if value is None:
        del data[last]
    elif isinstance(data, list) and last == len(data):
        data.append(value)
    else:
        data[last] = value


@dataclass
class Root:
    """What is going to be written below `folder`; change it, then `judge`."""

    folder: Path
    case: dict[str, Any] = field(default_factory=lambda: copy.deepcopy(CASE))
    other: dict[str, Any] | None = None
    near: dict[str, Any] | None = None
    """The case that comes near and does not belong; there once the edges of the values are shown."""
    private: dict[str, Any] | None = None
    file_name: str = f"{ID}.yaml"
    vocabulary: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: copy.deepcopy(VOCABULARY))
    crowd: int = 0
    """How many more cases with the values of the first there are."""
    ids: str | None = f"id\tslug\n{ID}\t{SLUG}\n{OTHER}\t{OTHER_SLUG}\n"
    check: dict[str, Any] = field(default_factory=lambda: copy.deepcopy(CHECK))
    replays: dict[str, dict[str, Any]] = field(
        default_factory=lambda: copy.deepcopy({"found": FOUND, "clear": CLEAR, "unknown": UNKNOWN})
    )
    raw: Callable[[str], str] = lambda content: content
    """What is done to the text of the case when all else is done."""
    proofs: Callable[[list[ProofRecord]], list[ProofRecord]] = lambda records: records

    def put(self, dotted: str, value: Any) -> None:
        """Set one field of the case, `claims.0.source`; None deletes it."""
        _set(self.case, dotted, value)

    def relate(self, *, kind: str = "same-failure-mode", mirrored: bool = True, **fields: Any) -> None:
        """A second case, related to the first."""
        self.other = copy.deepcopy(CASE) | {"id": OTHER, "slug": OTHER_SLUG, "no_check": text("None.", "없다.")}
        for dotted, value in fields.items():
            _set(self.other, dotted.replace("__", "."), value)
        self.case["relations"] = [{"kind": kind, "id": OTHER}]
        if mirrored:
            self.other["relations"] = [{"kind": kind, "id": ID}]

    def show_edges(self) -> None:
        """Two cases of a value must be told apart from what comes near: by examples, on the first case and `NEAR`."""
        if self.near:
            return
        self.near = copy.deepcopy(NEAR)
        for kind in ("symptoms", "components", "root_causes", "factors"):
            ours, theirs, *_ = self.vocabulary[kind]
            near = {"case": "IL-0900", "instead": theirs["slug"], "why": text("It only came near.", "비슷할 뿐이다.")}
            belongs = {"case": ID, "why": text("It is just that.", "바로 그것이다.")}
            ours["examples"] = {"belongs": belongs, "does_not_belong": near}
            theirs.pop("no_case", None)

    def write(self) -> tuple[Path, ...]:
        data = self.folder / "data"
        if self.other or self.crowd:
            self.show_edges()
        self._cases(data / "incidents", {self.file_name: self.case}, self.raw)
        if self.near:
            self._cases(data / "incidents", {f"{self.near['id']}.yaml": self.near})
        if self.other:
            self._cases(data / "incidents", {f"{OTHER}.yaml": self.other})
        self._cases(data / "incidents", {f"{case['id']}.yaml": case for case in self._crowd()})
        (data / "vocabulary").mkdir()
        for kind, values in self.vocabulary.items():
            (data / "vocabulary" / f"{kind}.yaml").write_text(yaml_text.dump(values))
        if self.ids is not None:
            more = [*self._crowd(), *([self.near] if self.near else [])]
            listed = "".join(f"{case['id']}\t{case['slug']}\n" for case in more)
            (data / "ids.tsv").write_text(self.ids + listed)
        if self.private is None:
            return (data,)
        own = self.folder / "own"
        self._cases(own / "incidents", {f"{self.private['id']}.yaml": self.private})
        return (data, own)

    def _crowd(self) -> list[dict[str, Any]]:
        dates = [{"occurred": {"at": f"2024-03-{n:02d}", "precision": "day"}} for n in range(1, self.crowd + 1)]
        return [
            CASE
            | {
                "id": f"IL-{n:04d}",
                "slug": f"one-of-many-{n}",
                "dates": when,
                "timeline": [],
                "no_check": text("-", "–"),
            }
            for n, when in enumerate(dates, start=100)
        ]

    def _cases(
        self, folder: Path, cases: dict[str, dict[str, Any]], raw: Callable[[str], str] = lambda content: content
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, case in cases.items():
            content = yaml_text.dump(case)
            with contextlib.suppress(KbError):
                content = case_file.dumps(case_file.loads(content))
            (folder / name).write_text(raw(content), newline="")

    def catalogue(self) -> Catalogue:
        """
        Raises:
            CatalogueFaults: the check or a replay breaks a rule of the catalogue itself.
        """
        folder = self.folder / "checks" / "host" / "disk_full"
        (folder / "replays").mkdir(parents=True)
        (folder / "check.yaml").write_text(yaml_text.dump(self.check))
        (folder / "check.py").write_text("def check(source, knobs):\n    return None\n")
        for name, replay in self.replays.items():
            (folder / "replays" / f"{name}.yaml").write_text(yaml_text.dump(replay))
        catalogue = Catalogue.load((self.folder / "checks",))
        records = [
            ProofRecord(
                check=check, replay=file.name, check_digest=held.digest, replay_digest=file.digest,
                expected=file.replay.must.value, actual=file.replay.must.value, passes=True, tool="kb 0",
            )
            for check, held in catalogue.folders.items()
            for file in held.replays
        ]  # fmt: skip
        return Catalogue(catalogue.folders, Proofs(self.proofs(records)))

    def judge(self) -> list[Finding]:
        roots = self.write()
        return findings(corpus.read(roots), self.catalogue())


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path)
