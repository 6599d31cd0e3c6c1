"""The lines of the graph: where each leaves and lands, how wide it is, and its path.

x runs in thousandths of the width, y in pixels from the upper edge of the first row. A row is 28 px high.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

ROW = 28
LEFT = (0, 210, 420, 630, 840)
WIDTH = 160
#: A case is at most this wide, and all cases of the busiest row together.
PORT, BUSIEST = 3.0, 22.0
THINNEST = 0.8
_FEET = {"+": 1, "-": 2}
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass
class Edge:
    """Cases that run from one row to another; `css` is `d` for further values, `o` for leftovers."""

    left: str
    right: str
    cases: list[int]
    css: str = ""
    width: float = 0.0
    ends: dict[str, float] = field(default_factory=dict)
    """y at the left and at the right port."""

    @property
    def keys(self) -> str:
        """The cases, for the script: base 36, parted by spaces."""
        return " ".join(_DIGITS[case] if case < 36 else _DIGITS[case // 36] + _DIGITS[case % 36] for case in self.cases)


@dataclass(frozen=True)
class Line:
    """One path; `width` is 0 where the style sheet decides."""

    d: str
    width: float
    css: str
    keys: str


def foot(row: str) -> int:
    """Sort key that keeps leftovers and silence at the foot of a column."""
    return _FEET.get(row, 0)


def draw(
    gutters: Sequence[list[Edge]], columns: Sequence[Sequence[str]], row_keys: Sequence[Mapping[str, str]] | None
) -> list[Line]:
    """The paths of all gutters, strongest first.

    columns: the rows of each column, in order.
    row_keys: in a large graph, the script's key of each row; else lines carry their cases.
    """
    _widths(gutters)
    lines = []
    for c, edges in enumerate(gutters):
        left, right = ({row: i for i, row in enumerate(columns[k])} for k in (c, c + 1))
        _ports(edges, left, right, "left")
        _ports(edges, right, left, "right")
        edges.sort(key=lambda edge: (-len(edge.cases), left[edge.left], right[edge.right], edge.cases))
        for edge in edges:
            keys = f"{row_keys[c][edge.left]} {row_keys[c + 1][edge.right]}" if row_keys else edge.keys
            bands = row_keys is not None or any(e.css == "o" or len(e.cases) > 1 for g in gutters for e in g)
            lines.append(Line(_path(edge, c), round(max(edge.width, THINNEST), 1) if bands else 0.0, edge.css, keys))
    return lines


def _widths(gutters: Sequence[list[Edge]]) -> None:
    """Width of each edge, so that no row holds more than fits.

    Rows of leftovers have a smaller unit of their own: a sum of leftovers must not thin all other bands.
    """
    values, feet = Counter[tuple[int, str, str]](), Counter[tuple[int, str, str]]()
    for c, edges in enumerate(gutters):
        for edge in edges:
            load = feet if _is_leftover(edge) else values
            load[c, "left", edge.left] += len(edge.cases)
            load[c, "right", edge.right] += len(edge.cases)
    unit = min(PORT, BUSIEST / max(values.values(), default=1))
    thin = min(unit, BUSIEST / max(feet.values(), default=1))
    for edges in gutters:
        for edge in edges:
            edge.width = len(edge.cases) * (thin if _is_leftover(edge) else unit)


def _is_leftover(edge: Edge) -> bool:
    return bool(foot(edge.left) or foot(edge.right))


def _ports(edges: list[Edge], here: Mapping[str, int], there: Mapping[str, int], side: str) -> None:
    """Stack the edges at each row in the order of their far ends, centred on the row."""
    stacks: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        stacks[edge.left if side == "left" else edge.right].append(edge)
    for row, stack in stacks.items():
        if side == "left":
            stack.sort(key=lambda edge: (there[edge.right], edge.cases))
        else:
            stack.sort(key=lambda edge: (there[edge.left], edge.cases))
        y = here[row] * ROW + ROW / 2 - sum(edge.width for edge in stack) / 2
        for edge in stack:
            edge.ends[side] = y + edge.width / 2
            y += edge.width


def _path(edge: Edge, gutter: int) -> str:
    x0, x1 = LEFT[gutter] + WIDTH, LEFT[gutter + 1]
    middle, y0, y1 = (x0 + x1) // 2, _px(edge.ends["left"]), _px(edge.ends["right"])
    return f"M{x0} {y0}C{middle} {y0} {middle} {y1} {x1} {y1}"


def _px(y: float) -> str:
    return f"{y:.1f}".removesuffix(".0")
