"""Learn from labelled pages which names of blocks tell their texts."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from crfclean.decision.choosing import log_odds
from crfclean.decision.evidence import Evidence
from crfclean.decision.names import MAX_LOG_ODDS, block_names
from crfclean.decision.rules import Names
from crfclean.types import Blocks, Bools, Floats, Ints, Kind, Label, Tags

L1, _L2 = 1.0, 0.1  # of 0.25, 0.5, 1 and 2 the first on 27 hosts (eval/FINDINGS.md)
_NAMED_PAGES = 2  # with a name that may get a weight
_MOST = 1000  # names with different blocks: ten pages have a few hundred
_SWEEPS, _CLOSE = 500, 1e-3  # most sweeps; the largest change of a weight that ends them


CONVENTION_KINDS = frozenset(
    f":{kind.name.lower()}"
    for kind in (
        *(Kind.TITLE, Kind.LEAD, Kind.HEADING, Kind.LIST, Kind.TABLE),
        *(Kind.CODE, Kind.QUOTE, Kind.CAPTION, Kind.BYLINE, Kind.COMMENT),
    )
)
"""Names of the kinds that conventions differ in."""


class Lesson(NamedTuple):
    """Training data from a page: names of its n blocks, log-odds, text mask, weights, (n,)."""

    names: Sequence[frozenset[str]]
    odds: Floats
    is_text: Bools
    weights: Floats


def lesson(blocks: Blocks, tags: Tags, labels: Ints, counts: Bools) -> Lesson:
    """Pair the gold labels (n,) of a page's blocks that count with their names and log-odds."""
    evidence, probability = Evidence(blocks), tags.probabilities[counts]
    odds = np.clip(log_odds(probability), -MAX_LOG_ODDS, MAX_LOG_ODDS)
    texts = list(compress(blocks.texts, counts))
    is_text = likeliest_copies(texts, labels[counts] != Label.OTHER, probability)
    names = list(compress(block_names(evidence), counts))
    return Lesson(names, odds, is_text, np.log1p(evidence.words[counts]) / 3.0)


def likeliest_copies(texts: Sequence[str], is_text: Bools, probability: Floats) -> Bools:
    """Move the marks of text (n,) to the likeliest of equal blocks; the gold marks the first.

    >>> values = np.array([True, False]), np.array([0.1, 0.9])
    >>> likeliest_copies(["Rain", "Rain"], *values).tolist()
    [False, True]
    """
    places, moved = defaultdict[str, list[int]](list), is_text.copy()
    for place, text in enumerate(texts):
        places[" ".join(text.lower().split())].append(place)
    for alike in places.values():
        order = sorted(alike, key=lambda place: -probability[place])
        moved[order] = np.arange(len(order)) < is_text[alike].sum()
    return moved


def learn(lessons: Sequence[Lesson], penalty: float = L1) -> Names:
    """Learn the weights of names that separate text from other blocks, besides the odds.

    `penalty` is that of L1; kinds alone are few, and mostly need none.
    """
    pages = Counter(name for each in lessons for name in frozenset().union(*each.names))
    rows, alike = defaultdict[str, list[int]](list), defaultdict[tuple[int, ...], list[str]](list)
    for row, names in enumerate(names for each in lessons for names in each.names):
        for name in names:
            rows[name].append(row)
    for name in sorted(pages, key=lambda name: (-pages[name], name)):
        if pages[name] >= _NAMED_PAGES and (tuple(rows[name]) in alike or len(alike) < _MOST):
            alike[tuple(rows[name])].append(name)
    odds, is_text, weights = (
        np.concatenate([each[part] for each in lessons]).astype(np.float64) for part in (1, 2, 3)
    )
    columns = [np.array(places) for places in alike]
    fitted = _fit(columns, odds, is_text, weights, penalty)
    shared = [
        (name, round(value / len(names), 2))
        for names, value in zip(alike.values(), fitted, strict=True)
        for name in names
    ]
    return tuple(sorted((name, value) for name, value in shared if value))


def _fit(
    columns: Sequence[Ints], odds: Floats, is_text: Floats, weights: Floats, penalty: float
) -> list[float]:
    """Fit a coefficient for each column by coordinate descent; a column is its rows of n.

    The curvature is replaced by its bound, since p * (1 - p) <= 1/4, so that no step overshoots.
    """
    values, sums = [0.0] * len(columns), odds.copy()
    curves = [float(weights[rows].sum()) / 4.0 for rows in columns]
    for _ in range(_SWEEPS):
        largest = 0.0
        for number, (rows, curve) in enumerate(zip(columns, curves, strict=True)):
            wrong = is_text[rows] - 1.0 / (1.0 + np.exp(-sums[rows]))
            pull = float((weights[rows] * wrong).sum()) + curve * values[number]
            new = math.copysign(max(abs(pull) - penalty, 0.0), pull) / (curve + _L2)
            change, values[number] = new - values[number], new
            sums[rows] += change
            largest = max(largest, abs(change))
        if largest < _CLOSE:
            break
    return values
