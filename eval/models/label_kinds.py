"""Draw the pages whose blocks are labelled by kind, write their sheets, and compare two labellings.

Run `python -m eval.models.label_kinds --data DIR --sheets SHEETS` for the sheets of the drawn
pages, `python -m eval.models.label_kinds --data DIR --export FOLDER` for label files of both
labellings as `crfclean eval FOLDER/first --agree FOLDER/second` reads them: x.labels.tsv and
x.kinds.tsv, with texts.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

from crfclean.gold.pages import NONE, names_text
from crfclean.page.blocks import split
from crfclean.types import Kind, Label
from eval.lib.corpora import corpus, data_parser
from eval.lib.kind_gold import FIRST, OTHER, SECOND, LabelledPage, labelled_pages, read_lines
from eval.lib.kind_pages import SETS, candidate, draw
from eval.lib.kind_sheets import sheet

CONTENT = {
    *(Kind.LEAD, Kind.PARAGRAPH, Kind.LIST, Kind.TABLE, Kind.CODE, Kind.FORMULA, Kind.QUOTE),
    Kind.POST,
}
"""Kinds whose blocks are exported as text."""


def write_sheets(data: str, folder: Path) -> None:
    """A sheet a drawn page, in the order in which they are labelled."""
    folder.mkdir(parents=True, exist_ok=True)
    candidates = [candidate(gold, name) for name in SETS for gold in corpus(name, data)]
    for number, page in enumerate(draw(candidates)):
        head = f"{number} {page.set} {page.gold.id} {page.gold.page.url}"
        text = f"{head}\n{sheet(split(page.gold.page))}\n"
        (folder / f"{number:03}.txt").write_text(text, encoding="utf-8")


def label_of(kind: int) -> Label:
    """The label of a block of a kind, as `export` writes it."""
    if kind in (Kind.TITLE, Kind.HEADING):
        return Label.HEADER
    return Label.TEXT if kind in CONTENT else Label.OTHER


def export(data: str, path: Path, folder: Path, ids: Collection[str]) -> None:
    """Label files of the pages of a labelling that are among `ids`."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(_sorted(data, path, ids)):
        texts = page.blocks.texts
        block_labels = [NONE if kind == NONE else label_of(kind) for kind in page.kinds.tolist()]
        labels = ("?" if label == NONE else Label(label).name for label in block_labels)
        lines = (f"{label}\t{text}\n" for label, text in zip(labels, texts, strict=True))
        kinds = np.where(page.kinds == OTHER, Kind.PARAGRAPH, page.kinds)
        stem = folder / f"{number:03}"
        stem.with_suffix(".labels.tsv").write_text("".join(lines), encoding="utf-8")
        stem.with_suffix(".kinds.tsv").write_text(names_text(Kind, kinds.tolist(), texts), "utf-8")


def _sorted(data: str, path: Path, ids: Collection[str]) -> list[LabelledPage]:
    pages = (page for page in labelled_pages(data, path) if page.gold.id in ids)
    return sorted(pages, key=lambda page: (page.set, page.gold.id))


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--sheets", type=Path, help="folder for the sheets of the drawn pages")
    parser.add_argument("--export", type=Path, help="folder for the labels of pages labelled twice")
    args = parser.parse_args()
    if args.sheets:
        write_sheets(args.data, args.sheets)
    if args.export:
        twice = {page_id for _, page_id, *_ in read_lines(SECOND)}
        for name, path in (("first", FIRST), ("second", SECOND)):
            export(args.data, path, args.export / name, twice)


if __name__ == "__main__":
    main()
