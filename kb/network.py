"""The embedding network over one text, which is what a question is; the same vectors as the package's, to 0.001.

The package is made for many texts: it streams each matrix once for all of them. For a single short text most of the
work depends on one piece of a word at a time (its row of the table, the projection, and what the first of the two
convolutions makes of it), and questions share most of their pieces. So that is worked out when a piece is first met
and kept; what is left is the second convolution and the layers above it, three fifths of the work.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float32]

#: Pieces whose share is kept, 8 kB each: those of some 700 questions. A text has fewer than this.
KEPT_PIECES = 4096
#: Width of a piece's row in the table, and of one branch of the convolutions.
ROW, BRANCH = 512, 256
#: Pieces that each branch looks at together, and how many of them stand before the one it speaks of.
ORDERS = ((2, 0), (3, 1), (5, 2))
#: What is kept of a piece: its row, its projection for each branch, and its part of the first convolution for each
#: place that it can have in a window.
PROJECTED = ROW + len(ORDERS) * BRANCH
KEPT = PROJECTED + sum(order for order, _ in ORDERS) * BRANCH


class Network:
    """Not for concurrent callers: what is kept of the pieces changes with every text."""

    def __init__(self, model: Mapping[str, Any]) -> None:
        """model: the arrays of the package's model by the names it gives them.

        Raises:
            KeyError, ValueError: it is not of the kind that this module understands.
        """
        self._table, self._scale, self._low = model["table"], model["scale"], model["lo"]
        self._project, self._project_bias = model["proj_W"], model["proj_b"]
        self._first_gain, self._first_bias = model["ln_g_all"], model["ln_b_all"]
        # Shape (256, order · 256): a piece's part of every window that it can stand in, in one product.
        self._parts = [
            np.ascontiguousarray(
                weights.reshape(order, BRANCH, BRANCH).transpose(1, 0, 2).reshape(BRANCH, order * BRANCH)
            )
            for weights, (order, _) in zip(model["w1"], ORDERS, strict=True)
        ]
        self._part_biases, self._second, self._second_biases = model["b1"], model["w2"], model["b2"]
        self._last_gain, self._last_bias = model["ln_g"], model["ln_b"]
        self._out, self._out_bias = model["cnn_W"], model["cnn_b"]
        # Two layers that look at the same vector are one product.
        self._deep_first = np.ascontiguousarray(np.concatenate([model["d0"], model["p1"]], axis=1))
        self._deep_width = model["d0"].shape[1]
        self._deep = model["d1"], model["d2"], model["d3"], model["p3"]
        self._least = model["eps"]
        # In halves: the vector differs by less than 0.001 for it, and twice as many pieces find room.
        self._kept = np.empty((KEPT_PIECES, KEPT), dtype=np.float16)
        self._place: dict[int, int] = {}
        self._free = list(range(KEPT_PIECES))

    def encode(self, pieces: Sequence[int]) -> Vector:
        """The vector of a text by the ids of its pieces, shape (512,), unit length.

        pieces: at least one, fewer different ones than `KEPT_PIECES`.
        """
        said = self._kept[self._places(pieces)].astype(np.float32)
        size = len(pieces)
        whole = np.empty((size, PROJECTED), dtype=np.float32)
        whole[:, :ROW] = said[:, :ROW]
        begin = PROJECTED
        for number, (order, before) in enumerate(ORDERS):
            branch = slice(ROW + number * BRANCH, ROW + (number + 1) * BRANCH)
            parts = said[:, begin : begin + order * BRANCH].reshape(size, order, BRANCH)
            begin += order * BRANCH
            # Windows that reach over an end of the text hold nothing there.
            around = np.zeros((size + order - 1, BRANCH), dtype=np.float32)
            first = around[before : before + size]
            first += self._part_biases[number]
            for place in range(order):
                off = place - before
                if off >= 0:
                    first[: max(0, size - off)] += parts[off:, place]
                else:
                    first[-off:] += parts[: max(0, size + off), place]
            np.maximum(first, 0, out=first)
            first += said[:, branch]
            # The pieces of each window side by side, which they are already: rows that overlap, of the same memory.
            windows = np.ndarray((size, order * BRANCH), np.float32, around.data, strides=(around.strides[0], 4))
            second = np.ascontiguousarray(windows) @ self._second[number]
            second += self._second_biases[number]
            np.maximum(second, 0, out=second)
            second += first
            whole[:, branch] = second
        return self._above(whole)

    def _above(self, whole: Matrix) -> Vector:
        """From what is known of each piece to the vector of the text."""
        size = len(whole)
        whole -= whole.mean(axis=1, keepdims=True)
        spread = np.einsum("ij,ij->i", whole, whole) / whole.shape[1]
        # Summed up before it is weighed: both are linear.
        summed = (1 / np.sqrt(spread + self._least)).astype(np.float32) @ whole * self._last_gain
        summed += size * self._last_bias
        mean = (summed @ self._out + size * self._out_bias) / np.float32(np.sqrt(size))
        d1, d2, d3, p3 = self._deep
        first = mean @ self._deep_first
        low = np.maximum(first[: self._deep_width], 0)
        middle = np.maximum(first[self._deep_width :] + low @ d1, 0)
        out = np.tanh(middle @ p3 + np.maximum(middle @ d2, 0) @ d3)
        vector: Vector = (out / np.sqrt(max(float(out @ out), self._least))).astype(np.float32, copy=False)
        return vector

    def _places(self, pieces: Sequence[int]) -> list[int]:
        """Where the share of each piece is kept; of those that were not met before it is worked out."""
        place, free = self._place, self._free
        said = dict.fromkeys(pieces)
        new = [piece for piece in said if piece not in place]
        if len(new) > len(free):
            # Those that were met first go, room for the whole text at least: some may be among its own.
            for piece in list(islice(place, max(KEPT_PIECES // 4, len(said)))):
                free.append(place.pop(piece))
            new = [piece for piece in said if piece not in place]
        if new:
            rows, self._free = free[: len(new)], free[len(new) :]
            self._kept[rows] = self._work_out(new)
            place.update(zip(new, rows, strict=True))
        return [place[piece] for piece in pieces]

    def _work_out(self, pieces: Sequence[int]) -> Matrix:
        """What is kept of each of these pieces."""
        ids = np.array(pieces, dtype=np.int64)
        chunk = ids % len(self._scale)
        rows = self._table[ids] * self._scale[chunk, None] + self._low[chunk, None]
        projected = rows @ self._project + self._project_bias
        projected -= projected.mean(axis=1, keepdims=True)
        spread = np.einsum("ij,ij->i", projected, projected) / projected.shape[1]
        projected *= (1 / np.sqrt(spread + self._least))[:, None]
        projected *= self._first_gain
        projected += self._first_bias
        branches = (projected[:, number * BRANCH : (number + 1) * BRANCH] for number in range(len(ORDERS)))
        parts = [branch @ weights for branch, weights in zip(branches, self._parts, strict=True)]
        return np.concatenate([rows, projected, *parts], axis=1)
