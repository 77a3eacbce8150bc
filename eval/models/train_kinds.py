"""Train the model of kinds, models/kinds, and measure it on pages that it has not learned from.

Run `python -m eval.models.train_kinds --data DIR --save`.

The labelled pages of `data/kinds` are divided into folds by site, and by set; each is told by a
model that has learned from the others, and from the golds of `eval/lib/kind_training.py` without
the pages of its sites. Figures stand beside those of the evidence alone, apart for the half of the
sites that rules were made from and the other half: shares of blocks and words that are right, and
the expected calibration error of the probability of the kind, in 15 bins. Blocks that are no
content of any kind count as paragraphs, posts as comments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.model.columns import FEATURES
from crfclean.model.json_model import write_plain
from crfclean.model.kind_columns import evidence_names
from crfclean.model.kind_model import (
    KIND_MODEL,
    KIND_OUTPUTS,
    KindModel,
    by_kind,
    kind_fingerprints,
)
from crfclean.products.teach.gold import NONE
from crfclean.types import Bools, Floats, Ints, Kind
from eval.lib.corpora import ROOT, data_parser
from eval.lib.kind_gold import OTHER, LabelledPage, labelled_pages
from eval.lib.kind_training import (
    EVENNESS,
    GOLD_SHARE,
    KindPage,
    design,
    fit_kinds,
    gold_kind_pages,
    labelled_kind_pages,
)
from eval.lib.record import environment, record
from eval.lib.weights import numbers
from eval.models.train_default import LICENCES

FOLDS = 5
BINS = 15
OWN = "the project's own labels (data/kinds)"


@dataclass(frozen=True)
class JudgedPage:
    """The labelled blocks of a page: labels, kinds by evidence, probabilities of kinds, words.

    Labels and kinds have shape (n,), probabilities (n, kinds).
    """

    set: str
    is_dev: bool
    labels: Ints
    evidence: Ints
    probabilities: Floats
    words: Floats


def fold_of(page: KindPage) -> int:
    """The fold of a page's site, 0 to `FOLDS` - 1."""
    return hashlib.sha256(f"fold {page.site}".encode()).digest()[0] % FOLDS


def judged(
    labelled: Sequence[LabelledPage],
    pages: Sequence[KindPage],
    golds: Sequence[KindPage],
    part_of: Callable[[KindPage], object],
) -> Iterator[JudgedPage]:
    """Each labelled page by a model that has not seen its part, nor a page of its part's sites."""
    for part in sorted({part_of(page) for page in pages}, key=str):
        tested = [number for number, page in enumerate(pages) if part_of(page) == part]
        sites = {pages[number].site for number in tested}
        others = [page for page in pages if part_of(page) != part and page.site not in sites]
        others += [page for page in golds if page.set != part and page.site not in sites]
        model = fit_kinds(others)
        for number in tested:
            yield judge(
                labelled[number], pages[number], by_kind(model.shares(pages[number].columns))
            )


def judge(labelled: LabelledPage, page: KindPage, probabilities: Floats) -> JudgedPage:
    """The labelled blocks of a page with their probabilities (n, kinds) of all its blocks."""
    of = labelled.kinds != NONE
    names = evidence_names()[: len(Kind)]
    first = len(FEATURES)
    evidence = page.columns[:, first : first + len(names)].argmax(1)
    labels = np.where(labelled.kinds == Kind.POST, Kind.COMMENT, labelled.kinds)
    labels = np.where(labels == OTHER, Kind.PARAGRAPH, labels)
    return JudgedPage(
        labelled.set, labelled.is_dev, labels[of], evidence[of], probabilities[of], page.words[of]
    )


