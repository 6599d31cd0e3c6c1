import pytest

from kb.checks.sources.log_forms import clean, take_apart

MESSAGE = "NVRM: Xid (PCI:0000:09:00): 79, pid=0, GPU has fallen off the bus."


@pytest.mark.parametrize(
    ("line", "host", "time"),
    [
        (f"[1084456.074562] {MESSAGE}", "", "1084456.074562"),
        (f"[    3.074562] {MESSAGE}", "", "3.074562"),
        (f"[    3.074562][  T814] {MESSAGE}", "", "3.074562"),
        (f"[Sun Jul 28 09:15:27 2024] {MESSAGE}", "", "Sun Jul 28 09:15:27 2024"),
        (f"kern  :warn  : [ 1843.308145] {MESSAGE}", "", "1843.308145"),
        (f"2026-02-14T05:03:41,123456+00:00 {MESSAGE}", "", "2026-02-14T05:03:41,123456+00:00"),
        (f"6,3964,206764307,-;{MESSAGE}", "", "206764307"),
        (f"4,3964,206764307,-,caller=T12;{MESSAGE}", "", "206764307"),
        (f"Feb 14 05:03:41 n1 kernel: {MESSAGE}", "n1", "Feb 14 05:03:41"),
        (f"Feb  4 05:03:41 n1 kernel: [1084456.074562] {MESSAGE}", "n1", "Feb  4 05:03:41"),
        (f"2026-02-14T05:03:41.123456+09:00 n1 kernel: {MESSAGE}", "n1", "2026-02-14T05:03:41.123456+09:00"),
        (f"2026-02-14T05:03:41+0900 n1.example kernel: {MESSAGE}", "n1.example", "2026-02-14T05:03:41+0900"),
        (f"[ 1843.308145] n1 kernel: {MESSAGE}", "n1", "1843.308145"),
        (f"10.0.0.7: kern: warning: [2026-04-22T21:25:20.458Z]: {MESSAGE}", "10.0.0.7", "2026-04-22T21:25:20.458Z"),
        (f"kernel: {MESSAGE}", "", ""),
    ],
)
def test_each_form_of_a_kernel_line_is_known(line: str, host: str, time: str) -> None:
    form = take_apart(line)
    assert form is not None
    assert (form.text, form.kernel, form.host, form.time) == (MESSAGE, True, host, time)


@pytest.mark.parametrize(
    "line",
    [
        f"Feb 14 05:03:41 n1 gpu-agent[812]: {MESSAGE}",
        f"Feb 14 05:03:41 n1 systemd[1]: {MESSAGE}",
        f"[ 1843.308145] n1 gpu-agent[812]: {MESSAGE}",
        f"14,3964,206764307,-;{MESSAGE}",
    ],
)
def test_a_program_that_repeats_a_kernel_message_is_not_the_kernel(line: str) -> None:
    form = take_apart(line)
    assert form is not None
    assert not form.kernel


def test_a_driver_line_without_any_head_is_of_the_kernel() -> None:
    form = take_apart(MESSAGE)
    assert form is not None
    assert (form.text, form.kernel) == (MESSAGE, True)


@pytest.mark.parametrize("line", [f"hint: {MESSAGE}", f" {MESSAGE}", "step 3 loss 2.1", "", "[INFO] x: y"])
def test_other_lines_have_no_known_form(line: str) -> None:
    form = take_apart(line)
    assert form is None


def test_a_kernel_line_that_names_a_device_is_not_taken_for_a_host() -> None:
    form = take_apart("[   12.345678] usb 1-1: new high-speed USB device")
    assert form is not None
    assert (form.kernel, form.host, form.text) == (True, "", "usb 1-1: new high-speed USB device")


def test_what_a_terminal_might_obey_is_taken_out() -> None:
    assert clean("a\x1b]0;title\x07b\x1b[2Jc\x00\x07\x9b31md\te") == "abc31md\te"


def test_colours_line_ends_and_escaped_breaks_are_taken_out() -> None:
    assert clean("\x1b[32m[  1.000000] \x1b[0mNVRM: a\\x0aNVRM: b#012c\r\n") == "[  1.000000] NVRM: a NVRM: b c"
