"""Leave out blocks that are sure to be notices, promotion or teasers, whatever the model says.

On pages labelled by hand, none of whose sites the rules of kinds were made from, 1988 of 1991 such
blocks are no content; leaving them out raises the mean F1 of the default model on each of three
sets (eval/accuracy/kind_decision.py). On a page that lists other pages their teasers are the
content, on a page of offers the promotion: where they are much of what is kept, they stay.
"""

from __future__ import annotations

import numpy as np

from crfclean.features.block_kinds import zones_but_title
from crfclean.io import canonical, digest
from crfclean.modelfiles.probe import kinds_fingerprint
from crfclean.page.measures import Measures
from crfclean.taggers.params import by_kinds
from crfclean.types import Bools, Floats, Ints, Kind

SURE = (Kind.NOTICE, Kind.PROMO, Kind.TEASER)
"""Kinds that are left out."""

_SURE_OR_NOTHING: Ints = np.array([kind if kind in SURE else 0 for kind in Kind], np.int32)
"""The same kind for each of `SURE`, 0 for the others."""

MOST_LISTED = 0.2  # of the words that are kept: a page with more lists other pages, or offers
LISTED = (Kind.TEASER, Kind.PROMO)
"""Kinds that stay where they are much of what is kept."""


def leaves_out(keep: tuple[str, ...]) -> bool:
    """Whether a choice of blocks leaves the sure kinds out: one that names coarse kinds alone.

    A choice of kinds names what it keeps itself, and the empty one leaves all to the model.

    >>> [leaves_out(keep) for keep in ((), ("body", "title"), ("title", "teaser"))]
    [False, True, False]
    """
    return bool(keep) and not by_kinds(keep)


def sure_fingerprint() -> str:
    """16 hexadecimal digits of all that the choice of these blocks depends on."""
    names = [[kind.name for kind in kinds] for kinds in (SURE, LISTED)]
    return digest(canonical([*names, MOST_LISTED]), kinds_fingerprint())


def sure_kinds_of(page: Measures) -> Ints:
    """The kind of each block that is of `SURE`, 0 for others; shape (n,)."""
    if not len(page):
        return np.zeros(0, np.int32)
    return _SURE_OR_NOTHING.take(zones_but_title(page))  # what is sure is so by its zone


def left_out(sure: Ints, words: Floats, kept: Bools) -> Bools:
    """The blocks that are left out, shape (n,), of `sure` kinds (n,), if these are `kept` (n,)."""
    out: Bools = sure > 0
    for kind in LISTED if (kept & out).any() else ():
        if is_list_of(kind, sure, words, kept):
            out &= sure != kind
    return out


def is_list_of(kind: Kind, sure: Ints, words: Floats, kept: Bools) -> bool:
    """Whether blocks of a kind are much of what is `kept` (n,), so that they are the content."""
    listed = kept & (sure == kind)
    if not listed.any():
        return False
    return float(words[listed].sum()) > MOST_LISTED * float(words[kept].sum())
