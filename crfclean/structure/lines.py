"""Give the text of blocks the lines that a reader sees: of code, poems, addresses, sub-headings."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from itertools import groupby, pairwise

import numpy as np

from crfclean.page.chars import CLOSERS, TERMINATORS
from crfclean.page.measures import Measures, measured
from crfclean.page.tree import HEADINGS
from crfclean.structure.rows import continued
from crfclean.types import Blocks

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
    page, texts = measured(blocks), blocks.texts
    shown = _broken(page, indices) if "br" in page.tag_names else {}
    if blocks.code:
        shown |= _code(page, frozenset(indices))
    if not shown:
        return [texts[index] for index in indices]
    return [shown.get(index, texts[index]) for index in indices]


def page_lines(blocks: Blocks, indices: Sequence[int]) -> list[str]:
    """The paragraphs of some blocks: their shown texts, those of one row joined by a space."""
    joined, paragraphs = continued(blocks, indices), list[str]()
    for index, text in zip(indices, shown_texts(blocks, indices), strict=True):
        if index in joined:
            paragraphs[-1] += f" {text}"
        else:
            paragraphs.append(text)
    return paragraphs


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


def _has_words(shown: str, text: str) -> bool:
    """Return whether code has the words of its block.

    They differ if the block joins two lines of code to one word (`test_lines_that_part_a_word`).
    """
    return " ".join(shown.split()) == text


def _code(page: Measures, indices: Container[int]) -> dict[int, str]:
    """Map each block of code to its text with line breaks."""
    from crfclean.structure.code import code_blocks, code_text

    blocks, owners = page, code_blocks(page)
    code = {at: code_text(blocks, owners[at], at) for at in owners if at in indices}
    return {at: text for at, text in code.items() if _has_words(text, blocks.texts[at])}


def _broken(page: Measures, indices: Sequence[int]) -> dict[int, str]:
    """Map each block with a `<br>` between its words to its text in lines."""
    blocks, runs = page, page.runs
    breaks = (page.tag_codes == page.tag_names.index("br")).nonzero()[0]
    beside = {*blocks.nodes.first_block[breaks].tolist()}.intersection(indices)
    if not beside:
        return {}
    chosen = np.array(sorted(beside), np.int32)
    starts, ends = runs.block.searchsorted(chosen), runs.block.searchsorted(chosen, "right")
    first, last = breaks.searchsorted(runs.after[starts]), breaks.searchsorted(runs.after[ends - 1])
    shown = {}
    for at in (first != last).nonzero()[0].tolist():
        index, start, end = int(chosen[at]), int(starts[at]), int(ends[at])
        if blocks.nodes.tags[blocks.node[index]] not in _ONE_LINE:
            inside = breaks[first[at] : last[at]]
            begins = {*(start + runs.after[start:end].searchsorted(inside, "right")).tolist()}
            edges = [start, *sorted(begins - {start, end}), end]
            text = "\n".join(_lines(blocks, index, edges))
            if len(text) == len(blocks.texts[index]):  # a hidden `<br>` is not even a space
                shown[index] = text
    return shown


def _lines(blocks: Blocks, index: int, edges: Sequence[int]) -> Sequence[str]:
    """The lines of a block, whose runs begin at all edges but the last."""
    texts = blocks.runs.texts
    folded = (" ".join("".join(texts[start:end]).split()) for start, end in pairwise(edges))
    lines = [(text, pair) for text, pair in zip(folded, pairwise(edges), strict=True) if text]

    def is_strong(line: int) -> bool:
        return all(_is_strong(blocks, index, run) for run in range(*lines[line][1]))

    return shown_lines([text for text, _ in lines], is_strong)


def _is_strong(blocks: Blocks, index: int, run: int) -> bool:
    """Return whether a run of a block is white space, or is in strong letters."""
    if blocks.runs.texts[run].isspace():
        return True
    nodes, node, block_node = blocks.nodes, int(blocks.runs.node[run]), int(blocks.node[index])
    for _ in range(_MAX_ANCESTORS):
        if node <= block_node or nodes.tags[node] in _STRONG:
            return node > block_node
        node = int(nodes.parent[node])
    return False
