"""Make blocks of kinds that are asked for by name likelier (`CutParams.also`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crfclean.page.arrays import among
from crfclean.taggers.decision import FINE
from crfclean.types import Bools, CoarseKind, Floats, Ints, Kind, Label

ALSO_ODDS = 1.0
"""What kinds that are asked for gain in log-odds: of 0, 1 and 2 the best on the mean of six sets
(eval/accuracy/README.md)."""
SIDES = (Kind.CAPTION, Kind.BYLINE)
"""Kinds that stand inside an article and that models learnt to leave out: asked for, they are at
least as likely as not wherever they stand among the text."""
_EVEN = 0.5


def kinds_named(words: Sequence[str]) -> list[Kind]:
    """The kinds that words of `Kind` stand for; comments are posts on threads, and the reverse."""
    return [kind for word in words for kind in FINE[word]]


def raised(marginals: Floats, also: Bools) -> Floats:
    """Marginals (n, 3) whose blocks `also` (n,) are likelier; HEADER and TEXT keep their ratio."""
    if not also.any():
        return marginals
    factors = np.exp(ALSO_ODDS * also)
    changed: Floats = marginals * np.column_stack([factors, factors, np.ones(len(also))])
    changed /= changed.sum(1, keepdims=True)
    return changed


def lifted(marginals: Floats, sides: Bools, kept: Bools) -> Floats | None:
    """Marginals (n, 3) whose `sides` (n,) among the kept blocks (n,) are even; None if all are."""
    places = np.flatnonzero(kept)
    if not len(places):
        return None
    low = sides & (marginals[:, Label.OTHER] > _EVEN)
    low[: places[0]] = low[places[-1] + 1 :] = False
    if not low.any():
        return None
    even: Floats = np.where(low[:, None], (0.0, _EVEN, 1.0 - _EVEN), marginals)
    return even


def excluded(kinds: Ints, coarse: Ints, words: Sequence[str]) -> Bools:
    """The blocks (n,) of kinds that `words` leave out, by their `Kind`s and `CoarseKind`s (n,).

    Without the title, neither is what models take for it.
    """
    blocks = among(kinds, kinds_named(words))
    if Kind.TITLE.name.lower() in words:
        blocks |= coarse == CoarseKind.TITLE
    return blocks
