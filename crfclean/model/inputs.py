"""Add what words say to the table of a page, and compute the features of Texttractor from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from crfclean.core.table import CHAR_SETS, COLUMNS, FAR, Table
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.lexicon.markup import MARKUP, TAGS
from crfclean.model import markup as wording
from crfclean.model.markup import (
    author_elements,
    named_elements,
    rows_of_steps,
    typed_elements,
)
from crfclean.page import measures
from crfclean.page.chars import (
    BULLETS,
    DIGIT,
    IDEOGRAPH,
    LOWER,
    QUESTIONS,
    SPACE,
    TERMINATORS,
    UPPER,
    char_bits,
    share,
)
from crfclean.page.elements import SPLIT
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures, once
from crfclean.types import Bools, Floats, Ints

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
        "link_block": page.nodes.first_block[wording.links(page)],
        "link_bits": wording.href_bits(page),
    }


GROUPS = {
    "typed_groups": len(TAGS),
    "named_groups": len(MARKUP),
    "all_phrases": len(PHRASE_GROUPS),
}
"""The numbers of groups that the arrays of markup stand for."""


@once
def with_markup(page: Measures) -> Table:
    """Return the table of a page with its `markup_arrays`, and the steps up to marked elements."""
    page.table.add_markup(**GROUPS, **markup_arrays(page))
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


# the 26 features of the perceptron system Texttractor, with those of neighbouring blocks
#
# They follow section 4.12 of the paper (2014), in its order. Every value is in 0..1: a count or
# mean (`_rel`) is divided by the largest on the page; a density is at most 1, and 1 if the
# divisor is 0. They do not belong to `FEATURES`, which the CRF sees.

_Array = TypeVar("_Array", Floats, npt.NDArray[np.float32])

Feature: TypeAlias = Callable[[Measures], Floats]
"""Measures of a page -> one value for each of its n blocks, shape (n,)."""

_GOOD_INLINE = (
    *("abbr", "acronym", "b", "bdo", "cite", "code", "dfn", "em", "i", "kbd", "mark", "q"),
    *("samp", "strong", "sub", "sup", "var"),
)
"""Inline elements of running text: the paper names `cite` and `code`, "and others"."""

_GOOD_NAMES = ("named_article", "named_content", "named_body", "named_main", "named_post")
"""Names in a class or id that suggest main text."""

_ITEMS = ("li", "dt", "dd")
_BELOW_BODY = 1.5  # elements around a child of `body` are 2; the half is for rounding
_TINY = 1e-9
NEIGHBOUR_STEPS = (-1, 0, 1)
"""Offsets of the blocks whose columns are a block's inputs, in order."""


def flag(mask: Bools) -> Floats:
    """A mask as numbers, 0 or 1, of the same shape."""
    return mask.astype(np.float64)


def _rel(values: Floats) -> Floats:
    """Divide values by the largest one on the page; 0 if all are 0."""
    return share(values, np.full(values.shape, values.max(initial=0.0)))


def _density(part: Floats | Ints, total: Floats) -> Floats:
    """Part / total, at most 1; 1 where the total is 0."""
    density: Floats = np.minimum(np.where(total > 0, share(part, total), 1.0), 1.0)
    return density


@once
def _token_sizes(page: Measures) -> Floats:
    """Count the letters and digits, the upper-case and the lower-case letters; (tokens, 3)."""
    classes, starts = page.classes, page.token_starts
    if not len(starts):
        return np.zeros((0, 3))
    solid = (classes <= DIGIT) | (classes == IDEOGRAPH)
    masks = (solid, classes == UPPER, classes == LOWER)
    return np.array([np.add.reduceat(mask, starts, dtype=np.int64) for mask in masks], float).T


def _words_that(page: Measures, mask: Bools) -> Floats:
    """Count the tokens of a mask (tokens,) in each block."""
    return page.count(page.token_owner[mask])


@once
def _all_caps(page: Measures) -> Floats:
    """Tokens of two upper-case letters or more, and no lower-case one."""
    sizes = _token_sizes(page)
    return _words_that(page, (sizes[:, 1] >= 2) & (sizes[:, 2] == 0))


@once
def _word_tokens(page: Measures) -> Floats:
    """Tokens with a letter or digit."""
    return _words_that(page, _token_sizes(page)[:, 0] > 0)


@once
def _word_length(page: Measures) -> Floats:
    """Mean letters and digits of a block's words, 0 without words."""
    solid = np.bincount(page.token_owner, _token_sizes(page)[:, 0], len(page))
    return share(solid, _word_tokens(page))


@once
def _sentences(page: Measures) -> Floats:
    """Sentences of a block; words without an end of a sentence count as one."""
    return np.maximum(page.sentence_ends, flag(page.words > 0))


def letters_rel(page: Measures) -> Floats:
    """Letters."""
    return _rel(page.letters)


def words_rel(page: Measures) -> Floats:
    """Words (ideographic text: half a word a character)."""
    return _rel(page.words)


def capitals_rel(page: Measures) -> Floats:
    """Words that begin with an upper-case letter."""
    return _rel(page.capitalised)


def all_caps_rel(page: Measures) -> Floats:
    """Words of two or more letters, all upper-case."""
    return _rel(_all_caps(page))


