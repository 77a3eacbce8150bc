"""Measure accuracy, macro F1 and calibration of page types by cross-validation over sites.

Run `python -m eval.documents.pagetype --data DIR`.

The pages are those of wcxb-dev; the model that judges a page is learned from the other sites, with
the pages of `BESIDE` added. It is compared with the commonest type, and with a rule by what a
page says of itself (`og:type`, JSON-LD). `--errors` prints the wrong pages.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crfclean.model.page_features import figure_names, page_row
from crfclean.page.blocks import split
from crfclean.pipeline import open_model
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.means import RESAMPLES
from crfclean.products.teach.train import fold_of
from crfclean.types import Floats, Ints
from eval.lib.calibration import binned_error, reliability
from eval.lib.corpora import corpus, data_parser
from eval.lib.intervals import mean
from eval.lib.record import environment, record
from eval.models.page_types import (
    PageParams,
    TypedPage,
    train_page_type,
    typed_pages,
    without_address,
)
from eval.models.train_pagetype import BESIDE, FOLDS, HOME, weighted_pages

AWAY = {
    "daniel-dev": "article",
    "irdata-big9": "article",
    "dragnet-dev": "article",
    "web-forum-52-dev": "forum",
    "magic-html-forum": "forum",
}
"""Sets of one type, each judged by a model that has not learned from it."""

TIMED = 100  # pages

RULE = (
    ("discussionforumposting qapage question", "forum"),
    ("product offer aggregateoffer og:product", "product"),
    ("techarticle", "documentation"),
    ("article newsarticle blogposting og:article", "article"),
    ("collectionpage", "collection"),
    ("itemlist", "listing"),
    ("localbusiness service organization faqpage", "service"),
)
"""Types that a page names, the surest first, and what a rule takes it for; else "article"."""


def by_rule(page: TypedPage) -> str:
    """What a page says that it is."""
    figures_of_page = dict(zip(figure_names(), page.row.tolist(), strict=True))
    for types, kind in RULE:
        if any(figures_of_page.get(f"is_{name}") for name in types.split()):
            return kind
    return "article"


def out_of_fold(
    pages: Sequence[TypedPage], beside: Sequence[TypedPage], params: PageParams
) -> tuple[tuple[str, ...], Floats, Floats]:
    """The types; probabilities (n, types) by models of other sites, with address and without."""
    folds = np.array([fold_of(page.site, FOLDS) for page in pages])
    rows = np.array([page.row for page in pages])
    located, alone = [], []
    for fold in range(FOLDS):
        training = [page for page in (*pages, *beside) if fold_of(page.site, FOLDS) != fold]
        model = train_page_type(training, params)
        held = rows[folds == fold]
        located.append(model(held))
        alone.append(model(without_address(held, model.names)))
    back = np.argsort(np.argsort(folds, kind="stable"), kind="stable")
    return model.types, np.concatenate(located)[back], np.concatenate(alone)[back]


def macro_f1(matrices: Floats) -> Floats:
    """Mean F1 of the types that occur, of confusion matrices (..., types, types), rows the gold."""
    right = np.diagonal(matrices, axis1=-2, axis2=-1)
    total = matrices.sum(-1) + matrices.sum(-2)
    f1 = np.divide(2 * right, total, out=np.zeros_like(right), where=total > 0)
    present = matrices.sum(-1) > 0
    means: Floats = (f1 * present).sum(-1) / np.maximum(1, present.sum(-1))
    return means


def scores(gold: Ints, guess: Ints, sites: Sequence[str], count: int) -> dict[str, Any]:
    """Accuracy, macro F1 and F1 by type with intervals over sites; the confusion matrix."""
    _, site = np.unique(np.array(sites), return_inverse=True)
    by_site = np.zeros((site.max() + 1, count, count))
    np.add.at(by_site, (site, gold, guess), 1.0)
    draws = np.random.default_rng(1).multinomial(
        len(by_site), np.full(len(by_site), 1.0 / len(by_site)), RESAMPLES
    )
    drawn = (draws.astype(np.float64) @ by_site.reshape(len(by_site), -1)).reshape(-1, count, count)
    total_matrix = by_site.sum(0)
    low, high = np.quantile(macro_f1(drawn), [0.025, 0.975])
    total = np.maximum(1.0, total_matrix.sum(0) + total_matrix.sum(1))
    return {
        "accuracy": mean((gold == guess).astype(float).tolist(), sites),
        "macro_f1": [round(float(value), 4) for value in (macro_f1(total_matrix), low, high)],
        "f1": np.round(2 * np.diagonal(total_matrix) / total, 4).tolist(),
        "matrix": total_matrix.astype(int).tolist(),
    }


def calibrated(shares: Floats, gold: Ints) -> dict[str, Any]:
    """The gap of the likeliest type's probability and its rightness, in bins and as a mean."""
    diagram = reliability(shares.max(1), shares.argmax(1) == gold, np.ones(len(gold)))
    bins = zip(diagram.predicted, diagram.observed, diagram.share, strict=True)
    rows = [[round(float(value), 3) for value in row] for row in bins if row[2] > 0]
    return {"ece": round(binned_error(diagram), 4), "bins": rows}


