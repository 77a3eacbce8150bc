"""Columns of a page's elements and paragraphs for the rules of the expert system."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.types import Blocks, Bools, Floats, Ints

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
CELLS = ("td", "th")


def held(page: Blocks, values: Floats) -> Floats:
    """Sum `values` of blocks, (n,) or (n, k), inside each element, (m,) or (m, k)."""
    table = page.table
    total = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    sums: Floats = total[table.end_block] - total[table.first_block]
    return sums


# columns of a page's elements and paragraphs for the rules of the expert system (Blk0)
#
# The parser repairs broken markup: unclosed and surplus tags, several heads and bodies. Stray text
# outside any paragraph counts as a paragraph.

PARAGRAPHS = ("p", "pre", "blockquote")
LISTS = ("ul", "ol", "dl")
APART = ("nav", "aside", "footer", "form", "menu", "dialog", "button", "select", "template")
"""Elements whose text does not belong to an article, by their meaning in HTML."""

RANKS = (*HEADINGS, "header")
MAX_TEXT = 500  # characters of an element that rules and messages read


@dataclass(frozen=True, repr=False, eq=False)
class Elements:
    """A page with its columns: (m,) for its m elements, (n,) for its n blocks.

    Blocks take the place of the texts in the paper's ET: a paragraph, heading or cell.
    """

    blocks: Blocks

    def tag(self, node: int) -> str:
        """The tag of an element."""
        return self.blocks.table.tags[node]

    @cached_property
    def own(self) -> Floats:
        """Characters of each block outside links, (n,)."""
        chars: Floats = self.blocks.chars * (1.0 - self.blocks.table.linked)
        return chars

    @cached_property
    def linked(self) -> Floats:
        """Share of each block's characters in links, (n,)."""
        return self.blocks.table.linked

    @cached_property
    def apart(self) -> Bools:
        """Mark each block that is in an element that does not belong to an article, (n,).

        A form with most of the page's text is an exception: some pages are one form.
        """
        table, total = self.blocks.table, self.blocks.chars.sum()
        apart = np.zeros(len(self.blocks), np.bool_)
        page_form = self.blocks.table.is_tag("form") & (self.all_held > 0.5 * total)
        for node in np.flatnonzero(self.blocks.table.is_tag(*APART) & ~page_form).tolist():
            apart[table.first_block[node] : table.end_block[node]] = True
        return apart

    @cached_property
    def paragraph(self) -> Ints:
        """The element that is each block's paragraph, (n,).

        It is the nearest `p`, `pre`, `blockquote` or heading, else the outermost list, else the
        container, if it holds only this block, else -1, for stray text in a container.
        """
        node = self.blocks.node
        near = self.blocks.table.nearest(self.blocks.table.is_tag(*PARAGRAPHS, *HEADINGS))[node]
        lists = self._outermost_list[node]
        table = self.blocks.table
        alone = (table.end_block - table.first_block == 1)[node]
        implied = np.where(alone, node, -1)
        implied = np.where(lists >= 0, lists, implied)
        paragraph: Ints = np.where(near >= 0, near, implied)
        return paragraph

    @cached_property
    def _outermost_list(self) -> Ints:
        """The highest list around each element with only lists and items between, else -1; (m,)."""
        table = self.blocks.table
        is_list, is_item = table.is_tag(*LISTS), table.is_tag(*LISTS, "li", "dt", "dd")
        near = table.nearest(is_list)
        top = np.arange(len(table.parent))
        for node in np.flatnonzero(is_list).tolist():
            above = int(table.parent[node])
            if above >= 0 and is_item[above]:
                outer = int(near[above])
                top[node] = top[outer] if outer >= 0 else node
        return np.where(near >= 0, top[near], -1)

    @cached_property
    def holder(self) -> Ints:
        """The element that directly contains each block's paragraph (its parent), (n,)."""
        paragraph, table = self.paragraph, self.blocks.table
        above = table.parent[np.maximum(paragraph, 0)]
        holder: Ints = np.where(paragraph >= 0, np.maximum(above, 0), self.blocks.node)
        return holder

    def held(self, values: Floats) -> Floats:
        """Sum of a column of blocks over each element, (m,)."""
        return held(self.blocks, values)

    @cached_property
    def all_held(self) -> Floats:
        """Characters inside each element, (m,)."""
        return self.held(self.blocks.chars)

    def paragraph_is(self, *tags: str) -> Bools:
        """Mark each block whose paragraph element has one of the tags, (n,)."""
        tagged: Bools = self.blocks.table.is_tag(*tags)[np.maximum(self.paragraph, 0)]
        return tagged & (self.paragraph >= 0)

    @cached_property
    def heading_rank(self) -> Ints:
        """The rank of the heading around each block: 1 to 6, 7 for `header`, 8 for none; (n,)."""
        near = self.blocks.table.nearest(self.blocks.table.is_tag(*RANKS))[self.blocks.node]
        tags = self.blocks.table.tags
        return np.array(
            [RANKS.index(tags[node]) + 1 if node >= 0 else 8 for node in near], np.int64
        )

    def text(self, node: int) -> str:
        """The text of an element in one line, at most `MAX_TEXT` characters."""
        table, texts, size = self.blocks.table, [], 0
        for block in range(int(table.first_block[node]), int(table.end_block[node])):
            texts.append(self.blocks.texts[block][: MAX_TEXT - size])
            size += len(texts[-1]) + 1
            if size >= MAX_TEXT:
                break
        return " ".join(texts)

    def name(self, node: int) -> str:
        """An element's name in messages: its XPath and first words."""
        return f"{self.blocks.xpath(node)} {self.text(node)[:40]!r}"


def elements(blocks: Blocks) -> Elements:
    """Return a page with its columns, computed on first use."""
    return Elements(blocks)
