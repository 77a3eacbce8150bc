"""Train what the decision weighs beside a model: whether comments are text, and the score.

Run `python -m eval.models.train_decision --data DIR --predictions FOLDER --save`.

Both are logistic regressions with an L2 penalty, fitted by Newton's method to collections that were
each predicted by a model that had seen none of it; a collection of n pages weighs as much as the
square root of n. The score is fitted to the worth of the text that the page gets, by the measure of
its set, on sets whose gold may train (`SCORED`). That a page with comments is a thread or an
article is a label of our own: by what its collection holds, and page by page where that is mixed
(`THREADS`). The table has each collection judged by regressions that have not seen it, and each
page by such that have not seen its site.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from crfclean.decision.evidence import (
    DECISION_KIND,
    DECISION_WEIGHTS,
    LEAST_COMMENTS,
    THREAD_INPUTS,
    Evidence,
    decision_weights,
)
from crfclean.decision.sums import SCORE_INPUTS, score_inputs
from crfclean.decision.verdict import decide
from crfclean.model.logistic import BIAS
from crfclean.products.teach.train import fold_of
from crfclean.types import Floats, Label
from eval.lib.descriptions import describe
from eval.lib.left_out import LeftOut, left_out_parser
from eval.lib.measure import NO_TEXT, SNIPPETS, type_of, value
from eval.lib.predictions import Predicted
from eval.lib.record import environment, record
from eval.lib.weights import save_logistic
from eval.models.train_default import AUTO

ARTICLES = frozenset(
    "dragnet-dev daniel-dev irdata-big9 fundus-dev immortal-zh magic-html-article readability "
    "recipes-dev srcgold-dev".split()
)
"""Sets of articles: their comments are no text."""
FORUMS = frozenset(["magic-html-forum", "web-forum-52-dev"])
THREADS = frozenset(["reddit.com.init.html", "d43f330cbaf7", "sports.fr.loire.html"])
"""Threads, or what tells as a thread does, among the pages of trafilatura-dev."""
MIXED = "wcxb-dev"
_UNCLEAR = (0.05, 0.7)  # share of gold among comments: between, a page of no type says nothing
SCORED = frozenset(
    "wcxb-dev magic-html-article magic-html-forum web-forum-52-dev fundus-dev immortal-zh "
    "readability recipes-dev trafilatura-dev various-dev".split()
)
"""Sets whose gold may train a shipped model; others measure its score. courts-dev may, too, but its
gold knows only recall, and with it the scores of other sets were too low."""
PENALTY, BIAS_PENALTY, STEPS = 1.0, 0.01, 25
FOLDS = 5


class Row(NamedTuple):
    """A page as a regression sees it: inputs, what is to be predicted (0..1)."""

    set: str
    site: str
    inputs: list[float]
    truth: float


def is_thread(page: Predicted, evidence: Evidence) -> float | None:
    """1 for a thread, 0 for an article with comments, None for a page that says nothing."""
    name, gold = page.page.set, page.page.gold
    if name in FORUMS or name in ARTICLES:
        return float(name in FORUMS)
    if name == SNIPPETS:
        return float(any(gold.id.startswith(thread.split(".")[0]) for thread in THREADS))
    if name != MIXED:
        return None
    inside = evidence.comments
    expected = evidence.words * (1.0 - page.marginals[:, Label.OTHER])
    in_gold = (page.page.example.labels != Label.OTHER) & inside
    share = float(expected[in_gold].sum()) / max(float(expected[inside].sum()), 1.0)
    if gold.kind == "article":
        return 0.0 if share < _UNCLEAR[1] else None
    if gold.kind == "forum":
        return 1.0 if share > _UNCLEAR[0] else None
    return 1.0 if share > _UNCLEAR[1] else 0.0 if share < _UNCLEAR[0] else None


def thread_rows(pages: Sequence[Predicted]) -> Iterator[Row]:
    """The pages whose comments matter."""
    for page in pages:
        evidence, kept = page.page.evidence(), 1.0 - page.marginals[:, Label.OTHER]
        comments = float((evidence.words * kept)[evidence.comments].sum())
        truth = is_thread(page, evidence) if comments >= LEAST_COMMENTS else None
        if truth is not None:
            yield Row(page.page.set, page.page.gold.site, evidence.thread_inputs(kept), truth)


def score_rows(pages: Sequence[Predicted]) -> Iterator[Row]:
    """The pages that keep something and have a text: `Presence` tells forms and errors."""
    for page in pages:
        evidence = page.page.evidence()
        tags = decide(evidence, page.marginals, AUTO)
        worth = value(page.page.set, page.page.gold, page.page.text(tags.kept))
        has_text = type_of(page.page.gold, page.page.set) != NO_TEXT
        if worth is not None and has_text and tags.kept.any():
            inputs = score_inputs(
                evidence.page.table, evidence.comments, tags.probabilities, tags.kept
            )
            yield Row(page.page.set, page.page.gold.site, inputs, worth)


def fit(rows: Sequence[Row]) -> Floats:
    """The weights of the inputs (k,), the bias last."""
    inputs = np.column_stack([[row.inputs for row in rows], np.ones(len(rows))])
    truth, names = np.array([row.truth for row in rows]), np.array([row.set for row in rows])
    counts = {name: int((names == name).sum()) for name in set(names.tolist())}
    weight = np.array([counts[name] ** -0.5 for name in names.tolist()])
    weight *= len(rows) / weight.sum()
    spread = np.append(inputs[:, :-1].std(0) + 1e-6, 1.0)
    penalty = np.diag([*[PENALTY] * (inputs.shape[1] - 1), BIAS_PENALTY])
    scaled, weights = inputs / spread, np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        guess = 1.0 / (1.0 + np.exp(-scaled @ weights))
        slope = scaled.T @ (weight * (guess - truth)) + penalty @ weights
        curvature = (scaled.T * (weight * guess * (1.0 - guess))) @ scaled + penalty
        weights = weights - np.linalg.solve(curvature, slope)
    fitted: Floats = weights / spread
    return fitted


def guesses(rows: Sequence[Row], weights: Floats) -> Floats:
    """What a regression predicts of some pages, (n,)."""
    inputs = np.column_stack([[row.inputs for row in rows], np.ones(len(rows))])
    guessed: Floats = 1.0 / (1.0 + np.exp(-inputs @ weights))
    return guessed


def unseen(rows: Sequence[Row], learned: Collection[str], *, by_site: bool) -> Floats:
    """Predictions (n,) by regressions that have not seen a page's set, or only not its site.

    They learn from the sets in `learned`.
    """
    parts = np.array([str(fold_of(row.site, FOLDS)) if by_site else row.set for row in rows])
    guessed = np.zeros(len(rows))
    for part in sorted(set(parts.tolist())):
        inside = np.flatnonzero(parts == part)
        weights = fit(
            [row for row, of in zip(rows, parts, strict=True) if of != part and row.set in learned]
        )
        guessed[inside] = guesses([rows[place] for place in inside.tolist()], weights)
    return guessed


def thread_table(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    """Set -> pages, and wrong classes by a gate that has not seen the set, or the site."""
    names = {row.set for row in rows}
    wrong = {
        name: (unseen(rows, names, by_site=by_site) >= 0.5) != [row.truth >= 0.5 for row in rows]
        for name, by_site in (("wrong, set left out", False), ("wrong, site left out", True))
    }
    table = {}
    for name in dict.fromkeys(row.set for row in rows):
        places = [place for place, row in enumerate(rows) if row.set == name]
        figures = {key: int(values[places].sum()) for key, values in wrong.items()}
        table[name] = {"pages": len(places), **figures}
    return table


def ranks(values: Floats) -> Floats:
    """The ranks of values (n,), equal values sharing theirs: of recipes, 77 % are worth 1."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    shared: Floats = (np.cumsum(counts) - counts / 2.0)[places]
    return shared


