"""`data/proofs.json`: what came of each replay when it was last run, and on which text of check and replay.

A machine without promtool knows by it what was proven. A changed check or replay no longer matches its digest
and counts as unproven until it is run again. The file holds no clock time: equal inputs give equal bytes.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from pydantic import TypeAdapter, ValidationError

from kb.checks.card import Answer
from kb.errors import DataError
from kb.model import CheckId, NonEmpty, Strict


class ProofRecord(Strict):
    """The outcome of one replay."""

    check: CheckId
    replay: NonEmpty
    """File name within the check's `replays/`."""
    check_digest: NonEmpty
    replay_digest: NonEmpty
    expected: Answer
    actual: Answer
    passes: bool
    why_not: str = ""
    """One sentence where it does not pass."""
    looked_at: int = 0
    where: tuple[dict[str, str], ...] = ()
    lines: tuple[str, ...] = ()
    """What each finding rests on: `file:number` of a line of a log, or `Pod default/web-0`."""
    fired_at: float | None = None
    """Seconds from the start of the data at which it is first found; only where the data has a time axis."""
    reason_kinds: tuple[str, ...] = ()
    tool: NonEmpty
    """What evaluated it: `promtool 2.42.0+ds`, or `kb 0.1.0` for checks in Python."""

    @property
    def key(self) -> tuple[str, str]:
        return self.check, self.replay


class Proofs:
    """The records of a file, by check and replay."""

    def __init__(self, records: Iterable[ProofRecord] = ()) -> None:
        self.records: Mapping[tuple[str, str], ProofRecord] = MappingProxyType(
            {record.key: record for record in records}
        )

    @classmethod
    def read(cls, path: Path) -> "Proofs":
        """The proofs of a file; none where there is no file.

        Raises:
            DataError: a file of another form.
        """
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return cls()
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"{path.name}: cannot be read.", next_step=AGAIN) from error
        try:
            return cls(TypeAdapter(tuple[ProofRecord, ...]).validate_json(text))
        except ValidationError as error:
            where = ".".join(str(part) for part in error.errors()[0]["loc"])
            raise DataError(f"{path.name}: {where}: {error.errors()[0]['msg']}.", next_step=AGAIN) from error

    def merged(self, records: Iterable[ProofRecord]) -> "Proofs":
        """These proofs with newer records laid over them."""
        return Proofs([*self.records.values(), *records])

    def only(self, keys: Iterable[tuple[str, str]]) -> "Proofs":
        """Without the records of replays that no longer exist."""
        kept = set(keys)
        return Proofs(record for key, record in self.records.items() if key in kept)

    def write(self, path: Path) -> None:
        """One line a record, sorted, so that a change of one replay is a change of one line."""
        lines = [
            json.dumps(self.records[key].model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)
            for key in sorted(self.records)
        ]
        path.write_text("[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n", encoding="utf-8")

    def holds(self, key: tuple[str, str], check_digest: str, replay_digest: str) -> ProofRecord | None:
        """The record of a replay, if it was made from these very texts."""
        record = self.records.get(key)
        if record and (record.check_digest, record.replay_digest) == (check_digest, replay_digest):
            return record
        return None


AGAIN = "Run `kb replay --record` again."


def digest(*parts: bytes) -> str:
    """Sixteen hexadecimal digits over the parts and their lengths."""
    sha = hashlib.sha256()
    for part in parts:
        sha.update(len(part).to_bytes(8, "big"))
        sha.update(part)
    return sha.hexdigest()[:16]
