"""The main heading, also where no heading element agrees with the page's title."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crfclean.metadata.heading import Titled, agrees
from crfclean.page.elements import Elements
from crfclean.rules import (
    Conclusion,
    Production,
    System,
    best,
    several,
    some,
    unless,
)


class MainHeading(NamedTuple):
    """The element of the main heading (-1: there is none) and its blocks."""

    node: int = -1
    blocks: range = range(0)


NO_HEADING = MainHeading()


def of_element(elements: Elements, node: int) -> MainHeading:
    """The main heading that is an element with all its blocks; none for -1."""
    if node < 0:
        return NO_HEADING
    return MainHeading(node, elements.blocks.table.blocks_in(node))


def of_block(elements: Elements, block: int) -> MainHeading:
    """The main heading that is a block."""
    return MainHeading(int(elements.blocks.node[block]), range(block, block + 1))


# find the main heading where no heading element agrees with the page's title
#
# The paper postpones a question that it cannot answer yet ("least risk", section 3). Here the block
# above the article is chosen once the article is known.

MAX_CHARS = 200  # of a block that may be a heading
MAX_NEAREST = 50  # blocks that are compared with the title, the nearest to the article


HEADLINE_RULES = System(
    "headline above the article",
    (
        unless(
            "unlike the title",
            some,
            lambda facts, block: agrees(facts.title, facts.text(block)),
            "it is not like the title",
        ),
        Production(
            "nearest",
            several,
            best(
                lambda _, block: float(block),
                lambda *_: "another as good stands nearer to the article",
            ),
        ),
    ),
)


def find_headline(elements: Elements, article: int) -> Conclusion:
    """Find the block like the title above block `article`, where the article's text begins."""
    short = np.flatnonzero(elements.blocks.chars[:article] <= MAX_CHARS)
    return HEADLINE_RULES.run(
        Titled(elements, elements.blocks.table.plain_texts.__getitem__),
        short[-MAX_NEAREST:].tolist(),
    )
