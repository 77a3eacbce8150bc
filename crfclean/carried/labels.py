"""Label the blocks of a page by the article body in its structured data (JSON-LD).

This gives gold without work, because news pages repeat their article as `articleBody`. A body is
trusted if the page shows all of it, and a tagger keeps little else: some bodies are only a teaser.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from crfclean.carried.bodies import article_bodies, markup
from crfclean.features.zones import kinds_of
from crfclean.gold.align import align, tokens
from crfclean.page.blocks import bounded
from crfclean.page.measures import Measures
from crfclean.page.tree import in_heading
from crfclean.types import Bools, Ints, Kind, Label, Page, Tags

MIN_TOKENS = 80
MIN_SHOWN = 0.9  # share of the body's tokens in the labelled blocks
MIN_PRECISION = 0.9  # share of the labelled blocks' tokens in the body
MAX_BESIDE = 0.4  # share of a tagger's kept words outside the body; with more, the body is a part
MAX_LEAD_WORDS = 100

_BESIDE = (Kind.TITLE, Kind.LEAD, Kind.CAPTION, Kind.BYLINE)
"""Kinds that bodies have in some data and lack in others."""


@dataclass(frozen=True, slots=True)
class CarriedLabels:
    """Labels (n,) of a page's blocks by its article body, or the reason why there are none.

    The `reason` is "no-body", "short", "not-shown", or "partial" for a body that lacks much of the
    text that a tagger keeps. `informative` (n,) is False for blocks that the body does not decide:
    title, lead, captions, bylines, comments, and other blocks between those of the body. `shown` is
    the share of the body's tokens in the labelled blocks (0..1).
    """

    labels: Ints
    informative: Bools
    shown: float = 0.0
    reason: str = ""


def carried_labels(page: Measures, tags: Tags | None = None) -> CarriedLabels:
    """Return the labels by a page's article body; the `tags` of a tagger tell teasers.

    Blocks of the body are TEXT, or HEADER in heading elements. The main heading, a lead before the
    body, and headings inside it are also labelled, but are not `informative`.
    """
    others, unknown = np.full(len(page), Label.OTHER, np.int32), np.zeros(len(page), np.bool_)
    body = max(map(_plain, article_bodies(page.json_ld)), key=len, default="")
    if not body or not len(page):
        return CarriedLabels(others, unknown, reason="no-body")
    if len(tokens(body)) < MIN_TOKENS:
        return CarriedLabels(others, unknown, reason="short")
    labels = align(page, body)
    inside: Bools = labels != Label.OTHER
    shown, precision = _shares(body, page.texts, inside)
    if shown < MIN_SHOWN or precision < MIN_PRECISION:
        return CarriedLabels(others, unknown, shown, "not-shown")
    if tags is not None and _beside(page, inside, tags) > MAX_BESIDE:
        return CarriedLabels(others, unknown, shown, "partial")
    return CarriedLabels(_completed(page, labels), _informative(page, inside), shown)


def _plain(body: str) -> str:
    _, blocks = bounded(Page(markup(body), None, "utf-8"))
    return "\n".join(blocks.texts)


def _shares(body: str, texts: Iterable[str], inside: Bools) -> tuple[float, float]:
    """Return the shares (0..1) of the body's tokens in its blocks, and of their tokens in it."""
    of_body = Counter(tokens(body))
    chosen = [text for text, mask in zip(texts, inside, strict=True) if mask]
    kept = Counter(token for text in chosen for token in tokens(text))
    both = (of_body & kept).total()
    return both / max(1, of_body.total()), both / max(1, kept.total())


def _beside(page: Measures, inside: Bools, tags: Tags) -> float:
    """Return the share of kept words outside the body, without blocks of the kinds `_BESIDE`."""
    kept = (tags.labels != Label.OTHER) & ~np.isin(kinds_of(page), [int(kind) for kind in _BESIDE])
    words = float(page.words[kept | inside].sum())
    return float(page.words[kept & ~inside].sum()) / max(1.0, words)


def _span(inside: Bools) -> Bools:
    """Return a mask of the blocks from the first to the last of the body, (n,)."""
    places = np.flatnonzero(inside)
    span = np.zeros(len(inside), np.bool_)
    span[places[0] : places[-1] + 1] = True
    return span


def _completed(page: Measures, labels: Ints) -> Ints:
    """Return the labels with the main heading, headings inside the body and the lead before it."""
    kinds, span = kinds_of(page), _span(labels != Label.OTHER)
    before = np.arange(len(page)) < int(np.flatnonzero(span)[0])
    lead = (kinds == Kind.LEAD) & before & (page.words <= MAX_LEAD_WORDS)
    heading = (kinds == Kind.TITLE) | (in_heading(page) & span & (kinds == Kind.HEADING))
    labels = np.where(lead, np.int32(Label.TEXT), labels)
    return np.where(heading, np.int32(Label.HEADER), labels).astype(np.int32)


def _informative(page: Measures, inside: Bools) -> Bools:
    """Return a mask of the blocks that the body decides, (n,)."""
    kinds = [int(kind) for kind in (*_BESIDE, Kind.COMMENT)]
    untold = np.isin(kinds_of(page), kinds) | _span(inside)
    informative: Bools = inside | ~untold
    return informative
