"""`Measures` -> columns of the wording: punctuation, what short blocks say, where links lead."""

from __future__ import annotations

from functools import cache

import numpy as np
import regex

from crfclean.features.feature import Feature
from crfclean.features.markup import name_bits
from crfclean.lexicon import lexicon
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.lexicon.markup import group_bit
from crfclean.page.arrays import numbered, share
from crfclean.page.chars import char_table
from crfclean.page.measures import Measures, once
from crfclean.page.tree import linked
from crfclean.types import Bools, Floats

HREF_CHARS = 200  # of an address that are looked at
MAX_PHRASE_WORDS = 12  # longer blocks say more than a phrase
ARROWS = "\u00bb\u203a>\u2192"
SAID_CHARS = 80  # of a block that are looked at for a phrase


_MARKS = regex.compile(r"[\W_]*+")
Phrase = tuple[str, "regex.Pattern[str] | None", str]


@cache
def _phrases() -> dict[str, list[Phrase]]:
    """First two characters -> phrases: what is literal, the whole if that is a pattern, group."""
    found: dict[str, list[Phrase]] = {}
    for group, phrases in lexicon().block_phrases.items():
        for phrase in phrases.split("|"):
            literal, escape, _ = phrase.partition("\\")
            pattern = regex.compile(phrase) if escape else None
            found.setdefault(literal[:2], []).append((literal, pattern, group))
    return found


def _said_by(text: str) -> str:
    """The group whose phrase a text in lower case begins with, marks aside; "" for none."""
    rest = text if text[0].isalpha() else _MARKS.sub("", text, count=1)
    for literal, pattern, group in _phrases().get(rest[:2], ()):
        if rest.startswith(literal) and (pattern is None or pattern.match(rest)):
            return group
    marks = text[: len(text) - len(rest)]
    return "legal" if "©" in marks else ""  # the one phrase that is a mark


@once
def opening_phrases(page: Measures) -> Bools:
    """The group whose phrase each block begins with, if it is short, shape (n, groups).

    It is the first in the order of `PHRASE_GROUPS` if several fit.
    """
    names = {name: place for place, name in enumerate(PHRASE_GROUPS)}
    found = np.zeros((len(page), len(names)), np.bool_)
    for index in np.flatnonzero(page.words <= MAX_PHRASE_WORDS).tolist():
        group = _said_by(page.blocks.texts[index][:SAID_CHARS].lower())
        if group:
            found[index, names[group]] = True
    return found


def says(group: str) -> Feature:
    """Whether a short block begins with a phrase of the group (0 or 1)."""
    place = PHRASE_GROUPS.index(group)
    return lambda page: opening_phrases(page)[:, place].astype(np.float64)


_TAGGED = group_bit("tag") | group_bit("author")
_SHARING = group_bit("share")
_ACTIONS = ("javascript:", "mailto:", "tel:")


HREFS = ("fragment", "action", "absolute", "tag", "share")
"""Where links lead: inside the page, to a script or mail or telephone, with scheme or host,
to pages of tags or authors, to sharing (by the words of the address)."""


def _leads(hrefs: list[str]) -> Bools:
    """Which of `HREFS` each address is, shape (kinds, addresses)."""
    which, distinct = numbered(hrefs)
    told = [
        (
            href.startswith("#"),
            href.lower().startswith(_ACTIONS),
            "://" in href[:8] or href.startswith("//"),
        )
        for href in map(str.strip, distinct)
    ]
    named = name_bits(distinct)
    table = np.array(told, np.bool_).reshape(-1, 3).T
    return np.vstack([table, named & _TAGGED > 0, named & _SHARING > 0])[:, which]


@once
def _hrefs(page: Measures) -> Floats:
    """Links of each block that lead to each of `HREFS`, shape (kinds, n)."""
    nodes = page.blocks.nodes
    links = np.flatnonzero(page.is_tag(["a"]) & (nodes.first_block < len(page)))
    hrefs = [nodes.attributes[link].get("href", "")[:HREF_CHARS] for link in links.tolist()]
    told = _leads(hrefs)
    block = nodes.first_block[links]
    return np.array([page.count(block[one]) for one in told])


def href_share(kind: str) -> Feature:
    """Share of the links that begin in the block that lead so (0..1); see `HREFS`."""
    place = HREFS.index(kind)
    return lambda page: share(_hrefs(page)[place], page.count_in_block(["a"]))


def per_word(chars: str) -> Feature:
    """Characters of a kind, a word; 0 for a block without words."""
    return lambda page: share(page.marks(chars), page.words)


def ends_in(chars: str) -> Feature:
    """Whether the block ends in one of the characters (0 or 1)."""
    return lambda page: page.ends_with(chars).astype(np.float64)


def leads_on(page: Measures) -> Floats:
    """Whether the block ends in an ellipsis or an arrow, as links to more do (0 or 1)."""
    end = page.starts + page.sizes - 2
    last, before = page.codes[end], page.codes[end - 1]
    dots = (last == ord(".")) & (before == ord("."))
    found: Bools = page.ends_with("\u2026") | char_table(ARROWS)[last] | dots
    return found.astype(np.float64)


def begins_in(chars: str) -> Feature:
    """Whether the block begins with one of the characters (0 or 1)."""
    return lambda page: page.begins_with(chars).astype(np.float64)


def word_length(page: Measures) -> Floats:
    """Letters a word; 0 for a block without words."""
    return share(page.letters, page.words)


def commas_per_word(page: Measures) -> Floats:
    """Commas and semicolons, a word; 0 for a block without words."""
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


WORDING = {f"says_{group}": says(group) for group in PHRASE_GROUPS}
WORDING |= {f"href_{kind}": href_share(kind) for kind in HREFS}
WORDING |= {
    "commas_per_word": commas_per_word,
    "clauses": clauses,
    "quotes_per_word": per_word('"\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f'),
    "questions_per_word": per_word("?\uff1f\u061f"),
    "bars_per_word": per_word("|/\u00b7\u2022\u00bb\u203a>"),
    "money": per_word("$\u20ac\u00a3\u00a5\u20bd%"),
    "copyright": per_word("\u00a9\u00ae\u2122"),
    "ends_ellipsis": leads_on,
    "ends_question": ends_in("?\uff1f\u061f"),
    "begins_bracket": begins_in("([{\uff08\u3010"),
    "word_length": word_length,
    "is_whole_link": is_whole_link,
    "text_words": text_words,
}
