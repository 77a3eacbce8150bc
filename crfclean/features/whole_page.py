"""Features of the whole page, the same for all blocks, that hint at its type."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crfclean.features.containers import best_element, long_share
from crfclean.features.feature import rows_of
from crfclean.features.markup import body_marks, page_marks
from crfclean.features.repetition import cards, path_keys
from crfclean.features.wording import opening_phrases
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.lexicon.markup import MARKUP
from crfclean.page.chars import (
    IDEOGRAPH,
    LOWER,
    UPPER,
)
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures, once
from crfclean.page.patterns import dates
from crfclean.page.tree import depths, is_long, link_words
from crfclean.types import Floats

PageFigure = Callable[[Measures], float]
"""Measures -> one value for the page."""

SCHEMA_TYPES = {
    "news": ("og:article", "article", "newsarticle", "reportagenewsarticle", "blogposting"),
    "product": ("og:product", "product", "offer", "aggregateoffer"),
    "site": ("og:website", "website", "collectionpage", "itemlist"),
    "forum": ("discussionforumposting", "qapage", "question", "answer", "comment"),
    "faq": ("faqpage",),
    "business": ("localbusiness", "service", "organization"),
    "recipe": ("recipe", "event", "jobposting", "howto"),
    "video": ("videoobject", "og:video", "og:video.other"),
}
"""Type of page -> the types of OpenGraph and schema.org that name it."""


COUNTED_TAGS = {
    "h1": ("h1",),
    "h2": ("h2", "h3"),
    "articles": ("article",),
    "forms": ("form",),
    "inputs": ("input", "button"),
    "tables": ("table",),
    "cells": ("td",),
    "code": ("pre", "code"),
    "images": ("img",),
}
"""Name of a figure -> tags of the elements that it counts."""


@once
def page_figures(page: Measures) -> Floats:
    """The `PAGE_FIGURES` of the page, shape (figures,)."""
    return np.array([figure(page) for figure in PAGE_FIGURES.values()])


def page_columns(page: Measures) -> Floats:
    """The same for each of the n blocks, (figures, n)."""
    return np.broadcast_to(page_figures(page)[:, None], (len(PAGE_FIGURES), len(page)))


def ratio(part: float, total: float) -> float:
    """Part / total, 0 where the total is 0."""
    return float(part / total) if total else 0.0


def page_link_share(page: Measures) -> float:
    """Share of the page's words in links (0..1)."""
    return ratio(link_words(page).sum(), page.all_words)


def page_running_share(page: Measures) -> float:
    """Share of the page's words in running text (0..1)."""
    return ratio(page.words[is_long(page)].sum(), page.all_words)


def running_blocks(page: Measures) -> float:
    """Blocks of running text."""
    return float(is_long(page).sum())


def mean_running(page: Measures) -> float:
    """Mean words of the blocks of running text."""
    return ratio(page.words[is_long(page)].sum(), float(is_long(page).sum()))


def best_share(page: Measures) -> float:
    """Share of the page's running text inside the best element (0..1)."""
    return float(long_share(page)[best_element(page)].max(initial=0.0))  # the same for all blocks


def largest_block(page: Measures) -> float:
    """Words of the longest block."""
    return float(page.words.max(initial=0.0))


def card_share(page: Measures) -> float:
    """Share of the page's blocks inside repeated elements of two blocks or more (0..1)."""
    return float((cards(page).node[page.blocks.node] >= 0).mean()) if len(page) else 0.0


def largest_cards(page: Measures) -> float:
    """Largest share of the page's words in one list of repeated elements (0..1)."""
    items = cards(page)
    node = items.node[page.blocks.node]
    words = items.words[items.family[node]]
    return float(np.where(node < 0, 0.0, words).max(initial=0.0))


def card_count(page: Measures) -> float:
    """Items of the list that holds most of the page's words."""
    items = cards(page)
    node = items.node[page.blocks.node]
    if not len(page):
        return 0.0
    family = items.family[node]
    index = int(np.where(node < 0, 0.0, items.words[family]).argmax())
    return float(items.count[family[index]]) if node[index] >= 0 else 0.0


def path_variety(page: Measures) -> float:
    """Distinct paths per block (0..1)."""
    keys = path_keys(page)
    count = np.bincount(keys)[keys]
    return float((1.0 / np.maximum(1.0, count)).sum() / max(1, len(page)))


def element_count(name: str) -> PageFigure:
    """Number of elements of some of `COUNTED_TAGS` on the page."""
    return lambda page: float(sum(_tag_counts(page).get(tag, 0) for tag in COUNTED_TAGS[name]))


@once
def _tag_counts(page: Measures) -> dict[str, int]:
    """How many elements of each tag the page has."""
    return dict(zip(page.tag_names, np.bincount(page.tag_codes).tolist(), strict=True))


def dated_share(page: Measures) -> float:
    """Share of the blocks with a date (0..1)."""
    return float((dates(page) > 0).mean()) if len(page) else 0.0


def mean_depth(page: Measures) -> float:
    """Mean number of elements around a block's container."""
    return float(depths(page)[page.blocks.node].mean()) if len(page) else 0.0


def is_type(name: str) -> PageFigure:
    """Whether the metadata that the page declares name a type (0 or 1)."""
    types = frozenset(SCHEMA_TYPES[name])
    return lambda page: float(not types.isdisjoint(head_metadata(page).types))


def script_share(*classes: int) -> PageFigure:
    """Share of the page's letters that are of the classes (0..1)."""
    return lambda page: ratio(page.by_class[:, list(classes)].sum(), page.letters.sum())


def marked_share(group: str) -> PageFigure:
    """Share of the page's elements whose class or id has a word of the group (0..1)."""
    index = list(MARKUP).index(group)
    return lambda page: float(page_marks(page)[index])


def body_marked(group: str) -> PageFigure:
    """Whether the class or id of `body` has a word of the group (0 or 1)."""
    index = list(MARKUP).index(group)
    return lambda page: float(body_marks(page)[index])


def phrase_share(group: str) -> PageFigure:
    """Share of the page's blocks that begin with a phrase of the group (0..1)."""
    column = PHRASE_GROUPS.index(group)
    return lambda page: ratio(float(np.count_nonzero(opening_phrases(page)[:, column])), len(page))


PAGE_FIGURES: dict[str, PageFigure] = (
    {
        "links": page_link_share,
        "running": page_running_share,
        "running_blocks": running_blocks,
        "mean_running": mean_running,
        "best": best_share,
        "largest_block": largest_block,
        "cards": card_share,
        "largest_cards": largest_cards,
        "card_count": card_count,
        "paths": path_variety,
        **{name: element_count(name) for name in COUNTED_TAGS},
        "dated": dated_share,
        "depth": mean_depth,
        "ideographs": script_share(IDEOGRAPH),
        "cased": script_share(LOWER, UPPER),
    }
    | {f"is_{name}": is_type(name) for name in SCHEMA_TYPES}
    | {
        f"marked_{group}": marked_share(group)
        for group in (
            "comment",
            "post",
            "product",
            "list",
            "hero",
            "code",
            "faq",
            "user",
            "article",
        )
    }
    | {
        f"body_{group}": body_marked(group)
        for group in ("article", "post", "product", "list", "code", "hero", "tag", "content")
    }
    | {f"said_{group}": phrase_share(group) for group in ("comments", "related", "ad", "share")}
)

WHOLE = rows_of((f"page_{name}" for name in PAGE_FIGURES), page_columns)
