"""Decide whether a page is an article, whose text has nothing that stands beside it.

Annotators of articles leave out bylines, captions, teasers, promotion and notices. On other pages
the same marks stand at main content: the boxes of a listing are cards, a shop's offers promotion.
"""

from __future__ import annotations

from crfclean.features.block_kinds import apart_kinds
from crfclean.io import canonical, digest
from crfclean.modelfiles.folder import MANIFEST, find_model
from crfclean.modelfiles.plain import reading
from crfclean.modelfiles.probe import kinds_fingerprint
from crfclean.page.arrays import among
from crfclean.page.measures import Measures
from crfclean.pagetype.figures import row_without_address
from crfclean.pagetype.read import PAGE_MODEL, open_page_model
from crfclean.types import Bools, Kind
from crfclean.types.light_tuple import NamedTuple

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


class ArticleVerdict(NamedTuple):
    """The probability that a page is an article, and whether no other type is likelier."""

    probability: float
    is_article: bool


def beside(page: Measures) -> Bools:
    """Whether each block is of a kind that stands beside an article, shape (n,)."""
    is_beside: Bools = among(apart_kinds(page), BESIDE)
    return is_beside


def article_verdict(page: Measures) -> ArticleVerdict:
    """The verdict on a page that is not empty, without its address; raises `ModelError`."""
    model = open_page_model()
    probabilities = model(row_without_address(page)[None, :])[0]
    article = model.types.index(ARTICLE)
    return ArticleVerdict(float(probabilities[article]), int(probabilities.argmax()) == article)


def article_fingerprint() -> str:
    """16 hexadecimal digits of all that a verdict depends on; raises `ModelError`."""
    folder = find_model(PAGE_MODEL)
    with reading(folder):
        manifest = (folder / MANIFEST).read_bytes()
    return digest(canonical([kind.name for kind in BESIDE]), kinds_fingerprint(), manifest)
