"""C4D's four classes as verdicts, and what to isolate.

Communication hang, non-communication hang, communication slow and non-communication slow, as Alibaba's C4 (arXiv
2406.04594) names them. Which rule is published and which number ours stands with each: `hangs`, `late_arrival`,
`delay_matrix`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kb.model import Text
from kb.steps.delay_matrix import AGREEING, Cells, Slow, cells_of, fabric_slow, slow_places
from kb.steps.hangs import Hang, HangKind, Progress, hangs
from kb.steps.late_arrival import Late, late_ranks
from kb.steps.records import EdgeTable, Ints, SequenceTable
from kb.steps.verdict import Confidence, System, Verdict, VerdictKind

#: Ranks of one server, unless the caller knows better: eight GPUs, as in all three reports.
PER_NODE = 8

_SLOW_KIND = {
    "node": VerdictKind.comm_straggler_node,
    "tx": VerdictKind.comm_straggler_tx,
    "rx": VerdictKind.comm_straggler_rx,
    "edge": VerdictKind.comm_straggler_edge,
    "edge_or_endpoint": VerdictKind.comm_straggler_edge,
}


@dataclass(frozen=True)
class Isolation:
    """Servers to take out (numbered by `rank // per_node`), and why in words; no server where none can be named yet."""

    nodes: tuple[int, ...]
    why: Text


def hang_verdicts(
    table: SequenceTable,
    now: float | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
    *,
    standing: bool = False,
) -> list[Verdict]:
    """Stuck operations of one job; arguments as `hangs.hangs` takes them."""
    return [_hang(table, hang) for hang in hangs(table, now, timeout, progress, standing=standing)]


def _hang(table: SequenceTable, hang: Hang) -> Verdict:
    comm = hang.kind is HangKind.not_finished
    sure = (
        Confidence.localised
        if hang.edges or hang.kind in (HangKind.not_posted, HangKind.another_operation)
        else Confidence.group_only
    )
    return Verdict(
        VerdictKind.comm_hang if comm else VerdictKind.non_comm_hang,
        System.c4d,
        f"hang, {hang.kind.value}",
        sure,
        hang.sequence,
        hang.sequence,
        _job(table),
        hang.operation,
        hang.ranks,
        hang.edges,
        hang.communicator,
        float("nan"),
        {"sequence": float(hang.sequence), "waiting": float(len(hang.waiting)), "waited": hang.waited},
        hang.kind is HangKind.not_posted,
        operations=True,
    )


def late_verdicts(table: SequenceTable) -> list[Verdict]:
    """Ranks that the others wait for. Late in several communicators at once is a pipeline: its group, not a rank, is
    told.
    """
    late = late_ranks(table)
    found = []
    for together in _overlapping(late):
        alone = len({one.rank for one in together}) == 1
        worst = max(together, key=lambda one: one.lag)
        found.append(
            Verdict(
                VerdictKind.non_comm_slow,
                System.c4d,
                "arrival",
                Confidence.localised if alone else Confidence.group_only,
                min(one.declared for one in together),
                max(one.last for one in together),
                _job(table),
                worst.communicator,
                tuple(sorted({one.rank for one in together})),
                (),
                ", ".join(sorted({one.communicator for one in together})),
                worst.others / worst.own if worst.own > 0 else float("nan"),
                {
                    "lag": worst.lag,
                    "own": worst.own,
                    "others": worst.others,
                    "since": float(min(one.first for one in together)),
                },
                operations=True,
            )
        )
    return found


def _overlapping(late: Sequence[Late]) -> list[list[Late]]:
    """Late ranks whose windows meet, joined: one slow stage makes its whole pipeline late everywhere."""
    parts: list[list[Late]] = []
    for one in sorted(late, key=lambda item: item.first):
        if parts and one.first <= max(other.last for other in parts[-1]):
            parts[-1].append(one)
        else:
            parts.append([one])
    return parts


def matrix_of(table: EdgeTable, per_node: int = PER_NODE) -> Cells:
    """The delay matrix of a table: a window a step, cells comparable by size of message (powers of two) and by whether
    both ends are in one server."""
    known = np.where(np.isfinite(table.bytes) & (table.bytes > 0), table.bytes, 1.0)
    size = np.round(np.log2(known)).astype(np.int64)
    inside: Ints = (table.src // per_node == table.dst // per_node).astype(np.int64)
    return cells_of(table.step, table.src, table.dst, table.net, 2 * size + inside)


def edge_verdicts(table: EdgeTable, per_node: int = PER_NODE) -> list[Verdict]:
    """Connections, senders, receivers and nodes that stay slow, and a fabric that is slow as a whole."""
    cells = matrix_of(table, per_node)
    windows = cells.windows
    found = [_slow(table, slow, windows) for slow in slow_places(cells)]
    everywhere = fabric_slow(cells)
    if everywhere is not None:
        first, ratio = everywhere
        found.append(
            Verdict(
                VerdictKind.comm_group_slow,
                System.ours,
                "delay-matrix, against its own past",
                Confidence.detected_only,
                int(windows[first + AGREEING - 1]),
                int(windows[-1]),
                _job(table),
                ratio=ratio,
                evidence={"windows": float(len(windows))},
            )
        )
    return found


def _slow(table: EdgeTable, slow: Slow, windows: Ints) -> Verdict:
    pair = len(slow.ranks) == 2
    return Verdict(
        _SLOW_KIND[slow.what],
        System.c4d,
        "delay-matrix",
        Confidence.group_only if slow.what == "edge_or_endpoint" else Confidence.localised,
        int(windows[slow.declared]),
        int(windows[slow.last]),
        _job(table),
        "",
        () if pair and slow.what == "edge" else slow.ranks,
        ((slow.ranks[0], slow.ranks[1]),) if pair else (),
        "",
        slow.ratio,
        {"since": float(windows[slow.first]), "windows": float(slow.last - slow.first + 1)},
    )


def _job(table: SequenceTable | EdgeTable) -> str:
    return table.job.names[0] if table.job.names else ""


def isolation(verdicts: Sequence[Verdict], per_node: int = PER_NODE) -> Isolation:
    """Servers whose removal the verdicts support. A single connection and a mere group support none."""
    votes: Counter[int] = Counter()
    for verdict in verdicts:
        if verdict.confidence is not Confidence.localised:
            continue
        if verdict.edges:
            votes.update({end // per_node for edge in verdict.edges for end in edge})
        else:
            votes.update({rank // per_node for rank in verdict.ranks})
    sure = {
        rank // per_node
        for verdict in verdicts
        if verdict.confidence is Confidence.localised and not verdict.edges
        for rank in verdict.ranks
    }
    # Two bad connections that share a server speak against the server, not against two cables.
    shared = {node for node, count in votes.items() if count > 1 and any(verdict.edges for verdict in verdicts)}
    nodes = tuple(sorted(sure | shared))
    return Isolation(nodes, _why(verdicts, nodes))


def _why(verdicts: Sequence[Verdict], nodes: tuple[int, ...]) -> Text:
    if nodes:
        named = ", ".join(str(node) for node in nodes)
        return Text(
            en=f"Take server {named} out, restart from the last checkpoint on a spare, and examine it offline.",
            ko=f"서버 {named}번을 빼고, 예비 서버를 넣어 마지막 체크포인트부터 다시 시작하십시오. "
            "원인은 오프라인에서 살피면 됩니다.",
        )
    if any(verdict.edges for verdict in verdicts):
        return Text(
            en="One connection is slow, both its ends are sound elsewhere: test cable, transceivers and port first.",
            ko="연결 하나만 느리고 양쪽 끝은 다른 연결에서 정상입니다. 케이블, 트랜시버, 스위치 포트부터 점검하십시오.",
        )
    return Text(
        en="Nothing can be named yet: the group is known, its member is not. Split the group and test the halves.",
        ko="그룹까지만 좁혀졌고 대상은 아직 특정되지 않았습니다. 그룹을 반으로 나눠 각각 시험하십시오.",
    )
