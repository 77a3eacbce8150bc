"""Read tags, roles, and words of class and id."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import numpy as np

from crfclean.core.native import CORE
from crfclean.lexicon.markup import MARKUP, TAGS, group_bit, word_groups, word_prefixes
from crfclean.page.arrays import bits_by_member
from crfclean.page.measures import Measures, once
from crfclean.page.tree import HEADINGS
from crfclean.types import Bools, Ints

MAX_NAME_CHARS = 400  # characters of class and id that are read; some generated names are endless
MAX_ATTRIBUTE_WORDS = 8  # of an attribute that are read


@cache
def core_words() -> Any:
    """Return the words and their groups as a table of the core."""
    return CORE.Words(dict(word_groups()), frozenset(word_prefixes()))


@once
def named_elements(page: Measures) -> tuple[Ints, Ints]:
    """Return the index of each element's name, (m,), and the group bits of each name, (names,).

    A name is the class and id of an element, without an id that was made from a heading's text.
    """
    (by_class, classes), (by_id, ids) = page.attribute("class"), _template_ids(page)
    by_core = CORE.pair_bits(by_class, classes, by_id, ids, MAX_NAME_CHARS, core_words())
    return np.frombuffer(by_core[0], np.int64), np.frombuffer(by_core[1], np.int64)


_HEADINGS = frozenset(HEADINGS)


def _template_ids(page: Measures) -> tuple[Ints, list[str]]:
    """Return a number for each element's id, (m,), and the distinct ids, "" if made from a heading.

    `<section id="comments-of-critics">` around a heading of these words has no readers' comments.
    Ids of a single word count all the same: `<div id="comments"><h3>Comments</h3>`.
    """
    numbers, ids = page.attribute("id")
    if ids == [""] or _HEADINGS.isdisjoint(page.tag_names):
        return numbers, ids
    headings = np.flatnonzero(page.table.in_heading).tolist()
    texts = {" ".join(page.plain_texts[block].lower().split()) for block in headings}
    made = {text.replace(" ", mark) for text in texts if " " in text for mark in "-_ "}
    return numbers, ["" if value.lower() in made else value for value in ids] if made else ids


_ROLE_ATTRIBUTES = ("role", "itemprop", "itemtype", "rel")
_MAX_KEPT_CHARS = 100  # of a value whose groups are cached for the next page


_TAG_GROUPS = bits_by_member(TAGS.values())
"""Tag, or attribute and word -> the bits of its groups in `TAGS`."""


def _attribute_bits(key: str, value: str) -> int:
    """Return bits of the groups in `TAGS` of an attribute's words; of an address, the last part."""
    bits = 0
    for word in value.lower().split(None, MAX_ATTRIBUTE_WORDS)[:MAX_ATTRIBUTE_WORDS]:
        bits |= _TAG_GROUPS.get(f"{key}={word.rpartition('/')[2]}", 0)
    return bits


_kept_bits = lru_cache(maxsize=4_096)(_attribute_bits)


@once
def typed_elements(page: Measures) -> Ints:
    """Return bits of the groups of `TAGS` that each element's tag or role belongs to, (m,)."""
    by_tag = [_TAG_GROUPS.get(tag, 0) for tag in page.tag_names]
    bits: Ints = np.array(by_tag, np.int64).take(page.tag_codes)
    for key in _ROLE_ATTRIBUTES:
        numbers, values = page.attribute(key)
        by_value = [
            (_kept_bits if len(value) <= _MAX_KEPT_CHARS else _attribute_bits)(key, value)
            for value in values
        ]
        if any(by_value):
            bits |= np.array(by_value, np.int64).take(numbers)
    return bits


MARK_NAMES = (*TAGS, *(f"named_{group}" for group in MARKUP))
"""Names of the features of nearness: to elements of a tag or role, and of a class or id."""

SIGNED = ("named_author", "named_date", "in_time", "in_author")
CAPTIONED = ("in_caption", "named_caption")


@cache
def rows_of_steps(names: tuple[str, ...]) -> list[int]:
    """The rows of features of nearness in the table's `steps`."""
    return [MARK_NAMES.index(name) for name in names]


def elements_for(page: Measures, *groups: str) -> Bools:
    """Mark each element whose class or id has a word of these groups of `KIND_MARKUP`, (m,)."""
    which, bits = named_elements(page)
    elements: Bools = (bits & _bits_of(groups) > 0).take(which)
    return elements


@cache
def _bits_of(groups: tuple[str, ...]) -> int:
    return sum(map(group_bit, groups))


def elements_typed(page: Measures, *groups: str) -> Bools:
    """Mark each element whose tag, role or type is in one of these groups of `TAGS`, (m,)."""
    elements: Bools = typed_elements(page) & type_bits(groups) != 0
    return elements


@cache
def type_bits(groups: tuple[str, ...]) -> int:
    """The bits of groups of `TAGS`."""
    return sum(1 << list(TAGS).index(group) for group in groups)


@once
def author_elements(page: Measures) -> Bools:
    """Mark the elements whose `itemprop` or `rel` names an author; shape (m,)."""
    authors = np.zeros(len(page.nodes), np.bool_)
    for name in ("itemprop", "rel"):
        numbers, values = page.attribute(name)
        named = ["author" in value.lower().split() for value in values]
        if any(named):
            authors |= np.array(named)[numbers]
    return authors
