"""Tell teasers, promotion, notices, navigation and legal text by how short blocks begin."""

from __future__ import annotations

import numpy as np

from crfclean.features.beginnings import beginnings
from crfclean.features.networks import is_network_row
from crfclean.features.wording import opening_groups
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.page.measures import Measures, once
from crfclean.page.tree import in_heading, linked
from crfclean.types import Bools, Ints, Kind

MAX_PHRASE_WORDS = {Kind.TEASER: 8, Kind.PROMO: 25, Kind.NOTICE: 45, Kind.LEGAL: 60}
"""Kind -> words above which a block is more than a phrase of it."""

MAX_WORDS_BY_KIND = np.array([MAX_PHRASE_WORDS.get(kind, 0) for kind in Kind], np.int32)
"""`MAX_PHRASE_WORDS` by the number of the kind, 0 for kinds without phrases."""

_MAX_READ_ALSO_WORDS = 25  # of a link that a phrase for teasers begins

MAX_LABEL_WORDS = 2  # of a block that is only the word for advertisements
_LINKED = 0.5  # of a block's characters: a block with more is a link

_BY_PHRASE = {
    "related": Kind.TEASER,
    "share": Kind.PROMO,
    "subscribe": Kind.PROMO,
    "ad": Kind.PROMO,
    "legal": Kind.LEGAL,
    "navigate": Kind.NAVIGATION,
}
"""Group of `PHRASE_GROUPS` -> kind of a block that is a link; of the first one also headings."""

KIND_OF_GROUP = np.array([_BY_PHRASE.get(group, 0) for group in (*PHRASE_GROUPS, "")], np.int32)
"""Kind by the number of the group, 0 for groups that say nothing of it; the last is no group."""

_AD = PHRASE_GROUPS.index("ad")

TEASER_BOUNDS = (_MAX_READ_ALSO_WORDS, MAX_PHRASE_WORDS[Kind.TEASER])
"""Words of a link that a phrase for teasers begins, and of a line that announces links."""


@once
def sure_kinds(page: Measures) -> Ints:
    """The kind of the phrase that each short block begins with, 0 for none; shape (n,)."""
    kinds = beginnings(page).kinds
    if not kinds.any():
        return kinds
    most_words = MAX_WORDS_BY_KIND.take(kinds)
    links = (linked(page) > _LINKED) & (kinds == Kind.TEASER)
    most_words[links] = _MAX_READ_ALSO_WORDS
    sure: Ints = np.where(page.words > most_words, 0, kinds)
    return sure


@once
def opening_kinds(page: Measures) -> Ints:
    """The `Kind` of each short block by its first words, 0 for none; shape (n,).

    Words of a feature ("share", "next") say so of links alone, phrases of `KIND_GROUPS` of any
    short block but a heading, which is what the blocks below it are.
    """
    groups = opening_groups(page)
    is_link = linked(page) > _LINKED
    labels = (groups == _AD) & (page.words <= MAX_LABEL_WORDS)
    said = np.where(is_link | labels, KIND_OF_GROUP.take(groups), 0)
    sure = np.where(in_heading(page) & ~is_link, 0, sure_kinds(page))
    said[is_network_row(page)] = Kind.PROMO
    merged: Ints = np.where(sure > 0, sure, said).astype(np.int32)
    return merged


@once
def teaser_headings(page: Measures) -> Bools:
    """Whether each block is a line or heading that announces links to other pages, shape (n,)."""
    heading = (opening_groups(page) == PHRASE_GROUPS.index("related")) & in_heading(page)
    said: Bools = heading | (sure_kinds(page) == Kind.TEASER)
    short: Bools = said & (page.words <= MAX_PHRASE_WORDS[Kind.TEASER])
    return short
