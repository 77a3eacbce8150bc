"""Marginal probabilities -> labels by a rule; labels -> the F1 that may be expected of them."""

from __future__ import annotations

import numpy as np

from crfclean.taggers.params import CutParams
from crfclean.types import Bools, Floats, Ints, Kind, Label


def by_convention(marginals: Floats, kinds: Ints, keep: tuple[str, ...]) -> Floats:
    """Marginals (n, 3) as `keep` has them, for blocks of the kinds (n,).

    Kinds that are not listed get OTHER; a listed title is a HEADER as surely as the surest of
    all that is left is kept.
    """
    if not keep or not len(marginals):
        return marginals
    barred, titles = _convention(kinds, keep)
    found = marginals.copy()
    found[barred] = (0.0, 0.0, 1.0)
    surest = found[:, Label.OTHER].min()
    found[titles] = (1.0 - surest, 0.0, surest)
    return found


def labels_by_convention(labels: Ints, kinds: Ints, keep: tuple[str, ...]) -> Ints:
    """Labels (n,) as `keep` has them, for blocks of the kinds (n,)."""
    if not keep:
        return labels
    barred, titles = _convention(kinds, keep)
    found: Ints = np.where(barred, Label.OTHER, labels).astype(np.int32)
    if (found != Label.OTHER).any():
        found[titles] = Label.HEADER
    return found


def _convention(kinds: Ints, keep: tuple[str, ...]) -> tuple[Bools, Bools]:
    """The blocks that `keep` leaves out, and its titles, shape (n,) each."""
    listed = [Kind[name.upper()] for name in keep]
    titles = (kinds == Kind.TITLE) & (Kind.TITLE in listed)
    return ~np.isin(kinds, [Kind.BODY, *listed]), titles


def cut(marginals: Floats, words: Floats, params: CutParams) -> Ints:
    """Labels from marginals: the kept blocks are HEADER or TEXT, whichever is likelier.

    Takes marginals (n, 3) and the blocks' words (n,), gives labels (n,).
    """
    probability = 1.0 - marginals[:, Label.OTHER]
    if params.rule == "threshold":
        keep = probability >= params.threshold
    elif params.rule == "precision":
        keep = most_at_precision(probability, words, params.precision)
    else:
        keep = best_expected_f1(flatten(probability, params.flatten), words)
    return _labels(marginals, keep)


def _labels(marginals: Floats, keep: Bools) -> Ints:
    header = marginals[:, Label.HEADER] > marginals[:, Label.TEXT]
    kept = np.where(header, Label.HEADER, Label.TEXT)
    return np.where(keep, kept, Label.OTHER).astype(np.int32)


def flatten(probability: Floats, factor: float) -> Floats:
    """Multiply the log-odds of probabilities by a factor; 1 changes nothing."""
    safe = np.clip(probability, 1e-9, 1 - 1e-9)
    flat: Floats = 1.0 / (1.0 + (safe / (1.0 - safe)) ** -factor)
    return np.where(probability > 0, flat, 0.0)


def best_expected_f1(probability: Floats, words: Floats) -> Bools:
    """The blocks that together maximise 2 S_k / (W_k + S), taken in order of probability.

    S_k is the expected number of right words among the first k blocks (sum of p * words), W_k
    their number of words, S the expected number of right words on the page: the ratio of
    expectations that approximates expected F1 (Dembczynski et al., NIPS 2011; Nan et al.,
    ICML 2012). Shapes (n,) and (n,) -> (n,).
    """
    order = np.argsort(-probability, kind="stable")
    right = np.cumsum((probability * words)[order])
    taken = np.cumsum(words[order])
    keep = np.zeros(len(words), np.bool_)
    if len(words) and right[-1] > 0:
        best = int(np.argmax(2.0 * right / (taken + right[-1])))
        keep[order[: best + 1]] = True
    return keep


def most_at_precision(probability: Floats, words: Floats, precision: float) -> Bools:
    """The most blocks, taken in order of probability, with S_k / W_k at least `precision`.

    S_k and W_k as in `best_expected_f1`; their ratio falls with k, so that the last k that
    holds is the largest. S_k >= precision * W_k is compared as a sum of differences: nothing is
    divided, and blocks of exactly that probability are kept. A block without words is kept only
    where a less probable one with words is. Shapes (n,) and (n,) -> (n,).

    >>> most_at_precision(np.array([0.6, 1.0, 0.9]), np.array([5.0, 10.0, 10.0]), 0.9).tolist()
    [False, True, True]
    """
    order = np.argsort(-probability, kind="stable")
    sizes = words[order]
    spare = np.cumsum((probability[order] - precision) * sizes)
    ends = np.flatnonzero((spare >= 0) & (sizes > 0))
    keep = np.zeros(len(words), np.bool_)
    keep[order[: ends[-1] + 1 if len(ends) else 0]] = True
    return keep


def expected_f1(probability: Floats, words: Floats, keep: Bools) -> float:
    """Expected F1 on words of the kept blocks: 2 S_kept / (W_kept + S_all), in 0..1.

    S is the sum of probability * words, W that of words (see `best_expected_f1`); 0 if nothing
    is kept. Shapes (n,), (n,) and (n,).

    >>> expected_f1(np.array([0.9, 0.5]), np.array([10.0, 2.0]), np.array([True, False]))
    0.9
    """
    right = probability * words
    total = float((words * keep).sum() + right.sum())
    return 2.0 * float((right * keep).sum()) / total if total > 0 else 0.0
