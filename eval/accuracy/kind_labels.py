"""Measure the kinds of blocks against the pages whose blocks were labelled by kind (`data/kinds`).

Run `python -m eval.accuracy.kind_labels --data DIR`.

By half of the sites (rules may be made from the mistakes of `dev` alone) and kind: the labelled
blocks; precision, recall and F1 in blocks and in words; and the shares of the labelled blocks and
words that the default model keeps, some of whose training pages are among these. Blocks that are
no content of any kind count as paragraphs, as crfclean calls them; posts as comments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crfclean.model.block_kinds import kinds_of
from crfclean.parallel import map_in_order
from crfclean.products.teach.gold import NONE
from crfclean.systems.load import load
from crfclean.types import Floats, Kind, Tagger
from eval.lib.corpora import data_parser
from eval.lib.kind_gold import OTHER, LabelledPage, labelled_pages
from eval.lib.record import environment, record


@dataclass(frozen=True)
class Compared:
    """A page's blocks and words.

    `table` (2, kinds, kinds) has them by labelled kind and guess; `kept` (2, kinds + 1, 2) all and
    those that the model keeps, by label, the last one `OTHER`.
    """

    is_dev: bool
    table: Floats
    kept: Floats


def compare(page: LabelledPage, tagger: Tagger) -> Compared:
    """A labelled page beside the guesses and the decision."""
    table, kept = np.zeros((2, len(Kind), len(Kind))), np.zeros((2, len(Kind) + 1, 2))
    labelled = page.kinds != NONE
    measures = page.blocks
    labels, guesses = page.kinds[labelled], kinds_of(measures)[labelled]
    keeps = tagger.tag(page.blocks).kept[labelled].astype(float)
    folded = np.where(labels == Kind.POST, Kind.COMMENT, labels)
    folded = np.where(labels == OTHER, Kind.PARAGRAPH, folded)
    for i, weights in enumerate((np.ones(len(labels)), measures.words[labelled])):
        np.add.at(table[i], (folded, guesses), weights)
        np.add.at(kept[i], labels, np.stack([weights, weights * keeps], axis=1))
    return Compared(page.is_dev, table, kept)


def summary(pages: Sequence[Compared]) -> dict[str, object]:
    """Figures by kind: of the guesses, and of what is kept."""
    tables = np.sum([page.table for page in pages], axis=0)
    kept = np.sum([page.kept for page in pages], axis=0)
    accuracy = [round(float(np.trace(table) / table.sum()), 4) for table in tables]
    guesses = {
        kind.name.lower(): {
            "blocks": int(tables[0][kind].sum()),
            "p, r, f in blocks": _rates(tables[0], kind),
            "p, r, f in words": _rates(tables[1], kind),
        }
        for kind in Kind
        if tables[0][kind].sum()
    }
    shares = {
        name.lower(): [round(float(part[i, 1] / max(part[i, 0], 1.0)), 3) for part in kept]
        for i, name in enumerate((*Kind.__members__, "OTHER"))
        if kept[0][i, 0]
    }
    return {"pages": len(pages), "accuracy": accuracy, "kinds": guesses, "kept": shares}


def _rates(table: Floats, kind: Kind) -> list[float]:
    right = table[kind, kind]
    precision, recall = right / max(table[:, kind].sum(), 1.0), right / max(table[kind].sum(), 1.0)
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return [round(float(value), 3) for value in (precision, recall, f1)]


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    labelled = labelled_pages(args.data)
    pages = list(map_in_order(compare, labelled, load(), args.workers))
    halves = {"dev": True, "held-out": False}
    figures = {
        name: summary([page for page in pages if page.is_dev == is_dev])
        for name, is_dev in halves.items()
    }
    for name, half in figures.items():
        print(name, half, flush=True)
    record("accuracy/kind_labels", {"halves": figures, **environment()})


if __name__ == "__main__":
    main()
