"""Find the main heading where no heading element agrees with the page's title.

The paper puts a question off that cannot be answered yet and returns to it once the answer is
known ("least risk", section 3): here, the block above the article, once there is an article.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crfclean.expert.agreement import agrees, common_substring, plain
from crfclean.expert.comments import mentions_comments
from crfclean.page.paragraphs import Elements
from crfclean.rules import Conclusion, Rule, Store, System, best, several, some, unless

MAX_CHARS = 200  # of a block that may be a heading
MAX_COMPARED = 50  # blocks that are compared with the title, the nearest to the article
MOSTLY = 0.5  # of a block's characters that the title has


@dataclass(frozen=True)
class Above:
    """A page, and the first block of its article's running text."""

    page: Elements
    article: int

    @property
    def title(self) -> str:
        """The page's title."""
        return self.page.blocks.title

    def text(self, block: int) -> str:
        """The text of a block."""
        return self.page.page.texts[block]


def find_short_blocks(page: Above) -> list[int]:
    """Short blocks above the article's text, in page order, the nearest ones if there are many."""
    short = page.page.page.chars[: page.article] <= MAX_CHARS
    nearest: list[int] = np.flatnonzero(short)[-MAX_COMPARED:].tolist()
    return nearest


def _likeness(store: Store, block: int) -> float:
    return float(common_substring(store.facts.title, store.facts.text(block)))


def _mostly_title(store: Store, block: int) -> bool:
    return _likeness(store, block) >= MOSTLY * len(plain(store.facts.text(block)))


def _names_no_comments(store: Store, block: int) -> bool:
    page: Above = store.facts
    return mentions_comments(page.title) or not mentions_comments(page.text(block))


HEADLINE_RULES = System(
    "headline above the article",
    (
        Rule(
            "apart",
            some,
            unless(
                lambda store, block: not store.facts.page.apart[block],
                "it stands in navigation, an aside, a form or the like",
            ),
        ),
        Rule(
            "comments",
            some,
            unless(_names_no_comments, "it speaks of comments, the title does not"),
        ),
        Rule(
            "unlike the title",
            some,
            unless(
                lambda store, block: agrees(store.facts.title, store.facts.text(block)),
                "it is not like the title",
            ),
        ),
        Rule("more than the title", some, unless(_mostly_title, "most of it is not in the title")),
        Rule(
            "like the title",
            several,
            best(
                _likeness,
                lambda value, most: f"{value:.0f} characters of the title, another has {most:.0f}",
            ),
        ),
        Rule(
            "nearest",
            several,
            best(
                lambda _, block: float(block),
                lambda *_: "another as good stands nearer to the article",
            ),
        ),
    ),
)


def find_headline(page: Elements, article: int) -> Conclusion:
    """Find the block like the title above block `article`, where the article's text begins."""
    above = Above(page, article)
    return HEADLINE_RULES.run(above, find_short_blocks(above))
