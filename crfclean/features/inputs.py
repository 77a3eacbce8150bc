"""Prepare the inputs from which the compiled core fills the columns of a page.

Each input is an array of blocks, elements, runs, tags, names or links, or a small table. The core
checks their sizes, and that all indices are in bounds (`native/columns.h`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.core.native import CORE
from crfclean.features import wording
from crfclean.features.markup import named_elements, steps_to_marks
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.lexicon.markup import MARKUP
from crfclean.page import measures, tree
from crfclean.page.arrays import bits_by_member
from crfclean.page.chars import BULLETS, QUESTIONS, TERMINATORS, char_bits
from crfclean.page.elements import SPLIT
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures

_Array = npt.NDArray[Any]

# Sets of tags

_TAGS: tuple[Sequence[str], ...] = (
    # of containers
    *(["p"], tree.DIVS, ["li", "dd", "dt"], tree.CELLS, ["h1"], ["h2"], tree.HEADINGS),
    ["blockquote", "pre"],
    # of elements that a block stands inside: lists, tables, forms, headings
    *(["ul", "ol", "dl"], ["table"], ["form", "fieldset", "button"], tree.HEADINGS),
    # of bold, italic, underlined and linked text
    *(["b", "strong", "th", *tree.HEADINGS], ["i", "em", "cite"], ["u", "ins"], ["a"]),
    *(["img", "svg"], tree.DIVS, tree.CELLS, tree.HEADINGS),
    *([heading] for heading in tree.HEADINGS),
    *(["h2", "h3"], ["html", "body"]),
    # counted on the whole page
    *(["h1"], ["h2", "h3"], ["article"], ["form"], ["input", "button"], ["table"], ["td"]),
    *(["pre", "code"], ["img"]),
)
"""Sets of tags, in the order of `tag_sets` in `native/columns.h`."""

_BITS_OF_TAG = bits_by_member(_TAGS)


_SPLIT_BITS = np.array(
    [SPLIT[name] for name in ("p", "br", "hr", "heading", "list", "cell", "block")], np.int32
)
"""Bits of the boundaries that may stand before a block, in the order of their columns."""

# Sets of characters

_OPENERS = "\"“„«'‘「"
_COLONS = ":："
_BRACKETS = "([{\uff08\u3010"
_ELLIPSES = "\u2026"
_ARROWS = "\u00bb\u203a>\u2192"

_ENDS = (_OPENERS, TERMINATORS, _COLONS, BULLETS, QUESTIONS, _BRACKETS, _ELLIPSES, _ARROWS)
"""Sets of characters that blocks begin or end with."""


# What the head declares, and groups of words

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

_TYPES = tuple(map(frozenset, SCHEMA_TYPES.values()))
_MARKED = np.array(
    [
        list(MARKUP).index(group)
        for group in (
            *("comment", "post", "product", "list", "hero", "code", "faq", "user", "article"),
            *("article", "post", "product", "list", "code", "hero", "tag", "content"),  # of `body`
        )
    ],
    np.int32,
)
"""Groups of names whose elements are counted, then groups that `html` or `body` may have."""

_SAID = np.array(
    [
        PHRASE_GROUPS.index(group)
        for group in (
            *("comments", "related", "ad", "share"),
            *("related", "comments", "byline", "legal"),  # blocks are counted since the last one
        )
    ],
    np.int32,
)
"""Groups of phrases with columns of the whole page, then groups with a column of distances."""


def _head(page: Measures) -> _Array:
    """Return whether the head has an article's text, and whether it names each type of page."""
    head = head_metadata(page)
    types, has_body = head.types, any(len(body) >= 500 for body in head.bodies)
    named = [bool(types) and not types.isdisjoint(names) for names in _TYPES]
    return np.array([has_body, *named], np.float64)


# All inputs


def _counted(name: str) -> Callable[[Measures], bytes]:
    return lambda page: page.core_counts.made[name]


_COUNTS = (
    *("words", "sizes", "by_class", "token_kinds", "capitalised", "sentence_ends"),
    *("first_codes", "first_classes", "last_codes", "end_codes", "before_codes"),
    *("run_chars", "marks"),
)

INPUTS: Mapping[str, Callable[[Measures], Any]] = {
    **{name: _counted(name) for name in _COUNTS},
    "text_numbers": attrgetter("text_numbers"),
    "log_words": lambda page: np.log1p(page.words),
    "urls": measures.urls,
    "dates": measures.dates,
    "times": measures.times,
    "title_likeness": wording.title_likeness,
    "description_cover": lambda page: wording.cover(page, head_metadata(page).descriptions),
    "body_cover": lambda page: wording.cover(page, head_metadata(page).bodies),
    "phrases": wording.opening_phrases,
    "link_blocks": lambda page: wording.link_targets(page)[0],
    "link_kinds": wording.href_bits,
    "steps": steps_to_marks,
    "node": attrgetter("node"),
    "split": attrgetter("split"),
    "parent": attrgetter("nodes.parent"),
    "first_block": attrgetter("nodes.first_block"),
    "end_block": attrgetter("nodes.end_block"),
    "tag": attrgetter("tag_codes"),
    "classes": lambda page: page.attribute("class")[0],
    "name": lambda page: named_elements(page)[0],
    "run_node": attrgetter("runs.node"),
    "run_block": attrgetter("runs.block"),
    "tag_sets": lambda page: np.array([_BITS_OF_TAG.get(t, 0) for t in page.tag_names], np.uint64),
    "name_bits": lambda page: named_elements(page)[1],
    "char_sets": lambda _page: char_bits(_ENDS),
    "split_bits": lambda _page: _SPLIT_BITS,
    "head": _head,
    "marked": lambda _page: _MARKED,
    "said": lambda _page: _SAID,
}
"""Name of an input of the core -> its value for a page, an array or its bytes."""


_IN_ORDER = tuple(INPUTS[name] for name in CORE.COLUMN_INPUTS)


def inputs_of(page: Measures) -> tuple[Any, ...]:
    """Return the inputs of a page with blocks, in the order of the core."""
    return tuple([read(page) for read in _IN_ORDER])
