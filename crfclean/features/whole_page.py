"""`Measures` -> columns of the whole page, the same for all blocks: what kind of page it may be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crfclean.features.containers import best, long_share
from crfclean.features.markup import body_marks, page_marks
from crfclean.features.repetition import by_path, cards
from crfclean.features.wording import said
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.lexicon.markup import MARKUP
from crfclean.page.chars import (
    IDEOGRAPH,
    LOWER,
    UPPER,
)
from crfclean.page.head import metadata
from crfclean.page.measures import Measures
from crfclean.page.patterns import dates
from crfclean.page.tree import depths, is_long, link_words
from crfclean.types import Floats

Figure = Callable[[Measures], float]

KINDS = {
    "news": ("og:article", "article", "newsarticle", "reportagenewsarticle", "blogposting"),
    "product": ("og:product", "product", "offer", "aggregateoffer"),
    "site": ("og:website", "website", "collectionpage", "itemlist"),
    "forum": ("discussionforumposting", "qapage", "question", "answer", "comment"),
    "faq": ("faqpage",),
    "business": ("localbusiness", "service", "organization"),
    "recipe": ("recipe", "event", "jobposting", "howto"),
    "video": ("videoobject", "og:video", "og:video.other"),
}
"""Figure -> the types of OpenGraph and schema.org that say so."""


def whole(figure: Figure) -> Callable[[Measures], Floats]:
    """A figure of the page as a column."""
    return lambda page: np.full(len(page), figure(page))


def ratio(part: float, total: float) -> float:
    """Part / total, 0 where the total is 0."""
    return float(part / total) if total else 0.0


def link_share(page: Measures) -> float:
    """Share of the page's words in links (0..1)."""
    return ratio(link_words(page).sum(), page.words.sum())


def running_share(page: Measures) -> float:
    """Share of the page's words in running text (0..1)."""
    return ratio(page.words[is_long(page)].sum(), page.words.sum())


def running_blocks(page: Measures) -> float:
    """Blocks of running text."""
    return float(is_long(page).sum())


def mean_running(page: Measures) -> float:
    """Words a block of running text."""
    return ratio(page.words[is_long(page)].sum(), float(is_long(page).sum()))


def best_share(page: Measures) -> float:
    """Share of the page's running text inside the best element (0..1)."""
    return float(long_share(page)[best(page)].max(initial=0.0))  # the same for all blocks


def largest_block(page: Measures) -> float:
    """Words of the longest block."""
    return float(page.words.max(initial=0.0))


def card_share(page: Measures) -> float:
    """Share of the page's blocks inside repeated elements of two blocks or more (0..1)."""
    return float((cards(page).node[page.page.node] >= 0).mean()) if len(page) else 0.0


def largest_cards(page: Measures) -> float:
    """Largest share of the page's words in one list of repeated elements (0..1)."""
    items = cards(page)
    node = items.node[page.page.node]
    return float(np.where(node < 0, 0.0, items.words[node]).max(initial=0.0))


def card_count(page: Measures) -> float:
    """Items of the list that holds most of the page's words."""
    items = cards(page)
    node = items.node[page.page.node]
    if not len(page):
        return 0.0
    place = int(np.where(node < 0, 0.0, items.words[node]).argmax())
    return float(items.count[node[place]]) if node[place] >= 0 else 0.0


def path_variety(page: Measures) -> float:
    """Different paths a block (0..1)."""
    count = by_path(page).count
    return float((1.0 / np.maximum(1.0, count)).sum() / max(1, len(page)))


def elements(*tags: str) -> Figure:
    """Elements of the tags on the page."""
    return lambda page: float(page.is_tag(tags).sum())


def dated(page: Measures) -> float:
    """Share of the blocks with a date (0..1)."""
    return float((dates(page) > 0).mean()) if len(page) else 0.0


def mean_depth(page: Measures) -> float:
    """Mean number of elements around a block's container."""
    return float(depths(page)[page.page.node].mean()) if len(page) else 0.0


def is_kind(name: str) -> Figure:
    """Whether the page's own metadata name a type (0 or 1)."""
    types = frozenset(KINDS[name])
    return lambda page: float(not types.isdisjoint(metadata(page).types))


def script(*classes: int) -> Figure:
    """Share of the page's letters that are of the classes (0..1)."""
    return lambda page: ratio(page.by_class[:, list(classes)].sum(), page.letters.sum())


def marked(group: str) -> Figure:
    """Share of the page's elements whose class or id has a word of the group (0..1)."""
    place = list(MARKUP).index(group)
    return lambda page: float(page_marks(page)[place])


def body_says(group: str) -> Figure:
    """Whether the class or id of `body` has a word of the group (0 or 1)."""
    place = list(MARKUP).index(group)
    return lambda page: float(body_marks(page)[place])


def share_said(group: str) -> Figure:
    """Share of the page's blocks that begin with a phrase of the group (0..1)."""
    place = PHRASE_GROUPS.index(group)
    return lambda page: float(said(page)[:, place].mean()) if len(page) else 0.0


FIGURES: dict[str, Figure] = (
    {
        "links": link_share,
        "running": running_share,
        "running_blocks": running_blocks,
        "mean_running": mean_running,
        "best": best_share,
        "largest_block": largest_block,
        "cards": card_share,
        "largest_cards": largest_cards,
        "card_count": card_count,
        "paths": path_variety,
        "h1": elements("h1"),
        "h2": elements("h2", "h3"),
        "articles": elements("article"),
        "forms": elements("form"),
        "inputs": elements("input", "button"),
        "tables": elements("table"),
        "cells": elements("td"),
        "code": elements("pre", "code"),
        "images": elements("img"),
        "dated": dated,
        "depth": mean_depth,
        "ideographs": script(IDEOGRAPH),
        "cased": script(LOWER, UPPER),
    }
    | {f"is_{name}": is_kind(name) for name in KINDS}
    | {
        f"marked_{group}": marked(group)
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
        f"body_{group}": body_says(group)
        for group in ("article", "post", "product", "list", "code", "hero", "tag", "content")
    }
    | {f"said_{group}": share_said(group) for group in ("comments", "related", "ad", "share")}
)

WHOLE = {f"page_{name}": whole(figure) for name, figure in FIGURES.items()}