def score_table(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Set -> mean worth and mean scores, rank correlation, low pages with a high score."""
    truth = np.array([row.truth for row in rows])
    names = np.array([row.set for row in rows])
    table = {}
    scores = {
        "set": unseen(rows, SCORED, by_site=False),
        "site": unseen(rows, SCORED, by_site=True),
    }
    for name in (*dict.fromkeys(names.tolist()), ""):
        places = np.flatnonzero((names == name) | (not name))
        low = truth[places] < 0.5
        figures: dict[str, float] = {"pages": len(places), "worth": float(truth[places].mean())}
        for left, values in scores.items():
            guessed = values[places]
            rank = np.corrcoef(ranks(truth[places]), ranks(guessed))
            figures |= {
                f"score, {left} left out": float(guessed.mean()),
                f"rank, {left} left out": float(rank[0, 1]),
                f"above .9 of those below .5, {left} left out": float(
                    (guessed[low] > 0.9).mean() if low.any() else 0.0
                ),
            }
        table[name or "all"] = {key: round(figure, 4) for key, figure in figures.items()}
    return table


def weights_of(rows: Sequence[Row], names: Sequence[str]) -> dict[str, float]:
    """Input -> its weight, by all rows."""
    return dict(zip((*names, BIAS), fit(rows).tolist(), strict=True))


def trained(left_out: LeftOut, args: Namespace) -> dict[str, Any]:
    """The regressions and their tables; the first is written before the second is trained."""
    names = args.sets or left_out.names
    threads = [row for name in names for row in thread_rows(left_out.predicted(name))]
    result: dict[str, Any] = {"threads": thread_table(threads)}
    weights: dict[str, Mapping[str, float]] = {"thread": weights_of(threads, THREAD_INPUTS)}
    neutral = {**dict.fromkeys(SCORE_INPUTS, 0.0), BIAS: 0.0}
    about = {"sets": list(names), "pages": len(threads)}
    if args.save:  # the score is that of the texts which pages get by it
        save_logistic(DECISION_WEIGHTS, DECISION_KIND, {**weights, "score": neutral}, about)
        decision_weights.cache_clear()
    scores = [row for name in names for row in score_rows(left_out.predicted(name))]
    result["scores"] = score_table(scores)
    learned = [row for row in scores if row.set in SCORED]
    weights["score"] = weights_of(learned, SCORE_INPUTS)
    if args.save:
        about |= {"scored_sets": sorted(SCORED), "scored": len(learned)}
        save_logistic(DECISION_WEIGHTS, DECISION_KIND, weights, about)
    return {**result, "weights": weights}


def main() -> None:
    parser = left_out_parser(__doc__)
    parser.add_argument("--save", action="store_true", help=f"write {DECISION_WEIGHTS.name}")
    args = parser.parse_args()
    result = trained(LeftOut(describe(args), args), args)
    for part in ("threads", "scores"):
        for name, figures in result[part].items():
            print(f"{name:20}", *(f"{key} {figure}" for key, figure in figures.items()))
    print(result["weights"])
    record("models/decision", {**result, **environment()})


if __name__ == "__main__":
    main()
