"""Label pages in a session over a directory."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crfclean.decision.places import block_paths
from crfclean.io import file_digest, naming_path, unused_path, write_text
from crfclean.page.align import align
from crfclean.page.blocks import SplitParams, split
from crfclean.page.decode import MAX_BYTES, decode
from crfclean.page.page_names import is_page
from crfclean.parallel import map_in_order
from crfclean.pipeline import split_params
from crfclean.products.teach.gold import (
    NONE,
    gold_paths,
    has_file,
    labels_file,
    mismatch,
    read_labels,
    read_text,
)
from crfclean.types import Blocks, CrfcleanError, Floats, GoldError, Ints, Label, Page, Tagger

# pages to label with their guesses and labels, read from files and written back


UNSURE = 0.75
"""A guess with a lower probability is uncertain."""

_NUMBER, _CELL = re.compile(r"[-_]?\d"), re.compile(r"/t[dh]\[\d+\]")  # in a name, in an XPath
_MENU_BLOCKS, _MENU_CHARS, _MENU_SURE = 5, 80, 0.9  # a menu: so many blocks, so short, so sure


class Digests(NamedTuple):
    """The digests of a page, of its label file and of its gold text; "" for a missing one."""

    page: str = ""
    labels: str = ""
    gold: str = ""


_NO_DIGESTS = Digests()


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
    digests: Digests = _NO_DIGESTS

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
        """This block, and all unsettled ones after it."""
        unsettled = np.flatnonzero(self.settled == NONE)
        return [block, *unsettled[unsettled > block].tolist()]

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
    files = filter(os.path.isfile, folder.rglob("*"))  # as in `read_gold`
    pages = sorted(file for file in files if is_page(file.name))
    if not pages:
        raise CrfcleanError(f"{folder}: no pages to label")
    return pages


def read_sheet(file: Path, tagger: Tagger | None) -> Sheet:
    """Open a page with its label file, or else with labels aligned from its gold text.

    Raises `GoldError` if the labels do not fit the page, or if a file cannot be read.
    """
    digests = _digests(file)
    with naming_path(file, "cannot be read", GoldError), file.open("rb") as stream:
        page = decode(stream.read(MAX_BYTES + 1))
    blocks = split(page, SplitParams() if tagger is None else split_params(tagger))
    count = len(blocks)
    none = np.full(count, NONE)
    labels = _labels(file, blocks)
    sheet = Sheet(file, page, blocks, labels, none, np.zeros(count), none, digests)
    if tagger is None:
        return sheet
    tags = tagger.tag(blocks)
    sure = tags.marginals[np.arange(count), tags.labels] if count else np.zeros(0)
    return replace(sheet, guesses=tags.labels, sure=sure)


def _digests(file: Path) -> Digests:
    labels, gold = gold_paths(file)
    with naming_path(file, "cannot be read", GoldError):
        return Digests(file_digest(file), file_digest(labels), file_digest(gold))


def _labels(file: Path, blocks: Blocks) -> Ints:
    """Read the labels (n,) of a page from its gold files; `NONE` for missing ones."""
    tsv, txt = gold_paths(file)
    with naming_path(tsv, "cannot be written", GoldError):  # its name may be too long
        has_labels = tsv.exists()
    if has_labels:
        lines = tuple(read_labels(tsv))
        if wrong := mismatch(lines, blocks.texts):
            raise GoldError(f"{tsv}: {wrong}")
        return np.array([label for label, _ in lines], np.int64)
    if txt.exists():
        return align(blocks, read_text(txt)).astype(np.int64)
    return np.full(len(blocks), NONE)


def unfinished(folder: Path) -> int:
    """Count the pages below a directory with an incomplete label file and no gold text.

    Raises `GoldError` for a bad label file.
    """
    files = [file for file in folder.rglob("*") if is_page(file.name)]
    pairs = (gold_paths(file) for file in files)
    return sum(
        any(label == NONE for label, _ in read_labels(tsv))
        for tsv, txt in pairs
        if has_file(tsv) and not has_file(txt)
    )


ORDERS = ("certainty", "name")
"""The orders of pages: from the least certain one, or by name."""

# a labelling session over a directory of pages, without a screen
#
# A call that sets a label writes it to `x.labels.tsv` beside the page before it returns, so that a
# session that is killed continues where it stopped. If another program has changed the page or its
# labels meanwhile, the page leaves the session, and its labels go to a file of their own.

_MAX_OPEN_SHEETS = 8  # sheets; a page is read again in milliseconds
_BlockKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page in the list of a session; `problem` says why it cannot be labelled, "" if it can.

    `certainty` (0..1) is that of the model; see `Sheet.certainty`. `digests` are those of its files
    as they were last read or written.
    """

    file: Path
    name: str
    blocks: int
    labelled: int
    certainty: float
    problem: str = ""
    digests: Digests = _NO_DIGESTS

    @property
    def finished(self) -> bool:
        """Whether no block is left to label."""
        return bool(self.problem) or self.labelled == self.blocks


