"""The decision rule from marginals to labels, with the F1 to expect of them."""

from __future__ import annotations

import numpy as np

from crfclean.core import native
from crfclean.taggers.params import CutParams, by_kinds
from crfclean.types import Bools, CoarseKind, Floats, Ints, Kind, Label
from crfclean.types.choices import AUTO, COMMENTS_OF_THREADS
from crfclean.types.light_tuple import NamedTuple

BELOW_PRECISION = "below-precision"
"""Status of a page without a choice of blocks that has the precision that was asked for."""

PRECISION_TARGETS = (
    (0.0, 0.0),
    (0.5, 0.5),
    (0.6, 0.66),
    (0.7, 0.8),
    (0.8, 0.91),
    (0.85, 0.945),
    (0.9, 0.975),
    (0.95, 0.996),
)
"""Precision that is asked for -> expected precision that reaches it on pages of new collections.

The model's probabilities are too high on pages unlike those that it was trained on. With these
targets the mean precision over five collections, less one standard deviation among them, is
what is asked for (eval/accuracy/precision.py, eval/results/accuracy/precision.json).
"""


CERTAINLY_OTHER = (0.0, 0.0, 1.0)
"""The marginals of a block that is left out whatever the model says."""

_COARSE = {kind.name.lower(): [kind] for kind in CoarseKind}
_COARSE |= {COMMENTS_OF_THREADS: [CoarseKind.COMMENTS]}
"""Word in `CutParams.keep` -> coarse kinds; the comments of threads are comments, too."""

FINE = {kind.name.lower(): [kind] for kind in Kind}
FINE |= {word: [Kind.COMMENT, Kind.POST] for word in ("comment", "post")}
"""Word in `CutParams.keep` -> kinds; the verdict on the page tells posts from comments."""


class Choice(NamedTuple):
    """The blocks that a convention excludes, and the titles that it lists, shape (n,) each."""

    barred: Bools
    titles: Bools

    def adapt(self, marginals: Floats) -> Floats:
        """Marginals (n, 3), n above 0, with excluded blocks OTHER and titles HEADER."""
        adapted = marginals.copy()
        adapted[self.barred] = CERTAINLY_OTHER
        least_other = adapted[:, Label.OTHER].min()
        adapted[self.titles] = (1.0 - least_other, 0.0, least_other)
        return adapted

    def adapt_labels(self, labels: Ints) -> Ints:
        """Labels (n,) with excluded blocks OTHER, and titles HEADER if any block is kept."""
        adapted: Ints = np.where(self.barred, Label.OTHER, labels).astype(np.int32)
        if (adapted != Label.OTHER).any():
            adapted[self.titles] = Label.HEADER
        return adapted


def by_convention(
    marginals: Floats, coarse: Ints, keep: tuple[str, ...], kinds: Ints | None = None
) -> Floats:
    """Marginals (n, 3) adapted to `keep`, for blocks of these `CoarseKind`s and `Kind`s (n,).

    `kinds` are needed where `keep` names some (see `params.by_kinds`). Unlisted kinds are OTHER
    with certainty; a listed title is HEADER with the probability that the likeliest of the
    remaining blocks is kept.
    """
    if not keep or not len(marginals):
        return marginals
    return choice_of(coarse, keep, kinds).adapt(marginals)


def log_odds(probabilities: Floats) -> Floats:
    """The log-odds of probabilities, bounded; the same shape."""
    safe = np.clip(probabilities, 1e-9, 1 - 1e-9)
    odds: Floats = np.log(safe / (1.0 - safe))
    return odds


def labels_by_convention(
    labels: Ints, coarse: Ints, keep: tuple[str, ...], kinds: Ints | None = None
) -> Ints:
    """Labels (n,) adapted to `keep`, for blocks of these `CoarseKind`s and `Kind`s (n,)."""
    return choice_of(coarse, keep, kinds).adapt_labels(labels) if keep else labels


def choice_of(coarse: Ints, keep: tuple[str, ...], kinds: Ints | None = None) -> Choice:
    """What `keep` excludes and lists among blocks of these `CoarseKind`s and `Kind`s (n,)."""
    titles = (coarse == CoarseKind.TITLE) & ("title" in keep or AUTO in keep)
    if AUTO in keep:  # all kinds
        return Choice(np.zeros(len(coarse), np.bool_), titles)
    implied = () if by_kinds(keep) else ("body",)
    is_listed = np.zeros(len(CoarseKind), np.bool_)
    is_listed[[kind for word in (*implied, *keep) for kind in _COARSE.get(word, ())]] = True
    allowed = is_listed[coarse]
    if kinds is not None:
        allowed |= np.isin(kinds, [kind for word in keep for kind in FINE.get(word, ())])
    return Choice(~allowed, titles)


class Cut(NamedTuple):
    """Labels (n,), marginals (n, 3) by the convention, and the expected F1 of the kept blocks."""

    labels: Ints
    marginals: Floats
    score: float


def cut_by_rule(
    marginals: Floats, best: Ints, words: Floats, choice: Choice | None, params: CutParams
) -> Cut:
    """The decision on marginals (n, 3) and the best sequence (n,) by a rule and a convention."""
    if native.CORE is not None and params.rule == "expected_f1" and params.flatten == 1.0:
        by_core = _cut_by_core(marginals, words, choice)
        if by_core is not None:
            return by_core
    adapted = marginals if choice is None else choice.adapt(marginals)
    labels = best if params.rule == "viterbi" else cut(adapted, words, params)
    labels = labels if choice is None else choice.adapt_labels(labels)
    score = expected_f1(1.0 - adapted[:, Label.OTHER], words, labels != Label.OTHER)
    return Cut(labels, adapted, score)


