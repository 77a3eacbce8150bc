"""Find where the main text of a page ends, and another section begins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crfclean.decision.borders import BORDER_INPUTS, HEADING_REACH, borders_of, highest_score
from crfclean.decision.comments import mentions_comments
from crfclean.decision.evidence import Evidence
from crfclean.model.block_kinds import parts_of
from crfclean.model.logistic import BIAS, load_logistic
from crfclean.model.markup import with_markup
from crfclean.model.zones import zones
from crfclean.page.head import head_metadata
from crfclean.types import Bools, Floats, Ints, Kind, TextEnd
from crfclean.types.choices import AUTO

SHIPPED_ENDS = Path(__file__).parent / "ends.json"
ENDS_KIND = "ends"
"""The kind that the file of weights states."""

TYPES = ("listing", "forum", "article")
END_INPUTS = (*BORDER_INPUTS, *TYPES)
"""The inputs that predict whether the text ends at a border.

They are: figures of the blocks before and after it (`borders.pyx`); the type of the page."""

WEIGHTED = (*END_INPUTS, *(f"{name}_of_article" for name in END_INPUTS))
"""`END_INPUTS`, then each of them times the probability that the page is an article."""

ENDING = (AUTO, "article", "body")
"""Conventions by which the text ends with the main text; others keep the sections after it."""

LEAST_CUT = 0.4
"""Probability of an end from which the text is cut. Of the values .3 to .6, .3 and .4 had the best
means on sixteen sets, and .4 had fewer bad pages."""

_ARTICLE = (0.01, 0.01, 1.0)  # `TYPES` of a page that is read as an article
_LOG_AFTER, _ODDS_FALL = BORDER_INPUTS.index("log_after"), BORDER_INPUTS.index("odds_fall")
_SURER = 2.0  # log-odds by which a text after an end may be surer than that before it
_DOUBTFUL = -2.0  # log-odds: an end below it, whatever the type of the page, is not reported
_HEADED = [BORDER_INPUTS.index(name) for name in ("headed_comments", "gap_headed_comments")]


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
    end is likely, or if it would cut a table, or far surer text than it leaves. Raises `ModelError`
    for damaged weights.
    """
    places = borders(evidence, model, kept)
    if places is None:
        return None
    if highest_score(places.inputs, _weights(), len(END_INPUTS)) < _DOUBTFUL:
        return None  # as on most pages: types take time to compute
    types = _ARTICLE if article else [evidence.types[name] for name in TYPES]
    shares = end_shares(end_scores(with_types(places.inputs, types), _weights()))
    at = int(shares.argmax())
    block, likely = int(places.after[at]), float(shares[at])
    is_cut = cuts(places.inputs[at], likely)
    if likely > LEAST_CUT and (not is_cut or _in_table(evidence, kept, block)):
        return None
    words = round(np.expm1(places.inputs[at, _LOG_AFTER]))
    passed = np.zeros(len(kept))
    passed[places.after] = shares
    return TextEnd(block, likely, words, is_cut=is_cut), passed.cumsum()


def cuts(inputs: Floats, likely: float) -> bool:
    """Return whether a border with these inputs, at which the text likely ends, ends it.

    Above a note on the market stood teasers of videos: these were kept (.53), the note was not
    (.98).
    """
    return bool(likely > LEAST_CUT and inputs[_ODDS_FALL] <= _SURER)


def _in_table(evidence: Evidence, kept: Bools, block: int) -> bool:
    """Return whether a kept block and the one before it are cells of a data table.

    "Comment" may head a column. Few pages need this check, which computes the kinds of all blocks.
    """
    before = np.flatnonzero(kept[:block])[-1]
    return bool((parts_of(evidence.page)[[before, block]] == Kind.TABLE).all())


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


def end_scores(inputs: Floats, weights: Floats) -> Floats:
    """Compute the log-odds (k,) of an end at each border against no end, from (k, inputs)."""
    count = inputs.shape[1]
    of_article = inputs[:, -1] * (inputs @ weights[count:-1])
    scores: Floats = inputs @ weights[:count] + of_article + weights[-1]
    return scores


@cache
def _weights() -> Floats:
    weights = load_logistic(SHIPPED_ENDS, ENDS_KIND, {ENDS_KIND: WEIGHTED})[ENDS_KIND]
    return np.array([weights[name] for name in (*WEIGHTED, BIAS)])


def borders(evidence: Evidence, model: Floats, kept: Bools) -> Borders | None:
    """Find the borders between kept blocks (n,), None if there are none.

    `model` (n,) are probabilities to be text. A recipe has no borders: its ingredients stand after
    its story, and after links to its comments.
    """
    page = evidence.page
    if "recipe" in head_metadata(page).types:
        return None
    before, after, inputs, asked = borders_of(with_markup(page), model, kept, zones(page))
    if not len(after):
        return None
    texts = page.table.plain_texts
    if mentions_comments("\n".join([texts[block] for block in asked])):  # as on few pages
        heads = np.array([block for block in asked if mentions_comments(texts[block])])
        inputs[:, _HEADED] = _headed(heads, before + 1, after)
    return Borders(after, inputs)


def _headed(heads: Ints, starts: Ints, ends: Ints) -> Bools:
    """Return whether a block heads comments near each border, and early in its gap; (k, 2)."""
    starts, ends = starts[:, None], ends[:, None]
    before, behind = HEADING_REACH
    near = (heads >= np.maximum(starts, ends - before)) & (heads <= ends)
    far = (heads >= starts) & (heads < np.minimum(ends, starts + behind))
    return np.stack([near.any(1), far.any(1)], 1)