def sentences_rel(page: Measures) -> Floats:
    """Sentences."""
    return _rel(_sentences(page))


def digit_density(page: Measures) -> Floats:
    """Digits per character other than white space."""
    return _density(page.by_class[:, DIGIT], page.chars)


def space_density(page: Measures) -> Floats:
    """White space per character of the block's text."""
    total = (page.sizes - 1).astype(np.float64)
    return _density(page.by_class[:, SPACE] - 1, total)  # the line break is not the block's


def links_rel(page: Measures) -> Floats:
    """Links that begin in the block."""
    return _rel(page.count_in_block("a"))


def bars_rel(page: Measures) -> Floats:
    """Vertical bars."""
    return _rel(page.having("|"))


def images_rel(page: Measures) -> Floats:
    """Pictures in the block or between it and the one before."""
    return _rel(page.count_in_block("img"))


def good_inline_rel(page: Measures) -> Floats:
    """Inline elements that running text has."""
    return _rel(page.count_in_block(*_GOOD_INLINE))


def has_copyright(page: Measures) -> Floats:
    """Return whether the block has a copyright sign (0 or 1)."""
    return flag(page.having("©") > 0)


def has_angle(page: Measures) -> Floats:
    """Return whether the block has an angle bracket (0 or 1)."""
    return flag(page.having("<>") > 0)


def word_length_rel(page: Measures) -> Floats:
    """Mean length of the block's words."""
    return _rel(_word_length(page))


def sentence_length_rel(page: Measures) -> Floats:
    """Mean words of the block's sentences."""
    return _rel(share(page.words, _sentences(page)))


def image_density(page: Measures) -> Floats:
    """Pictures per word."""
    return _density(page.count_in_block("img"), page.words)


def bar_density(page: Measures) -> Floats:
    """Vertical bars per character other than white space."""
    return _density(page.having("|"), page.chars)


def link_word_density(page: Measures) -> Floats:
    """Links per word."""
    return _density(page.count_in_block("a"), page.words)


def all_caps_density(page: Measures) -> Floats:
    """Share of the block's words that are all upper-case."""
    return _density(_all_caps(page), _word_tokens(page))


def long_word_density(page: Measures) -> Floats:
    """Share of the block's words that are longer than their mean."""
    size = _token_sizes(page)[:, 0]
    return _density(
        _words_that(page, size > _word_length(page)[page.token_owner]), _word_tokens(page)
    )


def short_word_density(page: Measures) -> Floats:
    """Share of the block's words that are shorter than their mean."""
    size = _token_sizes(page)[:, 0]
    short = (size > 0) & (size < _word_length(page)[page.token_owner])
    return _density(_words_that(page, short), _word_tokens(page))


def good_parent(page: Measures) -> Floats:
    """Return whether an element around the block has a class or id that suggests text (0 or 1).

    The class and id of `html` and `body` do not count: they name the type of the page.
    """
    near = largest_nearness(page, _GOOD_NAMES)
    steps = np.where(near > 0, 1.0 / np.maximum(near, _TINY) - 1.0, np.inf)
    inside_body: Bools = page.table.depth[page.table.start] - steps >= _BELOW_BODY
    return flag(inside_body)


def is_heading(page: Measures) -> Floats:
    """Return whether the block is in a heading (0 or 1)."""
    return flag(page.table.in_heading)


def is_paragraph(page: Measures) -> Floats:
    """Return whether the block's element is `p` (0 or 1)."""
    return flag(page.is_tag("p")[page.node])


def is_item(page: Measures) -> Floats:
    """Return whether the block's element is a list item (0 or 1)."""
    return flag(page.is_tag(*_ITEMS)[page.node])


def place(page: Measures) -> Floats:
    """Blocks before the block, over those of the page."""
    return np.arange(len(page)) / len(page)


TEXTTRACTOR: dict[str, Feature] = {
    feature.__name__: feature
    for feature in (
        *(letters_rel, words_rel, capitals_rel, all_caps_rel, sentences_rel, digit_density),
        *(space_density, links_rel, bars_rel, images_rel, good_inline_rel, has_copyright),
        *(has_angle, word_length_rel, sentence_length_rel, image_density, bar_density),
        *(link_word_density, all_caps_density, long_word_density, short_word_density),
        *(good_parent, is_heading, is_paragraph, is_item, place),
    )
}
"""Name -> column, in the paper's order."""


def with_neighbours(columns: _Array, steps: tuple[int, ...] = NEIGHBOUR_STEPS) -> _Array:
    """Put the columns (n, k) of the blocks at each offset side by side, (n, k * steps).

    They are 0 where the page has no block at the offset.
    """
    count, width = columns.shape
    wide = np.zeros((count, width * len(steps)), columns.dtype)
    for number, step in enumerate(steps):
        low, high = max(0, -step), min(count, count - step)
        if low < high:
            wide[low:high, number * width : (number + 1) * width] = columns[
                low + step : high + step
            ]
    return wide


def input_names(
    names: tuple[str, ...], steps: tuple[int, ...] = NEIGHBOUR_STEPS
) -> tuple[str, ...]:
    """Return the names of `with_neighbours`' columns: `place[+1]` is the next block's place."""
    return tuple(f"{name}[{step:+d}]" if step else name for step in steps for name in names)
