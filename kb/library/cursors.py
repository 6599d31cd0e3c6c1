"""Opaque cursors: where a page ended, and which question it belongs to.

List cursors name the case they stand beside, so they survive new data; search cursors name the data version,
because scores move with the data, and say so when it has changed.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from kb.errors import BadCursor

_AGAIN = "Ask again without a cursor."


@dataclass(frozen=True)
class Cursor:
    """Where to go on: after `key`, or before it when going back."""

    key: str
    back: bool = False


def fingerprint(operation: str, question: Mapping[str, object]) -> str:
    """Short digest of everything in a question that decides its order and membership."""
    plain = json.dumps([operation, sorted((k, str(v)) for k, v in question.items())], ensure_ascii=False)
    return hashlib.sha256(plain.encode()).hexdigest()[:10]


def write(cursor: Cursor, mark: str, version: str = "") -> str:
    parts = [mark, version, "b" if cursor.back else "f", cursor.key]
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def read(text: str | None, mark: str, version: str = "") -> Cursor | None:
    """Raises BadCursor: not ours, cut, from another question, or from other data."""
    if text is None:
        return None
    try:
        padded = text + "=" * (-len(text) % 4)
        parts = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        theirs, then, direction, key = (str(part) for part in parts)
    except (ValueError, binascii.Error, TypeError) as error:
        raise BadCursor("This cursor is cut or not one of this library.", field="cursor", next_step=_AGAIN) from error
    if theirs != mark:
        raise BadCursor(
            "This cursor belongs to another question: filters, sort or words differ.",
            field="cursor",
            next_step="Keep all arguments but `limit` as they were, or ask again without a cursor.",
        )
    if then != version:
        raise BadCursor(
            f"The data changed since this cursor was made ({then}, now {version}); scores have moved.",
            field="cursor",
            next_step=_AGAIN,
        )
    return Cursor(key, direction == "b")
