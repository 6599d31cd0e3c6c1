"""Every error this project raises on purpose, as one tree.

    KbError                      what went wrong, where, and what to do next
    ├── BadQuestion       422    the caller's arguments cannot be used
    │   ├── UnknownArgument      an argument name nobody knows
    │   ├── UnknownValue         a slug, kind, enum value or filter that does not exist
    │   ├── InvalidValue         a value of the wrong form, size or range
    │   └── BadCursor            a cursor that is foreign, cut, stale or from other filters
    ├── NotFound          404    a well-formed id, slug or check that the library does not hold
    ├── DataError         500    a case, vocabulary, check or replay file that breaks a rule
    │   └── UnreadableFile       a file that is not text, not YAML, or too large to be one
    ├── BuildError        503    a build that could not be made, or is not there to be served
    │   ├── BuildBusy            another process is building the same files
    │   └── NoBuild              nothing has been built yet
    ├── MissingExtra      501    an optional part of the project is not installed
    ├── SourceError       502    a cluster source that could not answer (always ends as `unknown`)
    │   └── ResourceAbsent       a Kubernetes API server that does not know a resource (an add-on not installed)
    └── ToolMissing       501    an outside program (promtool) that is needed and absent

A face turns any `KbError` into its own form (problem+json, `ToolError`, one line on standard
error) and turns anything else into "internal error" with the traceback in the log only.
"""

from collections.abc import Sequence


class KbError(Exception):
    """Base of the tree. `str(error)` is one or more plain sentences, fit to show to anybody.

    what: what was wrong, with the offending value.
    field: the argument or field it was found in, if there is one.
    allowed: the values that would have been accepted, when there are few.
    nearest: the closest values that exist, best first.
    next_step: what to do now.
    """

    status = 500
    kind = "internal"

    def __init__(
        self,
        what: str,
        *,
        field: str | None = None,
        allowed: Sequence[str] = (),
        nearest: Sequence[str] = (),
        next_step: str = "",
    ) -> None:
        self.what = what
        self.field = field
        self.allowed = tuple(allowed)
        self.nearest = tuple(nearest)
        self.next_step = next_step
        super().__init__(what)

    def __str__(self) -> str:
        parts = [self.what]
        if self.allowed:
            parts.append(f"Allowed: {', '.join(self.allowed)}.")
        if self.nearest:
            parts.append(f"Nearest: {', '.join(self.nearest)}.")
        if self.next_step:
            parts.append(self.next_step)
        return " ".join(parts)


class BadQuestion(KbError):
    status = 422
    kind = "bad-question"


class UnknownArgument(BadQuestion):
    kind = "unknown-argument"


class UnknownValue(BadQuestion):
    kind = "unknown-value"


class InvalidValue(BadQuestion):
    kind = "invalid-value"


class BadCursor(BadQuestion):
    kind = "bad-cursor"


class NotFound(KbError):
    status = 404
    kind = "not-found"


class DataError(KbError):
    kind = "data"


class UnreadableFile(DataError):
    kind = "unreadable-file"


class BuildError(KbError):
    status = 503
    kind = "build"


class BuildBusy(BuildError):
    kind = "build-busy"


class NoBuild(BuildError):
    kind = "no-build"


class MissingExtra(KbError):
    status = 501
    kind = "missing-extra"


class SourceError(KbError):
    """A source of `kb check` that could not answer.

    reason_kind: `no-series`, `stale`, `forbidden`, `timeout`, `crash` or `unsupported`
    (the values of `unknown[].reason_kind` in `kb check --json`).
    what_ko, next_step_ko: the same in Korean, where the general words for the kind would say less.
    """

    status = 502
    kind = "source"

    def __init__(
        self,
        what: str,
        *,
        reason_kind: str = "crash",
        next_step: str = "",
        what_ko: str = "",
        next_step_ko: str = "",
    ) -> None:
        self.reason_kind = reason_kind
        self.what_ko = what_ko
        self.next_step_ko = next_step_ko
        super().__init__(what, next_step=next_step)


class ResourceAbsent(SourceError):
    """The API server works and does not serve this resource; a check of an add-on then has nothing to judge."""


class ToolMissing(KbError):
    status = 501
    kind = "tool-missing"
