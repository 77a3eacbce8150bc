"""Features of tags, roles, and words of class and id around a block.

Weighing words of class and id is the idea of Readability (Arc90, 2009) and of the perceptron
system Texttractor (2014). Here every group of words is a column, and nearer elements weigh more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from string import ascii_lowercase
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.core import native
from crfclean.features.feature import rows_of
from crfclean.lexicon.markup import MARKUP, TAGS, group_bit, word_groups, word_prefixes
from crfclean.page.arrays import occurring, share
from crfclean.page.measures import Measures, once
from crfclean.page.tree import depths, in_heading, levels, start_nodes
from crfclean.types import Bools, Floats, Ints

FAR = 31  # the largest distance that is counted
MAX_NAME_CHARS = 400  # characters of class and id that are read; some generated names are endless
MAX_ATTRIBUTE_WORDS = 8  # of an attribute that are read

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_END = "A"  # a separator between names, whose own words are in lower case
_LETTERS = {code: " " for code in range(128) if chr(code) not in ascii_lowercase + _END}


def name_bits(names: Sequence[str]) -> Ints:
    """Bits of the groups whose words stand in each class, id or address, shape (names,).

    Camel case and characters other than letters separate words; two words in a row may form one
    of a group. All names are read at once, without a cache: most are new on every site.

    >>> np.flatnonzero(name_bits(["newsBody", "x-1", "entry_content"])).tolist()
    [0, 2]
    """
    if native.CORE is not None:
        bits = native.CORE.name_bits(list(names), MAX_NAME_CHARS, core_words())
        return np.frombuffer(bits, np.int64)
    plain = [_plain(name[:MAX_NAME_CHARS]) for name in names]
    words = f" {_END} ".join(plain).translate(_LETTERS).split()
    groups, begins = word_groups(), word_prefixes()
    bits = np.array([groups.get(word, 0) for word in words], np.int64)
    for index in [index for index, word in enumerate(words[:-1]) if word in begins]:
        bits[index] |= groups.get(words[index] + words[index + 1], 0)
    owner = np.cumsum([word == _END for word in words], dtype=np.int64)
    bits_by_name = np.zeros(len(names), np.int64)
    hits = np.flatnonzero(bits)
    np.bitwise_or.at(bits_by_name, owner[hits], bits[hits])
    return bits_by_name


@cache
def core_words() -> Any:
    """The words and their groups for the core."""
    return native.CORE.Words(dict(word_groups()), frozenset(word_prefixes()))


def _plain(name: str) -> str:
    """A name in lower case, with other characters than `a` to `z` between its words."""
    if name.isascii() and name.islower():
        return name  # the same, but faster
    return " ".join(_WORD.findall(name)).lower()


@once
def named_elements(page: Measures) -> tuple[Ints, Ints]:
    """The index of each element's name, (m,); the bits of the groups of each name, (names,).

    A name is the class and id of an element; an id that was made of its heading is no name.
    """
    (by_class, classes), (by_id, ids) = page.attribute("class"), _template_ids(page)
    if native.CORE is not None:
        pairs = (by_class, classes, by_id, ids)
        by_core = native.CORE.pair_bits(*pairs, MAX_NAME_CHARS, core_words())
        return np.frombuffer(by_core[0], np.int64), np.frombuffer(by_core[1], np.int64)
    which, first = occurring(by_class * len(ids) + by_id)
    numbers = zip(by_class[first].tolist(), by_id[first].tolist(), strict=True)
    return which, name_bits([f"{classes[number]} {ids[other]}" for number, other in numbers])


def _template_ids(page: Measures) -> tuple[Ints, list[str]]:
    """A number for each element's id, (m,), and the distinct ids, "" for those made of a heading.

    `<section id="comments-of-critics">` above such a heading says nothing of readers' comments.
    A single word may be both: `<div id="comments"><h3>Comments</h3>`.
    """
    numbers, ids = page.attribute("id")
    headings = np.flatnonzero(in_heading(page)).tolist()
    if not headings:
        return numbers, ids
    texts = {" ".join(page.texts[block].lower().split()) for block in headings}
    made = {text.replace(" ", mark) for text in texts if " " in text for mark in "-_ "}
    return numbers, ["" if value.lower() in made else value for value in ids] if made else ids


def _tables(bits: Ints, groups: int) -> Bools:
    """Whether each bit is set, shape (k, groups) for k values."""
    tables: Bools = (bits[:, None] >> np.arange(groups) & 1).astype(np.bool_)
    return tables


_ROLE_ATTRIBUTES = ("role", "itemprop", "itemtype", "rel")
_MAX_KEPT_CHARS = 100  # of a value whose groups are kept for the next page


@cache
def _tag_groups() -> dict[str, int]:
    """Tag, or attribute and word -> the bits of its groups in `TAGS`."""
    groups: dict[str, int] = {}
    for index, words in enumerate(TAGS.values()):
        for word in words:
            groups[word] = groups.get(word, 0) | 1 << index
    return groups


def _attribute_bits(key: str, value: str) -> int:
    """Bits of the groups in `TAGS` of an attribute's words, in an address of its last part."""
    bits = 0
    for word in value.lower().split(None, MAX_ATTRIBUTE_WORDS)[:MAX_ATTRIBUTE_WORDS]:
        bits |= _tag_groups().get(f"{key}={word.rpartition('/')[2]}", 0)
    return bits


