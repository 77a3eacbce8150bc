"""`Blocks` -> `Tags` by an expert system: main heading, main article, comments, pictures.

After Golovko and Lapin, "Representative and role model of the web page content" (2015): every
block of the algorithm is run once, and what one has concluded the others take as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from crfclean.expert.article import ArticleParams, Candidates, find_max_text
from crfclean.expert.comments import find_comment_heading
from crfclean.expert.headings import find_best_header
from crfclean.expert.parts import Inside, find_parts, find_pictures
from crfclean.io import digest_of
from crfclean.page.data_tables import find_text_tables, outermost
from crfclean.page.paragraphs import Elements, elements
from crfclean.rules import Step, trace_text
from crfclean.taggers.main_text import MainParams, tags_of
from crfclean.types import Blocks, Bools, Floats, Reason, Tags

OF_BLOCKS = frozenset(["comments' heading", "parts of the article"])
"""Systems whose candidates are blocks; those of the others are elements."""

_PARAMS = MainParams(kept=0.85)
"""Its kept blocks are right a little oftener than those of the other rules (eval/segments)."""


@dataclass(frozen=True)
class Roles:
    """What the expert system makes of a page: kept and comments are (n,)."""

    page: Elements
    heading: int
    article: int
    kept: Bools
    comments: Bools
    pictures: tuple[int, ...]
    steps: tuple[Step, ...]


def find_roles(blocks: Blocks, params: ArticleParams = ArticleParams()) -> Roles:
    """Run the blocks of the algorithm, each once, in their order."""
    page = elements(blocks)
    nothing = np.zeros(len(blocks), np.bool_)
    if not len(blocks):
        return Roles(page, -1, -1, nothing, nothing, (), ())
    tables = find_text_tables(page)
    header = find_best_header(page)
    comment = find_comment_heading(page, header.first)
    whole = tuple(outermost(page, tables.candidates))
    facts = Candidates(page, header.first, comment.first, whole, params)
    text = find_max_text(facts)
    steps = tables.steps + header.steps + comment.steps + text.steps
    if text.first < 0:
        return Roles(page, header.first, -1, nothing, nothing, (), steps)
    inside = Inside(facts, text.first)
    parts = find_parts(inside)
    kept = nothing.copy()
    kept[list(parts.candidates)] = True
    kept |= _heading_blocks(page, header.first)
    images = find_pictures(inside, kept)
    told = _comments(facts, kept)
    steps += parts.steps + images.steps
    return Roles(page, header.first, text.first, kept, told, images.candidates, steps)


def _heading_blocks(page: Elements, heading: int) -> Bools:
    """The blocks of the main heading, (n,)."""
    found = np.zeros(len(page.blocks), np.bool_)
    if heading >= 0:
        nodes = page.blocks.nodes
        found[nodes.first_block[heading] : nodes.end_block[heading]] = True
    return found


def _comments(page: Candidates, kept: Bools) -> Bools:
    """The blocks of the comments, (n,): what follows their heading in the element that holds them.

    That is the lowest element around the heading with as much text after it as it has itself, and
    more; of its blocks those outside of links that are not of the article.
    """
    elements, found = page.elements, np.zeros(len(kept), np.bool_)
    if page.comments < 0:
        return found
    nodes, node = elements.blocks.nodes, int(elements.blocks.node[page.comments])
    total = np.concatenate([[0.0], np.cumsum(elements.own)])
    while nodes.parent[node] >= 0 and _after(nodes.end_block[node], page.comments, total) < 20:
        node = int(nodes.parent[node])
    found[page.comments + 1 : nodes.end_block[node]] = True
    told: Bools = found & ~kept & (elements.linked <= 0.5) & ~elements.apart
    return told


def _after(end: int, block: int, total: Floats) -> float:
    """Characters outside links between a block and an end."""
    return float(total[end] - total[block + 1])


@dataclass(frozen=True)
class ExpertTagger:
    """The expert system with its parameters; it has no model."""

    article: ArticleParams = field(default_factory=ArticleParams)
    main: MainParams = _PARAMS
    name: ClassVar[str] = "expert"

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the rules' parameters."""
        return digest_of({"tagger": "expert", "article": self.article, "main": self.main})

    def tag(self, blocks: Blocks) -> Tags:
        """Keep the main heading and the main article."""
        roles = find_roles(blocks, self.article)
        tags = tags_of(roles.page.page, roles.kept, self.main)
        return replace(tags, pictures=roles.pictures)

    def comments(self, blocks: Blocks) -> Bools:
        """The blocks of readers' comments, (n,)."""
        return find_roles(blocks, self.article).comments

    def trace(self, blocks: Blocks) -> str:
        """Which rule removed which candidate and why, then what is left for the roles."""
        roles = find_roles(blocks, self.article)

        def name(system: str, one: int) -> str:
            if system in OF_BLOCKS:
                return f"{blocks.xpath(int(blocks.node[one]))} {blocks.texts[one][:40]!r}"
            return roles.page.name(one)

        heading, article = (
            roles.page.name(node) if node >= 0 else "none"
            for node in (roles.heading, roles.article)
        )
        return (
            f"{trace_text(roles.steps, name)}main heading is {heading}\nmain article is {article}\n"
        )

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """For every block the rule that removed it, or the role that keeps it."""
        roles = find_roles(blocks, self.article)
        told = {
            one: Reason(step.rule, 1.0, -1.0)
            for step in roles.steps
            if step.system == "parts of the article"
            for one in step.removed
        }
        outside = Reason("outside the article", 1.0, -1.0)
        kept = Reason("article or heading", 1.0, 1.0)
        return [
            [kept if roles.kept[block] else told.get(block, outside)][:most]
            for block in range(len(blocks))
        ]


def from_name(_: str = "expert") -> ExpertTagger:
    """The tagger with its defaults."""
    return ExpertTagger()
