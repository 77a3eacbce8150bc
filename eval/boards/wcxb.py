"""Run systems by the protocol of WCXB (web-content-extraction-benchmark).

Run `python -m eval.boards.wcxb DIR`, where DIR is `dev` or `test` of its repository: it has
`html/ID.html.gz` and `ground-truth/ID.json`. Without DIR the development half of `--data` is used.

Measured as its `evaluate.py` does: precision, recall and F1 of lower-cased words as multisets, mean
over pages, and over those of each type; the shares of snippets that are in the text (case does not
count), where a page without any has a share of 1. `--out` writes `NAME.json` for its `--results`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from crfclean.page.decode import decode
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.metrics import word_scores
from eval.boards import board
from eval.boards.board import Board, Figures, Texts, means


def page_type(truth: Mapping[str, Any]) -> str:
    """The type of a page, as the board reads it: categories are collections, the rest articles."""
    named = (truth.get("_internal") or {}).get("page_type") or "article"
    kind = named.get("primary", "article") if isinstance(named, dict) else str(named)
    return "collection" if kind == "category" else kind


def read(directory: Path) -> Iterator[GoldPage]:
    """The pages of a half."""
    for path in sorted((directory / "ground-truth").glob("*.json")):
        truth = json.loads(path.read_text("utf-8"))
        gold, name = truth.get("ground_truth"), path.stem
        if isinstance(gold, dict):
            page = decode(gzip.decompress((directory / "html" / f"{name}.html.gz").read_bytes()))
            snippets = [tuple(gold.get(key) or ()) for key in ("with", "without")]
            text = gold.get("main_content") or ""
            kind = page_type(truth)
            yield GoldPage(
                name,
                page,
                text,
                "wcxb",
                name,
                kind,
                expected_snippets=snippets[0],
                forbidden_snippets=snippets[1],
            )


def share_found(text: str, snippets: Sequence[str]) -> float:
    """The share of snippets that are in a text.

    >>> share_found("The ferry sails.", ["FERRY", "bus"])
    0.5
    """
    lower = text.lower()
    return sum(each.lower() in lower for each in snippets) / len(snippets) if snippets else 1.0


def page_figures(gold: GoldPage, text: str) -> dict[str, float]:
    """The figures of a page; `word_scores` is this board's measure."""
    words = word_scores(text, gold.text)
    return {
        "precision": words.precision,
        "recall": words.recall,
        "f1": words.f1,
        "with": share_found(text, gold.expected_snippets),
        "without": share_found(text, gold.forbidden_snippets),
    }


def score(pages: Sequence[GoldPage], texts: Texts) -> Figures:
    """Means over pages, then the mean F1 of each type."""
    return means((gold.kind, page_figures(gold, texts[gold.id])) for gold in pages)


WCXB = Board("wcxb", read, score, "wcxb-dev")


def main() -> None:
    board.main(WCXB, __doc__)


if __name__ == "__main__":
    main()
