"""Exact keys out of what people paste."""

import pytest

from kb.evidence import keys


def names(text: str) -> list[str]:
    return [key.name for key in keys(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "NVRM: Xid (PCI:0000:4f:00): 79, pid=1234, GPU has fallen off the bus.",
            ["xid:79", "saying:fallen-off-the-bus"],
        ),
        ("Xid 63 and then XID: 64", ["xid:63", "xid:64"]),
        ("nvidia-nvswitch0: SXid (PCI:0000:85:00.0): 12028, Non-fatal", ["sxid:12028"]),
        ("RuntimeError: NCCL error: ncclSystemError", ["nccl:ncclsystemerror"]),
        ("Last State: Terminated Reason: OOMKilled Exit Code: 137", ["reason:oomkilled", "exit:137"]),
        ("Back-off restarting failed container: CrashLoopBackOff", ["reason:crashloopbackoff"]),
        ("HTTP/1.1 503", ["http:503"]),
        ("many 5xx", ["http:5xx"]),
        ("DCGM_FI_DEV_XID_ERRORS is missing", ["metric:dcgm_fi_dev_xid_errors"]),
        ("x509: certificate has expired or is not yet valid", ["tls:x509", "saying:certificate-expired"]),
        ("write: no space left on device (ENOSPC)", ["saying:no-space-left", "errno:enospc"]),
        ("rpc error: code = DeadlineExceeded", ["grpc:deadlineexceeded"]),
        ("Xid79, then xid63", ["xid:79", "xid:63"]),
        ("SXid12028", ["sxid:12028"]),
        ("종료 코드 137로 죽음", ["exit:137"]),
        ("종료코드: 1", ["exit:1"]),
        ("139 코드로 종료", ["exit:139"]),
        ("exit137", ["exit:137"]),
        ("503 에러가 나요", ["http:503"]),
        ("상태 코드 502", ["http:502"]),
    ],
)
def test_keys_are_found_in_order(text: str, expected: list[str]) -> None:
    assert [name for name in names(text) if not name.startswith("reason:deadline")] == expected


@pytest.mark.parametrize(
    "text",
    ["", "the service was unavailable", "exited early", "503 cars", "taxid 79", "code review", "종료 버튼", "500 개"],
)
def test_plain_words_are_no_keys(text: str) -> None:
    assert names(text) == []


def test_a_key_is_named_once_and_shown_as_it_stood() -> None:
    (key,) = keys("Xid 79 … xid: 79")
    assert (key.name, key.text) == ("xid:79", "Xid 79")


def test_colours_do_not_hide_a_key() -> None:
    assert names("\x1b[31mXid\x1b[0m 79") == ["xid:79"]
    assert names("[1;31mXid[0m 79") == ["xid:79"]
