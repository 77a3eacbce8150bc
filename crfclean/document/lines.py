"""Give the text of blocks the lines that a reader sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from itertools import chain, groupby, pairwise

import numpy as np

from crfclean.core.table import Table
from crfclean.document.numbered import mark_blocks
from crfclean.document.raised import with_raised
from crfclean.document.selection import task_boxes
from crfclean.page.chars import CLOSERS, TERMINATORS
from crfclean.page.elements import HEADINGS
from crfclean.types import Blocks

_NUMBER = r"(?:\d{1,4}(?:[.,]\d{1,3})?|(?:\d{1,2}\s?)?(?:[¼½¾⅐-⅞]|\d[/⁄]\d{1,2}))"
# "98", "1 1/2 cups", "2-3 tbsp.", "1 Prise(n)", but not "05/17/2022", "3 min read"
_AMOUNT = re.compile(
    rf"{_NUMBER}(?:\s?[–-]\s?{_NUMBER})?(?:\s?[^\W\d_][^\W\d_.()]{{0,9}}(?:\.|\(\w\w?\))?)?"
)
_WORD = re.compile(r"[^\W\d_]{2}")
_APART = frozenset([*HEADINGS, *"li ul ol table blockquote pre figcaption caption".split()])
_MAX_BLOCKS = 4  # of a row: amount, unit, name, note
_MAX_ROW_ANCESTORS = 8  # up to the row: libraries put boxes in boxes
_MAX_NAME_CHARS = 100  # of a name that stands in no row of its own


def continued(blocks: Blocks, indices: Sequence[int]) -> frozenset[int]:
    """Return the blocks that stand on the line of the block before.

    They follow an amount ("grams flour" after "98"), or a number in a cell ("Moor A." after "1.").
    """
    texts, found, kept = blocks.texts, set[int](), frozenset(indices)
    numeric = [index for index in indices if texts[index][:1].isnumeric()]  # few are: it is fast
    for start in [index for index in numeric if _AMOUNT.fullmatch(texts[index])]:
        line, index = texts[start], start + 1
        while index in kept and _is_amount(line, index - start) and start not in found:
            if not (_WORD.search(texts[index]) and _in_row(blocks, start, index)):
                break
            found.add(index)
            line, index = f"{line} {texts[index]}", index + 1
    marks = mark_blocks(blocks).items() if "table" in blocks.table.tag_names else ()
    return frozenset(found) | {text for mark, text in marks if {mark, text} <= kept}


def _is_amount(line: str, parts: int) -> bool:
    """Return whether a line has no name yet: "2 cups" of any parts, "1 Discovery" of one."""
    has_name = parts > 1 and line.rsplit(maxsplit=1)[-1].istitle()
    return bool(_AMOUNT.fullmatch(line)) and not has_name


def _in_row(blocks: Blocks, start: int, index: int) -> bool:
    """Return whether a block continues the row that begins with an amount.

    The parts look different: `<p class="amount">98</p><p class="name">grams flour</p>`. A long
    one needs an element of its own around the row. A row of a table must be an amount and its name:
    rankings keep a line for each cell.
    """
    table = blocks.table
    before, after = (
        [*table.around(int(blocks.node[at]), _MAX_ROW_ANCESTORS)] for at in (index - 1, index)
    )
    row = next((node for node in before if node in after), -1)
    if row < 0:
        return False
    boxes = before[: before.index(row)], after[: after.index(row)]
    if any(table.tags[node] in _APART or node in blocks.code for node in chain(*boxes)):
        return False
    inside = table.blocks_in(row)
    if table.tags[row] == "tr":
        parts = [blocks.texts[at] for at in inside[:-1][:_MAX_BLOCKS]]
        return len(parts) < _MAX_BLOCKS and _is_amount(" ".join(parts), len(parts))
    looks = [_look(table, around) for around in boxes]
    if len(inside) <= _MAX_BLOCKS:  # not "2 years" between a cookie's name and its purpose
        return looks[0] != looks[1] and inside.start == start
    is_short = len(blocks.texts[index]) <= _MAX_NAME_CHARS and None not in looks
    return is_short and looks[0] != looks[1]


def _look(table: Table, boxes: Sequence[int]) -> tuple[str, str | None] | None:
    """Return tag and class of the last, outermost box, None if it has several blocks."""
    if not boxes:
        return "", None
    is_single = len(table.blocks_in(boxes[-1])) == 1
    return (table.tags[boxes[-1]], table.attributes[boxes[-1]].get("class")) if is_single else None


# give the text of blocks the lines that a reader sees: of code, poems, addresses, sub-headings

_MIN_WRAPPED = 40  # least characters of a line that was wrapped
_ENDS = (*TERMINATORS, *CLOSERS, ",", ";", ":")
_STRONG = frozenset(["strong", "b"])
_ONE_LINE = frozenset([*HEADINGS, "caption", "figcaption", "dt", "th"])
_MAX_ANCESTORS = 4  # of a text, that may be strong


def shown_texts(blocks: Blocks, indices: Sequence[int]) -> list[str]:
    """The texts of some blocks, with line breaks; the words are those of `Blocks.texts`.

    Code keeps its lines and spaces. For `<br>` see `shown_lines`; headings, captions and terms stay
    in one line.
    """
    page, texts = blocks, blocks.texts
    shown = _broken(page, indices) if "br" in page.table.tag_names else {}
    if blocks.code:
        shown |= _shown_code(page, frozenset(indices))
    if not shown:
        return [texts[index] for index in indices]
    return [shown.get(index, texts[index]) for index in indices]


def line_texts(blocks: Blocks, indices: Sequence[int]) -> dict[int, str]:
    """Map some blocks to their shown texts with boxes of tasks and raised numbers set off.

    `[x] done`, `10^5`, `many[1]`.

    They are in page order, but the feet of tables come last, as browsers show them.
    """
    if "tfoot" in blocks.table.tag_names:
        indices = _feet_last(blocks.table, indices)
    shown = dict(zip(indices, shown_texts(blocks, indices), strict=True))
    with_raised(blocks, shown)
    for item, is_checked in task_boxes(blocks).items():
        first = int(blocks.table.first_block[item])
        if first in shown:
            shown[first] = f"{'[x]' if is_checked else '[ ]'} {shown[first]}"
    return shown


def page_lines(blocks: Blocks, indices: Sequence[int]) -> list[str]:
    """The paragraphs of some blocks: their shown texts, those of one row joined by a space."""
    joined, paragraphs = continued(blocks, indices), list[str]()
    for index, text in line_texts(blocks, indices).items():
        if index in joined:
            paragraphs[-1] += f" {text}"
        else:
            paragraphs.append(text)
    return paragraphs


def _feet_last(table: Table, indices: Sequence[int]) -> Sequence[int]:
    """The indices of blocks, those in a `tfoot` behind all others of its table."""
    place = {index: (index, -1) for index in indices}
    around = table.nearest(table.is_tag("table"))
    for foot in table.is_tag("tfoot").nonzero()[0].tolist():
        end = int(table.end_block[around[foot]]) if around[foot] >= 0 else 0
        inside = (index for index in table.blocks_in(foot) if index in place)
        place |= {index: (end - 1, index) for index in inside if end}
    return sorted(indices, key=place.__getitem__)


def shown_lines(lines: Sequence[str], is_strong: Callable[[int], bool]) -> Sequence[str]:
    """The lines between `<br>` as they are shown: those of wrapped prose are joined.

    A strong line is a sub-heading and is not joined with prose. Strong text at the start of a line
    is no sub-heading: of 3,415 paragraphs like `<b>Pricing:</b> It varies`, annotators gave 192 a
    line of its own.

    >>> shown_lines(["Ingredients", "2 eggs"], lambda line: line == 0)
    ['Ingredients', '2 eggs']
    """
    if not any(_goes_on(*pair) for pair in pairwise(lines)):
        return lines
    shown = []
    for _, group in groupby(range(len(lines)), is_strong):
        texts = [lines[at] for at in group]
        shown += [" ".join(texts)] if _is_wrapped(texts) else texts
    return shown


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Return whether most lines end in mid-sentence, wrapped at a page's width."""
    width = max(_MIN_WRAPPED, 0.6 * max(map(len, lines)))
    return 2 * sum(_goes_on(*pair, width) for pair in pairwise(lines)) >= len(lines) - 1


