"""The live source against an API server over real HTTP, through the official client."""

import datetime
import json
import os
import socket
import ssl
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from kubernetes.config import incluster_config

from kb.checks.sources.kubernetes import KubernetesApi
from kb.errors import ResourceAbsent, SourceError
from tests.kubernetes_api import Cluster, serving

ODD = {
    "kind": "Widget",
    "apiVersion": "shop.example.org/v1",
    "metadata": {"name": "odd", "namespace": "shop", "uid": "7"},
    "spec": {"물건": [1, 2.5, None, {"deep": True}]},
    "extra": "field",
}


def pod(name: str, namespace: str = "default", **more: object) -> dict[str, object]:
    metadata = {"name": name, "namespace": namespace, "labels": {"app": name.split("-", maxsplit=1)[0]}}
    spec = {"containers": [{"name": "main", "image": "nginx"}], "nodeName": f"node-{name[-1]}"}
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": metadata,
        "spec": spec,
        "status": {"phase": "Running"},
        **more,
    }


PODS = [pod(f"web-{number}") for number in range(7)]


def kubeconfig(folder: Path, url: str, **user: object) -> str:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "good",
        "clusters": [{"name": "here", "cluster": {"server": url}}],
        "users": [{"name": "me", "user": user or {"token": "secret"}}],
        "contexts": [
            {"name": "no-cluster", "context": {"cluster": "gone", "user": "me"}},
            {"name": "no-user", "context": {"cluster": "here", "user": "gone"}},
            {"name": "empty", "context": None},
            {"name": "good", "context": {"cluster": "here", "user": "me"}},
        ],
    }
    path = folder / "kubeconfig"
    path.write_text(json.dumps(config))
    return str(path)


@pytest.fixture
def cluster() -> Cluster:
    made = Cluster([*PODS, ODD])
    made.token = "secret"
    return made


@pytest.fixture
def url(cluster: Cluster) -> Iterator[str]:
    with serving(cluster) as address:
        yield address


@pytest.fixture
def api(url: str, tmp_path: Path) -> Iterator[KubernetesApi]:
    source = KubernetesApi(kubeconfig=kubeconfig(tmp_path, url), page=2, wait=lambda seconds: None)
    yield source
    source.close()


def names(source: KubernetesApi, resource: str = "v1/pods", **selectors: str) -> list[str]:
    return [item["metadata"]["name"] for item in source.list(resource, **selectors)]


def refused(source: KubernetesApi, resource: str = "v1/pods") -> SourceError:
    with pytest.raises(SourceError) as caught:
        list(source.list(resource))
    return caught.value


