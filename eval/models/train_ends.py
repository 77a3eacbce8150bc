"""Train where a page's text ends, and another section begins.

Run `python -m eval.models.train_ends --data DIR --predictions FOLDER --save`.

Each page's text, as the decision keeps it, may end at any of its borders or at none; the weights
maximise the expected worth of the text by the measure of the set, less an L2 penalty. A collection
of n pages weighs as much as the square root of n. Each was predicted by a model that had seen none
of it; `LEARNED` are those that a shipped model may learn from. There is more than one good optimum,
so the weights are the mean of `FOLDS` fits, each without the sites of one fold. The table tells
what the other collections gain by these weights, and each page of the learned ones by the fit that
has not seen its site.
"""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from scipy.optimize import minimize

from crfclean.decision import verdict
from crfclean.decision.ends import (
    ENDS_KIND,
    TYPES,
    WEIGHTED,
    borders,
    cuts,
    end_scores,
    end_shares,
    with_types,
)
from crfclean.decision.ends import (
    SHIPPED_ENDS as SHIPPED,
)
from crfclean.decision.verdict import decide
from crfclean.model.logistic import BIAS
from crfclean.products.teach.train import fold_of
from crfclean.types import Bools, Floats, Label
from eval.lib.descriptions import describe
from eval.lib.left_out import LeftOut, left_out_parser
from eval.lib.measure import value
from eval.lib.predictions import Predicted
from eval.lib.record import environment, record
from eval.lib.weights import save_logistic
from eval.models.train_default import AUTO

LEARNED = (
    *("wcxb-dev", "magic-html-article", "magic-html-forum", "web-forum-52-dev", "fundus-dev"),
    *("immortal-zh", "readability", "trafilatura-dev", "recipes-dev", "courts-dev"),
)
PENALTY = 5e-4
FOLDS = 10
_STEPS = 200
_START = -3.0  # the bias: most texts end nowhere
_LITTLE = 0.01  # a change in worth


class Row(NamedTuple):
    """A page: inputs of its borders (k, inputs), and what an end at each would gain (k,)."""

    set: str
    kind: str
    site: str
    inputs: Floats
    gains: Floats


def row_of(page: Predicted) -> Row | None:
    """A page's borders; None without gold or borders."""
    evidence, gold = page.page.evidence(), page.page.gold
    model = np.ascontiguousarray(1.0 - page.marginals[:, Label.OTHER], np.float64)
    with patch.object(verdict, "text_end", lambda *_, **__: None):
        kept = decide(evidence, page.marginals, AUTO).kept
    whole = value(page.page.set, gold, page.page.text(kept))
    if whole is None:
        return None
    places = borders(evidence, model, kept)
    if places is None:
        return Row(page.page.set, gold.kind or "", gold.site, np.zeros((0, 1)), np.zeros(0))
    gains = [_worth(page, kept, end) - whole for end in places.after.tolist()]
    inputs = with_types(places.inputs, [evidence.types[name] for name in TYPES])
    return Row(page.page.set, gold.kind or "", gold.site, inputs, np.array(gains))


def _worth(page: Predicted, kept: Bools, end: int) -> float:
    """The worth of the text that ends before a block."""
    before = kept & (np.arange(len(kept)) < end)
    return value(page.page.set, page.page.gold, page.page.text(before)) or 0.0


def fit(rows: Sequence[Row]) -> Floats:
    """The weights of `decision.ends.WEIGHTED` (k,), the bias last."""
    rows = [row for row in rows if len(row.gains)]
    inputs = np.concatenate([row.inputs for row in rows])
    columns = np.hstack([inputs, inputs * inputs[:, -1:]])
    gains = np.concatenate([row.gains for row in rows])
    mean, spread = columns.mean(0), columns.std(0) + 1e-3
    scaled = (columns - mean) / spread
    counts = Counter(row.set for row in rows)
    share = np.array([counts[row.set] ** -0.5 for row in rows])
    share /= share.sum()
    sizes = np.array([len(row.gains) for row in rows])
    starts, owner = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(rows)), sizes)

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = scaled @ weights[:-1] + weights[-1]
        highest = np.maximum(np.maximum.reduceat(scores, starts), 0.0)
        parts = np.exp(scores - highest[owner])
        shares = parts / (np.add.reduceat(parts, starts) + np.exp(-highest))[owner]
        gain = np.add.reduceat(shares * gains, starts)
        slope = shares * (gains - gain[owner]) * share[owner]
        penalty = PENALTY * np.append(weights[:-1], 0.0)
        total = -share @ gain + 0.5 * (penalty @ weights)
        return float(total), penalty - np.append(slope @ scaled, slope.sum())

    start = np.append(np.zeros(columns.shape[1]), _START)
    weights = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}).x
    raw = weights[:-1] / spread
    return np.append(raw, weights[-1] - raw @ mean)


def gain_of(row: Row, weights: Floats) -> float:
    """What a page gains by the end of its text, if it is likely to have one."""
    if not len(row.gains):
        return 0.0
    shares = end_shares(end_scores(row.inputs, weights))
    at = int(shares.argmax())
    return float(row.gains[at]) if cuts(row.inputs[at], float(shares[at])) else 0.0


def folds_of(rows: Sequence[Row]) -> list[Floats]:
    """The weights without the sites of each fold."""
    return [
        fit([row for row in rows if row.set in LEARNED and fold_of(row.site, FOLDS) != fold])
        for fold in range(FOLDS)
    ]


def table(rows: Sequence[Row], by_fold: Sequence[Floats]) -> dict[str, dict[str, float]]:
    """Set -> pages, mean gain, pages that gain and that lose, the worst page."""
    gains: dict[str, list[float]] = {}
    together = np.mean(by_fold, axis=0)
    for row in rows:
        seen = row.set in LEARNED
        weights = by_fold[fold_of(row.site, FOLDS)] if seen else together
        name = f"{row.set}, {row.kind}" if row.set == "wcxb-dev" else row.set
        gains.setdefault(name, []).append(gain_of(row, weights))
    return {
        name: {
            "pages": len(values),
            "gain": round(float(np.mean(values)), 4),
            "better": sum(value > _LITTLE for value in values),
            "worse": sum(value < -_LITTLE for value in values),
            "worst": round(min(values), 3),
        }
        for name, values in gains.items()
    }


def trained(left_out: LeftOut, args: Namespace) -> dict[str, Any]:
    """The weights and their table."""
    pages = (page for name in args.sets or left_out.names for page in left_out.predicted(name))
    rows = [row for row in map(row_of, pages) if row is not None]
    by_fold = folds_of(rows)
    weights = dict(zip((*WEIGHTED, BIAS), np.mean(by_fold, axis=0).tolist(), strict=True))
    if args.save:
        save_logistic(SHIPPED, ENDS_KIND, {ENDS_KIND: weights}, {"sets": list(LEARNED)})
    return {"table": table(rows, by_fold), "weights": weights}


def main() -> None:
    parser = left_out_parser(__doc__)
    parser.add_argument("--save", action="store_true", help=f"write {SHIPPED.name}")
    args = parser.parse_args()
    result = trained(LeftOut(describe(args), args), args)
    for name, figures in result["table"].items():
        print(f"{name:28}", *(f"{key} {figure}" for key, figure in figures.items()))
    record("models/ends", {**result, **environment()})


if __name__ == "__main__":
    main()
