"""Fill columns of the table by the compiled core: all that it knows, in one call.

The features in Python are its specification: what is changed there is changed in `native/`, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.core import native
from crfclean.features import headline, repetition, victor, whole_page, wording
from crfclean.features.context import SINCE_PHRASES
from crfclean.features.markup import MARKS, named_elements, steps_to_marks
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.lexicon.markup import MARKUP
from crfclean.page import patterns, tree
from crfclean.page.chars import BULLETS, COMMAS, TERMINATORS, char_table
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures
from crfclean.page.memo import key_of

_Array = npt.NDArray[Any]

_WORD_COLUMNS = (
    *(name for name in MARKS if name != "depth"),
    *(f"{what}_{group}" for what in ("says", "heading_says") for group in PHRASE_GROUPS),
)
"""Columns of tables of words, which the core fills after those that it names itself."""

_MARKS = (
    *(COMMAS, wording.QUOTES, wording.QUESTIONS, wording.BARS),
    *(wording.MONEY, wording.COPYRIGHT),
)
"""Sets of characters that are counted in each block."""

_ENDS = (
    *(victor.OPENERS, TERMINATORS, victor.COLONS, BULLETS, wording.QUESTIONS),
    *(wording.BRACKETS, wording.ELLIPSES, wording.ARROWS),
)
"""Sets of characters that blocks begin or end with."""

_TYPES = tuple(map(frozenset, whole_page.SCHEMA_TYPES.values()))

_TAGS: tuple[Sequence[str], ...] = (
    *victor.CONTAINER_TAGS.values(),
    *victor.INSIDE_TAGS.values(),
    *victor.TEXT_TAGS.values(),
    *(("img", "svg"), tree.DIVS, tree.CELLS, tree.HEADINGS),
    *((heading,) for heading in tree.HEADINGS),
    *(("h2", "h3"), ("html", "body")),
    *whole_page.COUNTED_TAGS.values(),
)
"""Sets of tags, in the order of `tag_sets` in `native/columns.h`."""


def column_names() -> tuple[str, ...]:
    """The columns that the core fills, none without it."""
    return () if native.CORE is None else _names_of(native.CORE)


@cache
def _names_of(core: Any) -> tuple[str, ...]:
    """The columns that a core fills."""
    return (*core.COLUMNS, *_WORD_COLUMNS)


def fill(page: Measures, places: _Array, rows: _Array) -> None:
    """Fill rows (features, n) of a page with blocks; `places` are those of `column_names`, or -1.

    What the core derives on the way is kept for other features.
    """
    counts = page.core_counts
    inputs = tuple(
        counts[name] if name in counts else _INPUTS[name](page)
        for name in native.CORE.COLUMN_INPUTS
    )
    arrays = native.CORE.columns(inputs, places, rows, rows.itemsize)
    for name, array in zip(native.CORE.SHARED_ARRAYS, arrays, strict=True):
        function, dtype = _SHARED[name]
        page.memo[function] = np.frombuffer(array, dtype)
    page.memo[key_of(tree.containers)] = page.memo[key_of(tree.containers)].reshape(4, -1)
    page.memo[key_of(headline.headline)] = int(page.memo[key_of(headline.headline)][0])


_SHARED: Mapping[str, tuple[Callable[..., Any], npt.DTypeLike]] = {
    "linked": (key_of(tree.linked), np.float64),
    "link_words": (key_of(tree.link_words), np.float64),
    "is_long": (key_of(tree.is_long), np.bool_),
    "running": (key_of(tree.running_words), np.float64),
    "in_heading": (key_of(tree.in_heading), np.bool_),
    "inside": (key_of(tree.sizes), np.int32),
    "wider": (key_of(tree.wider), np.int32),
    "containers": (key_of(tree.containers), np.int32),
    "path_keys": (key_of(repetition.path_keys), np.int64),
    "parent_keys": (key_of(repetition.parent_keys), np.int64),
    "card_keys": (key_of(repetition.card_keys), np.int64),
    "headline": (key_of(headline.headline), np.int64),
    "page_figures": (key_of(whole_page.page_figures), np.float64),
}
"""Name of what the core gives back -> the function that it is the value of, and its type."""


@cache
def _sets_by_tag() -> dict[str, int]:
    """Tag -> bits of the sets of `_TAGS` that it is in."""
    bits: dict[str, int] = {}
    for number, tags in enumerate(_TAGS):
        for tag in tags:
            bits[tag] = bits.get(tag, 0) | 1 << number
    return bits


@cache
def _char_bits(sets: tuple[str, ...]) -> bytes:
    """Bits of up to eight sets of characters that each of the basic plane is in."""
    tables = [char_table(chars) * np.uint8(1 << number) for number, chars in enumerate(sets)]
    return bytes(np.bitwise_or.reduce(tables).astype(np.uint8))


def _groups_of(prefix: str, groups: tuple[str, ...]) -> _Array:
    """The places in `groups` of the core's columns with a prefix, in their order."""
    names = [name.removeprefix(prefix) for name in native.CORE.COLUMNS if name.startswith(prefix)]
    return np.array([groups.index(name) for name in names], np.int32)