def test_a_long_list_is_read_page_by_page_and_once_for_all_who_ask(api: KubernetesApi, cluster: Cluster) -> None:
    everybody: list[list[str]] = []
    threads = [threading.Thread(target=lambda: everybody.append(names(api))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert everybody == [[f"web-{n}" for n in range(7)]] * 4
    assert [method for method, _ in cluster.asked] == ["GET"] * 4
    assert all("limit=2" in path for _, path in cluster.asked)


def test_what_our_code_never_names_survives_the_list(api: KubernetesApi, cluster: Cluster) -> None:
    cluster.objects.append(pod("odd-1", spec={"containers": [], "fieldOfTheFuture": {"a": [1, "x"]}}))
    assert list(api.list("shop.example.org/v1/widgets")) == [ODD]
    [odd] = api.list("v1/pods", labels="app=odd")
    assert odd["spec"]["fieldOfTheFuture"] == {"a": [1, "x"]}
    assert (odd["kind"], odd["apiVersion"]) == ("Pod", "v1")


def test_selectors_are_left_to_the_server(api: KubernetesApi, cluster: Cluster) -> None:
    cluster.objects.append(pod("bad-1", status={"phase": "Failed"}))
    assert names(api, fields="status.phase=Failed") == ["bad-1"]
    assert names(api, fields="status.phase!=Failed,spec.nodeName=node-3") == ["web-3"]
    with pytest.raises(SourceError, match="field label not supported"):
        list(api.list("v1/pods", fields="spec.colour=red"))


def test_secrets_and_configmaps_are_refused_before_anything_is_asked(api: KubernetesApi, cluster: Cluster) -> None:
    for resource in ("v1/secrets", "v1/configmaps", "v1/pods/exec", "nonsense"):
        assert refused(api, resource).reason_kind == "unsupported"
    assert cluster.asked == []


def test_a_missing_permission_is_named_and_the_rest_is_still_read(api: KubernetesApi, cluster: Cluster) -> None:
    cluster.forbidden = {"apps/v1/deployments"}
    error = refused(api, "apps/v1/deployments")
    assert error.reason_kind == "forbidden"
    assert error.what == ('A permission is missing for system:serviceaccount:kb:kb: list deployments in group "apps".')
    assert 'list deployments in group "apps"' in error.what_ko
    assert len(names(api)) == 7


def test_an_expired_token_is_said_to_be_one(cluster: Cluster, url: str, tmp_path: Path) -> None:
    source = KubernetesApi(kubeconfig=kubeconfig(tmp_path, url, token="old"))
    error = refused(source)
    assert (error.reason_kind, "401" in error.what, "Log in again" in error.next_step) == ("forbidden", True, True)


def test_a_resource_that_nobody_defined_is_absent_and_one_behind_a_wrong_path_is_not(
    api: KubernetesApi, cluster: Cluster, url: str, tmp_path: Path
) -> None:
    assert isinstance(refused(api, "cert-manager.io/v1/certificates"), ResourceAbsent)
    astray = KubernetesApi(kubeconfig=kubeconfig(tmp_path, f"{url}/elsewhere"))
    assert not isinstance(refused(astray, "cert-manager.io/v1/certificates"), ResourceAbsent)


def test_a_list_that_expires_while_it_is_read_is_begun_anew(api: KubernetesApi, cluster: Cluster) -> None:
    cluster.expire_after = 1
    assert names(api) == [f"web-{n}" for n in range(7)]
    assert sum("continue" not in path for _, path in cluster.asked) == 2


def test_a_list_that_always_expires_is_not_half_a_list(api: KubernetesApi, cluster: Cluster) -> None:
    cluster.oldest = 10**9
    error = refused(api)
    assert (error.reason_kind, "410" in error.what) == ("timeout", True)


def test_an_overloaded_server_is_asked_again_as_it_wishes(cluster: Cluster, url: str, tmp_path: Path) -> None:
    waits: list[float] = []
    source = KubernetesApi(kubeconfig=kubeconfig(tmp_path, url), wait=waits.append)
    cluster.overloaded = 2
    assert len(names(source)) == 7
    assert waits == [2.0, 2.0]
    cluster.overloaded = 99
    error = refused(source, "v1/nodes")
    assert (error.reason_kind, "429" in error.what) == ("timeout", True)


@pytest.mark.parametrize(("code", "kind"), [(500, "crash"), (503, "crash"), (504, "timeout")])
def test_a_failing_server_is_unknown_with_its_status(
    api: KubernetesApi, cluster: Cluster, code: int, kind: str
) -> None:
    cluster.broken = code
    error = refused(api)
    assert (error.reason_kind, str(code) in error.what) == (kind, True)


@pytest.mark.parametrize("trouble", ["login_page", "redirect"])
def test_a_login_page_is_not_an_empty_cluster(api: KubernetesApi, cluster: Cluster, trouble: str) -> None:
    setattr(cluster, trouble, True)
    assert refused(api).reason_kind == "forbidden"


def test_a_server_that_is_not_there_cannot_be_reached(tmp_path: Path) -> None:
    source = KubernetesApi(kubeconfig=kubeconfig(tmp_path, "http://127.0.0.1:9"), timeout=2)
    error = refused(source)
    assert (error.reason_kind, "cannot be reached" in error.what) == ("crash", True)
    assert refused(source, "v1/nodes").what == error.what


def test_version_and_clock_are_the_servers(api: KubernetesApi, cluster: Cluster) -> None:
    cluster.clock = 1_800_000_000.0
    assert (api.version(), api.now()) == ("v1.34.2", 1_800_000_000.0)
    cluster.clock += 60
    assert api.now() == 1_800_000_000.0


# --- who asks, and where ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("context", "said"),
    [("no-cluster", "gone"), ("no-user", "`gone`"), ("empty", "context"), ("typo", "no-cluster, no-user, empty, good")],
)
def test_a_broken_context_is_said_to_be_broken_and_harms_no_other(
    context: str, said: str, url: str, tmp_path: Path
) -> None:
    path = kubeconfig(tmp_path, url)
    error = refused(KubernetesApi(context, kubeconfig=path))
    assert said in error.what
    assert "get-contexts" in error.next_step
    good = KubernetesApi("good", kubeconfig=path)
    assert len(names(good)) == 7
    assert good.name == f"good ({url})"


@pytest.mark.parametrize("text", ["", "- a list\n", "{", "clusters: 7\n", "\x00"])
def test_a_kubeconfig_that_is_none_is_no_crash(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(text)
    assert "No connection to a cluster" in refused(KubernetesApi(kubeconfig=str(path))).what


def plugin(folder: Path, text: str) -> dict[str, object]:
    program = folder / "plugin"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return {"apiVersion": "client.authentication.k8s.io/v1", "command": str(program), "interactiveMode": "Never"}


def test_a_plugin_gives_the_token(url: str, tmp_path: Path) -> None:
    answer = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "secret"}}
    path = kubeconfig(tmp_path, url, exec=plugin(tmp_path, f"echo '{json.dumps(answer)}'"))
    assert len(names(KubernetesApi(kubeconfig=path))) == 7


