"""`Elements` + kept blocks -> the elements on the way to them: mark-lists, tables, pictures.

The end of the algorithm of Golovko and Lapin, "Representative and role model of the web page
content" (2015), blocks 13 and 16 to 18 of its table 2, for the blocks that any tagger keeps: what
is marked (the way from the root to a kept part, a mark-list) stays, all else goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.expert.article import ArticleParams, Candidates
from crfclean.expert.parts import Inside, find_pictures
from crfclean.page.data_tables import find_text_tables
from crfclean.page.elements import INLINE
from crfclean.page.paragraphs import Elements
from crfclean.page.tree import HEADINGS, nearest
from crfclean.types import Bools, Ints

_NEEDING = {
    **dict.fromkeys(["li", "dt", "dd"], ("ul", "ol", "dl", "menu", "dir")),
    **dict.fromkeys("caption thead tbody tfoot tr td th".split(), ("table",)),
}
"""Element -> what it has its meaning from."""


@dataclass(frozen=True)
class Marked:
    """A page, the blocks that stay (n,), and its tables of data.

    `named` are the pictures that its tagger named (None: none named).

    Columns are of the elements, (m,).
    """

    page: Elements
    kept: Bools
    named: tuple[int, ...] | None
    tables: frozenset[int]

    @cached_property
    def _in_texts(self) -> Ints:
        """How many kept text runs stand at or inside each element."""
        runs = self.page.blocks.runs
        solid = np.array([not text.isspace() for text in runs.texts], np.bool_)
        found = runs.node[solid & self.kept[runs.block]]
        return self._inside(np.bincount(found, minlength=len(self.page.blocks.nodes)))

    def _inside(self, counts: Ints) -> Ints:
        total = np.concatenate([[0], np.cumsum(counts)])
        inside: Ints = total[self.page.blocks.nodes.end] - total[:-1]
        return inside

    @cached_property
    def top(self) -> int:
        """The nearest common ancestor of all kept text."""
        return _lowest(self._in_texts)

    @cached_property
    def pictures(self) -> frozenset[int]:
        """The pictures that stay."""
        if self.named is not None:
            return frozenset(self.named)
        if "img" not in self.page.page.tag_names:
            return frozenset()
        facts = Candidates(self.page, -1, -1, (), ArticleParams())
        return frozenset(find_pictures(Inside(facts, self.top), self.kept).candidates)

    @cached_property
    def _in_all(self) -> Ints:
        """How many kept text runs and pictures stand at or inside each element."""
        pictures = np.zeros(len(self.page.blocks.nodes), np.int64)
        pictures[list(self.pictures)] = 1
        return self._in_texts + self._inside(pictures)

    @cached_property
    def whole(self) -> int:
        """The nearest common ancestor of all kept text and pictures (block 17): where it begins.

        It is no inline element, and no part of a list or table, which means nothing without it.
        """
        nodes, node = self.page.blocks.nodes, _lowest(self._in_all)
        code = int(nearest(self.page.page, self.page.page.is_tag(["pre"]))[node])
        node = node if code < 0 else code
        while nodes.tags[node] in INLINE and nodes.parent[node] >= 0:
            node = int(nodes.parent[node])
        needed = _NEEDING.get(nodes.tags[node], ())
        around = nearest(self.page.page, self.page.page.is_tag(needed))[node] if needed else -1
        return node if around < 0 else int(around)

    @cached_property
    def data(self) -> Bools:
        """Whether the nearest table at or around each element shows data."""
        shows = np.zeros(len(self.page.blocks.nodes) + 1, np.bool_)
        if not self.tables:
            return shows[:-1]
        shows[list(self.tables)] = True
        found: Bools = shows[nearest(self.page.page, self.page.page.is_tag(["table"]))]
        return found

    @cached_property
    def wanted(self) -> Bools:
        """Whether each element is on a mark-list: on the way to kept text or a picture, or in it.

        Line breaks beside kept text are, and all cells of a row of data that has kept text.
        """
        nodes, page = self.page.blocks.nodes, self.page.page
        wanted = self._in_all > 0
        beside = np.concatenate([[False], self.kept, [False]])
        near = beside[nodes.first_block] | beside[nodes.first_block + 1]
        breaks = page.is_tag(["br", "hr"]) & near
        rows = wanted & page.is_tag(["tr"]) & self.data
        above = np.maximum(nodes.parent, 0)
        cells = page.is_tag(["td", "th"]) & rows[above]
        found: Bools = wanted | (breaks & wanted[above]) | cells
        return found


def whole_code(page: Elements, kept: Bools) -> Bools:
    """The blocks that stay, (n,), with all lines of a `pre` of which half the text stays."""
    if "pre" not in page.page.tag_names:
        return kept
    nodes, found = page.blocks.nodes, kept.copy()
    texts = page.held(np.where(kept, page.page.chars, 0.0))
    in_line = nearest(page.page, page.page.is_tag([*HEADINGS, "dt", "caption", "figcaption"])) >= 0
    for node in np.flatnonzero(page.page.is_tag(["pre"]) & ~in_line).tolist():
        if texts[node] and texts[node] >= 0.5 * page.all_held[node]:
            found[nodes.first_block[node] : nodes.end_block[node]] = True
    return found


def data_tables(page: Elements) -> frozenset[int]:
    """The tables that show data."""
    if "table" not in page.page.tag_names:
        return frozenset()
    return frozenset(find_text_tables(page).candidates)


def whole_tables(page: Elements, kept: Bools, tables: frozenset[int]) -> Bools:
    """The blocks that stay, (n,), with all cells of a table of data of which half the blocks stay.

    A table with holes says something else than the page.
    """
    nodes, found = page.blocks.nodes, kept.copy()
    for node in sorted(tables):
        inside = slice(int(nodes.first_block[node]), int(nodes.end_block[node]))
        if kept[inside].any() and kept[inside].mean() >= 0.5:
            found[inside] = True
    return found


def _lowest(inside: Ints) -> int:
    """The lowest of the elements that have all that is counted inside."""
    return int(np.flatnonzero(inside == inside.max())[-1])
