"""Flight-recorder dumps of PyTorch (one file a rank, JSON or pickle) as operation sequences.

A pickle can run anything when it is loaded. A dump needs none of that: it is dictionaries, lists, text and numbers, so
the reader here builds nothing else and refuses a file that asks for more.
"""

import json
import math
import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kb.errors import UnreadableFile
from kb.model import Text
from kb.steps.records import Coded, Remark, RemarkKind, SequenceTable, Table

#: A dump holds at most some ten thousand operations; what is larger is none.
LARGEST = 512 << 20
MOST_FILES = 200_000
_RANK = re.compile(r"(\d+)$")
_BYTES = {"Double": 8, "Long": 8, "Float": 4, "Int": 4, "BFloat16": 2, "Half": 2, "Short": 2, "Byte": 1, "Bool": 1}
_STATES = {"started": (True, False), "completed": (True, True)}


class _PlainUnpickler(pickle.Unpickler):
    """Builds built-in containers and values; a class, a function or an outside object is refused."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        raise pickle.UnpicklingError(f"{module_name}.{global_name}")

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("outside object")


def is_dump(head: bytes) -> bool:
    """Whether a file looks like a dump, by its first bytes."""
    if head[:1] == b"\x80":
        return True
    return head.lstrip()[:1] == b"{" and any(mark in head for mark in (b'"entries"', b'"pg_config"', b'"nccl_version"'))


def folder(path: Path, *, job: str = "") -> Iterator[Table]:
    """Every dump of a folder, in the order of ranks.

    Raises:
        UnreadableFile: no dump in it, or one that cannot be read.
    """
    files = []
    for file in sorted(path.iterdir(), key=lambda item: (rank_of(item), item.name)):
        if file.is_file():
            with file.open("rb") as opened:
                if is_dump(opened.read(4096)):
                    files.append(file)
    if not files or len(files) > MOST_FILES:
        raise UnreadableFile(
            f"{path.name} holds no flight-recorder dump.",
            next_step="Pass the folder that TORCH_FR_DUMP_TEMP_FILE (or TORCH_NCCL_DEBUG_INFO_TEMP_FILE) points into.",
        )
    for number, file in enumerate(files):
        yield from one(file, job=job, default_rank=number)


def one(path: Path, *, job: str = "", default_rank: int = 0) -> Iterator[Table]:
    """The dump of one rank, told by the number at the end of the file's name.

    Raises:
        UnreadableFile: no dump, or a pickle that holds more than plain values.
    """
    if path.stat().st_size > LARGEST:
        raise UnreadableFile(f"{path.name} is too large for a dump.", next_step="Pass a flight-recorder dump.")
    content = _content(path)
    entries = content.get("entries")
    if not isinstance(entries, list):
        raise UnreadableFile(f"{path.name} has no entries.", next_step="Pass a flight-recorder dump of PyTorch 2.4 on.")
    rank = rank_of(path)
    yield _table(entries, _groups(content), rank if rank >= 0 else default_rank, job)


def rank_of(path: Path) -> int:
    """The number at the end of a file's name, before its suffix; -1 without one."""
    match = _RANK.search(path.stem) or _RANK.search(path.name)
    return int(match[1]) if match else -1


