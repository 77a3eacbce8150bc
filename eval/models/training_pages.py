"""Write digests of their training pages into the manifests of the shipped models.

Run `python -m eval.models.training_pages --data DIR`.

By them `crfclean eval` tells that a page was trained on. Nothing is trained, and weights stay as
they are. A manifest is written only if the pages are as many as it says that each set had.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from crfclean.model.folder import load_bundle, save_bundle
from crfclean.model.page_digests import page_digest
from eval.lib.corpora import ROOT, corpus, data_parser, drawn
from eval.lib.descriptions import DEFAULT, Description
from eval.lib.measure import EMPTY
from eval.lib.prepared import line_labels, load_set, load_votes, silver_labels

MODELS = ("default", "mlp")

Pages = Mapping[str, Sequence[bytes]]
"""Name of a set -> digests of its pages that are trained on."""


def gold_pages(names: Sequence[str], data: str) -> dict[str, list[bytes]]:
    """Pages of these sets whose gold is not empty, or says that the page has no text."""
    return {
        name: [
            page_digest(gold.page.html)
            for gold in corpus(name, data)
            if gold.text.strip() or name == EMPTY
        ]
        for name in names
    }


def silver_pages(names: Sequence[str], data: str, workers: int) -> dict[str, list[bytes]]:
    """Pages of these sets that have silver labels."""
    return {name: _with_silver_labels(name, data, workers) for name in names}


def line_pages(lines: Mapping[str, int], data: str, workers: int) -> dict[str, list[bytes]]:
    """Pages of these sets of which some lines are gold: so many of each, 0 for all."""
    return {name: _with_lines(name, count, data, workers) for name, count in lines.items()}


def _with_lines(name: str, count: int, data: str, workers: int) -> list[bytes]:
    golds = corpus(name, data)
    chosen = {gold.id for gold in drawn(golds, count)}
    rows = zip(golds, load_set(name, data, workers), load_votes(name, data, workers), strict=True)
    return [
        page_digest(gold.page.html)
        for gold, page, votes in rows
        if gold.id in chosen and line_labels(page, votes) is not None
    ]


def _with_silver_labels(name: str, data: str, workers: int) -> list[bytes]:
    rows = zip(
        corpus(name, data),
        load_set(name, data, workers),
        load_votes(name, data, workers),
        strict=True,
    )
    return [
        page_digest(gold.page.html)
        for gold, page, count in rows
        if silver_labels(page, count) is not None
    ]


def recipe_pages(recipe: Description, data: str, workers: int) -> dict[str, list[bytes]]:
    """All pages that a model by a recipe is trained on."""
    return {
        **gold_pages(recipe.train, data),
        **line_pages(recipe.lines, data, workers),
        **silver_pages(recipe.silver, data, workers),
    }


def all_digests(pages: Pages) -> frozenset[bytes]:
    """The digests of all sets."""
    return frozenset(digest for digests in pages.values() for digest in digests)


def enter(folder: Path, pages: Pages) -> int:
    """Write the digests into a manifest; returns their number. Ends the script if sets differ."""
    bundle = load_bundle(folder)
    expected = {str(entry["name"]): int(entry["pages"]) for entry in bundle.sets}
    present = {name: len(pages.get(name, ())) for name in expected}
    if expected != present:
        raise SystemExit(f"{folder}: trained on {expected}, but here are {present}")
    digests = all_digests({name: pages[name] for name in expected})
    save_bundle(replace(bundle, pages=digests), folder)
    return len(digests)


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    recipe = Description(**json.loads(DEFAULT.read_text("utf-8")))
    pages = recipe_pages(recipe, args.data, args.workers)
    for name in MODELS:
        print(f"models/{name}: {enter(ROOT / 'models' / name, pages)} digests")


if __name__ == "__main__":
    main()
