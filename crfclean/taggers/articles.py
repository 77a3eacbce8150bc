"""Decide whether a page is an article, whose text has nothing that stands beside it.

Annotators of articles leave out bylines, captions, teasers, promotion and notices. On other pages
the same marks stand at main content: the boxes of a listing are cards, a shop's offers promotion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from crfclean.features.block_kinds import kinds_of
from crfclean.page.arrays import among
from crfclean.page.measures import Measures
from crfclean.pagetype.figures import figures, row
from crfclean.pagetype.read import open_page_model
from crfclean.types import Bools, Kind

ARTICLE = "article"
BESIDE = (
    Kind.CAPTION,
    Kind.BYLINE,
    Kind.TEASER,
    Kind.PROMO,
    Kind.NOTICE,
    Kind.NAVIGATION,
    Kind.LEGAL,
)
"""Kinds of blocks that the text of an article does without; `threads` decides on comments."""


@dataclass(frozen=True, slots=True)
class ArticleVerdict:
    """The probability that a page is an article, and whether no other type is likelier."""

    probability: float
    is_article: bool

    @property
    def log_odds(self) -> float:
        """The log-odds of the probability, bounded."""
        safe = min(max(self.probability, 1e-6), 1 - 1e-6)
        return math.log(safe / (1 - safe))


def beside(page: Measures) -> Bools:
    """Whether each block is of a kind that stands beside an article, shape (n,)."""
    found: Bools = among(kinds_of(page), BESIDE)
    return found


def article_verdict(page: Measures) -> ArticleVerdict:
    """The verdict on a page that is not empty, without its address; raises `ModelError`."""
    model = open_page_model()
    probabilities = model(row(figures(page, None))[None, :])[0]
    article = model.types.index(ARTICLE)
    return ArticleVerdict(float(probabilities[article]), int(probabilities.argmax()) == article)
