"""The features of Victor: markup, content and document features of a block.

They are those of Victor (Marek, Pecina, Spousta: "Web Page Cleaning with Conditional
Random Fields", CLEANEVAL 2007; Spousta, Marek, Pecina: "Victor: the Web-Page Cleaning Tool",
WAC-4, LREC 2008) in its three groups, markup, content and document, without the
language-dependent ones. A column has shape (n,) for n blocks; values are counts, shares in
0..1, or 0 and 1. The tagger's window adds the values of neighbours.
"""

from __future__ import annotations

import numpy as np

from crfclean.features.feature import Feature, flag, rows_of
from crfclean.page.arrays import share
from crfclean.page.chars import (
    BULLETS,
    DIGIT,
    LOWER,
    OTHER,
    PUNCT,
    TERMINATORS,
    UPPER,
)
from crfclean.page.elements import SPLIT
from crfclean.page.measures import Measures, once_a_group
from crfclean.page.patterns import dates, times, urls
from crfclean.page.tree import HEADINGS, div_groups, have_tags, inside_each, td_groups
from crfclean.types import Bools, Floats, Ints

CONTAINER_TAGS = {
    "p": ["p"],
    "div": ["div", "section", "article", "main"],
    "li": ["li", "dd", "dt"],
    "td": ["td", "th"],
    "h1": ["h1"],
    "h2": ["h2"],
    "heading": HEADINGS,
    "quote": ["blockquote", "pre"],
}
INSIDE_TAGS = {
    "list": ["ul", "ol", "dl"],
    "table": ["table"],
    "form": ["form", "fieldset", "button"],
    "heading": HEADINGS,
}
TEXT_TAGS = {
    "bold_share": ["b", "strong", "th", *HEADINGS],
    "italic_share": ["i", "em", "cite"],
    "underlined_share": ["u", "ins"],
    "link_density": ["a"],
}
_SPLITS = ("p", "br", "hr", "heading", "list", "cell", "block")
SPLIT_BITS = np.array([[SPLIT[name]] for name in _SPLITS], np.int32)


def container_is(page: Measures) -> Bools:
    """Whether the block's container is one of the elements of `CONTAINER_TAGS` (0 or 1), (8, n)."""
    return have_tags(page, CONTAINER_TAGS.values())[:, page.blocks.node]


def container_in(page: Measures) -> Bools:
    """Whether the block stands inside one of the elements of `INSIDE_TAGS`, (0 or 1), (4, n)."""
    return inside_each(page, INSIDE_TAGS.values())[:, page.blocks.node] > 0


@once_a_group
def text_in(page: Measures) -> Floats:
    """Share of the block's characters that stand inside the elements of `TEXT_TAGS` (0..1), (4, n).

    Any ancestor of a text counts.
    """
    runs = page.blocks.runs
    weights = page.run_chars * (inside_each(page, TEXT_TAGS.values())[:, runs.node] > 0)
    first = np.searchsorted(runs.block, np.arange(len(page)))
    return share(np.add.reduceat(weights, first, axis=1), page.chars)


def split_by(page: Measures) -> Bools:
    """Whether an element of each of `_SPLITS` stands before the block (0 or 1), (7, n)."""
    split: Bools = (page.blocks.split & SPLIT_BITS) > 0
    return split


OPENERS = "\"“„«'‘「"
COLONS = ":："
_CLASSES = {"upper_share": UPPER, "digit_share": DIGIT, "punct_share": PUNCT, "other_share": OTHER}


def char_shares(page: Measures) -> Floats:
    """Shares of the block's characters that are of each of `_CLASSES` (0..1), (4, n)."""
    return share(page.by_class.T[list(_CLASSES.values())], page.chars)


_TOKENS = ("alpha", "numeric", "mixed", "other")


def token_counts(page: Measures) -> Ints:
    """Tokens of each kind, (4, n)."""
    return page.token_kinds.T


def token_shares(page: Measures) -> Floats:
    """Shares of the block's tokens that are of each kind (0..1), (4, n)."""
    return share(page.token_kinds.T, page.token_kinds.sum(1))


def images(page: Measures) -> Floats:
    """Pictures in the block or between it and the one before."""
    return page.count_in_block(["img", "svg"])


def links(page: Measures) -> Floats:
    """Links that begin in the block."""
    return page.count_in_block(["a"])


def links_per_word(page: Measures) -> Floats:
    """Links per word."""
    return share(links(page), page.words)


def letter_share(page: Measures) -> Floats:
    """Share of the block's characters that are letters (0..1)."""
    return share(page.letters, page.chars)


def white_share(page: Measures) -> Floats:
    """White space per character: low where tokens are long."""
    return share(page.sizes - page.chars, page.sizes.astype(np.float64))


def char_count(page: Measures) -> Floats:
    """Characters of the block other than white space."""
    return page.chars


def word_count(page: Measures) -> Floats:
    """Words of the block (ideographic text: half a word a character)."""
    return page.words


def capitalised_share(page: Measures) -> Floats:
    """Share of the block's tokens that begin with an upper-case letter (0..1)."""
    return share(page.capitalised, page.token_kinds.sum(1))


def sentence_count(page: Measures) -> Floats:
    """Ends of sentences in the block."""
    return page.sentence_ends


