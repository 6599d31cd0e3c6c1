"""The sources that the command line was given, opened; each kind is imported when it is asked for."""

from collections.abc import Sequence

from kb.checks.contract import LogSource, PrometheusSource
from kb.checks.run import Sources
from kb.errors import InvalidValue

NOTHING_TO_LOOK_AT = (
    "Nothing to look at. Give at least one source: `--logs dmesg.txt` (or `dmesg | kb check --logs -`), "
    "`--prometheus http://prometheus:9090`."
)
#: Options whose value may be left out: `--kube` alone means the current context, `--host` alone this machine.
OPTIONAL_VALUE = ("--kube", "--host")


def open_sources(
    *,
    prometheus: str | None = None,
    logs: Sequence[str] | None = None,
    headers: Sequence[str] | None = None,
) -> Sources:
    """Everything that was given.

    Raises:
        InvalidValue: nothing was given, or a value that cannot be used.
    """
    if not (prometheus or logs):
        raise InvalidValue(NOTHING_TO_LOOK_AT)
    return Sources(
        prometheus=_prometheus(prometheus, headers) if prometheus else None,
        logs=_logs(logs) if logs else None,
    )


def with_values(arguments: Sequence[str]) -> list[str]:
    """The command line with an empty value behind every option of `OPTIONAL_VALUE` that has none."""
    following = [*arguments[1:], "-"]
    return [
        f"{word}=" if word in OPTIONAL_VALUE and after.startswith("-") else word
        for word, after in zip(arguments, following, strict=False)
    ]


def _prometheus(address: str, headers: Sequence[str] | None) -> PrometheusSource:
    from kb.checks.sources.prometheus import PrometheusHttp

    return PrometheusHttp(address, headers=_headers(headers))


def _logs(files: Sequence[str]) -> LogSource:
    from kb.checks.sources.logs import LogFiles

    return LogFiles(files)


def _headers(given: Sequence[str] | None) -> dict[str, str]:
    headers = {}
    for text in given or ():
        name, colon, value = text.partition(":")
        if not colon or not name.strip() or not text.isprintable():
            # The value may be a token: it is not repeated.
            raise InvalidValue("A header must look like `Name: value`.", field="header")
        headers[name.strip()] = value.strip()
    return headers