def _tag_sets(page: Measures) -> _Array:
    sets = _sets_by_tag()
    return np.array([sets.get(tag, 0) for tag in page.tag_names], np.uint64)


def _head(page: Measures) -> _Array:
    """Whether the head has the text of an article, and whether it names each type of page."""
    types = head_metadata(page).types
    named = [bool(types) and not types.isdisjoint(names) for names in _TYPES]
    return np.array([headline.carries_body(page), *named], np.float64)


@cache
def _marked_groups() -> _Array:
    prefixes = ("page_marked_", "page_body_")
    return np.concatenate([_groups_of(prefix, tuple(MARKUP)) for prefix in prefixes])


@cache
def _said_groups() -> _Array:
    since = np.array([PHRASE_GROUPS.index(group) for group in SINCE_PHRASES], np.int32)
    return np.concatenate([_groups_of("page_said_", tuple(PHRASE_GROUPS)), since])


def _of_page(name: str) -> Callable[[Measures], Any]:
    return lambda page: getattr(page, name)


_COUNTS = (
    *("words", "sizes", "by_class", "token_kinds", "capitalised", "sentence_ends"),
    *("first_codes", "first_classes", "last_codes", "end_codes", "before_codes"),
    *("text_numbers", "run_chars"),
)

_INPUTS: Mapping[str, Callable[[Measures], Any]] = {
    **{name: _of_page(name) for name in _COUNTS},
    "log_words": lambda page: np.log1p(page.words),
    "marks": lambda page: native.CORE.tallies(page.texts, _char_bits(_MARKS), len(_MARKS)),
    "urls": patterns.urls,
    "dates": patterns.dates,
    "times": patterns.times,
    "title_likeness": headline.title_likeness,
    "description_cover": headline.description_cover,
    "body_cover": headline.body_cover,
    "phrases": wording.opening_phrases,
    "link_blocks": lambda page: wording.link_targets(page)[0],
    "link_kinds": wording.href_bits,
    "steps": steps_to_marks,
    "node": lambda page: page.blocks.node,
    "split": lambda page: page.blocks.split,
    "parent": lambda page: page.blocks.nodes.parent,
    "first_block": lambda page: page.blocks.nodes.first_block,
    "end_block": lambda page: page.blocks.nodes.end_block,
    "tag": lambda page: page.tag_codes,
    "classes": lambda page: page.attribute("class")[0],
    "name": lambda page: named_elements(page)[0],
    "run_node": lambda page: page.blocks.runs.node,
    "run_block": lambda page: page.blocks.runs.block,
    "tag_sets": _tag_sets,
    "name_bits": lambda page: named_elements(page)[1],
    "char_sets": lambda _page: _char_bits(_ENDS),
    "split_bits": lambda _page: victor.SPLIT_BITS,
    "head": _head,
    "marked": lambda _page: _marked_groups(),
    "said": lambda _page: _said_groups(),
}
"""Name of an input of the core -> its value for a page, an array or its bytes."""
