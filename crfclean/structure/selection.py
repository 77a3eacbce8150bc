"""Select the elements that lead to kept blocks: mark-lists, data tables and pictures.

This is the end of the algorithm of Golovko and Lapin, "Representative and role model of the web
page content" (2015), blocks 13 and 16 to 18 of its table 2, for the blocks that any tagger keeps:
elements on a mark-list (the path from the root to a kept part) stay, all others go.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.expert.parts import ArticleParams, Candidates, Inside, pictures
from crfclean.page.data_tables import text_tables
from crfclean.page.measures import Measures
from crfclean.page.paragraphs import Elements
from crfclean.page.tree import nearest
from crfclean.types import Bools, Ints

_REQUIRED_ANCESTORS = {
    **dict.fromkeys(["li", "dt", "dd"], ("ul", "ol", "dl", "menu", "dir")),
    **dict.fromkeys("caption thead tbody tfoot tr td th".split(), ("table",)),
}
"""Element -> the elements of which one must stand around it, for it means nothing alone."""


@dataclass(frozen=True, repr=False, eq=False)
class Selection:
    """A page and its kept blocks (n,); computed columns are of elements, (m,).

    `tagger_pictures` are the pictures that the tagger takes for content, None if it does not say.
    """

    page: Measures
    kept: Bools
    tagger_pictures: tuple[int, ...] | None

    @cached_property
    def elements(self) -> Elements:
        """The page with the columns of the expert system."""
        return Elements(self.page)

    @cached_property
    def _text_counts(self) -> Ints:
        """How many kept text runs stand at or inside each element."""
        runs = self.page.runs
        solid = np.array([not text.isspace() for text in runs.texts], np.bool_)
        kept_nodes = runs.node[solid & self.kept[runs.block]]
        return self._with_inner(np.bincount(kept_nodes, minlength=len(self.page.nodes)))

    def _with_inner(self, counts: Ints) -> Ints:
        """Counts of elements -> counts of elements and all elements inside them."""
        total = np.concatenate([[0], np.cumsum(counts)])
        sums: Ints = total[self.page.nodes.end] - total[:-1]
        return sums

    @cached_property
    def text_root(self) -> int:
        """The nearest common ancestor of all kept text."""
        return _lowest_common(self._text_counts)

    @cached_property
    def pictures(self) -> frozenset[int]:
        """The pictures that are kept."""
        if self.tagger_pictures is not None:
            return frozenset(self.tagger_pictures)
        if "img" not in self.page.tag_names:
            return frozenset()
        facts = Candidates(self.elements, -1, (), ArticleParams())
        return frozenset(pictures(Inside(facts, self.text_root), self.kept))

    @cached_property
    def picture_counts(self) -> Ints:
        """How many kept pictures stand at or inside each element."""
        pictures = np.zeros(len(self.page.nodes), np.int64)
        pictures[list(self.pictures)] = 1
        return self._with_inner(pictures)

    @cached_property
    def _content_counts(self) -> Ints:
        """How many kept text runs and pictures stand at or inside each element."""
        return self._text_counts + self.picture_counts

    @cached_property
    def root(self) -> int:
        """The nearest common ancestor of all kept text and pictures (block 17 of the algorithm).

        An inline element is replaced by the block-level one around it, a part of a list or table
        by that list or table, an element inside a `pre` by the `pre`.
        """
        page, nodes = self.page, self.page.nodes
        node = _lowest_common(self._content_counts)
        is_code = np.zeros(len(nodes), np.bool_)
        is_code[list(self.page.code)] = True
        code = int(nearest(page, is_code)[node])
        node = node if code < 0 else code
        while nodes.inline[node] and nodes.parent[node] >= 0:
            node = int(nodes.parent[node])
        required = _REQUIRED_ANCESTORS.get(nodes.tags[node], ())
        ancestor = nearest(page, page.is_tag(required))[node] if required else -1
        return node if ancestor < 0 else int(ancestor)

    @cached_property
    def in_data_table(self) -> Bools:
        """Whether the nearest table at or around each element shows data."""
        # The last item answers for -1, which stands for no table.
        shows_data = np.zeros(len(self.page.nodes) + 1, np.bool_)
        tables, page = text_tables(self.page), self.page
        if not tables:
            return shows_data[:-1]
        shows_data[list(tables)] = True
        inside: Bools = shows_data[nearest(page, page.is_tag(["table"]))]
        return inside

    @cached_property
    def marked(self) -> Bools:
        """Whether each element is on a mark-list: whether kept text or a picture is at or in it.

        Line breaks beside kept text are marked as well, and all cells of a row of data that has
        kept text.
        """
        nodes, page = self.page.nodes, self.page
        marked = self._content_counts > 0
        kept_around = np.concatenate([[False], self.kept, [False]])
        beside_kept = kept_around[nodes.first_block] | kept_around[nodes.first_block + 1]
        breaks = page.is_tag(["br", "hr"]) & beside_kept
        rows = marked & page.is_tag(["tr"]) & self.in_data_table
        above = np.maximum(nodes.parent, 0)
        cells = page.is_tag(["td", "th"]) & rows[above]
        on_lists: Bools = marked | (breaks & marked[above]) | cells
        return on_lists


def complete_tables(page: Measures, kept: Bools) -> Bools:
    """Return the kept blocks (n,) with all cells of a data table of which half the blocks are kept.

    A table with holes would state something else than the page does.
    """
    nodes, completed = page.nodes, kept.copy()
    for node in text_tables(page):
        inside = slice(int(nodes.first_block[node]), int(nodes.end_block[node]))
        if kept[inside].any() and kept[inside].mean() >= 0.5:
            completed[inside] = True
    return completed


def _lowest_common(counts: Ints) -> int:
    """The lowest of the elements that have everything counted at or inside them."""
    return int(np.flatnonzero(counts == counts.max())[-1])