@dataclass(frozen=True)
class LabelChange:
    """A step to undo: the labels of a page before and after, (n,), and the first changed block."""

    page: int
    block: int
    before: Ints
    after: Ints


class KnownLabels:
    """Counts of labels by text and place of blocks, over all pages."""

    def __init__(self) -> None:
        self._counts: dict[_BlockKey, Counter[int]] = {}

    def update(self, keys: Iterable[_BlockKey], before: Ints, after: Ints) -> None:
        """Replace the labels of a page (n,)."""
        for key, old, new in zip(keys, before.tolist(), after.tolist(), strict=True):
            if old != new:
                counts = self._counts.setdefault(key, Counter())
                counts[old] -= 1
                counts[new] += 1

    def label_of(self, key: _BlockKey) -> int:
        """Return the label that all labelled blocks of this key have, `NONE` if they differ."""
        counts: Mapping[int, int] = self._counts.get(key, {})
        labels = [label for label, count in counts.items() if count > 0 and label != NONE]
        return labels[0] if len(labels) == 1 else NONE


class Session:
    """Pages to label, their labels, and the steps to undo."""

    def __init__(self, pages: Sequence[PageEntry], read: Callable[[Path], Sheet]) -> None:
        self.pages = list(pages)
        self._read = read
        self._sheets: dict[int, Sheet] = {}
        self._labels: dict[int, Ints] = {}
        self._saved: dict[int, str] = {}
        self._known_labels = KnownLabels()
        self._done: list[LabelChange] = []
        self._undone: list[LabelChange] = []
        for number, page in enumerate(self.pages):
            if page.labelled and not page.problem:
                with suppress(GoldError):  # changed since it was listed: now it has a problem
                    self._update_known(self._open(number), np.full(page.blocks, NONE))

    def sheet(self, number: int) -> Sheet:
        """A page with its labels, and those known from equal blocks elsewhere.

        Raises `GoldError` for a page with a problem.
        """
        sheet = self._with_known(self._open(number))
        if len(sheet) == sheet.labelled != self.pages[number].labelled:
            self._save(number, sheet)  # the known labels have completed it
        return sheet

    def label(self, number: int, labels: Mapping[int, int]) -> Sheet:
        """Label blocks of a page: block -> label (`NONE` removes it). One step of undo.

        Raises `CrfcleanError`, and changes nothing, if the label file cannot be written. Raises
        `GoldError` if the page leaves the session because its files have changed.
        """
        sheet = self._open(number)
        if not labels or min(labels) < 0 or max(labels) >= len(sheet):
            raise CrfcleanError(f"{sheet.file}: no such block")
        after = sheet.labels.copy()
        after[list(labels)] = list(labels.values())
        self._set(number, after)
        self._done.append(LabelChange(number, min(labels), sheet.labels, after))
        self._undone.clear()
        return self.sheet(number)

    def undo(self) -> tuple[int, int] | None:
        """Undo the last step; returns its page and first block, None if there is none."""
        return self._step(self._done, self._undone, back=True)

    def redo(self) -> tuple[int, int] | None:
        """Redo the step undone last; returns its page and first block, None if there is none."""
        return self._step(self._undone, self._done, back=False)

    def next_page(self, number: int) -> int | None:
        """The next unfinished page from this one on, around the end; None if all are finished."""
        count = len(self.pages)
        places = ((number + step) % count for step in range(count))
        return next((place for place in places if not self.pages[place].finished), None)

    @property
    def labelled(self) -> tuple[int, int]:
        """Numbers of labelled blocks and of all blocks."""
        return sum(page.labelled for page in self.pages), sum(page.blocks for page in self.pages)

    def _open(self, number: int) -> Sheet:
        if number not in self._sheets:
            if self.pages[number].problem:
                raise GoldError(self.pages[number].problem)
            self._check_unchanged(number, self._saved.get(number, ""))
            while len(self._sheets) >= _MAX_OPEN_SHEETS:
                self._sheets.pop(next(iter(self._sheets)))
            sheet = self._read(self.pages[number].file)
            labels = self._labels.setdefault(number, sheet.labels)  # the file has known labels, too
            self._sheets[number] = replace(sheet, labels=labels)
        return self._sheets[number]

    def _with_known(self, sheet: Sheet) -> Sheet:
        labels = [self._known_labels.label_of(key) for key in sheet.places()]
        return replace(sheet, known_labels=np.array(labels, np.int64))

    def _step(
        self, source: list[LabelChange], target: list[LabelChange], *, back: bool
    ) -> tuple[int, int] | None:
        if not source:
            return None
        change = source[-1]
        self._set(change.page, change.before if back else change.after)
        target.append(source.pop())
        return change.page, change.block

    def _set(self, number: int, labels: Ints) -> None:
        """Set the labels of a page; nothing changes if they cannot be saved."""
        sheet = self._open(number)
        changed = replace(sheet, labels=labels)
        self._update_known(changed, sheet.labels)
        try:
            self._save(number, self._with_known(changed))
        except CrfcleanError:
            self._update_known(sheet, labels)
            raise
        self._sheets[number], self._labels[number] = changed, labels

    def _save(self, number: int, sheet: Sheet) -> None:
        text, path = sheet.label_file, gold_paths(sheet.file)[0]
        self._check_unchanged(number, text)
        write_text(path, text)
        self._saved[number] = text
        written = sha256(text.encode("utf-8", "replace")).hexdigest()
        digests = self.pages[number].digests._replace(labels=written)
        self.pages[number] = replace(self.pages[number], labelled=sheet.labelled, digests=digests)

    def _check_unchanged(self, number: int, labels: str) -> None:
        """Raise `GoldError` if the files of a page have changed, and end the work on it.

        `labels` is the text of its label file in this session; if there is one, it is kept.
        """
        page = self.pages[number]
        files = page.file, *gold_paths(page.file)
        pairs = zip(files, page.digests, _digests(page.file), strict=True)
        changed = next((file.name for file, before, now in pairs if before != now), "")
        if not changed:
            return
        problem = f"{changed} was changed meanwhile: start again to label its page"
        if labels:
            kept = unused_path(files[1])
            write_text(kept, labels)
            problem = (
                f"{changed} was changed meanwhile: your labels are in {kept.name}: rename it to "
                f"{files[1].name} if they are right, then start again"
            )
        self.pages[number] = replace(page, problem=problem)
        self._sheets.pop(number, None)
        for steps in (self._done, self._undone):
            steps[:] = [step for step in steps if step.page != number]
        raise GoldError(problem)

    def _update_known(self, sheet: Sheet, before: Ints) -> None:
        self._known_labels.update(sheet.places(), before, sheet.labels)


def open_session(
    folder: Path,
    tagger: Tagger | None = None,
    order: str = "certainty",
    workers: int = 1,
    progress: Callable[[Iterable[PageEntry]], Iterable[PageEntry]] = iter,
) -> Session:
    """Open a session on the pages below a directory, with the labels that they have.

    Pages with gold (`x.txt`, or a complete label file) count as finished. Raises `CrfcleanError`
    if there is no page.
    """
    read = partial(read_sheet, tagger=tagger)
    shared = folder, read
    pages = list(progress(map_in_order(_entry, find_pages(folder), shared, workers)))
    if order == "certainty":
        pages.sort(key=lambda page: (page.certainty, page.name))
    return Session(pages, read)


def _entry(file: Path, shared: tuple[Path, Callable[[Path], Sheet]]) -> PageEntry:
    folder, read = shared
    name = file.relative_to(folder).as_posix()
    try:
        sheet = read(file)
    except GoldError as error:
        return PageEntry(file, name, 0, 0, 1.0, str(error))
    labelled = len(sheet) if gold_paths(file)[1].exists() else sheet.labelled
    certainty = round(sheet.certainty, 4)
    return PageEntry(file, name, len(sheet), labelled, certainty, digests=sheet.digests)