def away(others: Sequence[TypedPage], name: str, kind: str, data: str) -> dict[str, Any]:
    """How many pages of a set are given their type by a model of others, by address or not."""
    model = train_page_type(others)
    pages = typed_pages(replace(gold, kind=kind) for gold in corpus(name, data))
    rows, sites = np.array([page.row for page in pages]), [page.site for page in pages]
    result: dict[str, Any] = {"pages": len(pages), "type": kind}
    for key, figures_of_pages in (
        ("as they are", rows),
        ("no address", without_address(rows, model.names)),
    ):
        guesses = [model.types[place] for place in model(figures_of_pages).argmax(1)]
        right = [float(guess == kind) for guess in guesses]
        result[key] = {"right": mean(right, sites), "guesses": dict(Counter(guesses))}
    return result


def cost(golds: Sequence[GoldPage]) -> dict[str, float]:
    """CPU milliseconds a page: the figures alone, and behind a tagger that has measured it."""
    tagger: Any = open_model("default")
    alone = shared = 0.0
    for gold in golds[:TIMED]:
        page = split(gold.page)
        start = time.process_time()
        page_row(page, gold.page.url)
        alone += time.process_time() - start
        page = split(gold.page)  # what is counted stays with a page
        tagger.tag(page)
        start = time.process_time()
        page_row(page, gold.page.url)
        shared += time.process_time() - start
    count = len(golds[:TIMED])
    return {"alone": round(alone / count * 1e3, 2), "shared": round(shared / count * 1e3, 2)}


def show_errors(
    types: Sequence[str], shares: Floats, gold: Ints, golds: Sequence[GoldPage]
) -> None:
    """The wrong ones, the surest first."""
    wrong = np.flatnonzero(shares.argmax(1) != gold)
    for place in wrong[np.argsort(-shares.max(1)[wrong], kind="stable")].tolist():
        guess = int(shares[place].argmax())
        line = f"{types[gold[place]]} as {types[guess]} {shares[place, guess]:.2f}"
        print(f"{line:34} {golds[place].page.url}")


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--errors", action="store_true")
    args = parser.parse_args()
    golds = [gold for gold in corpus(HOME, args.data) if len(split(gold.page))]
    pages = typed_pages(golds)
    by_set = {name: weighted_pages(name, args.data) for name in BESIDE}
    beside = [page for of_set in by_set.values() for page in of_set]
    types, located, alone = out_of_fold(pages, beside, PageParams())
    gold = np.array([types.index(page.kind) for page in pages])
    most = np.full(len(gold), np.bincount(gold).argmax())
    rule = np.array([types.index(by_rule(page)) for page in pages])
    guesses = {
        "model": located.argmax(1),
        "model, no address": alone.argmax(1),
        "rule by og:type and JSON-LD": rule,
        "commonest type": most,
    }
    sites = [page.site for page in pages]
    results = {name: scores(gold, guess, sites, len(types)) for name, guess in guesses.items()}
    for name, result in results.items():
        accuracy, macro, by_type = (result[key] for key in ("accuracy", "macro_f1", "f1"))
        print(f"{name:28} accuracy {accuracy} macro F1 {macro} F1 {by_type}")
    print(types, *results["model"]["matrix"], sep="\n")
    sure = {"model": calibrated(located, gold), "model, no address": calibrated(alone, gold)}
    print({name: calibration["ece"] for name, calibration in sure.items()}, ms := cost(golds))
    others = {}
    for name, kind in AWAY.items():
        rest = [page for other, of_set in by_set.items() if other != name for page in of_set]
        others[name] = away([*pages, *rest], name, kind, args.data)
    print(others)
    if args.errors:
        show_errors(types, located, gold, golds)
    about = {"set": HOME, "pages": len(pages), "sites": len(set(sites)), "folds": FOLDS}
    about |= {
        "types": types,
        "scores": results,
        "calibration": sure,
        "ms a page": ms,
        "away": others,
    }
    record("documents/pagetype", {**about, **environment()})


if __name__ == "__main__":
    main()
