"""Add to the table of a page what the words of its markup and of its blocks say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crfclean.core.table import CHAR_SETS, COLUMNS, FAR, Table
from crfclean.features import wording
from crfclean.features.markup import (
    author_elements,
    named_elements,
    rows_of_steps,
    typed_elements,
)
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.lexicon.markup import MARKUP, TAGS
from crfclean.page import measures
from crfclean.page.chars import BULLETS, QUESTIONS, TERMINATORS, char_bits
from crfclean.page.elements import SPLIT
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures, once
from crfclean.types import Floats, Ints

# Markup, and the first words of blocks


def markup_arrays(page: Measures) -> dict[str, Any]:
    """Return the arrays of names, types, links, first phrases and likeness to titles."""
    likeness, said = wording.likeness_to_titles(page), wording.beginnings(page)
    which, bits = named_elements(page)
    return {
        "name": which,
        "name_bits": bits,
        "typed": typed_elements(page),
        "is_author": author_elements(page),
        "phrase": said.groups,
        "phrase_kind": said.kinds,
        "networks": said.networks,
        "title_likeness": likeness.plain,
        "title_weighted": likeness.weighted,
        "title_single": likeness.single,
        "link_block": wording.link_targets(page)[0],
        "link_bits": wording.href_bits(page),
    }


@once
def with_markup(page: Measures) -> Table:
    """Return the table of a page with its `markup_arrays`, and the steps up to marked elements."""
    page.table.add_markup(len(TAGS), len(MARKUP), len(PHRASE_GROUPS), **markup_arrays(page))
    return page.table


_NEARNESS: Floats = np.append(1.0 / np.arange(1.0, FAR + 1.0), 0.0)
"""Steps up to the nearest marked element -> nearness (0..1); 0 for `FAR` steps."""


def largest_nearness(page: Measures, names: Sequence[str]) -> Floats:
    """The largest of some features of nearness for each block (0..1), shape (n,)."""
    steps = with_markup(page).steps[rows_of_steps(tuple(names))]
    nearest: Floats = _NEARNESS.take(steps.min(0))
    return nearest


# Texts

_ENDS = {
    "OPENERS": "\"“„«'‘「",
    "TERMINATORS": TERMINATORS,
    "COLONS": ":：",
    "BULLETS": BULLETS,
    "QUESTIONS": QUESTIONS,
    "BRACKETS": "([{\uff08\u3010",
    "ELLIPSES": "\u2026",
    "ARROWS": "\u00bb\u203a>\u2192",
}
"""Name of a set of characters that blocks begin or end with -> its characters."""

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


def _named(prefix: str, *others: str) -> list[str]:
    """What the columns with a prefix are named after, in their order, without some `others`."""
    names = (name.removeprefix(prefix) for name in COLUMNS if name.startswith(prefix))
    return [name for name in names if name not in others]


def _places(groups: Sequence[str], *named: list[str]) -> Ints:
    """The places of the groups that columns are named after."""
    return np.array([groups.index(name) for names in named for name in names], np.int32)


_END_SETS = tuple(_ENDS[name] for name in CHAR_SETS)
_TYPES = [frozenset(SCHEMA_TYPES[name]) for name in _named("page_is_")]
_SPLIT_BITS = np.array([SPLIT[name] for name in _named("split_")], np.int32)
_NAMES = _places(list(MARKUP), _named("page_marked_"), _named("page_body_"))
_PHRASES = _places(PHRASE_GROUPS, _named("page_said_"), _named("since_", "long", "heading"))


def _declared(page: Measures) -> Floats:
    """Return whether the head has an article's text, and whether it names each type of page."""
    head = head_metadata(page)
    types, has_body = head.types, any(len(body) >= 500 for body in head.bodies)
    named = [bool(types) and not types.isdisjoint(names) for names in _TYPES]
    return np.array([has_body, *named], np.float64)


def text_arrays(page: Measures) -> dict[str, Any]:
    """Return the other arrays that columns are computed from."""
    head = head_metadata(page)
    return {
        "log_words": np.log1p(page.words),
        "text_numbers": page.text_numbers,
        "urls": measures.urls(page),
        "dates": measures.dates(page),
        "times": measures.times(page),
        "description_cover": wording.cover(page, head.descriptions),
        "body_cover": wording.cover(page, head.bodies),
        "char_sets": char_bits(_END_SETS),
        "split_bits": _SPLIT_BITS,
        "declared": _declared(page),
        "name_groups": _NAMES,
        "phrase_groups": _PHRASES,
    }


@once
def with_texts(page: Measures) -> Table:
    """Return the table of a page with all that its columns are computed from."""
    with_markup(page).add_texts(**text_arrays(page))
    return page.table
