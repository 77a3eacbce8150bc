"""A directory of pages -> a labelling session: what to ask next, labels, undo; no screen.

Every label is on disk before the call that gives it returns, in the page's own `x.labels.tsv`: a
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
from crfclean.annotate.sheet import Sheet, find_pages, read_sheet, write_labels
from crfclean.gold.pages import NONE, gold_paths
from crfclean.parallel import map_in_order
from crfclean.types import CrfcleanError, GoldError, Ints, Tagger

_MAX_OPEN_SHEETS = 8  # sheets; a page is read again in milliseconds
_BlockKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page in the session's list; `problem` says why it cannot be labelled, "" if it can.

    `certainty` (0..1) is how sure the model is of the page.
    """

    file: Path
    name: str
    blocks: int
    labelled: int
    certainty: float
    problem: str = ""

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask."""
        return bool(self.problem) or self.labelled == self.blocks


@dataclass(frozen=True)
class LabelChange:
    """What a step changed: a page's labels before and after (n,), and the block it began at."""

    page: int
    block: int
    before: Ints
    after: Ints


class KnownLabels:
    """Labels given so far to blocks of one text and place, over all pages."""

    def __init__(self) -> None:
        self._counts: dict[_BlockKey, Counter[int]] = {}

    def learn(self, keys: Iterable[_BlockKey], before: Ints, after: Ints) -> None:
        """Take a page's old labels out and its new ones in."""
        for key, old, new in zip(keys, before.tolist(), after.tolist(), strict=True):
            if old != new:
                counts = self._counts.setdefault(key, Counter())
                counts[old] -= 1
                counts[new] += 1

    def recall(self, key: _BlockKey) -> int:
        """The label that all blocks like this one have, `NONE` if there is none or several."""
        counts: Mapping[int, int] = self._counts.get(key, {})
        given = [label for label, count in counts.items() if count > 0 and label != NONE]
        return given[0] if len(given) == 1 else NONE


class Session:
    """Pages to label, their labels, and the way back."""

    def __init__(self, cards: Sequence[PageEntry], read: Callable[[Path], Sheet]) -> None:
        self.pages = list(cards)
        self._read = read
        self._sheets: dict[int, Sheet] = {}
        self._given: dict[int, Ints] = {}
        self._memory = KnownLabels()
        self._done: list[LabelChange] = []
        self._undone: list[LabelChange] = []
        for number, card in enumerate(self.pages):
            if card.labelled and not card.problem:
                self._learn(self._opened(number), np.full(card.blocks, NONE))

    def sheet(self, number: int) -> Sheet:
        """A page with its labels, and those known from blocks like its own.

        Raises `GoldError` for a page with a problem.
        """
        sheet = self._with_known(self._opened(number))
        if len(sheet) == sheet.labelled != self.pages[number].labelled:
            self._save(number, sheet)  # nothing is left to ask
        return sheet

    def label(self, number: int, labels: Mapping[int, int]) -> Sheet:
        """Label blocks of a page: block -> label (`NONE` takes it away). One step of undo.

        Raises `CrfcleanError` where the label file cannot be written; nothing has changed then.
        """
        sheet = self._opened(number)
        if not labels or min(labels) < 0 or max(labels) >= len(sheet):
            raise CrfcleanError(f"{sheet.file}: no such block")
        after = sheet.labels.copy()
        after[list(labels)] = list(labels.values())
        change = LabelChange(number, min(labels), sheet.labels, after)
        self._set(number, after)
        self._done.append(change)
        self._undone.clear()
        return self.sheet(number)

    def undo(self) -> tuple[int, int] | None:
        """Take the last step back: the page and block that it began at, None if there is none."""
        return self._step(self._done, self._undone, back=True)

    def redo(self) -> tuple[int, int] | None:
        """Do the last step that was taken back again; None if there is none."""
        return self._step(self._undone, self._done, back=False)

    def next_page(self, number: int) -> int | None:
        """The first unfinished page from this one on, or else from the first; None for none."""
        count = len(self.pages)
        places = ((number + step) % count for step in range(count))
        return next((place for place in places if not self.pages[place].finished), None)

    @property
    def labelled(self) -> tuple[int, int]:
        """Blocks with a label, and blocks, of all pages."""
        return sum(one.labelled for one in self.pages), sum(one.blocks for one in self.pages)

    def _opened(self, number: int) -> Sheet:
        if number not in self._sheets:
            if self.pages[number].problem:
                raise GoldError(self.pages[number].problem)
            while len(self._sheets) >= _MAX_OPEN_SHEETS:
                self._sheets.pop(next(iter(self._sheets)))
            sheet = self._read(self.pages[number].file)
            labels = self._given.setdefault(number, sheet.labels)  # the file has the known, too
            self._sheets[number] = replace(sheet, labels=labels)
        return self._sheets[number]

    def _with_known(self, sheet: Sheet) -> Sheet:
        known = [self._memory.recall(key) for key in sheet.places()]
        return replace(sheet, known=np.array(known, np.int64))

    def _step(
        self, source: list[LabelChange], target: list[LabelChange], *, back: bool
    ) -> tuple[int, int] | None:
        if not source:
            return None
        change = source[-1]
        self._opened(change.page)
        self._set(change.page, change.before if back else change.after)
        target.append(source.pop())
        return change.page, change.block

    def _set(self, number: int, labels: Ints) -> None:
        """Give a page these labels; where they cannot be saved nothing changes."""
        sheet = self._opened(number)
        changed = replace(sheet, labels=labels)
        self._learn(changed, sheet.labels)
        try:
            self._save(number, self._with_known(changed))
        except CrfcleanError:
            self._learn(sheet, labels)
            raise
        self._sheets[number], self._given[number] = changed, labels

    def _save(self, number: int, sheet: Sheet) -> None:
        write_labels(sheet)
        self.pages[number] = replace(self.pages[number], labelled=sheet.labelled)

    def _learn(self, sheet: Sheet, before: Ints) -> None:
        self._memory.learn(sheet.places(), before, sheet.labels)


def open_session(
    folder: Path,
    tagger: Tagger | None = None,
    params: AnnotateParams = AnnotateParams(),
    workers: int = 1,
    progress: Callable[[Iterable[PageEntry]], Iterable[PageEntry]] = iter,
) -> Session:
    """Look at every page below a directory, put them in order, take up what is labelled.

    Pages with gold of their own (`x.txt`, or a label file without gaps) count as finished.
    Raises `CrfcleanError` where there is no page.
    """
    shared = folder, tagger, params.elements
    cards = list(progress(map_in_order(_entry, find_pages(folder), shared, workers)))
    if params.order == "certainty":
        cards.sort(key=lambda card: (card.certainty, card.name))
    return Session(cards, partial(read_sheet, tagger=tagger, elements=params.elements))


def _entry(file: Path, shared: tuple[Path, Tagger | None, tuple[str, ...]]) -> PageEntry:
    folder, tagger, elements = shared
    name = file.relative_to(folder).as_posix()
    try:
        sheet = read_sheet(file, tagger, elements)
    except GoldError as error:
        return PageEntry(file, name, 0, 0, 1.0, str(error))
    labelled = len(sheet) if gold_paths(file)[1].exists() else sheet.labelled
    return PageEntry(file, name, len(sheet), labelled, round(sheet.certainty, 4))
