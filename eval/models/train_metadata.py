"""Train the ranking of titles, authors and dates from annotated pages.

Run `python -m eval.models.train_metadata --data DIR --save`.

A conditional logit with an L2 penalty over the features of crfclean/metadata/read.py, fitted by
L-BFGS; `--save` writes the shipped weights. The penalty and the least probabilities were chosen by
cross-validation on wcxb-dev.
"""

from __future__ import annotations

import json
import lzma
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from crfclean.io import write_text
from crfclean.metadata.candidates import Alternative, folded
from crfclean.metadata.gathering import PageCandidates, gather_candidates
from crfclean.metadata.language import language
from crfclean.metadata.names import name_key, names_of
from crfclean.metadata.ranking import (
    RANKING_WEIGHTS,
    RankingWeights,
    features_of_none,
    value_features,
)
from crfclean.page.blocks import split
from crfclean.types import Document, Tags
from eval.lib.corpora import corpus, data_parser

SET = "wcxb-dev"
SETS: Mapping[str, tuple[str, ...]] = {
    "wcxb-dev": ("title", "author", "date"),
    "fundus-dev": ("title", "author", "date"),
    "trafilatura-dev": ("title", "author", "date"),
    "immortal-zh": ("author", "date"),
    "htmldate-dev": ("date",),
    "recipes-dev": ("title", "author"),
}
"""Set -> the kinds of values that it annotates. Only in `SET` a missing value says that the page
has none; elsewhere nobody may have looked for it."""

LICENCES = (
    "CC-BY-4.0 (WCXB, Foley 2026), MIT (fundus; immortal-zh; recipe-scrapers), "
    "Apache-2.0 (trafilatura; htmldate)"
)
PENALTY = 1.0
LEAST_PAGES = 4  # values that have a feature, below which it gets no weight
LEAST = {"title": 0.1, "author": 0.15, "date": 0.1}
"""Kind -> the probability from which on a value is given: near the best F1, for recall."""

KINDS = ("title", "author", "date")
_ANNOTATED_ONLY = "none where all pages have a value"
"""A feature of "none of them" in the other sets, which takes up that none is never right there."""


@dataclass(frozen=True)
class AnnotatedPage:
    """A page, its statements about itself, and the keys of the right values ("" for none)."""

    id: str
    set: str
    site: str
    kind: str
    document: Document
    gathered: PageCandidates
    right: Mapping[str, str]

    def values(self, kind: str) -> list[Alternative]:
        """The values of a kind."""
        by_kind = {"title": self.gathered.titles, "author": self.gathered.authors}
        return by_kind.get(kind, self.gathered.dates)

    def is_known(self, kind: str) -> bool:
        """Whether the right value of a kind, or that there is none, is known."""
        return bool(self.right[kind]) or self.set == SET


def author_key(texts: Sequence[str]) -> str:
    """Texts that name authors -> the set of their names, without roles and titles."""
    names = tuple(name for text in texts for name in names_of(text))
    return name_key(names) or folded(" ".join(texts))


def read_annotated(data: str, name: str = SET) -> list[AnnotatedPage]:
    """The annotated pages of a set."""
    pages = corpus(name, data)
    path = next(path for path in sorted(Path(data).glob(f"{name}.jsonl*")))
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    pages_read = []
    for gold, row in zip(pages, rows, strict=True):
        blocks = split(gold.page)
        tags = Tags(np.zeros(0, np.int32), np.zeros((0, 3)), 0.0)
        document = Document(gold.page.url, blocks, tags)
        spoken = language(document)
        gathered = gather_candidates(blocks, gold.page.url or "", spoken.text if spoken else "")
        page = AnnotatedPage(
            gold.id, name, gold.site, gold.kind, document, gathered, _right(name, row)
        )
        pages_read.append(page)
    return pages_read


def _right(name: str, row: Mapping[str, Any]) -> dict[str, str]:
    """Kind -> the key of the value that a set annotates, "" for none."""
    extra = row["extra"]
    authors = extra.get("authors") or extra.get("author") or []
    day = str(extra.get("date") or "")[:10]
    right = {
        "title": folded(row["title"] or ""),
        "author": author_key([authors] if isinstance(authors, str) else authors),
        "date": day if day[:4].isdigit() else "",
    }
    return {kind: key if kind in SETS[name] else "" for kind, key in right.items()}


def fit(kind: str, pages: Sequence[AnnotatedPage]) -> dict[str, float]:
    """Feature -> weight for a kind."""
    rows: list[set[str]] = []
    right, page_of = [], []
    known = [page for page in pages if page.is_known(kind)]
    for place, page in enumerate(known):
        values, context = page.values(kind), page.gathered.context
        hits = [bool(value.key) and value.key == page.right[kind] for value in values]
        none = features_of_none(values, context)
        none |= set() if page.set == SET else {_ANNOTATED_ONLY}
        rows += [*value_features(kind, values, context), none]
        right += [*hits, not any(hits)]
        page_of += [place] * (len(values) + 1)
    counts = Counter(name for row in rows for name in row)
    names = {name: at for at, name in enumerate(sorted(counts)) if counts[name] >= LEAST_PAGES}
    names = {name: at for at, name in enumerate(names)}
    weights = _fitted(rows, names, np.array(right, np.float64), np.array(page_of))
    learned = {name: round(float(weights[at]), 3) for name, at in names.items()}
    learned.pop(_ANNOTATED_ONLY, None)
    return learned


def _fitted(rows: Sequence[set[str]], names: Mapping[str, int], right: Any, page_of: Any) -> Any:
    """The weights that make the right value of every page the likeliest."""
    columns = [sorted(names[name] for name in row if name in names) for row in rows]
    bounds = np.cumsum([0, *map(len, columns)])
    indices = np.array([at for row in columns for at in row])
    shape = (len(rows), len(names))
    matrix = csr_matrix((np.ones(len(indices)), indices, bounds), shape=shape)
    starts = np.flatnonzero(np.diff(page_of, prepend=-1))
    sizes = np.diff([*starts.tolist(), len(rows)])

    def loss(weights: Any) -> tuple[float, Any]:
        scores = matrix @ weights
        scores = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        chances = scores / np.repeat(np.add.reduceat(scores, starts), sizes)
        hit = np.maximum(np.add.reduceat(chances * right, starts), 1e-12)
        shares = chances * right / np.repeat(hit, sizes)
        value = -np.log(hit).sum() + PENALTY / 2 * weights @ weights
        return float(value), matrix.T @ (chances - shares) + PENALTY * weights

    start = np.zeros(len(names))
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x


def learn(pages: Sequence[AnnotatedPage]) -> dict[str, RankingWeights]:
    """Kind -> what was learned of it."""
    return {kind: RankingWeights(fit(kind, pages), LEAST[kind]) for kind in KINDS}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--save", action="store_true", help=f"write {RANKING_WEIGHTS.name}")
    args = parser.parse_args()
    pages = [page for name in SETS for page in read_annotated(args.data, name)]
    learned = learn(pages)
    for kind, weights in learned.items():
        print(f"{kind:7} {len(weights.by_feature)} features")
    if args.save:
        about = {"sets": list(SETS), "pages": len(pages), "licence": LICENCES}
        made = {
            "about": about,
            "least": {kind: weights.least for kind, weights in learned.items()},
            "weights": {
                kind: dict(sorted(weights.by_feature.items())) for kind, weights in learned.items()
            },
        }
        write_text(RANKING_WEIGHTS, json.dumps(made, indent=0, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
