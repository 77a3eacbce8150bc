"""Pages to label with their guesses and labels, read from files and written back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crfclean.gold.align import align
from crfclean.gold.pages import (
    NONE,
    UNLABELLED,
    gold_paths,
    kinds_path,
    kinds_text,
    read_kinds,
    read_labels,
    read_text,
)
from crfclean.io import write_atomically
from crfclean.kinds.of_blocks import BlockKinds
from crfclean.page.blocks import SplitParams, split
from crfclean.page.decode import MAX_BYTES, decode
from crfclean.page.file_names import is_page
from crfclean.pipeline import split_params
from crfclean.types import Blocks, CrfcleanError, Floats, GoldError, Ints, Label, Page, Tagger


@dataclass(frozen=True)
class Sheet:
    """A page to label: its n blocks and their `labels` (n,), `NONE` where there is none yet.

    `guesses` (n,) are the model's labels (`NONE` without a model), `sure` (n,) its probability
    of each guess; `known` (n,) the labels that blocks of the same place and text have elsewhere.
    `kinds` (n,) are the `Kind`s that were set, `NONE` where there is none, and `kind_guesses` (n,)
    those by evidence; both None in a session without kinds.
    """

    file: Path
    page: Page
    blocks: Blocks
    labels: Ints
    guesses: Ints
    sure: Floats
    known: Ints
    kinds: Ints | None = None
    kind_guesses: Ints | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def settled(self) -> Ints:
        """The label of each block, or else the known one, (n,); `NONE` where there is neither."""
        return np.where(self.labels == NONE, self.known, self.labels)

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
        return range(block, block + int(ends[0]) if len(ends) else len(self))

    def kind_run(self, block: int) -> range:
        """This block and the ones right after it that have the same guessed kind, and none set."""
        if self.kinds is None or self.kind_guesses is None:
            return range(block, block + 1)
        same = (self.kind_guesses == self.kind_guesses[block]) & (self.kinds == NONE)
        same[block] = True
        ends = np.flatnonzero(~same[block:])
        return range(block, block + int(ends[0]) if len(ends) else len(self))

    @property
    def certainty(self) -> float:
        """The certainty of the model about the page, 0..1; see the function `certainty`."""
        return certainty(self.sure, np.array([len(text) for text in self.blocks.texts]))

    def places(self) -> Iterator[tuple[str, str]]:
        """Place (the path of tags) and text of every block; blocks equal in both share labels."""
        nodes = self.blocks.nodes
        paths: list[str] = []
        for tag, parent in zip(nodes.tags, nodes.parent.tolist(), strict=True):
            paths.append(f"{paths[parent]}/{tag}" if parent >= 0 else tag)
        texts = zip(self.blocks.node.tolist(), self.blocks.texts, strict=True)
        return ((paths[node], text) for node, text in texts)


def certainty(sure: Floats, sizes: Ints | Floats) -> float:
    """Mean probability of the guesses (n,), weighted by the sizes of the blocks (n,); 1.0 for none.

    Its lowest values come first in active learning by least confidence (Lewis and Gale 1994).
    """
    return float(sure @ sizes / sizes.sum()) if len(sure) else 1.0


def find_pages(folder: Path) -> list[Path]:
    """The pages below a directory, sorted by name; raises `CrfcleanError` if there are none."""
    if not folder.is_dir():
        raise CrfcleanError(f"{folder}: no such directory")
    pages = sorted(file for file in folder.rglob("*") if is_page(file.name) and file.is_file())
    if not pages:
        raise CrfcleanError(f"{folder}: no pages to label")
    return pages


def read_sheet(
    file: Path, tagger: Tagger | None, elements: tuple[str, ...] = (), *, kinds: bool = False
) -> Sheet:
    """Open a page with its label file, or else with labels aligned from its gold text.

    With `kinds`, with its file of kinds and those by evidence as well. Raises `GoldError` where the
    labels or kinds don't fit the page, or a file cannot be read.
    """
    page = _read_page(file)
    trained = SplitParams() if tagger is None else split_params(tagger)
    blocks = split(page, SplitParams(elements) if elements else trained)
    count = len(blocks)
    sheet = Sheet(file, page, blocks, _labels(file, blocks), *_no_guesses(count))
    sheet = _with_kinds(sheet) if kinds else sheet
    if tagger is None:
        return sheet
    tags = tagger.tag(blocks)
    sure = tags.marginals[np.arange(count), tags.labels] if count else np.zeros(0)
    return replace(sheet, guesses=tags.labels, sure=sure)


def _with_kinds(sheet: Sheet) -> Sheet:
    path = kinds_path(sheet.file)
    kinds = np.full(len(sheet), NONE)
    if path.exists():
        kinds = _fitting(path, tuple(read_kinds(path)), sheet.blocks)
    guesses = np.array(BlockKinds(sheet.blocks).values, np.int64)
    return replace(sheet, kinds=kinds, kind_guesses=guesses)


def _no_guesses(count: int) -> tuple[Ints, Floats, Ints]:
    """Guesses, probabilities and known labels of blocks without any."""
    return np.full(count, NONE), np.zeros(count), np.full(count, NONE)


def _read_page(file: Path) -> Page:
    try:
        with file.open("rb") as stream:
            return decode(stream.read(MAX_BYTES + 1))
    except OSError as error:
        raise GoldError(f"{file}: cannot be read: {error.strerror}") from error


def _labels(file: Path, blocks: Blocks) -> Ints:
    """The labels (n,) in the files beside a page, `NONE` where there are none."""
    tsv, txt = gold_paths(file)
    if tsv.exists():
        return _from_file(tsv, blocks)
    if txt.exists():
        return align(blocks, read_text(txt)).astype(np.int64)
    return np.full(len(blocks), NONE)


def _from_file(tsv: Path, blocks: Blocks) -> Ints:
    return _fitting(tsv, tuple(read_labels(tsv)), blocks)


def _fitting(tsv: Path, lines: Sequence[tuple[int | None, str]], blocks: Blocks) -> Ints:
    """The labels or kinds in the lines of a file (n,); raises `GoldError` if they don't fit."""
    for number, ((_, expected), text) in enumerate(zip(lines, blocks.texts, strict=False), 1):
        if expected != text:
            raise GoldError(f"{tsv}:{number}: {expected[:60]!r}, but the page has {text[:60]!r}")
    if len(lines) != len(blocks):
        raise GoldError(f"{tsv}: {len(lines)} lines, but the page has {len(blocks)} blocks")
    return np.array([NONE if label is None else label for label, _ in lines], np.int64)


