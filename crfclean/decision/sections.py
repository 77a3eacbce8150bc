"""Find where the main text of a page ends, and another section begins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crfclean.decision.borders import INPUTS, borders_of
from crfclean.decision.evidence import Evidence
from crfclean.expert.comments import mentions_comments
from crfclean.features.inputs import with_markup
from crfclean.features.wording import beginnings
from crfclean.features.zones import apart_kinds, kinds_of, zones
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.modelfiles.plain import BIAS, load_logistic
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures
from crfclean.types import Bools, Floats, Ints, Kind, TextEnd
from crfclean.types.choices import AUTO

SHIPPED = Path(__file__).parent / "ends.json"
KIND = "ends"
"""The kind that the file of weights states."""

TYPES = ("listing", "forum", "article")
END_INPUTS = (*INPUTS, "headed_comments", "gap_headed_comments", *TYPES)
"""The inputs that predict whether the text ends at a border.

They are: figures of the blocks before and after it (`borders.pyx`); whether a block at the border,
or in the gap before it, heads comments; the type of the page."""

WEIGHTED = (*END_INPUTS, *(f"{name}_of_article" for name in END_INPUTS))
"""`END_INPUTS`, then each of them times the probability that the page is an article."""

ENDING = (AUTO, "article", "body")
"""Conventions by which the text ends with the main text; others keep the sections after it."""

LEAST_CUT = 0.4
"""Probability of an end from which the text is cut. Of the values .3 to .6, .3 and .4 had the best
means on sixteen sets, and .4 had fewer bad pages."""

_ARTICLE = (0.01, 0.01, 1.0)  # `TYPES` of a page that is read as an article
_LOG_AFTER = INPUTS.index("log_after")
_DOUBTFUL = -2.0  # log-odds: an end below it, whatever the type of the page, is not reported
_MOST_WORDS = 12  # of a block that heads comments
_NEAR, _FAR = 3, 4  # blocks before a border, and at the start of a gap, that may head comments
_RELATED = PHRASE_GROUPS.index("related")


class Borders(NamedTuple):
    """Places where a text may end: the kept block after each, (k,), and inputs without `TYPES`."""

    after: Ints
    inputs: Floats


def text_end(
    evidence: Evidence, model: Floats, kept: Bools, *, article: bool
) -> tuple[TextEnd, Floats] | None:
    """Find the likeliest end of a text of kept blocks (n,).

    Also return the probability that the text ends before each block, (n,). The text is cut if the
    end's probability is above `LEAST_CUT`. `model` (n,) are the probabilities of blocks to be text
    before any rule. With `article` the page is read as an article, whatever its type. None if no
    end is likely, or if it would cut a table. Raises `ModelError` for damaged weights.
    """
    places = borders(evidence, model, kept)
    if places is None or highest(places.inputs, _weights()) < _DOUBTFUL:
        return None
    types = _ARTICLE if article else [evidence.types[name] for name in TYPES]
    shares = end_shares(end_scores(with_types(places.inputs, types), _weights()))
    at = int(shares.argmax())
    block, likely = int(places.after[at]), float(shares[at])
    if likely > LEAST_CUT and _in_table(evidence, kept, block):
        return None
    words = round(np.expm1(places.inputs[at, _LOG_AFTER]))
    passed = np.zeros(len(kept))
    passed[places.after] = shares
    return TextEnd(block, likely, words, is_cut=likely > LEAST_CUT), passed.cumsum()


def _in_table(evidence: Evidence, kept: Bools, block: int) -> bool:
    """Return whether a kept block and the one before it are cells of a data table.

    "Comment" may head a column. Few pages need this check, which computes the kinds of all blocks.
    """
    before = np.flatnonzero(kept[:block])[-1]
    return bool((kinds_of(evidence.page)[[before, block]] == Kind.TABLE).all())


def end_shares(scores: Floats) -> Floats:
    """Turn scores into the probability of an end at each border, (k,); the rest is for no end.

    >>> end_shares(np.array([0.0, 0.0])).round(2).tolist()
    [0.33, 0.33]
    """
    top = max(0.0, float(scores.max()))
    shares = np.exp(scores - top)
    of_borders: Floats = shares / (shares.sum() + np.exp(-top))
    return of_borders


def with_types(inputs: Floats, types: Sequence[float]) -> Floats:
    """Add the probabilities (0..1) of `TYPES` to the inputs (k, inputs) of a page."""
    return np.hstack([inputs, np.tile(types, (len(inputs), 1))])


def highest(inputs: Floats, weights: Floats) -> float:
    """Return an upper bound of `end_scores` for any page types, from inputs without types.

    It saves the time to predict the type. A score is linear in the probability of an article, so it
    is largest where that is 0 or 1. `inputs` has shape (k, inputs).
    """
    count = len(END_INPUTS)
    plain, of_article = weights[:count], weights[count:-1]
    known = inputs.shape[1]
    scores = inputs @ plain[:known] + np.maximum(inputs @ of_article[:known], 0.0)
    types = np.maximum(plain[known:], 0.0) + np.maximum(of_article[known:], 0.0)
    return float(scores.max() + types.sum() + weights[-1])


def end_scores(inputs: Floats, weights: Floats) -> Floats:
    """Compute the log-odds (k,) of an end at each border against no end, from (k, inputs)."""
    count = inputs.shape[1]
    of_article = inputs[:, -1] * (inputs @ weights[count:-1])
    scores: Floats = inputs @ weights[:count] + of_article + weights[-1]
    return scores


@cache
def _weights() -> Floats:
    weights = load_logistic(SHIPPED, KIND, {KIND: WEIGHTED})[KIND]
    return np.array([weights[name] for name in (*WEIGHTED, BIAS)])


def borders(evidence: Evidence, model: Floats, kept: Bools) -> Borders | None:
    """Find the borders between kept blocks (n,), None if there are none.

    `model` (n,) are probabilities to be text. A recipe has no borders: its ingredients stand after
    its story, and after links to its comments.
    """
    page = evidence.page
    if "recipe" in head_metadata(page).types:
        return None
    zone = zones(page)
    kind = np.where(zone > 0, zone, apart_kinds(page))
    before, after, inputs = borders_of(with_markup(page), model, kept, kind)
    if not len(after):
        return None
    return Borders(after, np.hstack([inputs, _headed(page, before, after)]))


def _headed(page: Measures, before: Ints, after: Ints) -> Floats:
    """Return whether a block heads comments near each border, and early in its gap; (k, 2)."""
    starts, ends = (before + 1).tolist(), after.tolist()
    near = [
        range(max(start, end - _NEAR), end + 1) for start, end in zip(starts, ends, strict=True)
    ]
    far = [range(start, min(end, start + _FAR)) for start, end in zip(starts, ends, strict=True)]
    # "Read also: Comment: Who builds at the sea" heads no comments
    short = (page.words <= _MOST_WORDS) & (beginnings(page).groups != _RELATED)
    texts = page.plain_texts
    asked = {block for blocks in (*near, *far) for block in blocks if short[block]}
    if not mentions_comments("\n".join([texts[block] for block in asked])):  # as on most pages
        return np.zeros((len(after), 2))
    heads = {block for block in asked if mentions_comments(texts[block])}
    headed = [[not heads.isdisjoint(blocks) for blocks in places] for places in (near, far)]
    return np.array(headed, np.float64).T
