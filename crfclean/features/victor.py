"""The features of Victor: markup, content and document features of a block.

They are those of Victor (Marek, Pecina, Spousta: "Web Page Cleaning with Conditional
Random Fields", CLEANEVAL 2007; Spousta, Marek, Pecina: "Victor: the Web-Page Cleaning Tool",
WAC-4, LREC 2008) in its three groups, markup, content and document, without the
language-dependent ones. A column has shape (n,) for n blocks; values are counts, shares in
0..1, or 0 and 1. The tagger's window adds the values of neighbours.
"""

from __future__ import annotations

import numpy as np

from crfclean.features.feature import Feature, flag
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
from crfclean.page.measures import Measures
from crfclean.page.patterns import dates, times, urls
from crfclean.page.tree import HEADINGS, div_groups, td_groups
from crfclean.types import Floats, Ints


def container_is(*tags: str) -> Feature:
    """Whether the block's container is one of the elements (0 or 1)."""
    return lambda page: flag(page.is_tag(tags)[page.blocks.node])


def container_in(*tags: str) -> Feature:
    """Whether the block stands inside one of the elements, at any height (0 or 1)."""
    return lambda page: flag(page.inside(tags)[page.blocks.node] > 0)


def text_in(*tags: str) -> Feature:
    """Share of the block's characters that stand inside the elements (0..1)."""
    return lambda page: share(page.chars_in(tags), page.chars)


def split_by(name: str) -> Feature:
    """Whether an element of this class separates the block from the one before (0 or 1)."""
    return lambda page: flag((page.blocks.split & SPLIT[name]) > 0)


def char_share(*classes: int) -> Feature:
    """Share of the block's characters that are of these classes (0..1)."""
    return lambda page: share(page.by_class[:, list(classes)].sum(1), page.chars)


def token_count(kind: int) -> Feature:
    """Tokens of a kind: 0 alphabetic, 1 numeric, 2 mixed, 3 other."""
    return lambda page: page.token_kinds[:, kind].astype(np.float64)


def token_share(kind: int) -> Feature:
    """Share of the block's tokens that are of a kind (0..1)."""
    return lambda page: share(page.token_kinds[:, kind], page.token_kinds.sum(1))


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
    first = page.classes[page.starts]
    inner = (first == LOWER) | (first == PUNCT) | (first == OTHER)
    return flag(~inner | page.begins_with("\"“„«'‘「"))


def ends_sentence(page: Measures) -> Floats:
    """Whether the block ends with a terminator, closing punctuation aside (0 or 1)."""
    return flag(page.ends_with(TERMINATORS))


def ends_with_colon(page: Measures) -> Floats:
    """Whether the block ends with a colon (0 or 1)."""
    return flag(page.ends_with(":："))


def is_repeat(page: Measures) -> Floats:
    """Whether an earlier block has the same text (0 or 1); Victor's `first-duplicate`."""
    return flag(page.repeats)


def duplicate_count(page: Measures) -> Floats:
    """Other blocks of the page with the same text."""
    return page.duplicates


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
    return share(np.cumsum(page.words) - page.words, page.words.sum())


def page_total(measure: str) -> Feature:
    """Sum of a measure over the page, the same for all its blocks."""
    return lambda page: np.full(len(page), getattr(page, measure).sum())


def page_blocks(page: Measures) -> Floats:
    """Blocks of the page."""
    return np.full(len(page), float(len(page)))


def page_share(page: Measures) -> Floats:
    """The block's share of the page's words (0..1)."""
    return share(page.words, page.words.sum())


def group_share(page: Measures, group: Ints) -> Floats:
    """Share of the page's words in the blocks of each block's group (0..1), 0 for none (-1)."""
    sums: Floats = np.bincount(group + 1, page.words, minlength=1).astype(np.float64)
    sums[0] = 0.0
    return share(sums[group + 1], page.words.sum())


def div_group(page: Measures) -> Floats:
    """Share of the page's words in the blocks with the same nearest `div` (0..1)."""
    return group_share(page, div_groups(page))


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
    "container_p": container_is("p"),
    "container_div": container_is("div", "section", "article", "main"),
    "container_li": container_is("li", "dd", "dt"),
    "container_td": container_is("td", "th"),
    "container_h1": container_is("h1"),
    "container_h2": container_is("h2"),
    "container_heading": container_is(*HEADINGS),
    "container_quote": container_is("blockquote", "pre"),
    "in_list": container_in("ul", "ol", "dl"),
    "in_table": container_in("table"),
    "in_form": container_in("form", "fieldset", "button"),
    "in_heading": container_in(*HEADINGS),
    "bold_share": text_in("b", "strong", "th", *HEADINGS),
    "italic_share": text_in("i", "em", "cite"),
    "underlined_share": text_in("u", "ins"),
    "link_density": text_in("a"),
    "links": links,
    "links_per_word": links_per_word,
    "images": images,
    "split_p": split_by("p"),
    "split_br": split_by("br"),
    "split_hr": split_by("hr"),
    "split_heading": split_by("heading"),
    "split_list": split_by("list"),
    "split_cell": split_by("cell"),
    "split_block": split_by("block"),
    # content
    "letter_share": letter_share,
    "upper_share": char_share(UPPER),
    "digit_share": char_share(DIGIT),
    "punct_share": char_share(PUNCT),
    "other_share": char_share(OTHER),
    "white_share": white_share,
    "alpha_tokens": token_count(0),
    "numeric_tokens": token_count(1),
    "mixed_tokens": token_count(2),
    "other_tokens": token_count(3),
    "alpha_token_share": token_share(0),
    "numeric_token_share": token_share(1),
    "mixed_token_share": token_share(2),
    "other_token_share": token_share(3),
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
