"""Read words of class and id, what blocks begin with, and how alike they are to the titles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import regex

from crfclean.core import words
from crfclean.lexicon import lexicon
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.lexicon.markup import (
    MARKUP,
    NETWORK_HOSTS,
    NETWORKS,
    TAGS,
    group_bit,
    word_groups,
    word_prefixes,
)
from crfclean.page.chars import bits_by_member, spelled_out
from crfclean.page.elements import HEADINGS
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures, once
from crfclean.types import Bools, Floats, Ints, Kind

MAX_NAME_CHARS = 400  # characters of class and id that are read; some generated names are endless
MAX_ATTRIBUTE_WORDS = 8  # of an attribute that are read


@cache
def core_words() -> words.Words:
    """Return the words of names with the bits of their groups."""
    return words.Words(word_groups(), begins=word_prefixes())


@once
def named_elements(page: Measures) -> tuple[Ints, Ints]:
    """Return the index of each element's name, (m,), and the group bits of each name, (names,).

    A name is the class and id of an element, without an id that was made from a heading's text.
    """
    (by_class, classes), (by_id, ids) = page.attribute("class"), _template_ids(page)
    return words.pair_bits(
        class_number=by_class,
        classes=classes,
        id_number=by_id,
        ids=ids,
        most=MAX_NAME_CHARS,
        words=core_words(),
    )


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


# read what blocks begin with, where their links lead, and how alike they are to the titles

# Read what blocks begin with

_MAX_PHRASE_WORDS = 12  # a longer block is more than a phrase of a group
_MAX_KIND_WORDS = 60  # a longer block is more than a phrase of a kind
_MAX_NETWORKS_WORDS = 15  # of a row of networks
_MAX_PHRASE_CHARS = 80  # of a block that are searched for a phrase
_MAX_NETWORKS_CHARS = 200  # of a block that are searched for names of networks

_BY_GROUP = {
    "teaser": Kind.TEASER,
    "promo": Kind.PROMO,
    "notice": Kind.NOTICE,
    "legal": Kind.LEGAL,
}
"""Group of `KIND_GROUPS` -> kind of any short block."""

_KIND_MARKS = " \u00a0\"'\u2018\u201c\u00ab\u00bb\u2192>*-\u2013\u2022"
"""Characters before a phrase of a kind."""


class Beginnings(NamedTuple):
    """Phrases found in the first words of each block, shape (n,) each.

    `groups` are places in `PHRASE_GROUPS`, -1 for none; if several phrases fit, the first group
    counts. `kinds` are of phrases in `KIND_GROUPS`, 0 for none; of several phrases the longest
    counts ("subscribe now to read" is no "subscribe"). `networks` marks blocks that only name
    social networks. Blocks of too many words for a phrase have no group, kind or mark.
    """

    groups: Ints
    kinds: Ints
    networks: Bools


@once
def beginnings(page: Measures) -> Beginnings:
    """Find known phrases in the first words of each block."""
    return Beginnings(*words.beginnings(page.table, **_phrase_params()))


@cache
def _phrase_params() -> dict[str, Any]:
    """Return the phrases, names and bounds for the core; of equal phrases, the first counts."""
    phrases = list(_group_phrases())
    places = {phrase: place for place, (phrase, _) in reversed([*enumerate(phrases)])}
    groups = [PHRASE_GROUPS.index(group) for _, group in phrases]
    kinds = {
        phrase: int(_BY_GROUP[group])
        for group, phrases in reversed([*lexicon().kind_phrases.items()])
        for phrase in phrases
    }
    return {
        "phrases": words.Phrases(places),
        "groups": np.array(groups, np.int32),
        "legal": PHRASE_GROUPS.index("legal"),  # group of the copyright mark
        "kind_phrases": words.Phrases(kinds),
        "marks": _KIND_MARKS,
        "names": words.Phrases(dict.fromkeys(NETWORKS.split(), 0)),
        "most_chars": _MAX_PHRASE_CHARS,
        "most_name_chars": _MAX_NETWORKS_CHARS,
        "most_words": _MAX_PHRASE_WORDS,
        "most_kind_words": _MAX_KIND_WORDS,
        "most_names": _MAX_NETWORKS_WORDS,
    }


def _group_phrases() -> Iterator[tuple[str, str]]:
    r"""Yield the phrases of all groups, in order, with their group; `\d` gives ten phrases."""
    for group, phrases in lexicon().block_phrases.items():
        for phrase in phrases.split("|"):
            plain = phrase.replace("\\.", ".")
            digits = "0123456789" if "\\d" in plain else ("",)
            yield from ((plain.replace("\\d", digit), group) for digit in digits)


# Read where links lead

_HREF_CHARS = 200  # of an address that are read
_MAX_HOME_CHARS = 100  # of an address of a site's first page
_TAGGED = group_bit("tag") | group_bit("author")
_SHARING = group_bit("share")
_ACTIONS = (b"javascript:", b"mailto:", b"tel:")


@once
def links(page: Measures) -> Ints:
    """Return the links that begin in or before a block; (links,)."""
    if "a" not in page.tag_names:
        return np.zeros(0, np.int64)
    is_link = page.tag_codes == page.tag_names.index("a")
    return np.flatnonzero(is_link & (page.nodes.first_block < len(page)))


@once
def href_bits(page: Measures) -> npt.NDArray[np.uint8]:
    """Return bits of each of the `links`, (links,).

    In order, the address: leads inside the page; to a script, mail or telephone; has a scheme or
    host; leads to a page of a tag or author, or to sharing (by words of the address); is on the
    host of a social network; is a site's first page.
    """
    numbers, addresses = page.attribute("href")
    hrefs = [address[:_HREF_CHARS] for address in addresses]
    bits = words.href_bits(hrefs, **_href_params())
    of_links: npt.NDArray[np.uint8] = bits.take(numbers[links(page)])
    return of_links


@cache
def _href_params() -> dict[str, Any]:
    """Return the words, beginnings and bounds for addresses, for the core."""
    return {
        "words": core_words(),
        "hosts": words.Words(dict.fromkeys(NETWORK_HOSTS, 0)),
        "actions": _ACTIONS,
        "tagged": _TAGGED,
        "sharing": _SHARING,
        "most_home": _MAX_HOME_CHARS,
        "cut": _HREF_CHARS,
    }


# compare blocks with the page's titles, its descriptions and its structured data

MAX_TITLE_WORDS = 60  # longer blocks are not titles
MAX_TITLE_CHARS = 500  # of a title that are read
MAX_TITLES = 50  # of a page, parts of titles included
_MOST_SETS = 62  # titles that the core compares at a time
_SITE = 0.6  # the weight of a title's last part, which is usually the site's name

# "Ice on the upper lake - The Probe", "Ice | The Probe"
SPLIT_TITLE = regex.compile(r"\s[|\u2013\u2014\-:\u00bb\u00b7/]+\s|[|_]")


def tokens_of(texts: Sequence[str]) -> list[list[str]]:
    """Runs of letters and numbers of each text in lower case; ideographs, kana, Thai singly.

    >>> tokens_of(["Ice-free, 40 cm", "上海 2 Cafés"])
    [['ice', 'free', '40', 'cm'], ['上', '海', '2', 'cafés']]
    """
    return words.tokens(tuple(texts))


class TitleSets(NamedTuple):
    """Tokens of a page's titles and of their parts between `|`, dashes and the like.

    `plain` has the titles and parts of several tokens. `weights` says how much likeness to each
    counts in the search for the main heading (0..1).
    """

    plain: list[frozenset[str]]
    weights: dict[frozenset[str], float]


@once
def title_sets(page: Measures) -> TitleSets:
    """Return the tokens of the page's titles and their parts, at most `MAX_TITLES` of each sort."""
    titles, weights = head_metadata(page).titles[:MAX_TITLES], dict[str, float]()
    titles = tuple(filter(None, titles))
    if not titles:
        return TitleSets([], {})
    for title in dict.fromkeys(title[:MAX_TITLE_CHARS] for title in titles):
        parts = [part for part in SPLIT_TITLE.split(title) if part.strip()]
        for part in (title, *parts):
            worth = _SITE if len(parts) > 1 and part == parts[-1] else 1.0
            weights[part] = max(worth, weights.get(part, 0.0))
    by_tokens: dict[frozenset[str], float] = {}
    plain: dict[frozenset[str], None] = {}
    for tokens, worth in zip(tokens_of(spelled_out(tuple(weights))), weights.values(), strict=True):
        title_set = frozenset(tokens)
        by_tokens[title_set] = max(worth, by_tokens.get(title_set, 0.0))
        if len(tokens) > 1:
            plain[title_set] = None
    by_tokens.pop(frozenset(), None)
    return TitleSets(list(plain)[:MAX_TITLES], dict(list(by_tokens.items())[:MAX_TITLES]))


