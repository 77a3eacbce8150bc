"""Say what a lexicon's words mean to a page: names, roles, first phrases, links and titles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np

from crfclean.core import words
from crfclean.core.table import CHAR_SETS, COLUMNS, Table
from crfclean.lexicon import lexicon
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.lexicon.markup import (
    MARKUP,
    NETWORK_HOSTS,
    NETWORKS,
    TAGS,
    group_bit,
    word_groups,
    word_prefixes,
)
from crfclean.lexicon.number_dates import CLOCK, DAY_AND_MONTH, YEAR, YEAR_FIRST
from crfclean.page.chars import (
    BULLETS,
    QUESTIONS,
    TERMINATORS,
    bits_by_member,
    char_bits,
    spelled_out,
)
from crfclean.page.effects import SPLIT
from crfclean.page.head import HeadMetadata, head_metadata
from crfclean.page.measures import once
from crfclean.types import Blocks, Bools, Floats, Kind

# What words mean

MARK_NAMES = (*TAGS, *(f"named_{group}" for group in MARKUP))
"""Names of the features of nearness: to elements of a tag or role, and of a class or id."""

SIGNED = ("named_author", "named_date", "in_time", "in_author")
CAPTIONED = ("in_caption", "named_caption")

SCHEMA_TYPES = {
    "news": ("og:article", "article", "newsarticle", "reportagenewsarticle", "blogposting"),
    "product": ("og:product", "product", "offer", "aggregateoffer"),
    "site": ("og:website", "website", "collectionpage", "itemlist"),
    "forum": ("discussionforumposting", "qapage", "question", "answer", "comment"),
    "faq": ("faqpage",),
    "business": ("localbusiness", "service", "organization"),
    "recipe": ("recipe", "event", "jobposting", "howto"),
    "video": ("videoobject", "og:video", "og:video.other"),
}
"""Type of page -> the types of OpenGraph and schema.org that name it."""

_ENDS = {
    "OPENERS": "\"“„«'‘「",
    "TERMINATORS": TERMINATORS,
    "COLONS": ":：",
    "BULLETS": BULLETS,
    "QUESTIONS": QUESTIONS,
    "BRACKETS": "([{\uff08\u3010",
    "ELLIPSES": "\u2026",
    "ARROWS": "\u00bb\u203a>\u2192",
}
"""Name of a set of characters that blocks begin or end with -> its characters."""

_KINDS = {
    "teaser": Kind.TEASER,
    "promo": Kind.PROMO,
    "notice": Kind.NOTICE,
    "legal": Kind.LEGAL,
}
"""Group of the lexicon's `kind_phrases` -> kind of any short block."""

# "see www.example.org", "write to anna@probe.example"; not "@anna" or "5 @ 3 EUR"
_URL = re.compile(r"://\S|www\.\S|(?<=\w)@\w[\w-]{0,63}\.\w")
_TIME = re.compile(rf"{CLOCK}\b")


@cache
def _date() -> re.Pattern[str]:
    """Return the pattern of dates with a year; shipped models were trained with its suffixes."""
    suffix = lexicon().month_first.pattern(lambda language: language.dates.ordinals)
    return re.compile(
        rf"\b{DAY_AND_MONTH}(?:\d{{4}}|\d{{2}})\b|{YEAR_FIRST}|"
        rf"\b\d{{1,2}}(?:\.|{suffix})? (?P<after>[^\W\d_]{{3,12}})\.?,? {YEAR}\b|"
        rf"\b(?P<before>[^\W\d_]{{3,13}})\.? \d{{1,2}}(?:{suffix})?,? {YEAR}\b|\d{{4}}年\d{{1,2}}月"
    )


def _count_urls(text: str) -> int:
    return len(_URL.findall(text))


def _count_times(text: str) -> int:
    return len(_TIME.findall(text))


def count_dates(text: str) -> int:
    """Count the dates with a year in a text; a month before its day begins with a capital.

    >>> count_dates("5 May 2024, May 5, 2024 and 2024-05-05; may 5, 2024 may be one")
    3
    """
    count = at = 0
    while match := _date().search(text, at):
        after, before = match["after"] or "x", match["before"] or "X"
        is_date = after.isalpha() and before.isalpha() and before[0].isupper()
        count, at = count + is_date, match.end() if is_date else match.start() + 1
    return count


def _phrases() -> Iterator[tuple[str, int]]:
    r"""Yield the phrases of all groups, in order, with their group; `\d` gives ten phrases."""
    for group, phrases in lexicon().block_phrases.items():
        for phrase in phrases.split("|"):
            plain = phrase.replace("\\.", ".")
            digits = "0123456789" if "\\d" in plain else ("",)
            for digit in digits:
                yield plain.replace("\\d", digit), PHRASE_GROUPS.index(group)


