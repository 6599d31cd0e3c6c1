"""Published slowdowns of whole jobs as series of iteration times. What is published is named beside it; noise is
filled in.

`factor` is the share of the published effect that is drawn: 1 unless told otherwise, 0 leaves it out.
"""

from collections.abc import Sequence

import numpy as np

from kb.steps.records import Floats
from kb.steps.scenarios.argus_cases import table
from kb.steps.scenarios.trace import Setting, Trace, Truth
from kb.steps.verdict import VerdictKind

#: Ranks that are drawn: every rank of a synchronous job shows the same iteration.
RANKS = 4
STEP = (VerdictKind.iteration_step,)
DRIFT = (VerdictKind.drift, VerdictKind.iteration_step)

#: Greyhound's log of four A10G: seconds before and after sample 44.
A10G = ((44, 1.126), (44, 1.33))
#: Falcon, four-node probe: 0.57 → 0.41 it/s at minute 90, 0.31 at minute 265. One sample a minute; the end is filled
#: in.
CONGESTION = ((90, 1 / 0.57), (175, 1 / 0.41), (60, 1 / 0.31))
#: Falcon, one-node probe: dips of at most 21.6% at minutes 22 and 55. Two samples a minute; the 10 minutes that such
#: probes are slow on average stand for the length of each.
CONTENTION = ((44, 1.0), (20, 1 / 0.784), (46, 1.0), (20, 1 / 0.784), (40, 1.0))
#: Falcon, 1,024 GPUs: −80% at minute 62, 10% of normal from about 80, −85% from 120 for two hours. The return at 95 is
#: filled in.
COMPOUND = ((62, 1.0), (18, 5.0), (15, 10.0), (25, 1.1), (120, 1 / 0.15))
#: Falcon, one-node probe: a GPU 20% slower in the first ten minutes. Two samples a minute.
THROTTLED_START = ((20, 1.25), (120, 1.0))
#: BLOOM, 28 April 2022: iterations 42781 to 42784 as printed, and 111.00 s at 45000.
BLOOM = (105.17, 106.25, 110.17, 111.14, 111.00)
#: Holmes: 85.43 samples a second with the slow GPU, 90.62 without.
HOLMES = ((200, 1 / 90.62), (300, 1 / 85.43))
#: Llama 3: throughput varies by 1–2% with the time of day. A sample every ten minutes, over four days.
DAY_SWING, DAY = 0.02, 144
#: VenusTrace: 404 → 330 TFLOPS on 4,096 GPUs, one GPU slowing down every few minutes. The rhythm is filled in.
TFLOPS = (404.0, 330.0)
#: Alibaba (Aegis): iteration time went up by 26%. EROICA: 9 s an iteration instead of 5 s.
AEGIS, EROICA = 1.26, (5.0, 9.0)


def _series(setting: Setting, levels: Sequence[tuple[int, float]], truth: Truth, noise: float) -> Trace:
    flat = np.concatenate([np.full(count, level) for count, level in levels])
    return _trace(setting, flat, levels[0][1], truth, noise)


def _trace(setting: Setting, flat: Floats, healthy: float, truth: Truth, noise: float) -> Trace:
    drawn = healthy * (flat / healthy) ** setting.get("factor", 1.0)
    seconds = drawn * np.exp(setting.get("noise", noise) * setting.rng.standard_normal(len(flat)))
    ranks = np.arange(RANKS)
    whole = table({"iteration": np.repeat(seconds[:, None], RANKS, axis=1)}, ranks, {"dp": ranks})
    return Trace("", truth, whole, iteration=seconds)


def a10g(setting: Setting) -> Trace:
    return _series(setting, A10G, Truth(STEP, onset=44), 0.005)


def congestion(setting: Setting) -> Trace:
    return _series(setting, CONGESTION, Truth(STEP, onset=90), 0.05)


def contention(setting: Setting) -> Trace:
    return _series(setting, CONTENTION, Truth(STEP, onset=44), 0.02)


def compound(setting: Setting) -> Trace:
    return _series(setting, COMPOUND, Truth(STEP, onset=62), 0.03)


def throttled_start(setting: Setting) -> Trace:
    """Slow from the beginning, then healthy: there is no healthy past to compare with, and the relief is no fault."""
    return _series(setting, THROTTLED_START, Truth(), 0.01)


def bloom(setting: Setting) -> Trace:
    """One node 2.5% slower in its benchmark costs 5.4% of the whole run."""
    before, middle, after = np.full(200, BLOOM[0]), np.array(BLOOM[1:4]), np.full(300, BLOOM[4])
    return _trace(setting, np.concatenate([before, middle, after]), BLOOM[0], Truth(DRIFT, onset=200), 0.003)


def holmes(setting: Setting) -> Trace:
    return _series(setting, HOLMES, Truth(DRIFT, onset=200), 0.01)


def day_swing(setting: Setting) -> Trace:
    swing = 1 + DAY_SWING / 2 * (1 + np.sin(2 * np.pi * np.arange(4 * DAY) / DAY))
    return _trace(setting, swing, 1.0, Truth(), 0.005)


def intermittent(setting: Setting) -> Trace:
    """Slow in bursts of a few steps, so that the mean of a window shows the published loss."""
    slow = np.arange(600) >= 300
    burst = np.arange(600) % 6 < 4
    deep = 1 + (TFLOPS[0] / TFLOPS[1] - 1) * 6 / 4
    return _trace(setting, np.where(slow & burst, deep, 1.0), 1.0, Truth(DRIFT, onset=300), 0.01)


def aegis(setting: Setting) -> Trace:
    return _series(setting, ((120, 1.0), (80, AEGIS)), Truth(STEP, onset=120), 0.02)


def eroica(setting: Setting) -> Trace:
    """Slow for as long as anybody looked: 9 s where 5 s were expected."""
    return _series(setting, ((200, EROICA[1]),), Truth(), 0.05)


def decay(setting: Setting) -> Trace:
    """MegaScale tells of step times that grow as the training goes on, and gives no figure: 12% is filled in."""
    grown = np.linspace(1.0, 1.12, 600)
    return _trace(setting, grown, 1.0, Truth(DRIFT, onset=1), 0.01)


CASES = {
    "falcon_a10g": a10g,
    "falcon_congestion": congestion,
    "falcon_contention": contention,
    "falcon_compound": compound,
    "falcon_throttled_start": throttled_start,
    "bloom_slow_node": bloom,
    "holmes_slow_gpu": holmes,
    "llama_day_swing": day_swing,
    "venus_intermittent": intermittent,
    "aegis_lossy_link": aegis,
    "eroica_slow_throughout": eroica,
    "megascale_decay": decay,
}
