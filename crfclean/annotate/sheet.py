"""A page's file <-> `Sheet`: its blocks, the model's guesses and the labels given so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crfclean.gold.align import align
from crfclean.gold.pages import NONE, UNLABELLED, gold_paths, is_page, read_labels, read_text
from crfclean.io import (
    write_atomically,
)
from crfclean.page.blocks import SplitParams, split
from crfclean.page.decode import MAX_BYTES, decode
from crfclean.pipeline import split_params
from crfclean.types import Blocks, CrfcleanError, Floats, GoldError, Ints, Label, Page, Tagger


@dataclass(frozen=True)
class Sheet:
    """A page on the table: n blocks, `labels` (n,) with `NONE` where nobody has given one.

    `guesses` (n,) are the model's labels (`NONE` without a model), `sure` (n,) its probability
    of each guess; `known` (n,) the labels that blocks of the same place and text have elsewhere.
    `page` has the HTML.
    """

    file: Path
    page: Page
    blocks: Blocks
    labels: Ints
    guesses: Ints
    sure: Floats
    known: Ints

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def settled(self) -> Ints:
        """The labels given, or else known, (n,); `NONE` for blocks to be asked for."""
        return np.where(self.labels == NONE, self.known, self.labels)

    @property
    def labelled(self) -> int:
        """How many blocks are settled."""
        return int(np.count_nonzero(self.settled != NONE))

    def next_open(self, block: int) -> int | None:
        """The first block to be asked for from this one on, or else from the page's begin."""
        found = np.flatnonzero(self.settled == NONE)
        later = found[found >= block]
        return int(later[0] if len(later) else found[0]) if len(found) else None

    def run(self, block: int) -> range:
        """The blocks to be asked for from this one on that have the same guess as it."""
        like = (self.guesses == self.guesses[block]) & (self.settled == NONE)
        like[block] = True
        ends = np.flatnonzero(~like[block:])
        return range(block, block + int(ends[0]) if len(ends) else len(self))

    @property
    def certainty(self) -> float:
        """How sure the model is of the page, 0..1; see `certainty`."""
        return certainty(self.sure, np.array([len(text) for text in self.blocks.texts]))

    def places(self) -> Iterator[tuple[str, str]]:
        """Every block's place (the tags around it) and text: what makes two blocks the same."""
        nodes = self.blocks.nodes
        paths: list[str] = []
        for tag, parent in zip(nodes.tags, nodes.parent.tolist(), strict=True):
            paths.append(f"{paths[parent]}/{tag}" if parent >= 0 else tag)
        texts = zip(self.blocks.node.tolist(), self.blocks.texts, strict=True)
        return ((paths[node], text) for node, text in texts)


def certainty(sure: Floats, sizes: Ints | Floats) -> float:
    """Mean probability of the guesses (n,), blocks weighted by their sizes (n,); 1.0 for none.

    Least confidence, the plainest measure of active learning (Lewis and Gale 1994).
    """
    return float(sure @ sizes / sizes.sum()) if len(sure) else 1.0


def find_pages(folder: Path) -> list[Path]:
    """The pages below a directory in order of names; raises `CrfcleanError` for none."""
    if not folder.is_dir():
        raise CrfcleanError(f"{folder}: no such directory")
    found = sorted(file for file in folder.rglob("*") if is_page(file.name) and file.is_file())
    if not found:
        raise CrfcleanError(f"{folder}: no pages to label")
    return found


def read_sheet(file: Path, tagger: Tagger | None, elements: tuple[str, ...] = ()) -> Sheet:
    """Open a page with its label file, or else with the labels that its gold text gives.

    Raises `GoldError` where the labels don't fit the page, or a file cannot be read.
    """
    page = _read_page(file)
    trained = SplitParams() if tagger is None else split_params(tagger)
    blocks = split(page, SplitParams(elements) if elements else trained)
    count = len(blocks)
    sheet = Sheet(file, page, blocks, _labels(file, blocks), *_nothing(count))
    if tagger is None:
        return sheet
    tags = tagger.tag(blocks)
    sure = tags.marginals[np.arange(count), tags.labels] if count else np.zeros(0)
    return replace(sheet, guesses=tags.labels, sure=sure)


def _nothing(count: int) -> tuple[Ints, Floats, Ints]:
    """No guesses, no certainty, nothing known of so many blocks."""
    return np.full(count, NONE), np.zeros(count), np.full(count, NONE)


def _read_page(file: Path) -> Page:
    try:
        with file.open("rb") as stream:
            return decode(stream.read(MAX_BYTES + 1))
    except OSError as error:
        raise GoldError(f"{file}: cannot be read: {error.strerror}") from error


def _labels(file: Path, blocks: Blocks) -> Ints:
    """The labels that stand beside a page (n,), `NONE` where there are none."""
    tsv, txt = gold_paths(file)
    if tsv.exists():
        return _from_file(tsv, blocks)
    if txt.exists():
        return align(blocks, read_text(txt)).astype(np.int64)
    return np.full(len(blocks), NONE)


def _from_file(tsv: Path, blocks: Blocks) -> Ints:
    lines = tuple(read_labels(tsv))
    for number, ((_, told), text) in enumerate(zip(lines, blocks.texts, strict=False), 1):
        if told != text:
            raise GoldError(f"{tsv}:{number}: {told[:60]!r}, but the page has {text[:60]!r}")
    if len(lines) != len(blocks):
        raise GoldError(f"{tsv}: {len(lines)} lines, but the page has {len(blocks)} blocks")
    return np.array([NONE if label is None else label for label, _ in lines], np.int64)


def unfinished(folder: Path) -> int:
    """How many pages below a directory have a label file with gaps, and no text: they are no gold.

    Raises `GoldError` for a file that is none of labels.
    """
    files = [file for file in folder.rglob("*") if is_page(file.name)]
    pairs = (gold_paths(file) for file in files)
    return sum(
        any(label is None for label, _ in read_labels(tsv))
        for tsv, txt in pairs
        if tsv.exists() and not txt.exists()
    )


def write_labels(sheet: Sheet) -> None:
    """Write a sheet's label file, whole or not at all; raises `CrfcleanError`."""
    path = gold_paths(sheet.file)[0]
    labels = sheet.settled.tolist()
    names = [UNLABELLED if label == NONE else Label(label).name for label in labels]
    lines = (f"{name}\t{text}\n" for name, text in zip(names, sheet.blocks.texts, strict=True))
    try:
        write_atomically(path, "".join(lines).encode("utf-8", "replace"))
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be written: {error.strerror}") from error
