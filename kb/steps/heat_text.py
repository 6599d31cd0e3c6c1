"""A heat map for the terminal, and in a sentence for those who do not see it."""

from kb.model import Lang
from kb.steps.heatmap import LONG, LONGER, SHADES, SHORTER, Facet, Heat

#: Shade → sign. A cell without data is blank.
SIGNS = dict(zip(SHADES, " -·░▒▓█", strict=True))
SIGN_OF = str.maketrans(SIGNS)
#: Columns that a terminal leaves for cells.
TERMINAL = 64

WORDS = {
    Lang.en: {
        "step": "step",
        "rank": "to rank",
        "operation": "operation",
        "as": "cells: time over the median of comparable ranks",
        "short": "shorter",
        "calls": "cells: calls; · over  █ under way  (blank) not called",
        "none": "no verdict",
        "accuses": "ranks {ranks}",
        "nobody": "no rank named",
    },
    Lang.ko: {
        "step": "스텝",
        "rank": "받는 랭크",
        "operation": "연산",
        "as": "칸: 비교 가능한 랭크들의 중앙값 대비 시간",
        "short": "더 짧음",
        "calls": "칸: 호출; · 끝남  █ 진행 중  (빈칸) 호출하지 않음",
        "none": "판정 없음",
        "accuses": "랭크 {ranks}",
        "nobody": "지목한 랭크 없음",
    },
}


def sentence(heat: Heat, lang: Lang) -> str:
    """What the drawing shows, for those who do not see it."""
    words = WORDS[lang]
    said = []
    for verdict in heat.verdicts:
        ranks = ", ".join(map(str, verdict.ranks[:8])) + ("…" if len(verdict.ranks) > 8 else "")
        who = words["accuses"].format(ranks=ranks) if verdict.ranks else words["nobody"]
        said.append(f"{verdict.kind.value}: {who}, {words[heat.across]} {verdict.first_step}–{verdict.last_step}")
    return "; ".join(said) or words["none"]


def text(heat: Heat, lang: Lang) -> list[str]:
    """The drawing for a terminal, line by line. Accused ranks carry `<`, the first step of a verdict `^`."""
    if not heat.facets or not heat.columns or not heat.ranks:
        return []
    words = WORDS[lang]
    labels = [str(first) if first == last else f"{first}–{last}" for first, last in heat.ranks]
    wide = max(map(len, labels))
    lines: list[str] = []
    for facet in heat.facets:
        rows = _narrowed(facet)
        accused = {row for mark in facet.marks if mark.named for row in range(mark.rows[0], mark.rows[1] + 1)}
        lines.append(f"{'':{wide}} {facet.phase}")
        for row, shades in enumerate(rows):
            label = labels[row] if len(rows) > 1 else ""
            lines.append(f"{label:>{wide}} {shades.translate(SIGN_OF)}{' <' if row in accused else ''}")
        lines.append(f"{'':{wide}} {_pointers(facet, len(rows[0]))}".rstrip())
    of = words["calls"] if heat.across == "operation" else words["as"]
    lines.append(f"{'':{wide}} {words[heat.across]} {heat.columns[0][0]}–{heat.columns[-1][1]}; {of}")
    if heat.across != "operation":
        shorter = f"{SIGNS[SHORTER]} {words['short']}"
        limits = [f"{SIGNS[sign]} ≥{by:g}" for sign, by in zip(LONG, LONGER, strict=True)]
        lines.append(f"{'':{wide}} {'  '.join([shorter, *limits])}")
    return lines


def _narrowed(facet: Facet) -> list[str]:
    """Shades folded to the width of a terminal; the longest time of those that are folded stays."""
    size = -(-len(facet.shades[0]) // TERMINAL)
    return [
        "".join(max(row[at : at + size], key=SHADES.index) for at in range(0, len(row), size)) for row in facet.shades
    ]


def _pointers(facet: Facet, columns: int) -> str:
    size = -(-len(facet.shades[0]) // columns)
    line = [" "] * columns
    for mark in facet.marks:
        line[min(columns - 1, mark.columns[0] // size)] = "^"
    return "".join(line)
