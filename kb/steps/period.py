"""The period of a training loop, from nothing but the order of its collective calls.

Published (Greyhound): calls as integers by type, autocorrelation, the smallest lag at 0.95 or above is the period;
the iteration time is the time between a call and the same call one period earlier; its error was at most 1.2%.

Ours: the unbiased form of the autocorrelation. The paper's divides every lag by the whole length and so reads about
1 − period/length: it reaches 0.95 only after twenty periods. And a literal match of the last periods, at least four of
them, so that a loop whose calls merely resemble each other has no period.
"""

import numpy as np

from kb.steps.records import Floats, Ints

#: Published: autocorrelation that makes a lag the period.
PEAK = 0.95
#: Ours: periods that must have been seen, and how many of the last must match literally.
PERIODS, MATCHED = 4, 2


def autocorrelation(calls: Ints, most: int, *, unbiased: bool = True) -> Floats:
    """Autocorrelation of a call sequence at lags 0 to `most`, shape (most + 1,); zeros for a constant sequence."""
    x = calls.astype(np.float64) - calls.mean() if len(calls) else np.zeros(0)
    power = float(x @ x)
    if power <= 0:
        return np.zeros(most + 1)
    size = 1 << (2 * len(x) - 1).bit_length()
    spectrum = np.fft.rfft(x, size)
    raw = np.fft.irfft(spectrum * np.conj(spectrum), size)[: most + 1] / power
    if unbiased:
        raw *= len(x) / (len(x) - np.arange(most + 1))
    return raw


def period(calls: Ints) -> int | None:
    """Calls an iteration, from codes of operation types in the order they were made; None where nothing repeats.

    A constant sequence repeats at every lag and says nothing: None.
    """
    most = len(calls) // PERIODS
    if most < 1 or (calls == calls[0]).all():
        return None
    peaks = autocorrelation(calls, most)
    for lag in np.flatnonzero(peaks >= PEAK):
        if lag and _repeats(calls, int(lag)):
            return int(lag)
    return None


def _repeats(calls: Ints, lag: int) -> bool:
    end = calls[-(MATCHED + 1) * lag :]
    return bool((end[lag:] == end[:-lag]).all())


def iteration_times(times: Floats, lag: int) -> Floats:
    """Seconds of each iteration: between every `lag`-th call and the one `lag` earlier, shape (iterations,).

    times: when each call was made, on one clock, in the order of the calls.
    """
    return np.diff(times[::lag])