class TitleLikeness(NamedTuple):
    """Likeness of blocks of at most `MAX_TITLE_WORDS` words to titles, shape (n,) each.

    `plain` is `title_likeness`. `weighted` is the largest product of a title's weight and its Dice
    coefficient, over titles of several tokens. `single` is the weight of the title that equals the
    only token of a block.
    """

    plain: Floats
    weighted: Floats
    single: Floats


@once
def likeness_to_titles(page: Measures) -> TitleLikeness:
    """Compute the likeness of blocks to the page's titles, 0 for longer blocks."""
    plain, weights = title_sets(page)
    sets = list(dict.fromkeys([*plain, *weights]))
    parts = [sets[start : start + _MOST_SETS] for start in range(0, len(sets), _MOST_SETS)]
    if not parts:
        return TitleLikeness(*[np.zeros(len(page))] * 3)
    rows = _likeness(page, parts[0])
    for part in parts[1:]:  # of few pages
        rows = np.maximum(rows, _likeness(page, part))
    return TitleLikeness(*rows)


def _likeness(page: Measures, titles: list[frozenset[str]]) -> Floats:
    """Compute the rows of `TitleLikeness` for some of the page's titles, (3, n)."""
    plain, weights = title_sets(page)
    among = frozenset(plain)
    return words.likeness(
        page.table,
        words=words.Words(bits_by_member(titles)),
        sizes=np.array([len(title) for title in titles], np.int64),
        plain_sizes=np.array([len(title) * (title in among) for title in titles], np.int64),
        weights=np.array([weights.get(title, 0.0) for title in titles]),
        most_words=MAX_TITLE_WORDS,
    )


def title_likeness(page: Measures) -> Floats:
    """Largest Dice coefficient of the block's tokens with those of a title of the page (0..1).

    Titles count whole and in parts; blocks of over `MAX_TITLE_WORDS` words have 0.
    """
    return likeness_to_titles(page).plain


def cover(page: Measures, texts: tuple[str, ...]) -> Floats:
    """Share of each block's sequences of three tokens that are in the texts (0..1), shape (n,)."""
    return words.cover(page.table, spelled_out(texts))
