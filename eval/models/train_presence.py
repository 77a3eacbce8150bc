"""Train the probability that a page has its content.

Run `python -m eval.models.train_presence --data DIR --predictions FOLDER --save`.

A logistic regression with an L2 penalty over the features of crfclean/systems/presence.py. Its
pages are those of the sets whose blocks hold most of the gold (so the content is there), those
judged by eye (presence_labels.json: page ids alone), forms and errors of various-dev, cleaned by a
model that has not learned from them, and short pages and shells of our own making in ten languages.
Probabilities out of fold, by site, are recorded.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.decision import evidence as decision
from crfclean.decision.verdict import decide
from crfclean.model.logistic import BIAS, Weights, probability
from crfclean.model.page_features import page_row
from crfclean.page.align import tokens
from crfclean.page.blocks import split
from crfclean.pipeline import labelled, open_model
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.metrics import word_scores
from crfclean.products.teach.train import fold_of
from crfclean.systems.open_model import PRESENCE
from crfclean.systems.presence import (
    PRESENCE_KIND,
    PresenceEvidence,
    presence_features,
)
from crfclean.types import Blocks, Floats, Page, Tagger, Tags
from eval.lib.corpora import corpus
from eval.lib.descriptions import describe
from eval.lib.left_out import LeftOut, left_out_parser
from eval.lib.measure import EMPTY
from eval.lib.record import environment, record
from eval.lib.shell_pages import absent_pages, present_pages
from eval.lib.shell_words import WORDS
from eval.lib.weights import save_logistic
from eval.models.page_types import train_page_type
from eval.models.train_default import AUTO
from eval.models.train_pagetype import ONLY, training_pages

SETS = ("wcxb-dev", "magic-html-article", "fundus-dev", "immortal-zh", "various-dev")
LABELS = Path(__file__).parent / "presence_labels.json"
PENALTY = 1.0
OWN_WEIGHT = 0.7  # of a page of our own making: they are alike
MOST_DOUBT = 50  # words of a form: the rules above a registration may be a text
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


@dataclass(frozen=True)
class Foretold:
    """A tagger of one page, whose probabilities (n, 3) are known."""

    marginals: Floats

    def tag(self, blocks: Blocks) -> Tags:
        """Decide as the shipped model does."""
        return decide(decision.Evidence(blocks), self.marginals, AUTO)


def example(gold: GoldPage, name: str, tagger: Tagger, labels: Mapping[str, Any]) -> Example | None:
    """A page of a set with its label; None for one that nobody has judged."""
    document = labelled(gold.page, tagger, carried=not isinstance(tagger, Foretold))
    judged = labels.get(name, {}).get(gold.id)
    if judged is None and is_form(gold, name):
        judged = "form"
    if judged is None:
        text = "\n".join(document.blocks.texts)
        if not gold.text or word_scores(text, gold.text).recall < MIN_RECALL:
            return None
        judged = "present"
    values = presence_features(PresenceEvidence(document, gold.page))
    return Example(name, gold.id, gold.site, judged == "present", values)


def is_form(gold: GoldPage, name: str) -> bool:
    """Whether a page was read and found to be a form or an error without any text in doubt."""
    is_empty = name == EMPTY and not gold.text.strip()
    return is_empty and gold.kind in ONLY[EMPTY] and len(tokens(gold.optional)) < MOST_DOUBT


def form_chances(data: str) -> dict[str, float]:
    """Page of `EMPTY` -> the probability of a form, by models that have not seen its site."""
    training = [page for pages in training_pages(data).values() for page in pages]
    golds, chances = corpus(EMPTY, data), dict[str, float]()
    for fold in range(FOLDS):
        model = train_page_type([page for page in training if fold_of(page.site, FOLDS) != fold])
        place = model.types.index("form")
        for gold in golds:
            if fold_of(gold.site, FOLDS) == fold and len(blocks := split(gold.page)):
                row = page_row(blocks, gold.page.url)
                chances[gold.id] = float(model(row[None, :])[0][place])
    return chances


def own_examples(tagger: Tagger) -> list[Example]:
    """The pages of our own making; a language is a site."""
    examples = []
    for words in WORDS:
        pages = [(html, False) for _, html in absent_pages(words)]
        pages += [(html, True) for html in present_pages(words)]
        for at, (html, present) in enumerate(pages):
            page = Page(html)
            values = presence_features(PresenceEvidence(labelled(page, tagger), page))
            examples.append(Example("own", f"{words.lang}-{at}", words.lang, present, values))
    return examples


def with_chance(row: Example, chances: Mapping[str, float]) -> Example:
    """The example with another probability of a form, where it has one at all."""
    if row.source != EMPTY or not row.values["form"]:
        return row
    return replace(row, values={**row.values, "form": chances[row.id]})


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


def new_to(name: str, args: Namespace) -> dict[str, Tagger]:
    """Page of a set -> its tagger by the recipe without the set.

    The shipped model keeps nothing of forms that it knows.
    """
    predicted = LeftOut(describe(args), args).predicted(name)
    return {page.page.gold.id: Foretold(page.marginals) for page in predicted}


def main() -> None:
    parser = left_out_parser(__doc__)
    parser.add_argument("--save", action="store_true", help=f"write {PRESENCE.name}")
    args = parser.parse_args()
    labels = json.loads(LABELS.read_text("utf-8"))
    default = open_model("default")
    examples, new = own_examples(default), new_to(EMPTY, args)
    for name in SETS:
        for gold in corpus(name, args.data):
            tagger = new.get(gold.id, default) if name == EMPTY else default
            judged = example(gold, name, tagger, labels)
            examples += [judged] if judged else []
    chances = form_chances(args.data)
    examples = [with_chance(row, chances) for row in examples]
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
        save_logistic(PRESENCE, PRESENCE_KIND, {PRESENCE_KIND: weights}, about)
        record("documents/presence_calibration", {**environment(), **result})


if __name__ == "__main__":
    main()
