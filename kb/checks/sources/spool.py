"""JSON objects kept in a compressed temporary file, so that one long list serves every check and no memory."""

import gzip
import json
import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path

from kb.checks.contract import KubeObject


class Spool:
    """Filled once, then read as often as wanted. The file goes with this object; only the user may read it.

    Raises (constructor):
        OSError: no room for it. What `items` raises passes through.
    """

    def __init__(self, items: Iterable[KubeObject]) -> None:
        handle, path = tempfile.mkstemp(prefix="kb-list-", suffix=".gz")
        self._path = Path(path)
        self.close = weakref.finalize(self, self._path.unlink, missing_ok=True)
        with os.fdopen(handle, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1) as pack:
            for item in items:
                pack.write(json.dumps(item, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    def __iter__(self) -> Iterator[KubeObject]:
        with gzip.open(self._path, "rb") as lines:
            for line in lines:
                yield json.loads(line)
