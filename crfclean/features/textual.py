"""`Measures` -> columns of the wording: punctuation, what short blocks say, where links lead."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import regex

from crfclean.features.lexicon import MARKUP, PHRASES
from crfclean.features.marks import name_bits
from crfclean.measures import Measures, once, share
from crfclean.types import Bools, Floats

MAX_PHRASE_WORDS = 12  # longer blocks say more than a phrase
SAID_CHARS = 80  # of a block that are looked at for a phrase


@cache
def _phrases() -> regex.Pattern[str]:
    """All phrases, a named group each, at the begin of a text after marks."""
    parts = (f"(?P<{name}>{phrases})" for name, phrases in PHRASES.items())
    return regex.compile(r"[\W_]*(?:" + "|".join(parts) + ")")


@once
def said(page: Measures) -> Bools:
    """Whether each block is short and begins with a phrase of each group, shape (n, groups)."""
    names = {name: place for place, name in enumerate(PHRASES)}
    found = np.zeros((len(page), len(names)), np.bool_)
    match = _phrases().match
    for index in np.flatnonzero(page.words <= MAX_PHRASE_WORDS).tolist():
        hit = match(page.page.texts[index][:SAID_CHARS].lower())
        if hit is not None:
            found[index, names[str(hit.lastgroup)]] = True
    return found


def says(group: str) -> Callable[[Measures], Floats]:
    """Whether a short block begins with a phrase of the group (0 or 1)."""
    place = list(PHRASES).index(group)
    return lambda page: said(page)[:, place].astype(np.float64)


@once
def _hrefs(page: Measures) -> Floats:
    """Links of each block to a fragment, a script or mail, another site, a tag, a share; (n, 5)."""
    nodes = page.page.nodes
    found = np.zeros((len(page) + 1, 5))
    names = list(MARKUP)
    groups = [
        (3, 1 << names.index("tag") | 1 << names.index("author")),
        (4, 1 << names.index("share")),
    ]
    first = np.minimum(nodes.first_block, len(page)).tolist()
    for place in np.flatnonzero(page.is_tag(["a"])).tolist():
        href = nodes.attributes[place].get("href", "")[:200].strip()
        row = found[first[place]]
        row[0] += href.startswith("#")
        row[1] += href.lower().startswith(("javascript:", "mailto:", "tel:"))
        row[2] += "://" in href[:8] or href.startswith("//")
        bits = name_bits(href)
        for column, wanted in groups:
            row[column] += bool(bits & wanted)
    return found[:-1]


def href_share(kind: int) -> Callable[[Measures], Floats]:
    """Share of the block's links that lead so (0..1): see `_hrefs` for the kinds."""
    return lambda page: share(_hrefs(page)[:, kind], page.count_in_block(["a"]))


def per_word(chars: str) -> Callable[[Measures], Floats]:
    """Characters of a kind, a word."""
    return lambda page: share(page.marks(chars), page.words)


def ends_in(chars: str) -> Callable[[Measures], Floats]:
    """Whether the block ends in one of the characters (0 or 1)."""
    return lambda page: page.ends_with(chars).astype(np.float64)


def begins_in(chars: str) -> Callable[[Measures], Floats]:
    """Whether the block begins with one of the characters (0 or 1)."""
    return lambda page: page.begins_with(chars).astype(np.float64)


def word_length(page: Measures) -> Floats:
    """Letters a word."""
    return share(page.letters, page.words)


def commas_per_word(page: Measures) -> Floats:
    """Commas and semicolons, a word."""
    return share(page.commas, page.words)


def clauses(page: Measures) -> Floats:
    """Commas and sentence ends of the block."""
    return page.commas + page.sentence_ends


def is_whole_link(page: Measures) -> Floats:
    """Whether nearly all of the block is inside links (0 or 1)."""
    return (page.chars_in(["a"]) > 0.9 * page.chars).astype(np.float64)


def text_words(page: Measures) -> Floats:
    """Words outside links."""
    return page.words * (1.0 - share(page.chars_in(["a"]), page.chars))


WORDING = {f"says_{group}": says(group) for group in PHRASES} | {
    "href_fragment": href_share(0),
    "href_action": href_share(1),
    "href_absolute": href_share(2),
    "href_tag": href_share(3),
    "href_share": href_share(4),
    "commas_per_word": commas_per_word,
    "clauses": clauses,
    "quotes_per_word": per_word('"\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f'),
    "questions_per_word": per_word("?\uff1f\u061f"),
    "bars_per_word": per_word("|/\u00b7\u2022\u00bb\u203a>"),
    "money": per_word("$\u20ac\u00a3\u00a5\u20bd%"),
    "copyright": per_word("\u00a9\u00ae\u2122"),
    "ends_ellipsis": ends_in("\u2026\u00bb\u203a>\u2192"),
    "ends_question": ends_in("?\uff1f\u061f"),
    "begins_bracket": begins_in("([{\uff08\u3010"),
    "word_length": word_length,
    "is_whole_link": is_whole_link,
    "text_words": text_words,
}
