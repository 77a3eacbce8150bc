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

from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.folder import load_bundle, save_bundle
from crfclean.modelfiles.training_pages import page_digest
from crfclean.parallel import map_in_order
from eval.lib.corpora import ROOT, corpus, data_parser
from eval.lib.descriptions import DEFAULT, Description
from eval.lib.prepared import silver_example

MODELS = ("default", "mlp")

Pages = Mapping[str, Sequence[bytes]]
"""Name of a set -> digests of its pages that are trained on."""


def gold_pages(names: Sequence[str], data: str) -> dict[str, list[bytes]]:
    """Pages of these sets whose gold is not empty."""
    return {
        name: [page_digest(gold.page.html) for gold in corpus(name, data) if gold.text.strip()]
        for name in names
    }


def silver_pages(names: Sequence[str], data: str, workers: int) -> dict[str, list[bytes]]:
    """Pages of these sets that have silver labels."""
    marked = {
        name: map_in_order(_silver_digest, corpus(name, data), name, workers) for name in names
    }
    return {name: [digest for digest in digests if digest] for name, digests in marked.items()}


def _silver_digest(gold: GoldPage, name: str) -> bytes:
    """The digest of a page with silver labels, b"" for one without."""
    return page_digest(gold.page.html) if silver_example(gold, name) is not None else b""


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
    pages = gold_pages(recipe.train, args.data)
    pages |= silver_pages(recipe.silver, args.data, args.workers)
    for name in MODELS:
        print(f"models/{name}: {enter(ROOT / 'models' / name, pages)} digests")


if __name__ == "__main__":
    main()