def _cut_by_core(marginals: Floats, words: Floats, choice: Choice | None) -> Cut | None:
    """The same for the rule "expected_f1" by the core; None where a number is not finite."""
    flags = (b"", b"") if choice is None else choice
    arrays = (np.ascontiguousarray(values, np.float64) for values in (marginals, words))
    by_core = native.CORE.cut(*arrays, *flags)
    if by_core is None:
        return None
    labels, adapted, score = by_core
    labels = np.frombuffer(labels, np.int32).copy()  # bytes are read-only
    if choice is None:
        return Cut(labels, marginals, score)
    rows = np.frombuffer(adapted, np.float64).copy()
    return Cut(labels, rows.reshape(-1, len(Label)), score)


def cut(marginals: Floats, words: Floats, params: CutParams) -> Ints:
    """Labels (n,) from marginals (n, 3) and the blocks' words (n,).

    Kept blocks are HEADER or TEXT, whichever is likelier.
    """
    probability = 1.0 - marginals[:, Label.OTHER]
    if params.rule == "threshold":
        keep = probability >= params.threshold
    elif params.rule == "precision":
        keep = most_at_precision(probability, words, expected_target(params.precision))
    else:
        keep = best_expected_f(flatten(probability, params.flatten), words)
    return kept_labels(marginals, keep)


def kept_labels(marginals: Floats, keep: Bools) -> Ints:
    """Labels (n,) of blocks of which some (n,) are kept: HEADER or TEXT, whichever is likelier."""
    header = marginals[:, Label.HEADER] > marginals[:, Label.TEXT]
    kept = np.where(header, Label.HEADER, Label.TEXT)
    return np.where(keep, kept, Label.OTHER).astype(np.int32)


def flatten(probability: Floats, factor: float) -> Floats:
    """Multiply the log-odds of probabilities by a factor; 1 changes nothing."""
    safe = np.clip(probability, 1e-9, 1 - 1e-9)
    flat: Floats = 1.0 / (1.0 + (safe / (1.0 - safe)) ** -factor)
    return np.where(probability > 0, flat, 0.0)


def best_expected_f(probability: Floats, words: Floats, beta: float = 1.0) -> Bools:
    """The blocks that maximise (1 + beta^2) S_k / (W_k + beta^2 S), in order of probability.

    S_k is the expected number of gold words in the first k blocks (the sum of p * words), W_k their
    number of words, S the expected number of gold words on the page: a ratio of expectations that
    approximates expected F_beta (Dembczynski et al., NIPS 2011; Nan et al., ICML 2012); F1 is
    2 S_k / (W_k + S). With a larger beta k is as large or larger. Shapes (n,) and (n,) -> (n,).
    """
    order = np.argsort(-probability, kind="stable")
    right = np.cumsum((probability * words)[order])
    taken = np.cumsum(words[order])
    keep = np.zeros(len(words), np.bool_)
    if len(words) and right[-1] > 0:
        best = int(np.argmax(right / (taken + beta**2 * right[-1])))
        keep[order[: best + 1]] = True
    return keep


def most_at_precision(probability: Floats, words: Floats, precision: float) -> Bools:
    """The most blocks, taken in order of probability, with S_k / W_k at least `precision`.

    S_k and W_k are those of `best_expected_f`; their ratio falls with k, so the last k that
    satisfies the bound is the largest. S_k >= precision * W_k is tested as a sum of differences, so
    that blocks of exactly this probability are kept in spite of rounding. A block without words is
    kept only if a less probable one with words is. Shapes (n,) and (n,) -> (n,).

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


def expected_target(precision: float) -> float:
    """The expected precision to aim at, so that pages have this precision; both 0..1.

    Between the entries of `PRECISION_TARGETS` it is interpolated. Beyond the last one nothing but
    certainty is enough: no expected precision reached more on the collections.

    >>> [round(expected_target(precision), 4) for precision in (0.0, 0.85, 0.9, 0.99)]
    [0.0, 0.945, 0.975, 1.0]
    """
    asked, used = zip(*PRECISION_TARGETS, strict=True)
    return float(np.interp(precision, asked, used, right=1.0))


def expected_f1(probability: Floats, words: Floats, keep: Bools) -> float:
    """Expected F1 on words of the kept blocks: 2 S_kept / (W_kept + S_all), in 0..1.

    S is the sum of probability * words, W that of words (see `best_expected_f`); 0 if nothing is
    kept. Shapes (n,), (n,) and (n,).

    >>> expected_f1(np.array([0.9, 0.5]), np.array([10.0, 2.0]), np.array([True, False]))
    0.9
    """
    right = probability * words
    total = float((words * keep).sum() + right.sum())
    return 2.0 * float((right * keep).sum()) / total if total > 0 else 0.0


def expected_precision(probability: Floats, words: Floats, keep: Bools) -> float:
    """Expected precision on words of the kept blocks, S_kept / W_kept, in 0..1; 0 for none.

    >>> expected_precision(np.array([0.9, 0.5]), np.array([10.0, 10.0]), np.array([True, True]))
    0.7
    """
    kept = float((words * keep).sum())
    return float((probability * words * keep).sum()) / kept if kept > 0 else 0.0


def expected_recall(probability: Floats, words: Floats, keep: Bools) -> float:
    """Expected recall on words of the kept blocks, S_kept / S_all, in 0..1; 0 without any words.

    >>> expected_recall(np.array([0.75, 0.25]), np.array([8.0, 8.0]), np.array([True, False]))
    0.75
    """
    right = probability * words
    total = float(right.sum())
    return float((right * keep).sum()) / total if total > 0 else 0.0
