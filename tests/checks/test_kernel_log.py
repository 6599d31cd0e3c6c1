from kb.checks.card import Answer
from kb.checks.contract import LogLine, Outcome
from kb.checks.kernel_log import ANY_LINE, KernelLog, pci_address
from kb.checks.sources.logs import LogTexts

DRIVER = "kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07\n"
LOST = "kernel: NVRM: Xid (PCI:0000:07:00): 79, pid=0, GPU has fallen off the bus.\n"
BOOT = "kernel: Linux version 6.8.0-87-generic (buildd@lcy02)\n"


def judge(files: dict[str, str]) -> Outcome:
    log = KernelLog()
    for line in log.read(LogTexts(files)):
        gpu = log.gpu_of(line) if "NVRM" in line.text else ""
        if "fallen off" in line.text:
            log.find(line, gpu=gpu)
    return log.outcome()


def on(host: str, *lines: str) -> str:
    return "".join(f"Nov  3 01:00:01 {host} {line}" for line in lines)


def test_lines_of_the_kernel_are_counted_for_hosts_on_which_the_driver_spoke() -> None:
    outcome = judge({"k": on("n1", DRIVER, "kernel: eth0: up\n", "systemd[1]: started\n")})
    assert (outcome.answer, outcome.looked_at) == (Answer.clear, 2)


def test_a_host_whose_driver_spoke_only_before_the_reboot_is_unknown() -> None:
    outcome = judge({"k": on("n1", DRIVER, LOST, BOOT, "kernel: eth0: up\n")})
    assert (outcome.answer, outcome.findings) == (Answer.unknown, ())


def test_a_reboot_in_an_older_file_does_not_forget_what_a_newer_one_says() -> None:
    outcome = judge({"kern.log": on("n1", DRIVER, LOST), "kern.log.1": on("n1", BOOT, DRIVER)})
    assert outcome.answer is Answer.found


def test_the_driver_may_speak_in_another_file_of_the_same_host() -> None:
    outcome = judge({"kern.log": on("n1", "kernel: eth0: up\n"), "kern.log.1": on("n1", DRIVER)})
    assert (outcome.answer, outcome.looked_at) == (Answer.clear, 2)


def test_an_empty_file_beside_a_good_one_is_unknown() -> None:
    outcome = judge({"kern.log": on("n1", DRIVER), "other.log": ""})
    assert outcome.answer is Answer.unknown
    assert outcome.unknown[0].where == ({"file": "other.log"},)


def test_no_file_at_all_is_unknown() -> None:
    assert judge({}).answer is Answer.unknown


def test_many_hosts_without_driver_are_one_remark_that_counts_them() -> None:
    outcome = judge({"k": "".join(on(f"n{n}", "kernel: eth0: up\n") for n in range(50)) + on("gpu", DRIVER)})
    [remark] = outcome.unknown
    assert (remark.count, len(remark.where)) == (50, 20)
    assert "(+47)" in remark.reason.en


def test_the_same_gpu_said_twice_is_one_finding_with_a_count() -> None:
    outcome = judge({"k": on("n1", DRIVER, LOST, LOST)})
    assert [finding.evidence.count for finding in outcome.findings] == [2]
    assert outcome.findings[0].evidence.line_number == 2


def test_the_address_comes_from_the_line_or_from_at_most_two_lines_before() -> None:
    parts = ("kernel: NVRM: The NVIDIA GPU 0000:B3:00.0\n", "kernel: NVRM: (PCI ID: 10de:26b5) has\n")
    lost = "kernel: NVRM: fallen off the bus\n"
    near = judge({"k": on("n1", *parts, lost)})
    far = judge({"k": on("n1", *parts, "kernel: eth0: up\n", lost)})
    assert near.findings[0].where["gpu"] == "0000:b3:00"
    assert far.findings[0].where["gpu"] == "?"


def test_the_sound_device_of_a_card_is_not_the_driver() -> None:
    outcome = judge({"k": on("n1", "kernel: input: HDA NVidia HDMI/DP,pcm=3\n")})
    assert outcome.answer is Answer.unknown


def test_addresses_are_written_alike() -> None:
    assert pci_address("00000000:3B:00") == "0000:3b:00"
    assert pci_address("0001:3b:00") == "0001:3b:00"
    assert pci_address("00010000:3b:00") == "00010000:3b:00"


def test_what_could_not_be_read_stays_in_the_outcome() -> None:
    class Damaged(LogTexts):
        def problems(self) -> tuple:
            from kb.checks.remarks import never_there

            return (never_there([], [{"file": "k2"}], 1),)

    log = KernelLog()
    lines: list[LogLine] = list(log.read(Damaged({"k": on("n1", DRIVER), "k2": ""})))
    assert lines
    outcome = log.outcome()
    assert (outcome.answer, len(outcome.unknown)) == (Answer.unknown, 1)


def silent(log_of: dict[str, str], least: int = 1) -> Outcome:
    """What is left of servers that fell silent, where `OK` takes it back."""
    log = KernelLog(driver=ANY_LINE)
    for line in log.read(LogTexts(log_of)):
        server, said = line.text.split()
        if said == "silent":
            log.find(line, server=server)
        else:
            log.take_back(line, server=server)
    return log.outcome(least)


def test_what_the_kernel_takes_back_is_found_no_longer_and_may_be_found_again() -> None:
    over = on("n1", "kernel: fs1 silent\n", "kernel: fs2 silent\n", "kernel: fs1 OK\n")
    assert [finding.where["server"] for finding in silent({"k": over}).findings] == ["fs2"]
    again = silent({"k": over + on("n1", "kernel: fs1 silent\n")}).findings
    assert [(finding.where["server"], finding.evidence.count) for finding in again] == [("fs1", 1), ("fs2", 1)]


def test_a_kernel_takes_back_only_what_it_said_itself_and_in_that_file() -> None:
    lost = on("n1", "kernel: fs1 silent\n")
    other_host, other_file = {"k": lost + on("n2", "kernel: fs1 OK\n")}, {"k": lost, "l": on("n1", "kernel: fs1 OK\n")}
    assert silent(other_host).answer is silent(other_file).answer is Answer.found


def test_what_has_to_be_said_twice_is_counted_since_the_last_boot() -> None:
    once = on("n1", "kernel: fs1 silent\n")
    boot = on("n1", "kernel: Linux version6\n").replace("version6", "version 6")
    assert silent({"k": once}, least=2).answer is Answer.clear
    assert silent({"k": once + once}, least=2).answer is Answer.found
    log = KernelLog(driver=ANY_LINE)
    for line in log.read(LogTexts({"k": once + boot + once})):
        if "silent" in line.text:
            log.find(line)
    assert log.outcome(least=2).answer is Answer.clear


def test_any_line_of_the_kernel_will_do_where_no_driver_has_to_speak() -> None:
    log = KernelLog(driver=ANY_LINE)
    for _ in log.read(LogTexts({"k": on("n1", "kernel: eth0: up\n")})):
        pass
    assert (log.outcome().answer, log.outcome().looked_at) == (Answer.clear, 1)