def _named(prefix: str, *others: str) -> list[str]:
    """What the columns with a prefix are named after, in their order, without some `others`."""
    names = (name.removeprefix(prefix) for name in COLUMNS if name.startswith(prefix))
    return [name for name in names if name not in others]


@cache
def wording() -> words.Wording:
    """Return what the core knows of words."""
    names, said = list(MARKUP), _named("page_said_") + _named("since_", "long", "heading")
    kinds = lexicon().kind_phrases.items()
    return words.Wording(
        names=word_groups(),
        begins=word_prefixes(),
        types=bits_by_member(TAGS.values()),
        hosts=NETWORK_HOSTS,
        networks=tuple(NETWORKS.split()),
        tagged=group_bit("tag") | group_bit("author"),
        sharing=group_bit("share"),
        phrases=tuple(_phrases()),
        all_phrases=len(PHRASE_GROUPS),
        legal=PHRASE_GROUPS.index("legal"),  # group of the copyright mark
        kind_phrases=tuple((phrase, _KINDS[kind]) for kind, said in kinds for phrase in said),
        typed_groups=len(TAGS),
        named_groups=len(MARKUP),
        counters=(_count_urls, count_dates, _count_times),
        char_sets=char_bits(tuple(_ENDS[name] for name in CHAR_SETS)),
        split_bits=tuple(SPLIT[name] for name in _named("split_")),
        name_groups=tuple(map(names.index, _named("page_marked_") + _named("page_body_"))),
        phrase_groups=tuple(map(PHRASE_GROUPS.index, said)),
    )


# What a page declares

_MAX_TITLE_CHARS = 500  # of a title that are read
_MAX_TITLES = 50  # of a page
_MIN_BODY_CHARS = 500  # of an article's text in the head
_SITE = 0.6  # the weight of a title's last part, which is usually the site's name

# "Ice on the upper lake - The Probe", "Ice | The Probe"
_SPLIT_TITLE = re.compile(r"\s[|\u2013\u2014\-:\u00bb\u00b7/]+\s|[|_]")
_TYPES = [frozenset(SCHEMA_TYPES[name]) for name in _named("page_is_")]


def _titles(head: HeadMetadata) -> dict[str, float]:
    """Return the titles of a page, and their parts between `|`, dashes and the like.

    Their weights say how much likeness to each counts in the search for the main heading (0..1).
    """
    weights: dict[str, float] = {}
    for title in dict.fromkeys(title[:_MAX_TITLE_CHARS] for title in head.titles[:_MAX_TITLES]):
        parts = [part for part in _SPLIT_TITLE.split(title) if part.strip()]
        for part in (title, *parts):
            worth = _SITE if len(parts) > 1 and part == parts[-1] else 1.0
            weights[part] = max(worth, weights.get(part, 0.0))
    return weights


def _declared(head: HeadMetadata) -> Floats:
    """Return whether the head has an article's text, and whether it names each type of page."""
    has_body = any(len(body) >= _MIN_BODY_CHARS for body in head.bodies)
    return np.array([has_body, *(not names.isdisjoint(head.types) for names in _TYPES)], float)


@once
def with_markup(page: Blocks) -> Table:
    """Return the table of a page with what its words say, from names of elements to titles."""
    head = head_metadata(page)
    titles = _titles(head)
    wording().read(
        page.table,
        titles=spelled_out(tuple(titles)),
        weights=tuple(titles.values()),
        descriptions=spelled_out(head.descriptions),
        bodies=spelled_out(head.bodies),
        declared=_declared(head),
    )
    return page.table


# Elements and blocks by what words say


@cache
def rows_of_steps(names: tuple[str, ...]) -> list[int]:
    """The rows of features of nearness in the table's `steps`."""
    return [MARK_NAMES.index(name) for name in names]


def is_near(page: Blocks, names: tuple[str, ...]) -> Bools:
    """Mark each block whose element is marked by one of some features, or the one around it; (n,).

    `names` are among `MARK_NAMES`.
    """
    near: Bools = with_markup(page).steps[rows_of_steps(names)].min(0) <= 1
    return near


def elements_for(page: Blocks, *groups: str) -> Bools:
    """Mark each element whose class or id has a word of these groups of `KIND_MARKUP`, (m,)."""
    elements: Bools = with_markup(page).name_bits & sum(map(group_bit, groups)) != 0
    return elements


def elements_typed(page: Blocks, *groups: str) -> Bools:
    """Mark each element whose tag, role or type is in one of these groups of `TAGS`, (m,)."""
    elements: Bools = with_markup(page).typed & type_bits(groups) != 0
    return elements


def type_bits(groups: tuple[str, ...]) -> int:
    """The bits of groups of `TAGS`."""
    return sum(1 << list(TAGS).index(group) for group in groups)


def title_likeness(page: Blocks) -> Floats:
    """Largest Dice coefficient of the block's tokens with those of a title of the page (0..1).

    Titles count whole and in parts; blocks of over 60 words have 0.
    """
    return with_markup(page).title_likeness
