"""The sources that the command line was given, opened; each kind is imported when it is asked for."""

import os
import ssl
from collections.abc import Sequence
from pathlib import Path

from kb.checks.contract import HostSource, KubernetesSource, LogSource, PrometheusSource, StepsSource
from kb.checks.finding_prometheus import candidates
from kb.checks.run import Sources
from kb.checks.site import Access, Site, is_authorization
from kb.errors import InvalidValue, MissingExtra

NOTHING_TO_LOOK_AT = (
    "Nothing to look at. Give at least one source: `--logs dmesg.txt` (or `dmesg | kb check --logs -`), "
    "`--prometheus http://prometheus:9090`, `--kube` (the current context), `--steps steps.jsonl`."
)
#: In place of an address: the cluster's own.
AUTO = "auto"
#: Options whose value may be left out: `--kube` alone means the current context, `--host` alone this machine.
OPTIONAL_VALUE = ("--kube", "--host")


def open_sources(
    site: Site,
    *,
    prometheus: str | None = None,
    kube: str | None = None,
    host: str | None = None,
    logs: Sequence[str] | None = None,
    steps: Sequence[str] | None = None,
    steps_unit: str | None = None,
    standing: bool = False,
    headers: Sequence[str] | None = None,
) -> Sources:
    """Everything that was given.

    site: what the site calls its labels and metrics.
    kube: context of the kubeconfig, empty for the current one.
    host: a saved folder, empty for this machine.

    Raises:
        InvalidValue: nothing was given, or a value that cannot be used.
        MissingExtra: a source whose client is not installed.
    """
    if host is None and not (prometheus or logs or steps) and kube is None:
        raise InvalidValue(NOTHING_TO_LOOK_AT)
    cluster = None if kube is None else _kubernetes(kube)
    return Sources(
        prometheus=_prometheus(prometheus, cluster, headers, site) if prometheus else None,
        kubernetes=cluster,
        host=None if host is None else _host(host),
        logs=_logs(logs) if logs else None,
        steps=_steps(steps, steps_unit, standing=standing) if steps else None,
    )


def _found_in(cluster: KubernetesSource | None) -> str:
    """The address of the cluster's own Prometheus, for a pod; from outside, what makes it reachable."""
    if cluster is None:
        raise InvalidValue("`--prometheus auto` looks in a cluster: give --kube too.", field="prometheus")
    found = candidates(cluster)
    if not found:
        raise InvalidValue(
            "No service of this cluster is labelled as a Prometheus.",
            field="prometheus",
            next_step="Give its address: --prometheus http://host:9090.",
        )
    if "KUBERNETES_SERVICE_HOST" not in os.environ:
        raise InvalidValue(
            f"This machine is outside the cluster, whose Prometheus is {found[0].service} in {found[0].namespace}.",
            field="prometheus",
            next_step=f"In another shell: {found[0].forward}; then --prometheus http://127.0.0.1:9090.",
        )
    return found[0].address


def with_values(arguments: Sequence[str]) -> list[str]:
    """The command line with an empty value behind every option of `OPTIONAL_VALUE` that has none."""
    following = [*arguments[1:], "-"]
    return [
        f"{word}=" if word in OPTIONAL_VALUE and after.startswith("-") else word
        for word, after in zip(arguments, following, strict=False)
    ]


def open_prometheus(
    address: str, headers: Sequence[str] | None, site: Site, kube: str | None = None
) -> PrometheusSource:
    """A server alone, asked in the site's own names and let in as the site says.

    kube: as of `open_sources`; a cluster is opened only where the address is to be found in it.

    Raises:
        InvalidValue: an address, header or file of credentials that cannot be used.
        MissingExtra: `auto` without the Kubernetes client.
    """
    cluster = _kubernetes(kube) if address == AUTO and kube is not None else None
    return _prometheus(address, cluster, headers, site)


def _prometheus(
    address: str, cluster: KubernetesSource | None, headers: Sequence[str] | None, site: Site
) -> PrometheusSource:
    from kb.checks.sources.prometheus import PrometheusHttp
    from kb.checks.sources.relabelled import Relabelled

    if address == AUTO:
        address = _found_in(cluster)
    access = site.prometheus
    named = _headers(headers)
    if access.authorizes and any(map(is_authorization, named)):
        raise InvalidValue(
            "The site's file says how to get in, and so does `--header`.",
            field="header",
            next_step="Leave out the header, or give a file without credentials.",
        )
    given = {**access.headers, **named}
    if access.token_file:
        given["Authorization"] = f"Bearer {_secret(access.token_file, 'token_file')}"
    auth = (access.user, _secret(access.password_file or "", "password_file")) if access.user else None
    source = PrometheusHttp(address, headers=given, auth=auth, tls=_tls(access))
    return Relabelled(source, site.labels, site.metrics) if site.labels or site.metrics else source


def _secret(name: str, field: str) -> str:
    """One line of a file; it goes into the request and nowhere else."""
    try:
        lines = Path(name).expanduser().read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidValue(f"The file `{name}` cannot be read.", field=f"prometheus.{field}") from error
    if len(lines) != 1 or not lines[0].isprintable():
        raise InvalidValue(f"The file `{name}` must hold exactly one line.", field=f"prometheus.{field}")
    return lines[0]


def _tls(access: Access) -> ssl.SSLContext | None:
    if not (access.ca_file or access.certificate_file):
        return None
    try:
        context = ssl.create_default_context(cafile=_at_home(access.ca_file))
        if access.certificate_file:
            context.load_cert_chain(Path(access.certificate_file).expanduser(), _at_home(access.key_file))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InvalidValue(f"The certificates cannot be used: {reason}.", field="prometheus.ca_file") from error
    return context


def _at_home(name: str | None) -> Path | None:
    return None if name is None else Path(name).expanduser()


def _kubernetes(context: str) -> KubernetesSource:
    try:
        from kb.checks.sources.kubernetes import KubernetesApi
    except ImportError as error:
        raise MissingExtra(
            "Reading a Kubernetes API server needs its official client, which is not installed.",
            field="kube",
            next_step="Install it: pip install 'incident-library[checks]'",
        ) from error
    return KubernetesApi(context)


def _host(folder: str) -> HostSource:
    from kb.checks.sources.host import HostFolder, HostLive

    return HostFolder(Path(folder).expanduser()) if folder else HostLive()


def _logs(files: Sequence[str]) -> LogSource:
    from kb.checks.sources.logs import LogFiles

    return LogFiles(files)


def _steps(files: Sequence[str], unit: str | None, *, standing: bool) -> StepsSource:
    from kb.checks.sources.steps import step_files

    return step_files(files, unit=unit, standing=standing)


def _headers(given: Sequence[str] | None) -> dict[str, str]:
    headers = {}
    for text in given or ():
        name, colon, value = text.partition(":")
        if not colon or not name.strip() or not text.isprintable():
            # The value may be a token: it is not repeated.
            raise InvalidValue("A header must look like `Name: value`.", field="header")
        headers[name.strip()] = value.strip()
    return headers