def _content(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            if file.read(1) == b"\x80":
                file.seek(0)
                content = _PlainUnpickler(file).load()
            else:
                file.seek(0)
                content = json.load(file)
    except pickle.UnpicklingError as error:
        raise UnreadableFile(
            f"{path.name} was not loaded: it is a pickle that asks for {error}, and a dump holds plain values only.",
            next_step="Do not load it with anything else either, unless you know who wrote it.",
        ) from error
    except Exception as error:  # a broken pickle can fail in any way
        raise UnreadableFile(f"{path.name} is cut off or no dump.", next_step="Copy it again.") from error
    return content if isinstance(content, dict) else {}


def _groups(content: Mapping[str, Any]) -> dict[str, str]:
    """Process group → its ranks in words, so that groups of one name on different ranks stay apart."""
    config = content.get("pg_config")
    found = {}
    if isinstance(config, dict):
        for name, group in config.items():
            if isinstance(group, dict) and isinstance(group.get("ranks"), str):
                found[str(name)] = group["ranks"]
    return found


def _table(entries: Sequence[Any], groups: Mapping[str, str], rank: int, job: str) -> SequenceTable:
    rows = [row for entry in entries if isinstance(entry, dict) and (row := _row(entry, groups)) is not None]
    states = [row[4] for row in rows]
    open_pairs = sum(_is_pair(entry) and entry.get("state") != "completed" for entry in entries)
    return SequenceTable(
        job=Coded.constant(job, len(rows)),
        rank=np.full(len(rows), rank),
        communicator=Coded.of([row[0] for row in rows]),
        sequence=np.array([row[1] for row in rows], np.int64),
        operation=Coded.of([row[2] for row in rows]),
        bytes=np.array([row[3] for row in rows], np.float64),
        posted=np.ones(len(rows), bool),
        started=np.array([state[0] for state in states], bool),
        finished=np.array([state[1] for state in states], bool),
        enter=np.array([row[5] for row in rows], np.float64),
        leave=np.array([row[6] for row in rows], np.float64),
        remarks=(Remark(RemarkKind.unreadable, open_pairs, OPEN_PAIRS, SEE_STACKS),) if open_pairs else (),
    )


def _is_pair(entry: Any) -> bool:
    """Whether this is a send or a receive. A rank counts those by itself: one number on two ranks is two transfers."""
    return isinstance(entry, dict) and bool(entry.get("is_p2p"))


def _row(
    entry: Mapping[str, Any], groups: Mapping[str, str]
) -> tuple[str, int, str, float, tuple[bool, bool], float, float] | None:
    group = entry.get("process_group", entry.get("pg_name", ""))
    words = [str(part) for part in group] if isinstance(group, list | tuple) else [str(group)]
    number = entry.get("collective_seq_id", entry.get("seq_id"))
    if _is_pair(entry) or not isinstance(number, int):
        return None
    communicator = " ".join([*words, groups.get(words[0], "")[:200]]).strip()
    started, finished = _STATES.get(str(entry.get("state")), (False, False))
    return (
        communicator,
        number,
        str(entry.get("profiling_name", "")).removeprefix("nccl:"),
        _size(entry),
        (started, finished),
        _seconds(entry.get("time_created_ns")),
        _seconds(entry.get("time_discovered_completed_ns")) if finished else math.nan,
    )


def _size(entry: Mapping[str, Any]) -> float:
    sizes, kinds = entry.get("input_sizes"), entry.get("input_dtypes")
    if not isinstance(sizes, list | tuple) or not isinstance(kinds, list | tuple):
        return math.nan
    total = 0.0
    for size, kind in zip(sizes, kinds, strict=False):
        if isinstance(size, list | tuple) and all(isinstance(edge, int) for edge in size):
            total += math.prod(size) * _BYTES.get(str(kind), 4)
    return total


def _seconds(nanoseconds: Any) -> float:
    return nanoseconds / 1e9 if isinstance(nanoseconds, int | float) and nanoseconds > 0 else math.nan


OPEN_PAIRS = Text(
    en="Sends and receives that had not ended were left out: their numbers do not tell which of one rank "
    "belongs to which of another.",
    ko="끝나지 않은 송신과 수신은 뺐습니다. 번호만으로는 랭크 사이에 어느 것이 짝인지 알 수 없습니다.",
)
SEE_STACKS = Text(
    en="The dump cannot tell more. Which stage a pipeline waits for show the stacks of its ranks: `py-spy dump`.",
    ko="덤프로는 더 알 수 없습니다. 어느 스테이지를 기다리는지는 각 랭크의 스택(`py-spy dump`)에 나옵니다.",
)
