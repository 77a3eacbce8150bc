"""Rows of a table -> the lines of a Markdown table (GFM): a head, cells of one line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from crfclean.structure.parts import Part
from crfclean.writers.markdown_inline import CELL, parted, to_inline

MAX_COLUMNS = 64  # that spans may fill; cells of their own are written, however many


def table_lines(rows: Sequence[Part]) -> list[str]:
    """The table; [] for one without cells. It has an empty head where its first row is none."""
    grid = list(_grid(rows))
    width = max((len(row) for row in grid), default=0)
    if not width:
        return []
    head = grid.pop(0) if _is_head(rows[0]) else []
    head += [""] * (width - len(head))
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * width, *grid)]


def _is_head(row: Part) -> bool:
    """Whether a row is one of header cells, an empty one in the corner aside."""
    cells = [one for one in row.children if isinstance(one, Part)]
    cells = cells[1:] if cells and not cells[0].children else cells
    return bool(cells) and all(cell.facts.get("header") for cell in cells)


def _grid(rows: Sequence[Part]) -> Iterator[list[str]]:
    """The cells of each row, with empty ones where others span."""
    spans: dict[int, int] = {}
    for row in rows:
        line: list[str] = []
        below: dict[int, int] = {}
        for cell in row.children:
            if isinstance(cell, Part):
                _skip(line, spans)
                columns = min(cell.facts.get("colspan", 1), max(1, MAX_COLUMNS - len(line)))
                if cell.facts.get("rowspan", 1) > 1:
                    new = range(len(line), min(len(line) + columns, MAX_COLUMNS))
                    below |= dict.fromkeys(new, cell.facts["rowspan"] - 1)
                line += [_cell(cell)] + [""] * (columns - 1)
        _skip(line, spans)
        spans = below | {at: left - 1 for at, left in spans.items() if left > 1}
        yield line


def _skip(line: list[str], spans: Mapping[int, int]) -> None:
    """Pass the columns that cells from above fill."""
    while len(line) in spans:
        line.append("")


def _cell(cell: Part) -> str:
    return "<br>".join(filter(None, _cell_lines(cell)))


def _cell_lines(part: Part) -> Iterator[str]:
    """The lines of a cell, whatever they stand in."""
    if part.kind == "codeblock":
        text = "".join(child for child in part.children if isinstance(child, str))
        lines = (" ".join(line.split()) for line in text.split("\n"))
        yield from (to_inline([Part("code", (line,))], CELL) for line in lines if line)
        return
    inline, others = parted(part)
    if inline:
        yield to_inline(inline, CELL)
    if part.kind == "row":
        yield " ".join(_cell(one) for one in others)
        return
    for one in others:
        yield from _cell_lines(one)