def sentence_length(page: Measures) -> Floats:
    """Words per sentence; a block without an end of sentence is one sentence."""
    return share(page.words, np.maximum(1.0, page.sentence_ends))


def begins_sentence(page: Measures) -> Floats:
    """Whether the first character may begin a sentence: not lower-case, not a mark (0 or 1)."""
    first = page.first_classes
    inner = (first == LOWER) | (first == PUNCT) | (first == OTHER)
    return flag(~inner | page.begins_with(OPENERS))


def ends_sentence(page: Measures) -> Floats:
    """Whether the block ends with a terminator, closing punctuation aside (0 or 1)."""
    return flag(page.ends_with(TERMINATORS))


def ends_with_colon(page: Measures) -> Floats:
    """Whether the block ends with a colon (0 or 1)."""
    return flag(page.ends_with(COLONS))


def is_repeat(page: Measures) -> Floats:
    """Whether an earlier block has the same text (0 or 1); Victor's `first-duplicate`."""
    return flag(np.diff(np.maximum.accumulate(page.text_numbers), prepend=-1) == 0)


def duplicate_count(page: Measures) -> Floats:
    """Other blocks of the page with the same text."""
    return (np.bincount(page.text_numbers)[page.text_numbers] - 1).astype(np.float64)


def has_url(page: Measures) -> Floats:
    """Whether a URL or an e-mail address is written out in the block (0 or 1)."""
    return flag(urls(page) > 0)


def has_date(page: Measures) -> Floats:
    """Whether a date is written out in the block (0 or 1)."""
    return flag(dates(page) > 0)


def has_time(page: Measures) -> Floats:
    """Whether a time of day is written out in the block (0 or 1)."""
    return flag(times(page) > 0)


def has_bullet(page: Measures) -> Floats:
    """Whether the block begins with a bullet (0 or 1)."""
    return flag(page.begins_with(BULLETS))


def position(page: Measures) -> Floats:
    """Relative position of the block in the page, by number of blocks (0..1)."""
    return np.arange(len(page)) / max(1, len(page) - 1)


def word_position(page: Measures) -> Floats:
    """Share of the page's words that stand before the block (0..1)."""
    return share(np.cumsum(page.words) - page.words, page.all_words)


def page_total(measure: str) -> Feature:
    """Sum of a measure over the page, the same for all its blocks."""
    return lambda page: np.full(len(page), getattr(page, measure).sum())


def page_blocks(page: Measures) -> Floats:
    """Blocks of the page."""
    return np.full(len(page), float(len(page)))


def page_share(page: Measures) -> Floats:
    """The block's share of the page's words (0..1)."""
    return share(page.words, page.all_words)


def group_share(page: Measures, group: Ints) -> Floats:
    """Share of the page's words in the blocks of each block's group (0..1), 0 for none (-1)."""
    sums: Floats = np.bincount(group + 1, page.words, minlength=1).astype(np.float64)
    sums[0] = 0.0
    return share(sums[group + 1], page.all_words)


@once_a_group
def div_group(page: Measures) -> Floats:
    """Share of the page's words in the blocks with the same nearest `div` (0..1)."""
    return group_share(page, div_groups(page))


@once_a_group
def td_group(page: Measures) -> Floats:
    """Share of the page's words in the blocks with the same nearest `td` (0..1)."""
    return group_share(page, td_groups(page))


def largest(feature: Feature) -> Feature:
    """The largest value of a feature on the page, the same for all its blocks (0..1)."""
    return lambda page: np.full(len(page), feature(page).max(initial=0.0))


def div_group_rank(page: Measures) -> Floats:
    """The block's `div_group` as a share of the page's largest (0..1)."""
    return share(div_group(page), div_group(page).max(initial=0.0))


VICTOR: dict[str, Feature] = {
    # markup
    **rows_of((f"container_{name}" for name in CONTAINER_TAGS), container_is),
    **rows_of((f"in_{name}" for name in INSIDE_TAGS), container_in),
    **rows_of(TEXT_TAGS, text_in),
    "links": links,
    "links_per_word": links_per_word,
    "images": images,
    **rows_of((f"split_{name}" for name in _SPLITS), split_by),
    # content
    "letter_share": letter_share,
    **rows_of(_CLASSES, char_shares),
    "white_share": white_share,
    **rows_of((f"{name}_tokens" for name in _TOKENS), token_counts),
    **rows_of((f"{name}_token_share" for name in _TOKENS), token_shares),
    "capitalised_share": capitalised_share,
    "chars": char_count,
    "words": word_count,
    "sentences": sentence_count,
    "sentence_length": sentence_length,
    "begins_sentence": begins_sentence,
    "ends_sentence": ends_sentence,
    "ends_with_colon": ends_with_colon,
    "is_repeat": is_repeat,
    "duplicates": duplicate_count,
    "has_url": has_url,
    "has_date": has_date,
    "has_time": has_time,
    "has_bullet": has_bullet,
    # document
    "position": position,
    "word_position": word_position,
    "page_words": page_total("words"),
    "page_sentences": page_total("sentence_ends"),
    "page_blocks": page_blocks,
    "page_share": page_share,
    "div_group": div_group,
    "td_group": td_group,
    "largest_div_group": largest(div_group),
    "largest_td_group": largest(td_group),
    "div_group_rank": div_group_rank,
}