@pytest.mark.parametrize("text", ["exit 1", "echo no json", "echo '{}'"])
def test_a_plugin_that_fails_is_named_and_nobody_asks_as_nobody(
    text: str, cluster: Cluster, url: str, tmp_path: Path
) -> None:
    path = kubeconfig(tmp_path, url, exec=plugin(tmp_path, text))
    assert "plugin` of context `good` gave no credentials" in refused(KubernetesApi(kubeconfig=path)).what
    assert cluster.asked == []


def test_in_a_pod_its_own_account_is_used_over_tls(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"SERVICE_TOKEN_FILENAME": tmp_path / "token", "SERVICE_CERT_FILENAME": tmp_path / "ca.crt"}
    files["SERVICE_TOKEN_FILENAME"].write_text("secret")
    for name, path in files.items():
        monkeypatch.setattr(incluster_config, name, str(path))
    cluster.token = None
    with serving(cluster, tls=certified(tmp_path)) as address:
        monkeypatch.setitem(os.environ, "KUBERNETES_SERVICE_HOST", "127.0.0.1")
        monkeypatch.setitem(os.environ, "KUBERNETES_SERVICE_PORT", address.rsplit(":", 1)[1])
        source = KubernetesApi(kubeconfig=str(tmp_path / "none"))
        assert len(names(source)) == 7
        assert source.name == "in-cluster"
        files["SERVICE_CERT_FILENAME"].write_text(other_authority(tmp_path))
        error = refused(KubernetesApi(kubeconfig=str(tmp_path / "none")))
        assert error.reason_kind == "crash"


def certified(folder: Path) -> ssl.SSLContext:
    """A server certificate for 127.0.0.1 that signs itself; it is left as `ca.crt`."""
    (folder / "key.pem").write_text("")
    certificate, key = self_signed()
    (folder / "ca.crt").write_text(certificate)
    (folder / "key.pem").write_text(key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "ca.crt", folder / "key.pem")
    return context


def other_authority(folder: Path) -> str:
    return self_signed()[0]


def self_signed() -> tuple[str, str]:
    import ipaddress

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kube-apiserver")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(True, False, False, False, False, True, True, False, False), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), private.decode()


# --- bounds -------------------------------------------------------------------------------------------------


def test_a_server_that_never_answers_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        error = refused(KubernetesApi(kubeconfig=kubeconfig(tmp_path, url), timeout=0.2))
    assert (error.reason_kind, "did not answer in time" in error.what) == ("timeout", True)


def test_an_answer_without_end_is_cut_off(api: KubernetesApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.checks.sources.kubernetes.MAX_PAGE_BYTES", 100)
    assert "without end" in refused(api).what


def test_a_list_without_end_is_cut_off(api: KubernetesApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.checks.sources.kubernetes.MAX_OBJECTS", 3)
    assert "does not end" in refused(api).what


def test_lists_are_kept_where_only_the_user_reads_them_and_gone_afterwards(
    api: KubernetesApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert len(names(api)) == 7
    [kept] = tmp_path.glob("kb-list-*")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    api.close()
    assert not kept.exists()


def test_no_room_for_a_list_is_said(api: KubernetesApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    assert "No room to keep the list of v1/pods" in refused(api).what
