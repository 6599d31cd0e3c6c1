"""The lines of the graph: where each leaves and lands, how wide it is, and its path.

x runs in thousandths of the width, y in pixels from the upper edge of the first row. A row is 28 px high.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

ROW = 28
LEFT = (0, 210, 420, 630, 840)
WIDTH = 160
#: A case is at most this wide, and all cases of the busiest row together.
PORT, BUSIEST = 3.0, 22.0
THINNEST = 0.8
#: The two rows that are no value: cases that state none, and the values beyond the most frequent.
NONE, MORE = "-", "+"
_FEET = {MORE: 1, NONE: 2}
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass
class Edge:
    """Cases that run from one row to another; `css` is `d` for further values, `o` for leftovers.

    cases: which ones, by their place, where the script is told of each.
    """

    left: str
    right: str
    count: int
    cases: list[int] = field(default_factory=list)
    css: str = ""
    width: float = 0.0
    ends: dict[str, float] = field(default_factory=dict)
    """y at the left and at the right port."""
    leftover: bool = field(init=False)
    """Whether it begins or ends in a row that is no value."""

    def __post_init__(self) -> None:
        self.leftover = self.left in _FEET or self.right in _FEET


@dataclass(frozen=True)
class Line:
    """One path; `width` is 0 where the style sheet decides."""

    d: str
    width: float
    css: str
    keys: str


def paths(lines: Iterable[Line]) -> Markup:
    """The lines as SVG. All that stands in them is made here, out of figures and letters."""
    return Markup("".join(map(_svg, lines)))  # noqa: S704


def _svg(line: Line) -> str:
    css = f' class="{line.css}"' if line.css else ""
    width = f' stroke-width="{line.width}"' if line.width else ""
    return f'<path d="{line.d}"{css}{width} data-c="{line.keys}"/>'


def keys_of(cases: Sequence[int]) -> str:
    """Cases, by their place, for the script: base 36, parted by spaces."""
    return " ".join(_DIGITS[case] if case < 36 else _DIGITS[case // 36] + _DIGITS[case % 36] for case in cases)


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
    bands = row_keys is not None or any(edge.css == "o" or edge.count > 1 for edges in gutters for edge in edges)
    lines = []
    for c, edges in enumerate(gutters):
        left, right = ({row: i for i, row in enumerate(columns[k])} for k in (c, c + 1))
        _ports(edges, left, right, "left")
        _ports(edges, right, left, "right")
        edges.sort(key=lambda edge: (-edge.count, left[edge.left], right[edge.right], edge.cases))
        for edge in edges:
            keys = f"{row_keys[c][edge.left]} {row_keys[c + 1][edge.right]}" if row_keys else keys_of(edge.cases)
            lines.append(Line(_path(edge, c), round(max(edge.width, THINNEST), 1) if bands else 0.0, edge.css, keys))
    return lines


def _widths(gutters: Sequence[list[Edge]]) -> None:
    """Width of each edge, so that no row holds more than fits.

    Rows of leftovers have a smaller unit of their own: a sum of leftovers must not thin all other bands.
    """
    values, feet = 1, 1
    for edges in gutters:
        for side in ("left", "right"):
            loads: dict[tuple[bool, str], int] = defaultdict(int)
            for edge in edges:
                loads[edge.leftover, edge.left if side == "left" else edge.right] += edge.count
            values = max([values, *(load for (leftover, _), load in loads.items() if not leftover)])
            feet = max([feet, *(load for (leftover, _), load in loads.items() if leftover)])
    unit = min(PORT, BUSIEST / values)
    thin = min(unit, BUSIEST / feet)
    for edges in gutters:
        for edge in edges:
            edge.width = edge.count * (thin if edge.leftover else unit)


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
