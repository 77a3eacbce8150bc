"""Leave out blocks that are sure to be notices, promotion or teasers, whatever the model says.

On pages labelled by hand, none of whose sites the rules of kinds were made from, 1984 of 1987 such
blocks are no content; leaving them out raises the mean F1 of the default model on each of three
sets (eval/accuracy/kind_decision.py). On a page that lists other pages their teasers are the
content: where they are much of what is kept, they stay.
"""

from __future__ import annotations

import numpy as np

from crfclean.features.block_kinds import kinds_of
from crfclean.page.arrays import among
from crfclean.page.measures import Measures
from crfclean.taggers.params import by_kinds
from crfclean.types import Bools, Floats, Ints, Kind

SURE = (Kind.NOTICE, Kind.PROMO, Kind.TEASER)
"""Kinds that are left out."""

MOST_TEASERS = 0.2  # of the words that are kept: a page with more lists other pages


def leaves_out(keep: tuple[str, ...]) -> bool:
    """Whether a choice of blocks leaves the sure kinds out: one that names coarse kinds alone.

    A choice of kinds names what it keeps itself, and the empty one leaves all to the model.

    >>> [leaves_out(keep) for keep in ((), ("body", "title"), ("title", "teaser"))]
    [False, True, False]
    """
    return bool(keep) and not by_kinds(keep)


def sure_kinds_of(page: Measures) -> Ints:
    """The kind of each block that is of `SURE`, 0 for others; shape (n,)."""
    kinds = kinds_of(page)
    sure: Ints = np.where(among(kinds, SURE), kinds, 0)
    return sure


def left_out(sure: Ints, words: Floats, kept: Bools) -> Bools:
    """The blocks that are left out, shape (n,), of `sure` kinds (n,), if these are `kept` (n,)."""
    teasers = sure == Kind.TEASER
    is_list = words[kept & teasers].sum() > MOST_TEASERS * words[kept].sum()
    out: Bools = (sure > 0) & ~(teasers & is_list)
    return out
