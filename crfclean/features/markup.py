"""`Measures` -> columns of what the markup says of itself: tags, roles, words of class and id.

The idea of weighing class and id words is Readability's (Arc90, 2009) and that of the perceptron
system Texttractor (2014); here every group of words is a column of its own, and nearer elements
weigh more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from string import ascii_lowercase

import numpy as np

from crfclean.features.feature import Feature
from crfclean.lexicon.markup import MARKUP, TAGS, word_begins, word_groups
from crfclean.page.arrays import share
from crfclean.page.measures import Measures, once
from crfclean.page.tree import depths, levels, start_nodes
from crfclean.types import Bools, Floats, Ints

FAR = 31  # distances are counted up to here
MAX_NAME = 400  # characters of class and id that are read; generated names can be endless
MAX_SAID = 8  # words of an attribute that are read

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_END = "A"  # a word of its own between two names: theirs are in lower case
_LETTERS = {code: " " for code in range(128) if chr(code) not in ascii_lowercase + _END}


def name_bits(names: Sequence[str]) -> Ints:
    """Bits of the groups whose words stand in each class, id or address, shape (names,).

    What is no letter parts words, as camel case does; two words in a row may be one of a group.
    All names are read at once: most are new on every site.

    >>> np.flatnonzero(name_bits(["newsBody", "x-1", "entry_content"])).tolist()
    [0, 2]
    """
    plain = [_plain(name[:MAX_NAME]) for name in names]
    words = f" {_END} ".join(plain).translate(_LETTERS).split()
    known, begins = word_groups(), word_begins()
    bits = np.array([known.get(word, 0) for word in words], np.int64)
    for place in [place for place, word in enumerate(words[:-1]) if word in begins]:
        bits[place] |= known.get(words[place] + words[place + 1], 0)
    owner = np.cumsum([word == _END for word in words], dtype=np.int64)
    found = np.zeros(len(names), np.int64)
    told = np.flatnonzero(bits)
    np.bitwise_or.at(found, owner[told], bits[told])
    return found


def _plain(name: str) -> str:
    """A name whose words are parted by what is no letter of `a` to `z`."""
    if name.isascii() and name.islower():
        return name  # as the pattern has it, sooner
    return " ".join(_WORD.findall(name)).lower()


@once
def _names(page: Measures) -> tuple[Ints, Bools]:
    """Which of the page's names each element has, (m,); the groups of each name, (names, groups).

    A name is what stands in an element's class and id.
    """
    (by_class, classes), (by_id, ids) = page.attribute("class"), page.attribute("id")
    pairs, which = np.unique(by_class * len(ids) + by_id, return_inverse=True)
    names = [divmod(pair, len(ids)) for pair in pairs.tolist()]
    bits = name_bits([f"{classes[one]} {ids[other]}" for one, other in names])
    table = bits[:, None] >> np.arange(len(MARKUP)) & 1
    return which, table.astype(np.bool_)


_SAID = frozenset(["role", "itemprop", "itemtype", "rel"])


@cache
def _places() -> dict[str, list[int]]:
    """Tag, or attribute and word -> its places in `TAGS`."""
    found: dict[str, list[int]] = {}
    for place, words in enumerate(TAGS.values()):
        for word in words:
            found.setdefault(word, []).append(place)
    return found


def _said(key: str, value: str) -> list[int]:
    """Places in `TAGS` of the words of an attribute; of an address the last part counts."""
    words = value.lower().split(None, MAX_SAID)[:MAX_SAID]
    keys = (f"{key}={word.rpartition('/')[2]}" for word in words)
    return [place for one in keys for place in _places().get(one, ())]


@once
def _told(page: Measures) -> Bools:
    """Whether each element's tag or role is of each group, shape (m, groups)."""
    by_tag = np.zeros((len(page.tag_names), len(TAGS)), np.bool_)
    for code, tag in enumerate(page.tag_names):
        by_tag[code, _places().get(tag, ())] = True
    told = by_tag.take(page.tag_codes, 0)
    known: dict[tuple[str, str], list[int]] = {}
    silent, attributes = _SAID.isdisjoint, page.blocks.nodes.attributes
    for node in [node for node, one in enumerate(attributes) if one and not silent(one)]:
        for key in _SAID.intersection(attributes[node]):
            one = (key, attributes[node][key])
            if one not in known:
                known[one] = _said(*one)
            if known[one]:
                told[node, known[one]] = True
    return told


@once
def _nearness(page: Measures) -> Floats:
    """1 / (1 + steps up to the nearest marked element), 0 for none; shape (n, groups).

    The groups are those of `TAGS`, then those of `MARKUP`.
    """
    which, named = _names(page)
    marked = np.concatenate([_told(page), named.take(which, 0)], axis=1)
    steps = np.where(marked, np.uint8(0), np.uint8(FAR))
    for nodes, above in levels(page):
        steps[nodes] = np.minimum(steps.take(nodes, 0), steps.take(above, 0) + 1)
    np.minimum(steps, FAR, out=steps)
    values: Floats = np.append(1.0 / np.arange(1.0, FAR + 1.0), 0.0)
    return values.take(steps.take(start_nodes(page), 0))


@once
def page_marks(page: Measures) -> Floats:
    """Share of the page's elements that each group of `MARKUP` marks (0..1), shape (groups,)."""
    which, named = _names(page)
    elements = np.bincount(which, minlength=len(named))
    return share(elements @ named, float(len(which)))


@once
def body_marks(page: Measures) -> Bools:
    """Whether `html` or `body` is marked by each group: they tell the page's type; (groups,)."""
    which, named = _names(page)
    top = which[page.is_tag(["html", "body"])]
    return np.asarray(named[top].any(0), np.bool_)


def near_tag(group: str) -> Feature:
    """1 / (1 + steps up) to the nearest element of a group of `TAGS`, 0 for none (0..1)."""
    place = list(TAGS).index(group)
    return lambda page: _nearness(page)[:, place]


def near_name(group: str) -> Feature:
    """1 / (1 + steps up) to the nearest element named by a group of `MARKUP`, 0 for none (0..1)."""
    place = len(TAGS) + list(MARKUP).index(group)
    return lambda page: _nearness(page)[:, place]


def depth(page: Measures) -> Floats:
    """Elements around the block's container."""
    return depths(page)[page.blocks.node].astype(np.float64)


MARKS = (
    {group: near_tag(group) for group in TAGS}
    | {f"named_{group}": near_name(group) for group in MARKUP}
    | {"depth": depth}
)
