"""A labelling session over a directory of pages, without a screen.

Every label is on disk, in `x.labels.tsv` beside the page, before the call that sets it returns: a
session that is killed goes on where it stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from crfclean.annotate.params import AnnotateParams
from crfclean.annotate.sheet import Sheet, find_pages, read_sheet, write_kinds, write_labels
from crfclean.gold.pages import NONE, gold_paths
from crfclean.parallel import map_in_order
from crfclean.types import CrfcleanError, GoldError, Ints, Tagger

_MAX_OPEN_SHEETS = 8  # sheets; a page is read again in milliseconds
_BlockKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page in the list of a session; `problem` says why it cannot be labelled, "" if it can.

    `certainty` (0..1) is that of the model; see `sheet.certainty`.
    """

    file: Path
    name: str
    blocks: int
    labelled: int
    certainty: float
    problem: str = ""

    @property
    def finished(self) -> bool:
        """Whether no block is left to label."""
        return bool(self.problem) or self.labelled == self.blocks


@dataclass(frozen=True)
class LabelChange:
    """A step of undo: the labels of a page before and after, (n,), and the first block changed.

    Of a step `of_kinds` they are the blocks' kinds.
    """

    page: int
    block: int
    before: Ints
    after: Ints
    of_kinds: bool = False


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
        """The label shared by all labelled blocks of this key, `NONE` for none or several."""
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
        self._kinds: dict[int, Ints | None] = {}
        self._known_labels = KnownLabels()
        self._done: list[LabelChange] = []
        self._undone: list[LabelChange] = []
        for number, page in enumerate(self.pages):
            if page.labelled and not page.problem:
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

        Raises `CrfcleanError` where the label file cannot be written; nothing has changed then.
        """
        sheet = self._open(number)
        after = _changed(sheet, sheet.labels, labels)
        return self._do(LabelChange(number, min(labels), sheet.labels, after))

    def set_kinds(self, number: int, kinds: Mapping[int, int]) -> Sheet:
        """Set the kinds of blocks of a page: block -> `Kind` (`NONE` removes it). One step of undo.

        Raises `CrfcleanError` in a session without kinds, and where they cannot be written.
        """
        sheet = self._open(number)
        if sheet.kinds is None:
            raise CrfcleanError("this session has no kinds: start it with --kinds")
        after = _changed(sheet, sheet.kinds, kinds)
        return self._do(LabelChange(number, min(kinds), sheet.kinds, after, of_kinds=True))

    def _do(self, change: LabelChange) -> Sheet:
        self._put(change, change.after)
        self._done.append(change)
        self._undone.clear()
        return self.sheet(change.page)

    def _put(self, change: LabelChange, values: Ints) -> None:
        """Set the labels or kinds of a page to those before or after a change."""
        if not change.of_kinds:
            self._set(change.page, values)
            return
        changed = replace(self._open(change.page), kinds=values)
        write_kinds(changed)
        self._sheets[change.page], self._kinds[change.page] = changed, values

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
            while len(self._sheets) >= _MAX_OPEN_SHEETS:
                self._sheets.pop(next(iter(self._sheets)))
            sheet = self._read(self.pages[number].file)
            labels = self._labels.setdefault(number, sheet.labels)  # the file has known labels, too
            kinds = self._kinds.setdefault(number, sheet.kinds)
            self._sheets[number] = replace(sheet, labels=labels, kinds=kinds)
        return self._sheets[number]

    def _with_known(self, sheet: Sheet) -> Sheet:
        labels = [self._known_labels.label_of(key) for key in sheet.places()]
        return replace(sheet, known=np.array(labels, np.int64))

    def _step(
        self, source: list[LabelChange], target: list[LabelChange], *, back: bool
    ) -> tuple[int, int] | None:
        if not source:
            return None
        change = source[-1]
        self._open(change.page)
        self._put(change, change.before if back else change.after)
        target.append(source.pop())
        return change.page, change.block

    def _set(self, number: int, labels: Ints) -> None:
        """Set the labels of a page; nothing changes where they cannot be saved."""
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
        write_labels(sheet)
        self.pages[number] = replace(self.pages[number], labelled=sheet.labelled)

    def _update_known(self, sheet: Sheet, before: Ints) -> None:
        self._known_labels.update(sheet.places(), before, sheet.labels)


def _changed(sheet: Sheet, values: Ints, changes: Mapping[int, int]) -> Ints:
    """The values (n,) after changes, block -> value; raises `CrfcleanError` for a missing block."""
    if not changes or min(changes) < 0 or max(changes) >= len(sheet):
        raise CrfcleanError(f"{sheet.file}: no such block")
    after = values.copy()
    after[list(changes)] = list(changes.values())
    return after


def open_session(
    folder: Path,
    tagger: Tagger | None = None,
    params: AnnotateParams = AnnotateParams(),
    workers: int = 1,
    progress: Callable[[Iterable[PageEntry]], Iterable[PageEntry]] = iter,
) -> Session:
    """Open a session on the pages below a directory, with the labels that they have.

    Pages with gold (`x.txt`, or a label file without gaps) count as finished.
    Raises `CrfcleanError` where there is no page.
    """
    read = partial(read_sheet, tagger=tagger, elements=params.elements, kinds=params.kinds)
    shared = folder, read
    pages = list(progress(map_in_order(_entry, find_pages(folder), shared, workers)))
    if params.order == "certainty":
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
    return PageEntry(file, name, len(sheet), labelled, round(sheet.certainty, 4))
