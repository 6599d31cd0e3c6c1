"""The forms in which a line of a kernel log is met, and how its message is taken out of it."""

import re
from collections.abc import Callable
from typing import NamedTuple

ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
#: What a terminal might obey; tabs stay.
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
#: Control characters as /dev/kmsg and rsyslog write them.
ESCAPED_BREAK = re.compile(r"\\x0a|#012")

#: `6,3964,206764307,-;message`, the form of /dev/kmsg.
KMSG = re.compile(r"(?P<level>\d{1,4}),\d+,(?P<time>\d+),[^;]{0,80};(?P<text>.*)")
#: `[ 1843.308145] message`, `[Sun Jul 28 09:15:27 2024] message`, `2026-02-14T05:03:41,123456+00:00 message`:
#: what dmesg writes, with or without facility, level and caller.
DMESG = re.compile(
    r"(?:kern\s*:\s*\w+\s*:\s*)?"
    r"(?:\[(?P<time>\s*\d+\.\d{6}|\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\](?:\[\s*[CT]\d+\])?"
    r"|(?P<iso>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:?\d\d))"
    r"\s(?P<text>.*)"
)
#: `journalctl -o short-monotonic` has the time of dmesg, then host and program.
AFTER_TIME = re.compile(r"(?P<host>\S+)\s(?:(?P<kernel>kernel)|[\w./@()-]+\[\d+\]):\s(?P<text>.*)")
#: `node1: kern: warning: [2026-04-22T21:25:20.458998481Z]: message`, as talosctl writes it.
TALOS = re.compile(r"(?P<host>\S+): kern:\s+\w+: \[(?P<time>[^\]]+)\]: (?P<text>.*)")
#: `Feb 14 05:03:41 node1 kernel: message`, RFC 3339 times as well; other programs have their name there.
SYSLOG = re.compile(
    r"(?P<time>\w{3} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*)\s"
    r"(?P<host>\S+)\s(?P<program>[\w./@()-]+)(?:\[\d+\])?:\s?(?P<text>.*)"
)
#: `kernel: message`, what is left when somebody cut the time off.
BARE = re.compile(r"kernel:\s(?P<text>.*)")
#: `NVRM: message`, a line of the driver as `dmesg -t` prints it: without any head.
HEADLESS = re.compile(r"(?P<text>NVRM: .*)")
#: `<4>` before the line, as `dmesg --raw` writes the level, or the mark of a file saved with a byte order mark.
BEFORE_HEAD = re.compile(r"^\ufeff?(?:<\d{1,3}>)?")
#: A syslog line of the kernel often carries the dmesg time once more.
INNER_TIME = re.compile(r"\[\s*\d+\.\d{6}\]\s")


class Form(NamedTuple):
    """One line, taken apart. A tuple, because there is one for each of millions of lines."""

    text: str
    kernel: bool
    host: str = ""
    time: str = ""


def take_apart(line: str) -> Form | None:
    """The parts of a line that begins a message; nothing where its form is not known."""
    first = line[:1]
    readers = AFTER_BRACKET if first == "[" else AFTER_DIGIT if first.isdigit() else AFTER_LETTER
    for pattern, read in readers:
        match = pattern.fullmatch(line)
        if match:
            return read(match)
    return None


def _kmsg(match: re.Match[str]) -> Form:
    # Levels from 8 on carry a facility other than the kernel's: a program wrote into /dev/kmsg.
    return Form(match["text"], int(match["level"]) < 8, "", match["time"])


def _dmesg(match: re.Match[str]) -> Form:
    time = (match["time"] or match["iso"]).strip()
    inner = AFTER_TIME.fullmatch(match["text"])
    if inner:
        return Form(inner["text"], inner["kernel"] is not None, inner["host"], time)
    return Form(match["text"], True, "", time)


def _talos(match: re.Match[str]) -> Form:
    return Form(match["text"], True, match["host"], match["time"])


def _syslog(match: re.Match[str]) -> Form:
    kernel = match["program"] == "kernel"
    text = match["text"]
    inner = INNER_TIME.match(text) if kernel else None
    return Form(text[inner.end() :] if inner else text, kernel, match["host"], match["time"])


def _bare(match: re.Match[str]) -> Form:
    return Form(match["text"], True)


Reader = tuple[re.Pattern[str], Callable[[re.Match[str]], Form]]
#: The forms a line can have, by its first character, the commonest first.
AFTER_BRACKET: tuple[Reader, ...] = ((DMESG, _dmesg),)
AFTER_DIGIT: tuple[Reader, ...] = ((KMSG, _kmsg), (SYSLOG, _syslog), (DMESG, _dmesg), (TALOS, _talos))
AFTER_LETTER: tuple[Reader, ...] = (
    (SYSLOG, _syslog),
    (DMESG, _dmesg),
    (TALOS, _talos),
    (BARE, _bare),
    (HEADLESS, _bare),
)


def clean(line: str) -> str:
    """Without colours, control characters, line ends and escaped line breaks."""
    line = line.rstrip("\r\n")
    if line[:1] in ("\ufeff", "<"):
        line = BEFORE_HEAD.sub("", line)
    if not line.isprintable():
        line = CONTROL.sub("", ANSI.sub("", line))
    if "\\x0a" in line or "#012" in line:
        line = ESCAPED_BREAK.sub(" ", line)
    return line


def continues(line: str) -> bool:
    """Whether a line belongs to the message before it: indented, and of no known form of its own."""
    return line[:1] in (" ", "\t") and line.strip() != ""
