"""Label blocks by the expert system: main heading, main article, comments, pictures.

After Golovko and Lapin, "Representative and role model of the web page content" (2015): each step
of the algorithm runs once, and later steps accept its conclusion.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from crfclean.decision.ends import text_end
from crfclean.decision.evidence import Evidence
from crfclean.io import digest_of
from crfclean.metadata.heading import agrees_with_title, find_best_header
from crfclean.page.blocks import as_blocks
from crfclean.page.data_tables import find_text_tables, outermost
from crfclean.page.elements import Elements, elements
from crfclean.products.papers.article import ArticleParams, Candidates, find_max_text
from crfclean.products.papers.article_parts import PART_RULES, Inside, find_pictures
from crfclean.products.papers.comments import find_comment_heading
from crfclean.products.papers.headline import (
    NO_HEADING,
    MainHeading,
    find_headline,
    of_block,
    of_element,
)
from crfclean.products.papers.main_text import MainParams, tags_of
from crfclean.rules import Conclusion, Step, trace_text
from crfclean.systems.capabilities import elements_of
from crfclean.types import (
    Blocks,
    Bools,
    Page,
    Reason,
    Tags,
)

_COMMENT_CHARS = 20  # outside links after the comments' heading; fewer are no comment
PARTS = "parts of the article"
OF_BLOCKS = frozenset(["comments' heading", "headline above the article", PARTS])
"""Systems whose candidates are blocks; the candidates of other systems are elements."""

_LIKELY = 0.95, 0.05  # probability that parts of the article, and other blocks, are text

_EXPERT = MainParams(kept=0.85)
"""Kept blocks are right slightly more often than those of other rules (eval/segments)."""


@dataclass(frozen=True)
class Roles:
    """The conclusions of the expert system about a page; `kept` and `comments` are (n,).

    `article` is an element, -1 for none.
    """

    page: Elements
    heading: MainHeading
    article: int
    kept: Bools
    comments: Bools
    pictures: tuple[int, ...]
    steps: tuple[Step, ...]


def find_roles(blocks: Blocks, params: ArticleParams = ArticleParams()) -> Roles:
    """Run each step of the algorithm once, in order."""
    page = elements(blocks)
    nothing = np.zeros(len(blocks), np.bool_)
    if not len(blocks):
        return Roles(page, NO_HEADING, -1, nothing, nothing, (), ())
    tables = find_text_tables(page)
    header = find_best_header(blocks)
    comment = find_comment_heading(page, header.first)
    facts = Candidates(page, comment.first, tuple(outermost(page, tables.candidates)), params)
    text = find_max_text(facts)
    heading, steps = _main_heading(facts, header.first, text.first)
    steps = tables.steps + header.steps + comment.steps + text.steps + steps
    if text.first < 0:
        return Roles(page, heading, -1, nothing, nothing, (), steps)
    inside = Inside(facts, text.first, heading)
    parts = _until_end(page, PART_RULES.run(inside, inside.blocks))
    kept = nothing.copy()
    kept[[*parts.candidates, *heading.blocks]] = True
    images = find_pictures(inside, kept)
    comments = _comments(facts, kept)
    steps += parts.steps + images.steps
    return Roles(page, heading, text.first, kept, comments, images.candidates, steps)


def _main_heading(
    candidates: Candidates, header: int, article: int
) -> tuple[MainHeading, tuple[Step, ...]]:
    """Choose the main heading: the best heading element if it agrees with the page's title.

    Otherwise it is a block above the article that is like the title. Without such a block, the best
    heading element stays.
    """
    best, title = of_element(candidates.elements, header), candidates.elements.blocks.title
    if article < 0 or not title or (header >= 0 and agrees_with_title(candidates.elements, header)):
        return best, ()
    headline = find_headline(candidates.elements, candidates.text_begins(article))
    return of_block(
        candidates.elements, headline.first
    ) if headline.first >= 0 else best, headline.steps


def _until_end(elements: Elements, parts: Conclusion) -> Conclusion:
    """Cut the parts of the article at the end of the text, as `text_end` finds it.

    Rules give no probabilities, so all parts have the same, and all other blocks, too.
    """
    kept = np.zeros(len(elements.blocks), np.bool_)
    kept[[*parts.candidates]] = True
    ending = text_end(Evidence(elements.blocks), np.where(kept, *_LIKELY), kept, article=False)
    if ending is None or not ending[0].is_cut:
        return parts
    end, _ = ending
    why = f"stands behind the end of the text (probability {end.probability:.2f})"
    removed = {part: why for part in parts.candidates if part >= end.block}
    left = tuple(part for part in parts.candidates if part < end.block)
    step = Step(PARTS, "another section begins", removed, len(left))
    return Conclusion(left, (*parts.steps, step))


def _comments(candidates: Candidates, kept: Bools) -> Bools:
    """Mark the blocks of the comments: those after their heading in the same element, (n,).

    The element is the lowest one around the heading with at least `_COMMENT_CHARS` characters after
    it. Links, navigation and blocks of the article are excluded.
    """
    elements, following = candidates.elements, np.zeros(len(kept), np.bool_)
    if candidates.comments < 0:
        return following
    table, node = elements.blocks.table, int(elements.blocks.node[candidates.comments])
    total = np.concatenate([[0.0], np.cumsum(elements.own)])
    before = total[candidates.comments + 1]
    while table.parent[node] >= 0 and total[table.end_block[node]] - before < _COMMENT_CHARS:
        node = int(table.parent[node])
    following[candidates.comments + 1 : table.end_block[node]] = True
    comments: Bools = following & ~kept & (elements.linked <= 0.5) & ~elements.apart
    return comments


@dataclass(frozen=True)
class ExpertTagger:
    """The expert system with its parameters, without a model."""

    article: ArticleParams = field(default_factory=ArticleParams)
    main: MainParams = _EXPERT
    name: ClassVar[str] = "expert"
    picture: ClassVar[str] = "roles"

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the parameters."""
        return digest_of({"tagger": "expert", "article": self.article, "main": self.main})

    def tag(self, blocks: Blocks | Page | bytes | str) -> Tags:
        """Keep the main heading and the main article."""
        blocks = as_blocks(blocks, elements_of(self))
        roles = find_roles(blocks, self.article)
        tags = tags_of(roles.page.blocks, roles.kept, self.main, roles.heading.blocks)
        return replace(tags, pictures=roles.pictures)

    def comments(self, blocks: Blocks) -> Bools:
        """The blocks of readers' comments, (n,)."""
        return self.roles(blocks).comments

    def roles(self, blocks: Blocks) -> Roles:
        """The conclusions of the rules about a page, and the steps that led to them."""
        return find_roles(blocks, self.article)

    def trace(self, blocks: Blocks) -> str:
        """List which rule removed which candidate and why, then the conclusions."""
        roles = find_roles(blocks, self.article)

        def name(system: str, candidate: int) -> str:
            if system in OF_BLOCKS:
                path = blocks.xpath(int(blocks.node[candidate]))
                return f"{path} {blocks.texts[candidate][:40]!r}"
            return roles.page.name(candidate)

        heading, article = (
            roles.page.name(node) if node >= 0 else "none"
            for node in (roles.heading.node, roles.article)
        )
        return (
            f"{trace_text(roles.steps, name)}main heading is {heading}\nmain article is {article}\n"
        )

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """For each block, the rule that removed it or the role that keeps it."""
        roles = find_roles(blocks, self.article)
        removals = {
            block: Reason(step.rule, 1.0, -1.0)
            for step in roles.steps
            if step.system == "parts of the article"
            for block in step.removed
        }
        outside = Reason("outside the article", 1.0, -1.0)
        kept = Reason("article or heading", 1.0, 1.0)
        return [
            [kept if roles.kept[block] else removals.get(block, outside)][:most]
            for block in range(len(blocks))
        ]
