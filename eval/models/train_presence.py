"""Train the probability that a page has its content.

Run `python -m eval.models.train_presence --data DIR --save`.

A logistic regression with an L2 penalty over the features of crfclean/carried/evidence.py. Its
pages are those of the sets whose blocks hold most of the gold (so the content is there), those
judged by eye (presence_labels.json: page ids alone), and short pages and shells of our own making
in ten languages. Probabilities out of fold, by site, are recorded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.carried.evidence import KIND, SHIPPED_WEIGHTS, Evidence, features
from crfclean.evaluate.metrics import word_scores
from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.plain import BIAS, Weights, probability, save_logistic
from crfclean.parallel import map_in_order
from crfclean.pipeline import open_model, tagged
from crfclean.types import Page, Tagger
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record
from eval.lib.shell_pages import absent_pages, present_pages
from eval.lib.shell_words import WORDS

SETS = ("wcxb-dev", "magic-html-article", "fundus-dev", "immortal-zh")
LABELS = Path(__file__).parent / "presence_labels.json"
PENALTY = 1.0
OWN_WEIGHT = 0.5  # of a page of our own making: they are alike
MIN_RECALL = 0.6  # of the gold in the words of all blocks
FOLDS = 5
STEPS = 30  # of Newton's method: it is still after 10
BINS = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1.0)


@dataclass(frozen=True)
class Example:
    """A page: its set and id, its site, whether its content is there, its features."""

    source: str
    id: str
    site: str
    present: bool
    values: Mapping[str, float]


def example(gold: GoldPage, tagger: Tagger, labels: Mapping[str, Any]) -> Example | None:
    """A page with its label; None for one that nobody has judged."""
    document = tagged(gold.page, tagger)
    judged = labels.get(gold.source, {}).get(gold.id)
    if judged is None:
        text = "\n".join(document.blocks.texts)
        if not gold.text or word_scores(text, gold.text).recall < MIN_RECALL:
            return None
        judged = "present"
    values = features(Evidence(document, gold.page))
    return Example(gold.source, gold.id, gold.site, judged == "present", values)


def own_examples(tagger: Tagger) -> list[Example]:
    """The pages of our own making; a language is a site."""
    examples = []
    for words in WORDS:
        pages = [(html, False) for _, html in absent_pages(words)]
        pages += [(html, True) for html in present_pages(words)]
        for at, (html, present) in enumerate(pages):
            page = Page(html)
            values = features(Evidence(tagged(page, tagger), page))
            examples.append(Example("own", f"{words.lang}-{at}", words.lang, present, values))
    return examples


def fit(examples: Sequence[Example]) -> Weights:
    """The weights that make the labels likeliest, by Newton's method."""
    names = list(examples[0].values)
    rows = np.array([[*(row.values[name] for name in names), 1.0] for row in examples])
    present = np.array([row.present for row in examples], float)
    importance = np.array([OWN_WEIGHT if row.source == "own" else 1.0 for row in examples])
    penalty = np.append(np.full(len(names), PENALTY), 1e-6)
    weights = np.zeros(len(names) + 1)
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-rows @ weights))
        slope = rows.T @ (importance * (present - chance)) - penalty * weights
        curve = (rows.T * (importance * chance * (1.0 - chance))) @ rows + np.diag(penalty)
        weights = weights + np.linalg.solve(curve, slope)
    rounded = [round(float(weight), 3) for weight in weights]
    return dict(zip((*names, BIAS), rounded, strict=True))


def out_of_fold(examples: Sequence[Example]) -> list[float]:
    """The probability of every page by a model that has not seen its site."""
    sites = sorted({row.site for row in examples})
    fold_of = {site: at % FOLDS for at, site in enumerate(sites)}
    models = [fit([row for row in examples if fold_of[row.site] != fold]) for fold in range(FOLDS)]
    return [probability(models[fold_of[row.site]], list(row.values.values())) for row in examples]


def calibration(examples: Sequence[Example], probabilities: Sequence[float]) -> dict[str, Any]:
    """Brier score, errors, and the share of present pages in bins of probability."""
    right = np.array([row.present for row in examples], float)
    chance = np.array(probabilities)
    at = np.clip(np.digitize(chance, BINS[1:-1]), 0, len(BINS) - 2)
    called, absent = chance < 0.5, right == 0
    return {
        "pages": len(examples),
        "absent": int(absent.sum()),
        "brier": round(float(((chance - right) ** 2).mean()), 4),
        "brier_of_the_share": round(float(right.mean() * (1 - right.mean())), 4),
        "precision": round(float(absent[called].mean()), 3) if called.any() else None,
        "recall": round(float(called[absent].mean()), 3) if absent.any() else None,
        "bins": [
            {
                "from": BINS[place],
                "to": BINS[place + 1],
                "pages": int((at == place).sum()),
                "mean": round(float(chance[at == place].mean()), 3),
                "present": round(float(right[at == place].mean()), 3),
            }
            for place in range(len(BINS) - 1)
            if (at == place).any()
        ],
    }


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--save", action="store_true", help=f"write {SHIPPED_WEIGHTS.name}")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    labels = json.loads(LABELS.read_text("utf-8"))
    tagger = open_model("default")
    golds = [gold for name in SETS for gold in corpus(name, args.data)]
    rows = map_in_order(partial(example, labels=labels), golds, tagger, args.workers)
    examples = [row for row in rows if row is not None]
    examples += own_examples(tagger)
    probabilities = out_of_fold(examples)
    real = [at for at, row in enumerate(examples) if row.source != "own"]
    result = {
        "all": calibration(examples, probabilities),
        "sets": calibration([examples[at] for at in real], [probabilities[at] for at in real]),
    }
    print(json.dumps(result, indent=1))
    for row, chance in zip(examples, probabilities, strict=True):
        if (chance < 0.5) == row.present:
            print(f"{row.source} {row.id}: {chance:.3f}, {'present' if row.present else 'absent'}")
    weights = fit(examples)
    print(json.dumps(weights, indent=1))
    if args.save:
        about = {
            "sets": [*SETS, "own pages"],
            "pages": len(examples),
            "licences": "CC-BY-4.0 (WCXB, Foley 2026), Apache-2.0 (magic-html), MIT (the others)",
        }
        save_logistic(SHIPPED_WEIGHTS, KIND, {KIND: weights}, about)
        record("documents/presence_calibration", {**environment(), **result})


if __name__ == "__main__":
    main()
