"""Write the rows of a table as a Markdown table (GFM), which has a head and one-line cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from crfclean.structure.parts import Part
from crfclean.writers.markdown_inline import CELL_LINE, split_inline, to_inline

MAX_COLUMNS = 64  # that spans may fill; cells themselves are written, however many there are


def table_lines(rows: Sequence[Part]) -> list[str]:
    """Return the lines of a table, [] without cells; the head is empty if the first row is none."""
    grid = list(_grid(rows))
    width = max((len(row) for row in grid), default=0)
    if not width:
        return []
    head = grid.pop(0) if _is_head(rows[0]) else []
    head += [""] * (width - len(head))
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * width, *grid)]


def _is_head(row: Part) -> bool:
    """Whether all cells of a row are headers; an empty cell in the corner need not be one."""
    cells = [cell for cell in row.children if isinstance(cell, Part)]
    cells = cells[1:] if cells and not cells[0].children else cells
    return bool(cells) and all(cell.facts.get("header") for cell in cells)


def _grid(rows: Sequence[Part]) -> Iterator[list[str]]:
    """Yield the cells of each row, with empty ones where other cells span."""
    spans: dict[int, int] = {}
    for row in rows:
        line: list[str] = []
        below: dict[int, int] = {}
        for cell in row.children:
            if isinstance(cell, Part):
                _skip(line, spans)
                columns = min(cell.facts.get("colspan", 1), max(1, MAX_COLUMNS - len(line)))
                if cell.facts.get("rowspan", 1) > 1:
                    spanned = range(len(line), min(len(line) + columns, MAX_COLUMNS))
                    below |= dict.fromkeys(spanned, cell.facts["rowspan"] - 1)
                line += [_cell(cell)] + [""] * (columns - 1)
        _skip(line, spans)
        spans = below | {at: left - 1 for at, left in spans.items() if left > 1}
        yield line


def _skip(line: list[str], spans: Mapping[int, int]) -> None:
    """Skip the columns that cells above span."""
    while len(line) in spans:
        line.append("")


def _cell(cell: Part) -> str:
    return "<br>".join(filter(None, _cell_lines(cell)))


def _cell_lines(part: Part) -> Iterator[str]:
    """Yield the lines of a cell, in whatever parts they stand."""
    if part.kind == "codeblock":
        text = "".join(child for child in part.children if isinstance(child, str))
        lines = (" ".join(line.split()) for line in text.split("\n"))
        yield from (to_inline([Part("code", (line,))], CELL_LINE) for line in lines if line)
        return
    inline, others = split_inline(part)
    if inline:
        yield to_inline(inline, CELL_LINE)
    if part.kind == "row":
        yield " ".join(_cell(cell) for cell in others)
        return
    for child in others:
        yield from _cell_lines(child)