def _goes_on(line: str, following: str, width: float = _MIN_WRAPPED) -> bool:
    """Return whether a sentence goes on in the next line; "* SEO: $500" and "4) Jam" begin one."""
    is_full = len(line) >= width and not line.endswith(_ENDS)
    return is_full and following[0].isalpha() and not following[0].isupper()


def _shown_code(page: Blocks, indices: Container[int]) -> dict[int, str]:
    """Map each block of code to its text with line breaks, but where this parts a word."""
    from crfclean.document.code import code_blocks, code_text

    blocks, owners = page, code_blocks(page)
    code = {at: code_text(blocks, owners[at], at) for at in owners if at in indices}
    return {at: text for at, text in code.items() if " ".join(text.split()) == blocks.texts[at]}


def _broken(page: Blocks, indices: Sequence[int]) -> dict[int, str]:
    """Map each block with a `<br>` between its words to its text in lines."""
    table = page.table
    breaks = (table.tag == table.tag_names.index("br")).nonzero()[0]
    beside = {*table.first_block[breaks].tolist()}.intersection(indices)
    if not beside:
        return {}
    chosen = np.array(sorted(beside), np.int32)
    of_block, after = table.run_block, table.run_after
    starts, ends = of_block.searchsorted(chosen), of_block.searchsorted(chosen, "right")
    first, last = breaks.searchsorted(after[starts]), breaks.searchsorted(after[ends - 1])
    shown = {}
    for at in (first != last).nonzero()[0].tolist():
        index, start, end = int(chosen[at]), int(starts[at]), int(ends[at])
        if table.tags[table.node[index]] not in _ONE_LINE:
            inside = breaks[first[at] : last[at]]
            begins = {*(start + after[start:end].searchsorted(inside, "right")).tolist()}
            edges = [start, *sorted(begins - {start, end}), end]
            text = "\n".join(_own_lines(page, index, edges))
            if len(text) == len(page.texts[index]):  # a hidden `<br>` is not even a space
                shown[index] = text
    return shown


def _own_lines(blocks: Blocks, index: int, edges: Sequence[int]) -> Sequence[str]:
    """The lines of a block, whose runs begin at all edges but the last."""
    texts = blocks.table.run_texts
    folded = (" ".join("".join(texts[start:end]).split()) for start, end in pairwise(edges))
    lines = [(text, pair) for text, pair in zip(folded, pairwise(edges), strict=True) if text]

    def is_strong(line: int) -> bool:
        return all(_is_strong(blocks, index, run) for run in range(*lines[line][1]))

    return shown_lines([text for text, _ in lines], is_strong)


def _is_strong(blocks: Blocks, index: int, run: int) -> bool:
    """Return whether a run of a block is white space, or is in strong letters."""
    if blocks.table.run_texts[run].isspace():
        return True
    table, block_node = blocks.table, int(blocks.node[index])
    for node in table.around(int(blocks.table.run_node[run]), _MAX_ANCESTORS):
        if node <= block_node or table.tags[node] in _STRONG:
            return node > block_node
    return False