def unfinished(folder: Path) -> int:
    """Number of pages below a directory that are not gold yet: label files with gaps, no text.

    Raises `GoldError` for a bad label file.
    """
    files = [file for file in folder.rglob("*") if is_page(file.name)]
    pairs = (gold_paths(file) for file in files)
    return sum(
        any(label is None for label, _ in read_labels(tsv))
        for tsv, txt in pairs
        if tsv.exists() and not txt.exists()
    )


def write_labels(sheet: Sheet) -> None:
    """Write the label file of a page atomically; raises `CrfcleanError`."""
    path = gold_paths(sheet.file)[0]
    labels = sheet.settled.tolist()
    names = [UNLABELLED if label == NONE else Label(label).name for label in labels]
    lines = (f"{name}\t{text}\n" for name, text in zip(names, sheet.blocks.texts, strict=True))
    _write(path, "".join(lines))


def write_kinds(sheet: Sheet) -> None:
    """Write the kinds of a page atomically; raises `CrfcleanError`."""
    kinds = [NONE] * len(sheet) if sheet.kinds is None else sheet.kinds.tolist()
    _write(kinds_path(sheet.file), kinds_text(kinds, sheet.blocks.texts))


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, text.encode("utf-8", "replace"))
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be written: {error.strerror}") from error
