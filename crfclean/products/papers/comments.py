"""Find the block that heads the readers' comments of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.decision.comments import mentions_comments
from crfclean.lexicon import lexicon
from crfclean.page.elements import Elements
from crfclean.rules import Conclusion, Production, System, best, first_only, several, some, unless
from crfclean.types import Floats

RUNNING_CHARS = 40  # outside links, from which a block is an article's text, not a byline
_MAX_HEADING_CHARS = 120  # of a block that may be a heading: longer ones merely mention comments
_STRIPPED = re.compile(r"[\W\d_]+")
_SENTENCE_END = r"[.!?。！？…][\"'”»)]*$"


def _words(text: str) -> list[str]:
    return [word for word in _STRIPPED.split(text.lower()) if word]


def is_single_word(text: str) -> bool:
    """Return whether a text is one word for comments, apart from numbers and punctuation.

    >>> is_single_word("12 Comments:"), is_single_word("Comments on the ferry")
    (True, False)
    """
    words = _words(text)
    return len(words) == 1 and words[0] in lexicon().comments


@dataclass(frozen=True, repr=False, eq=False)
class CommentFacts:
    """A page and the block at which its main heading ends (0 without one)."""

    page: Elements
    heading_end: int

    @cached_property
    def running(self) -> Floats:
        """Characters of running text before each block, (n + 1,)."""
        chars = np.where(self.page.own >= RUNNING_CHARS, self.page.own, 0.0)
        return np.concatenate([[0.0], np.cumsum(chars)])

    def text(self, block: int) -> str:
        """The text of a block."""
        return self.page.blocks.texts[block]

    def article_above(self, block: int) -> bool:
        """Return whether there is running text between the main heading and a block."""
        return bool(self.running[block] > self.running[min(self.heading_end, block)])


COMMENT_RULES = System(
    "comments' heading",
    (
        unless("link", some, lambda page, block: page.page.linked[block] < 0.5, "it is a link"),
        unless(
            "apart",
            some,
            lambda page, block: not page.page.apart[block],
            "it stands in a form, navigation or the like",
        ),
        unless(
            "sentence",
            some,
            lambda page, block: (
                not re.search(_SENTENCE_END, page.text(block)) or is_single_word(page.text(block))
            ),
            "it is a sentence of some text",
        ),
        unless(
            "above the article",
            some,
            lambda page, block: page.article_above(block),
            "no text stands between the main heading and it",
        ),
        unless(
            "long",
            some,
            lambda page, block: (
                is_single_word(page.text(block))
                or page.page.heading_rank[block] < 8
                or len(_words(page.text(block))) <= 3
            ),
            "neither a heading nor short",
        ),
        Production(
            "single word",
            several,
            best(
                lambda store, block: float(is_single_word(store.facts.text(block))),
                lambda *_: "another is the word alone",
            ),
        ),
        Production(
            "higher rank",
            several,
            best(
                lambda store, block: -float(store.facts.page.heading_rank[block]),
                lambda value, most: f"its element has rank {-value:.0f}, another's {-most:.0f}",
            ),
        ),
        Production("first", several, first_only("it stands below another as good")),
    ),
)


def find_comment_heading(elements: Elements, heading: int) -> Conclusion:
    """Find the block that heads the comments; `heading` is the main heading's element or -1."""
    end = int(elements.blocks.table.end_block[heading]) if heading >= 0 else 0
    short, texts = (
        np.flatnonzero(elements.blocks.chars <= _MAX_HEADING_CHARS).tolist(),
        elements.blocks.table.plain_texts,
    )
    words = [block for block in short if mentions_comments(texts[block])]
    return COMMENT_RULES.run(CommentFacts(elements, end), words)
