"""The step that no tool may take by itself: holding a job and testing its suspects. Written out, with what to expect.

Published (Greyhound, USENIX ATC 2025): training processes are held inside the collective call that they are in, so
nothing restarts; suspects run matrix multiplications in three precisions and transfers over the pairs of their ring
or tree, three times each, 16, 32 and 64 MB; about five seconds in all. Times of healthy and degraded parts are from
the same paper.
"""

from collections.abc import Sequence

from kb.model import Text
from kb.steps.falcon import transfer_passes

#: Published: seconds of the multiplication test, healthy and at 300 MHz.
GEMM_SECONDS = {"A10": (0.59, 1.94), "A100": (0.51, 1.23), "H800": (0.24, 0.87)}
#: Published: seconds of the transfer test, healthy and degraded.
LINK_SECONDS = {"NVLink": (0.04, 0.05), "PCIe": (0.23, 0.39), "RDMA": (0.80, 3.04)}
#: Released code: seconds after resuming that are left out, so that the pause does not look like a fault.
QUIET_SECONDS = 10


def runbook(ranks: Sequence[int], shape: str = "ring") -> tuple[Text, ...]:
    """The steps in order. ranks: the suspects, in the order of their communicator; shape: its `ring` or `tree`."""
    passes = transfer_passes(tuple(ranks), shape)
    named = ", ".join(map(str, ranks))
    return (
        HOLD,
        Text(
            en=f"On ranks {named}: multiply matrices in three precisions, three times each. {_table(GEMM_SECONDS)} "
            "More than 2 times the median of the suspects is a slow GPU.",
            ko=f"랭크 {named}에서 정밀도 세 가지로 행렬 곱을 세 번씩 돌립니다. {_table_ko(GEMM_SECONDS)} "
            "의심 랭크 중앙값의 2배를 넘으면 느린 GPU입니다.",
        ),
        *(_transfers(pairs, number, len(passes)) for number, pairs in enumerate(passes, 1)),
        Text(
            en=f"{_table(LINK_SECONDS)} More than 1.1 times the median of links of the same kind is a slow link.",
            ko=f"{_table_ko(LINK_SECONDS)} 같은 종류 링크의 중앙값보다 1.1배 넘게 걸리면 느린 링크입니다.",
        ),
        RESUME,
    )


HOLD = Text(
    en="Hold the job: stop all ranks inside the collective call they are in, without ending a process. "
    "Mark the step as paused in the records, or the pause itself will be taken for a fault.",
    ko="작업을 세웁니다. 프로세스를 끝내지 말고, 모든 랭크를 진행 중인 집합 통신 호출 안에서 멈춥니다. "
    "기록에는 그 스텝을 pause로 남기십시오. 그러지 않으면 멈춘 시간 자체가 장애로 잡힙니다.",
)
RESUME = Text(
    en="GPUs and links both clean: look at the host (CPU contention, data loader, garbage collection). "
    f"Resume, and leave the first {QUIET_SECONDS} seconds out of any judgement.",
    ko="GPU와 링크가 모두 정상이면 호스트를 봅니다(CPU 경합, 데이터 로더, 가비지 컬렉션). "
    f"재개한 뒤 처음 {QUIET_SECONDS}초는 판정에서 뺍니다.",
)


def _transfers(pairs: Sequence[tuple[int, int]], number: int, count: int) -> Text:
    said = ", ".join(f"{a}→{b}" for a, b in pairs)
    return Text(
        en=f"Pass {number} of {count}: transfer 16, 32 and 64 MB three times between {said}, all at once.",
        ko=f"{count}회 중 {number}회차: {said} 사이에서 동시에 16, 32, 64MB를 세 번씩 전송합니다.",
    )


def _table(seconds: dict[str, tuple[float, float]]) -> str:
    return "Healthy and degraded: " + "; ".join(f"{name} {a:g} s, {b:g} s" for name, (a, b) in seconds.items()) + "."


def _table_ko(seconds: dict[str, tuple[float, float]]) -> str:
    return "정상과 저하: " + "; ".join(f"{name} {a:g}초, {b:g}초" for name, (a, b) in seconds.items()) + "."
