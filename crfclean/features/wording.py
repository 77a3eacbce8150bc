"""Features of wording: punctuation, phrases that short blocks begin with, targets of links."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import regex

from crfclean.core import native
from crfclean.features.feature import Feature, flag, rows_of
from crfclean.features.markup import MAX_NAME_CHARS, core_words, name_bits
from crfclean.lexicon import lexicon
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.lexicon.markup import group_bit
from crfclean.page.arrays import numbered, share
from crfclean.page.chars import char_table
from crfclean.page.measures import Measures, once, once_a_group
from crfclean.page.tree import linked
from crfclean.types import Bools, Floats, Ints

HREF_CHARS = 200  # of an address that are read
MAX_PHRASE_WORDS = 12  # a longer block is more than a phrase
QUOTES = '"\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f'
QUESTIONS = "?\uff1f\u061f"
BARS = "|/\u00b7\u2022\u00bb\u203a>"
MONEY = "$\u20ac\u00a3\u00a5\u20bd%"
COPYRIGHT = "\u00a9\u00ae\u2122"
BRACKETS = "([{\uff08\u3010"
ELLIPSES = "\u2026"
ARROWS = "\u00bb\u203a>\u2192"
MAX_PHRASE_CHARS = 80  # of a block that are searched for a phrase


_NO_PHRASE = -1  # to the core; -2 where Python must see

_MARKS = regex.compile(r"[\W_]*+")
_Phrase = tuple[str, "regex.Pattern[str] | None", str]


@cache
def _phrases() -> dict[str, list[_Phrase]]:
    """First two characters -> phrases: literal part, pattern of the whole if it is one, group."""
    by_start: dict[str, list[_Phrase]] = {}
    for group, phrases in lexicon().block_phrases.items():
        for phrase in phrases.split("|"):
            literal, escape, _ = phrase.partition("\\")
            pattern = regex.compile(phrase) if escape else None
            by_start.setdefault(literal[:2], []).append((literal, pattern, group))
    return by_start


def _opening_group(text: str) -> str:
    """The group of the phrase that a lower-case text begins with after marks, "" for none."""
    unmarked = text if text[0].isalpha() else _MARKS.sub("", text, count=1)
    for literal, pattern, group in _phrases().get(unmarked[:2], ()):
        if unmarked.startswith(literal) and (pattern is None or pattern.match(unmarked)):
            return group
    marks = text[: len(text) - len(unmarked)]
    return "legal" if "©" in marks else ""  # the only phrase that is a mark


@cache
def _core_phrases() -> tuple[Any, list[tuple[bool, str]]]:
    """The phrases for the core, with whether each is a pattern and its group.

    A single character is no phrase to it, since one begins a text that is not longer alone.
    """
    phrases = [phrase for phrases in _phrases().values() for phrase in phrases]
    pairs = [(phrase[0], place) for place, phrase in enumerate(phrases) if len(phrase[0]) > 1]
    return native.CORE.Phrases(pairs), [(bool(pattern), group) for _, pattern, group in phrases]


def _opening_groups(texts: list[str]) -> dict[int, str]:
    """The place of each text in lower case that begins with a phrase -> its group."""
    if native.CORE is None:
        groups = map(_opening_group, texts)
        return {place: group for place, group in enumerate(groups) if group}
    table, phrases = _core_phrases()
    numbers = np.frombuffer(table.first(texts), np.int32)
    by_place = {}
    for place in np.flatnonzero(numbers != _NO_PHRASE).tolist():
        is_pattern, group = phrases[numbers[place]] if numbers[place] >= 0 else (True, "")
        by_place[place] = _opening_group(texts[place]) if is_pattern else group
    return {place: group for place, group in by_place.items() if group}


@once
def lowered_heads(page: Measures) -> list[str]:
    """The first `MAX_PHRASE_CHARS` of each block, in lower case; a text that is so is no copy."""
    lowered = [text[:MAX_PHRASE_CHARS].lower() for text in page.texts]
    return [text if text == low else low for text, low in zip(page.texts, lowered, strict=True)]


_PLACES = {name: column for column, name in enumerate(PHRASE_GROUPS)}


@once
def opening_groups(page: Measures) -> Ints:
    """The place in `PHRASE_GROUPS` of the phrase that each short block begins with, -1 for none.

    If several fit, it is the first one in the order of `PHRASE_GROUPS`. Shape (n,).
    """
    groups = np.full(len(page), -1, np.int32)
    short, heads = np.flatnonzero(page.words <= MAX_PHRASE_WORDS).tolist(), lowered_heads(page)
    for place, group in _opening_groups([heads[index] for index in short]).items():
        groups[short[place]] = _PLACES[group]
    return groups


@once
def opening_phrases(page: Measures) -> Bools:
    """Whether each short block begins with a phrase of each group, shape (n, groups)."""
    phrases: Bools = opening_groups(page)[:, None] == np.arange(len(_PLACES))
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
    links = np.flatnonzero(page.is_tag(["a"]) & (nodes.first_block < len(page)))
    attributes = nodes.attributes
    hrefs = [attributes[link].get("href", "")[:HREF_CHARS] for link in links.tolist()]
    return nodes.first_block[links], hrefs


def href_bits(page: Measures) -> bytes:
    """The kinds of `HREFS` of each of the `link_targets` as bits, by the core."""
    tests = (core_words(), _TAGGED, _SHARING, _ACTIONS)
    bits: bytes = native.CORE.href_bits(link_targets(page)[1], MAX_NAME_CHARS, *tests)
    return bits


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
