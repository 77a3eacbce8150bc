"""Features of wording: punctuation, phrases that short blocks begin with, targets of links."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from crfclean.core import native
from crfclean.features.beginnings import beginnings
from crfclean.features.feature import Feature, flag, rows_of
from crfclean.features.markup import MAX_NAME_CHARS, core_words, name_bits
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.lexicon.markup import NETWORK_HOSTS, group_bit
from crfclean.page.arrays import numbered, share
from crfclean.page.chars import char_table
from crfclean.page.measures import Measures, once, once_a_group
from crfclean.page.tree import linked
from crfclean.types import Bools, Floats, Ints

HREF_CHARS = 200  # of an address that are read
QUOTES = '"\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f'
QUESTIONS = "?\uff1f\u061f"
BARS = "|/\u00b7\u2022\u00bb\u203a>"
MONEY = "$\u20ac\u00a3\u00a5\u20bd%"
COPYRIGHT = "\u00a9\u00ae\u2122"
BRACKETS = "([{\uff08\u3010"
ELLIPSES = "\u2026"
ARROWS = "\u00bb\u203a>\u2192"


def opening_groups(page: Measures) -> Ints:
    """The place in `PHRASE_GROUPS` of the phrase that each short block begins with, -1 for none.

    If several fit, it is the first one in the order of `PHRASE_GROUPS`. Shape (n,).
    """
    return beginnings(page).groups


_EVERY_GROUP = np.arange(len(PHRASE_GROUPS), dtype=np.int32)


@once
def opening_phrases(page: Measures) -> Bools:
    """Whether each short block begins with a phrase of each group, shape (n, groups)."""
    phrases: Bools = opening_groups(page)[:, None] == _EVERY_GROUP
    return phrases


def opens_with(page: Measures) -> Bools:
    """Whether a short block begins with a phrase of each group (0 or 1), shape (groups, n)."""
    return opening_phrases(page).T


_TAGGED = group_bit("tag") | group_bit("author")
_SHARING = group_bit("share")
_ACTIONS = ("javascript:", "mailto:", "tel:")


HREFS = ("fragment", "action", "absolute", "tag", "share")
"""Kinds of links: inside the page; to a script, mail or telephone; with scheme or host; to pages of
tags or authors; to sharing (the last two by the words of the address)."""


def _href_kinds(hrefs: list[str]) -> Bools:
    """Whether each address is of each kind of `HREFS`, shape (kinds, addresses)."""
    which, distinct = numbered(hrefs)
    prefixes = [
        (
            href.startswith("#"),
            href.lower().startswith(_ACTIONS),
            "://" in href[:8] or href.startswith("//"),
        )
        for href in map(str.strip, distinct)
    ]
    named = name_bits(distinct)
    table = np.array(prefixes, np.bool_).reshape(-1, 3).T
    return np.vstack([table, named & _TAGGED > 0, named & _SHARING > 0])[:, which]


@once
def link_targets(page: Measures) -> tuple[Ints, list[str]]:
    """The block that each link begins in, and its address, of which `HREF_CHARS` are read."""
    nodes = page.blocks.nodes
    if "a" not in page.tag_names:
        return np.zeros(0, nodes.first_block.dtype), []
    if native.CORE is not None:
        places = (page.tag_codes, page.tag_names.index("a"), nodes.first_block, len(page))
        rows, hrefs = native.CORE.links(nodes.attributes, *places, "href", HREF_CHARS)
        return np.frombuffer(rows, np.int32), hrefs
    links = np.flatnonzero(page.is_tag(["a"]) & (nodes.first_block < len(page)))
    attributes = nodes.attributes
    hrefs = [attributes[link].get("href", "")[:HREF_CHARS] for link in links.tolist()]
    return nodes.first_block[links], hrefs


MAX_HOME_CHARS = 100  # of an address of a site's first page


@once
def href_bits(page: Measures) -> bytes:
    """The kinds of each of the `link_targets` as bits, by the core.

    They are those of `HREFS`; whether it is on a network's host (`networks`), or a site's first
    page (`main_heading`), and whether that cannot be said, since an address was cut off.
    """
    bits: bytes = native.CORE.href_bits(link_targets(page)[1], *_href_params())
    return bits


@cache
def _href_params() -> tuple[Any, ...]:
    """Words, beginnings and bounds of addresses, for the core."""
    hosts = native.CORE.Words(dict.fromkeys(NETWORK_HOSTS, 0), frozenset())
    bounds = (MAX_NAME_CHARS, MAX_HOME_CHARS, HREF_CHARS)
    return core_words(), hosts, _ACTIONS, (_TAGGED, _SHARING), bounds


@once_a_group
def href_counts(page: Measures) -> Floats:
    """Links of each kind of `HREFS` that begin in each block, shape (kinds, n)."""
    block, hrefs = link_targets(page)
    masks = _href_kinds(hrefs)
    return np.array([page.count(block[mask]) for mask in masks])


@once_a_group
def href_shares(page: Measures) -> Floats:
    """Shares (0..1) of the links that begin in the block by kind of `HREFS`, shape (kinds, n)."""
    return share(href_counts(page), page.count_in_block(["a"]))


def per_word(chars: str) -> Feature:
    """Characters of a set per word; 0 for a block without words."""
    return lambda page: share(page.marks(chars), page.words)


def ends_in(chars: str) -> Feature:
    """Whether the block ends in one of the characters (0 or 1)."""
    return lambda page: page.ends_with(chars).astype(np.float64)


def ends_ellipsis(page: Measures) -> Floats:
    """Whether the block ends in an ellipsis or an arrow, as "Read more »" does (0 or 1)."""
    last, before = page.end_codes, page.before_codes
    dots = (last == ord(".")) & (before == ord("."))
    return flag(page.ends_with(ELLIPSES) | char_table(ARROWS)[last] | dots)


def begins_in(chars: str) -> Feature:
    """Whether the block begins with one of the characters (0 or 1)."""
    return lambda page: page.begins_with(chars).astype(np.float64)


def word_length(page: Measures) -> Floats:
    """Letters per word; 0 for a block without words."""
    return share(page.letters, page.words)


def commas_per_word(page: Measures) -> Floats:
    """Commas and semicolons per word; 0 for a block without words."""
    return share(page.commas, page.words)


def clauses(page: Measures) -> Floats:
    """Commas and sentence ends of the block."""
    return page.commas + page.sentence_ends


def is_whole_link(page: Measures) -> Floats:
    """Whether nearly all of the block is inside links (0 or 1)."""
    return (page.chars_in(["a"]) > 0.9 * page.chars).astype(np.float64)


def text_words(page: Measures) -> Floats:
    """Words outside links."""
    return page.words * (1.0 - linked(page))


WORDING = rows_of((f"says_{group}" for group in PHRASE_GROUPS), opens_with)
WORDING |= rows_of((f"href_{kind}" for kind in HREFS), href_shares)
WORDING |= {
    "commas_per_word": commas_per_word,
    "clauses": clauses,
    "quotes_per_word": per_word(QUOTES),
    "questions_per_word": per_word(QUESTIONS),
    "bars_per_word": per_word(BARS),
    "money": per_word(MONEY),
    "copyright": per_word(COPYRIGHT),
    "ends_ellipsis": ends_ellipsis,
    "ends_question": ends_in(QUESTIONS),
    "begins_bracket": begins_in(BRACKETS),
    "word_length": word_length,
    "is_whole_link": is_whole_link,
    "text_words": text_words,
}
