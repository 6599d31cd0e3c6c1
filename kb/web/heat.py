"""A heat map of a training job as SVG. Shades and marks are classes of the style sheet; nothing else is said about
looks.

x is in per cent, so that words keep their size; cells are one path a shade, drawn in a box that is stretched.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby

from markupsafe import Markup

from kb.answers import HeatAnswer, HeatFacet, HeatMark

#: Height of a facet in pixels at most, of one row at most, and of what stands above a facet.
TALL, ROW, HEAD = 168, 14, 28
#: Share of the width that the names of ranks take; on a phone long ones reach into the drawing and lie above it.
GUTTER = 14
#: Shade → class: nothing known, shorter, as usual, longer in four steps.
CLASSES = dict(zip(" -01234", ("hm", "hs", "h0", "h1", "h2", "h3", "h4"), strict=True))
USUAL = "0"


@dataclass(frozen=True)
class Heat:
    """A heat map that a template draws: `heat.svg(the word for what columns are)`."""

    data: HeatAnswer

    def svg(self, across: str) -> Markup:
        heat = self.data
        row = min(ROW, max(2, TALL // len(heat.ranks)))
        parts, y = [], 0
        for facet in heat.facets:
            tall = ROW if len(facet.shades) == 1 or _uneventful(facet) else row * len(facet.shades)
            parts.append(_facet(heat, facet, y, tall))
            y += tall + HEAD
        parts.append(_columns(heat, y, across))
        head = f'<svg class="heat" height="{y + 24}" role="img" aria-label="{escape(heat.said, quote=True)}">'
        # Every word in it is escaped, here and below.
        return Markup(head + "".join(parts) + "</svg>")  # noqa: S704


def _uneventful(facet: HeatFacet) -> bool:
    """Whether every cell is as usual and nothing is marked: one line then says it."""
    return not facet.marks and all(set(row) <= {USUAL} for row in facet.shades)


def _facet(heat: HeatAnswer, facet: HeatFacet, y: int, tall: int) -> str:
    rows, columns = len(facet.shades), len(facet.shades[0])
    top = y + HEAD - 6
    paths = "".join(f'<path class="{name}" d="{d}"/>' for name, d in _shades(facet))
    marks = "".join(_box(mark) for mark in facet.marks)
    told = _told_rows(facet, rows) if rows > 1 and not _uneventful(facet) else []
    labels = "".join(_rank_label(heat, place, top, tall / rows, tall) for place in told)
    return (
        f'<text class="k" x="0" y="{y + 13}">{escape(facet.phase)}</text>'
        f'<svg x="{GUTTER}%" y="{top}" width="{100 - GUTTER}%" height="{tall}" '
        f'viewBox="0 0 {columns} {rows}" preserveAspectRatio="none">'
        f'<rect class="h0" width="{columns}" height="{rows}"/>{paths}{marks}</svg>{labels}'
    )


def _shades(facet: HeatFacet) -> Iterator[tuple[str, str]]:
    """One path a shade, neighbours of a row joined; what is as usual is the background."""
    runs: dict[str, list[str]] = {}
    for y, row in enumerate(facet.shades):
        x = 0
        for shade, same in groupby(row):
            width = len(list(same))
            if shade != USUAL:
                runs.setdefault(CLASSES[shade], []).append(f"M{x} {y}h{width}v1h-{width}z")
            x += width
    yield from ((name, "".join(runs[name])) for name in sorted(runs))


def _box(mark: HeatMark) -> str:
    (top, bottom), (left, right) = mark.rows, mark.columns
    name = "mark" if mark.named else "when"
    if not mark.named:
        return f'<path class="{name}" d="M{left} {top}V{bottom + 1}"/>'
    return f'<rect class="{name}" x="{left}" y="{top}" width="{right - left + 1}" height="{bottom - top + 1}"/>'


def _told_rows(facet: HeatFacet, rows: int) -> list[int]:
    """The first and the last row, and those of accused ranks, without names that would lie on each other."""
    told = sorted({mark.rows[0] for mark in facet.marks if mark.named})[:3]
    near = max(1, rows // 12)
    edges = [row for row in (0, rows - 1) if all(abs(row - other) > near for other in told)]
    return sorted({*told, *edges})


def _rank_label(heat: HeatAnswer, row: int, top: float, tall: float, whole: float) -> str:
    """The name beside its row, within the height of its facet."""
    first, last = heat.ranks[row]
    name = str(first) if first == last else f"{first}–{last}"
    base = min(max(tall * (row + 0.5) + 4, 10), whole - 1)
    return f'<text x="0" y="{top + base:.0f}">{name}</text>'


def _columns(heat: HeatAnswer, y: int, across: str) -> str:
    first, last = heat.columns[0][0], heat.columns[-1][1]
    return (
        f'<text x="{GUTTER}%" y="{y + 16}">{escape(across)} {first}</text>'
        f'<text x="100%" y="{y + 16}" text-anchor="end">{last}</text>'
    )