_kept_bits = lru_cache(maxsize=4_096)(_attribute_bits)


@once
def typed_elements(page: Measures) -> Ints:
    """Bits of the groups of `TAGS` that each element's tag or role is of, shape (m,)."""
    by_tag = [_tag_groups().get(tag, 0) for tag in page.tag_names]
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


_NEARNESS: Floats = np.append(1.0 / np.arange(1.0, FAR + 1.0), 0.0)
"""Steps up to the nearest marked element -> nearness; `FAR` steps are none."""


@once
def steps_to_marks(page: Measures) -> npt.NDArray[np.uint8]:
    """Steps up from each block to the nearest marked element, `FAR` for none; (groups, n).

    The groups are those of `TAGS`, then those of `MARKUP`.
    """
    which, bits = named_elements(page)
    if native.CORE is not None and len(page):
        places = (page.blocks.nodes.parent, start_nodes(page))
        groups = (len(TAGS), len(MARKUP))
        rows = native.CORE.steps(typed_elements(page), which, bits, *places, *groups, FAR)
        return np.frombuffer(rows, np.uint8).reshape(-1, len(page))
    by_name = _tables(bits, len(MARKUP)).take(which, 0)
    marked = np.concatenate([_tables(typed_elements(page), len(TAGS)), by_name], axis=1)
    steps = np.where(marked, np.uint8(0), np.uint8(FAR))
    for nodes, above in levels(page):
        steps[nodes] = np.minimum(steps.take(nodes, 0), steps.take(above, 0) + 1)
    np.minimum(steps, FAR, out=steps)
    return np.ascontiguousarray(steps.take(start_nodes(page), 0).T)


@once
def page_marks(page: Measures) -> Floats:
    """Share of the page's elements that each group of `MARKUP` marks (0..1), shape (groups,)."""
    counts: Floats | Ints
    which, bits = named_elements(page)
    if native.CORE is not None:
        counts = np.frombuffer(native.CORE.bit_counts(which, bits, len(MARKUP)), np.float64)
    else:
        elements = np.bincount(which, minlength=len(bits))
        counts = elements @ _tables(bits, len(MARKUP))
    return share(counts, float(len(which)))


@once
def body_marks(page: Measures) -> Bools:
    """Whether each group marks `html` or `body`, which hint at the page's type; (groups,)."""
    which, bits = named_elements(page)
    top = which[page.is_tag(["html", "body"])]
    return np.asarray(_tables(bits[top], len(MARKUP)).any(0), np.bool_)


def elements_named(page: Measures, group: str) -> Bools:
    """Whether the class or id of each element has a word of a group of `MARKUP`, shape (m,)."""
    return elements_for(page, group)  # both have their bits


def elements_for(page: Measures, *groups: str) -> Bools:
    """Whether class or id of each element have a word of these groups of `KIND_MARKUP`, (m,)."""
    which, bits = named_elements(page)
    elements: Bools = (bits & _bits_of(groups) > 0).take(which)
    return elements


@cache
def _bits_of(groups: tuple[str, ...]) -> int:
    """The bits of groups of `KIND_MARKUP`."""
    return sum(map(group_bit, groups))


def elements_typed(page: Measures, *groups: str) -> Bools:
    """Whether tag, role or type of each element are of one of these groups of `TAGS`, (m,)."""
    elements: Bools = typed_elements(page) & type_bits(groups) != 0
    return elements


@cache
def type_bits(groups: tuple[str, ...]) -> int:
    """The bits of groups of `TAGS`."""
    return sum(1 << list(TAGS).index(group) for group in groups)


def near_tags(page: Measures) -> Floats:
    """1 / (1 + steps up) to the nearest element of each group of `TAGS`, 0 for none (0..1)."""
    return _NEARNESS.take(steps_to_marks(page)[: len(TAGS)])


def near_names(page: Measures) -> Floats:
    """1 / (1 + steps up) to the nearest element named by a group of `MARKUP`, 0 for none (0..1)."""
    return _NEARNESS.take(steps_to_marks(page)[len(TAGS) :])


def largest_nearness(page: Measures, names: Sequence[str]) -> Floats:
    """The largest of some features of nearness for each block (0..1), shape (n,)."""
    nearest: Floats = _NEARNESS.take(steps_to_marks(page)[rows_of_steps(tuple(names))].min(0))
    return nearest


@cache
def rows_of_steps(names: tuple[str, ...]) -> list[int]:
    """The rows of features of nearness in `steps_to_marks`."""
    return [list(MARKS).index(name) for name in names]


def depth(page: Measures) -> Floats:
    """Number of elements around the block's container."""
    return depths(page)[page.blocks.node].astype(np.float64)


_NAMES = [f"named_{group}" for group in MARKUP]
MARKS = rows_of(TAGS, near_tags) | rows_of(_NAMES, near_names) | {"depth": depth}