def figures(pages: Sequence[JudgedPage]) -> dict[str, Any]:
    """Shares that are right by evidence and by the model; calibration; figures by kind."""
    labels, evidence, words = (
        np.concatenate([getattr(page, name) for page in pages])
        for name in ("labels", "evidence", "words")
    )
    probabilities = np.concatenate([page.probabilities for page in pages])
    kinds = {
        "evidence": evidence,
        "model": probabilities.argmax(1),
    }
    places = np.arange(len(labels))
    errors = {
        name: round(calibration_error(probabilities[places, guess], guess == labels), 4)
        for name, guess in kinds.items()
    }
    return {
        "pages": len(pages),
        "blocks": len(labels),
        "right": {name: _right(guess == labels, words) for name, guess in kinds.items()},
        "calibration error": errors,
        "kinds": {name: by_kind_of(labels, guess) for name, guess in kinds.items()},
    }


def _right(right: Bools, words: Floats) -> list[float]:
    """Shares of blocks and of words."""
    return [round(float(right.mean()), 4), round(float(words[right].sum() / words.sum()), 4)]


def by_kind_of(labels: Ints, guesses: Ints) -> dict[str, list[float]]:
    """Kind -> precision, recall and F1 in blocks, for the kinds that are labelled."""
    rates = {}
    for kind in Kind:
        of, guessed = labels == kind, guesses == kind
        right = float((of & guessed).sum())
        if of.any():
            parts = (
                right / max(1, guessed.sum()),
                right / of.sum(),
                2 * right / (of.sum() + guessed.sum()),
            )
            rates[kind.name.lower()] = [round(float(part), 3) for part in parts]
    return rates


def calibration_error(probability: Floats, right: Bools) -> float:
    """The mean distance of probability and share right over bins of equal width."""
    bins = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    distance = np.bincount(bins, probability - right, BINS)
    return float(np.abs(distance).sum() / len(bins))


def halves(pages: Sequence[JudgedPage]) -> dict[str, dict[str, Any]]:
    """Figures by half of the sites."""
    return {
        name: figures([page for page in pages if page.is_dev == is_dev])
        for name, is_dev in {"dev": True, "held-out": False}.items()
    }


def by_set(pages: Sequence[JudgedPage]) -> dict[str, dict[str, Any]]:
    """Figures by set, without those by kind."""
    rows = {}
    for name in sorted({page.set for page in pages}):
        rows[name] = figures([page for page in pages if page.set == name])
        del rows[name]["kinds"]
    return rows


def save_kind_model(model: KindModel, folder: Path) -> None:
    """Write a model folder; equal models give equal bytes. Raises `ModelError`."""
    scaling = model.scaling
    weights = {
        "log": [int(is_count) for is_count in scaling.log],
        "mean": numbers(scaling.mean),
        "deviation": numbers(scaling.deviation),
        "layers": [
            {"weights": numbers(layer.weights), "bias": numbers(layer.bias)}
            for layer in model.layers
        ],
    }
    entries = {"outputs": list(KIND_OUTPUTS), "features": kind_fingerprints(model.features)}
    write_plain(folder, KIND_MODEL, entries, weights, model.about)


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "models" / "kinds")
    parser.add_argument("--save", action="store_true", help="write the model")
    args = parser.parse_args()
    labelled, golds = list(labelled_pages(args.data)), list(gold_kind_pages(args.data))
    pages = labelled_kind_pages(labelled)
    folds = halves(list(judged(labelled, pages, golds, fold_of)))
    left_out = by_set(list(judged(labelled, pages, golds, lambda page: page.set)))
    for name, part in (folds | left_out).items():
        print(name, part)
    sets = [{"name": OWN, "pages": len(pages), "licence": "that of the project"}]
    for name in dict.fromkeys(page.set for page in golds):
        count = sum(page.set == name for page in golds)
        sets.append({"name": name, "pages": count, "licence": LICENCES[name]})
    record(
        "models/kinds",
        {"folds by site": folds, "a set left out": left_out, "sets": sets, **environment()},
    )
    if args.save:
        parameters = {**asdict(design()), "gold_share": GOLD_SHARE, "evenness": EVENNESS}
        scores = {"right, folds by site": {name: part["right"] for name, part in folds.items()}}
        about = {"parameters": parameters, "sets": sets, "scores": scores}
        save_kind_model(replace(fit_kinds([*pages, *golds]), about=about), args.output)


if __name__ == "__main__":
    main()
