"""Pages to label with their guesses and labels, read from files and written back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crfclean.decision.places import block_paths
from crfclean.io import file_digest, naming_path
from crfclean.page.align import align
from crfclean.page.blocks import SplitParams, split
from crfclean.page.decode import MAX_BYTES, decode
from crfclean.page.page_names import is_page
from crfclean.pipeline import split_params
from crfclean.products.teach.gold import (
    NONE,
    files_below,
    gold_paths,
    labels_file,
    mismatch,
    read_labels,
    read_text,
)
from crfclean.types import Blocks, CrfcleanError, Floats, GoldError, Ints, Label, Page, Tagger

UNSURE = 0.75
"""A guess with a lower probability is uncertain."""

_NUMBER, _CELL = re.compile(r"[-_]?\d"), re.compile(r"/t[dh]\[\d+\]")  # in a name, in an XPath
_MENU_BLOCKS, _MENU_CHARS, _MENU_SURE = 5, 80, 0.9  # a menu: so many blocks, so short, so sure


class Digests(NamedTuple):
    """The digests of a page, of its label file and of its gold text; "" for a missing one."""

    page: str = ""
    labels: str = ""
    gold: str = ""


NO_DIGESTS = Digests()


@dataclass(frozen=True)
class Sheet:
    """A page to label: its n blocks and their `labels` (n,), `NONE` for missing ones, or `DOUBT`.

    `guesses` (n,) are the model's labels (`NONE` without a model), and `sure` (n,) its
    probabilities of them. `known_labels` (n,) are those of blocks with the same place and text on
    other pages. `digests` are those of its files, from before they were read.
    """

    file: Path
    page: Page
    blocks: Blocks
    labels: Ints
    guesses: Ints
    sure: Floats
    known_labels: Ints
    digests: Digests = NO_DIGESTS

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def settled(self) -> Ints:
        """The label of each block, or else the known one, (n,); `NONE` without either."""
        return np.where(self.labels == NONE, self.known_labels, self.labels)

    @property
    def label_file(self) -> str:
        """The text of its label file."""
        return labels_file(self.settled.tolist(), self.blocks.texts)

    @property
    def labelled(self) -> int:
        """Number of settled blocks."""
        return int(np.count_nonzero(self.settled != NONE))

    def next_unsettled(self, block: int) -> int | None:
        """The next unsettled block from this one on, around the end; None if all are settled."""
        unlabelled = np.flatnonzero(self.settled == NONE)
        later = unlabelled[unlabelled >= block]
        return int(later[0] if len(later) else unlabelled[0]) if len(unlabelled) else None

    def run(self, block: int) -> range:
        """This block and the unsettled ones right after it that have the same guess."""
        same = (self.guesses == self.guesses[block]) & (self.settled == NONE)
        same[block] = True
        ends = np.flatnonzero(~same[block:])
        return range(block, block + int(ends[0]) if len(ends) else len(same))

    def alike(self, block: int) -> list[int]:
        """The blocks like this one that also have its label, or none.

        They are in elements of the same names without numbers (`views-row-7`), and in the same
        column of a table: forums have one class for the cells of titles, authors and dates.
        """
        names = (_NUMBER.sub("", path) for path in block_paths(self.blocks))
        columns = (_CELL.findall(self.blocks.xpath(node)) for node in self.blocks.node.tolist())
        places = list(zip(names, columns, self.settled.tolist(), strict=True))
        return [number for number, place in enumerate(places) if place == places[block]]

    def rest(self, block: int) -> list[int]:
        """This block, and all unsettled ones of the page, above it too."""
        is_rest = self.settled == NONE
        is_rest[block] = True
        return np.flatnonzero(is_rest).tolist()

    @property
    def menus(self) -> list[tuple[int, int]]:
        """First and last block of each menu: a row of short blocks that the model surely drops."""
        short = np.array([len(text) <= _MENU_CHARS for text in self.blocks.texts], bool)
        dropped = (self.guesses == Label.OTHER) & (self.sure >= _MENU_SURE) & short
        fits = np.flatnonzero(dropped & np.isin(self.settled, (NONE, Label.OTHER)))
        runs = np.split(fits, np.flatnonzero(np.diff(fits) > 1) + 1)
        return [(int(run[0]), int(run[-1])) for run in runs if len(run) >= _MENU_BLOCKS]

    @property
    def start(self) -> int | None:
        """The first unsettled block that may belong to the text, else the first unsettled one."""
        doubtful = (self.guesses != Label.OTHER) | (self.sure < UNSURE)
        blocks = np.flatnonzero(doubtful & (self.settled == NONE))
        return int(blocks[0]) if len(blocks) else self.next_unsettled(0)

    @property
    def certainty(self) -> float:
        """Mean probability (0..1) of the guesses, weighted by characters; 1.0 without blocks.

        Its lowest values come first in active learning by least confidence (Lewis and Gale 1994).
        """
        sizes = np.array([len(text) for text in self.blocks.texts])
        return float(self.sure @ sizes / sizes.sum()) if len(sizes) else 1.0

    def places(self) -> Iterator[tuple[str, str]]:
        """The path of tags and the text of each block; blocks equal in both share labels."""
        table = self.blocks.table
        paths: list[str] = []
        for tag, parent in zip(table.tags, table.parent.tolist(), strict=True):
            paths.append(f"{paths[parent]}/{tag}" if parent >= 0 else tag)
        texts = zip(self.blocks.node.tolist(), self.blocks.texts, strict=True)
        return ((paths[node], text) for node, text in texts)


def find_pages(folder: Path) -> list[Path]:
    """The pages below a directory, sorted by name; raises `CrfcleanError` if there are none."""
    if not folder.is_dir():
        raise CrfcleanError(f"{folder}: no such directory")
    pages = [file for file in files_below(folder) if is_page(file.name)]
    if not pages:
        raise CrfcleanError(f"{folder}: no pages to label")
    return pages


def read_sheet(file: Path, tagger: Tagger | None, reader: str = "") -> Sheet:
    """Open a page with its label file, or else with labels aligned from its gold text.

    A reader sees only labels of their own.
    Raises `GoldError` if the labels do not fit the page, or if a file cannot be read.
    """
    digests = file_digests(file, reader)
    with naming_path(file, "cannot be read", GoldError), file.open("rb") as stream:
        page = decode(stream.read(MAX_BYTES + 1))
    blocks = split(page, SplitParams() if tagger is None else split_params(tagger))
    count = len(blocks)
    none = np.full(count, NONE)
    labels = _labels(file, blocks, reader)
    sheet = Sheet(file, page, blocks, labels, none, np.zeros(count), none, digests)
    if tagger is None:
        return sheet
    tags = tagger.tag(blocks)
    sure = tags.marginals[np.arange(count), tags.labels] if count else np.zeros(0)
    return replace(sheet, guesses=tags.labels, sure=sure)


def file_digests(file: Path, reader: str = "") -> Digests:
    """Return the digests of a page and of the labels and the gold beside it; raises `GoldError`.

    For a reader, those of their labels, and none of the gold.
    """
    labels, gold = gold_paths(file, reader)
    with naming_path(file, "cannot be read", GoldError):
        return Digests(file_digest(file), file_digest(labels), "" if reader else file_digest(gold))


def _labels(file: Path, blocks: Blocks, reader: str) -> Ints:
    """Read the labels (n,) of a page from its gold files; `NONE` for missing ones."""
    tsv, txt = gold_paths(file, reader)
    with naming_path(tsv, "cannot be written", GoldError):  # its name may be too long
        has_labels = tsv.exists()
    if has_labels:
        lines = tuple(read_labels(tsv))
        if wrong := mismatch(lines, blocks.texts):
            raise GoldError(f"{tsv}: {wrong}")
        return np.array([label for label, _ in lines], np.int64)
    if not reader and txt.exists():
        return align(blocks, read_text(txt)).astype(np.int64)
    return np.full(len(blocks), NONE)


ORDERS = ("certainty", "name")
"""The orders of pages: from the least certain one, or by name."""
