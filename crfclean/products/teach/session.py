"""A labelling session over a directory of pages, without a screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np

from crfclean.io import unused_path, write_text
from crfclean.parallel import map_in_order
from crfclean.products.teach.gold import (
    NONE,
    gold_paths,
    is_reader,
)
from crfclean.products.teach.sheets import (
    NO_DIGESTS,
    Digests,
    Sheet,
    file_digests,
    find_pages,
    read_sheet,
)
from crfclean.types import CrfcleanError, GoldError, Ints, Tagger

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
    digests: Digests = NO_DIGESTS

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
    """Pages to label, their labels, and the steps to undo; `reader` names the label files."""

    def __init__(
        self, pages: Sequence[PageEntry], read: Callable[[Path], Sheet], reader: str = ""
    ) -> None:
        self.pages = list(pages)
        self._read = read
        self._reader = reader
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
        text, path = sheet.label_file, gold_paths(sheet.file, self._reader)[0]
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
        files = page.file, *gold_paths(page.file, self._reader)
        pairs = zip(files, page.digests, file_digests(page.file, self._reader), strict=True)
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


def open_session(  # noqa: PLR0913
    folder: Path,
    tagger: Tagger | None = None,
    order: str = "certainty",
    workers: int = 1,
    progress: Callable[[Iterable[PageEntry]], Iterable[PageEntry]] = iter,
    *,
    reader: str = "",
) -> Session:
    """Open a session on the pages below a directory, with the labels that they have.

    Pages with gold (`x.txt`, or a complete label file) count as finished. A reader begins without
    labels, and has label files of their own. Raises `CrfcleanError` if there is no page, and for a
    reader whose name has other characters than letters, digits, `_` and `-`.
    """
    if reader and not is_reader(reader):
        raise CrfcleanError(f"--reader: {reader!r}: use letters, digits, _ and -, not labels, kept")
    read = partial(read_sheet, tagger=tagger, reader=reader)
    shared = folder, read, reader
    pages = list(progress(map_in_order(_entry, find_pages(folder), shared, workers)))
    if order == "certainty":
        pages.sort(key=lambda page: (page.certainty, page.name))
    return Session(pages, read, reader)


def _entry(file: Path, shared: tuple[Path, Callable[[Path], Sheet], str]) -> PageEntry:
    folder, read, reader = shared
    name = file.relative_to(folder).as_posix()
    try:
        sheet = read(file)
    except GoldError as error:
        return PageEntry(file, name, 0, 0, 1.0, str(error))
    has_text = not reader and gold_paths(file)[1].exists()
    labelled = len(sheet) if has_text else sheet.labelled
    certainty = round(sheet.certainty, 4)
    return PageEntry(file, name, len(sheet), labelled, certainty, digests=sheet.digests)
