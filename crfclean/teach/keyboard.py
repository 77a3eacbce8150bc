"""Control labelling by keys, and measure the agreement of several annotators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from crfclean.io import json_report, read_toml
from crfclean.page.chars import plural
from crfclean.teach.audit import AuditedBlock
from crfclean.teach.audit_summary import Judgements
from crfclean.teach.gold import DOUBT, LABEL_NAMES, LABELS_SUFFIX, NONE, read_labels
from crfclean.teach.session import Session, Sheet
from crfclean.types import CrfcleanError, Floats, GoldError, Ints, Label


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A block with different labels: its place in the label files, the labels, its text."""

    name: str
    line: int
    labels: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Agreement:
    """Agreement of annotators on the blocks that at least two have labelled, without doubt.

    `annotators` are their files or directories, in the order of the labels in `differences`.
    `kappa` is the mean over pairs of annotators, `alpha` the value for all annotators; each by
    label (against the other two) and over all labels (`all`). NaN if only one label occurs.
    """

    annotators: Sequence[str]
    blocks: int
    pages: int
    observed: float
    kappa: Mapping[str, float]
    alpha: Mapping[str, float]
    differences: Sequence[Disagreement]


def cohen_kappa(labels: Ints, other_labels: Ints) -> float:
    """Cohen's kappa of two annotators' labels (n,): (p_o - p_e) / (1 - p_e) (Cohen 1960).

    p_o is the share of equal labels, p_e the share expected by chance. Only blocks that both have
    labelled count. NaN if there are none, or if p_e is 1.

    >>> cohen_kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
    0.5
    """
    both = (labels >= 0) & (other_labels >= 0)
    shares, other_shares = _shares(labels[both]), _shares(other_labels[both])
    chance = float(shares @ other_shares)
    if not both.any() or np.isclose(chance, 1.0):
        return float("nan")
    return (float(np.mean(labels[both] == other_labels[both])) - chance) / (1.0 - chance)


def _shares(labels: Ints) -> Floats:
    counts = np.bincount(labels, minlength=len(Label))
    shares: Floats = counts / max(1, counts.sum())
    return shares


def krippendorff_alpha(labels: Ints) -> float:
    """Krippendorff's alpha for nominal labels (annotators, n): 1 - D_o / D_e.

    It is computed from the coincidence matrix, where every ordered pair of a block's m labels
    (m > 1; numbers below 0 are none) counts 1 / (m - 1) (Krippendorff 2004, 11.3). NaN if only one
    label occurs.

    >>> round(krippendorff_alpha(np.array([[0, 0, 1, 1], [0, 1, 1, 1]])), 4)
    0.5333
    """
    counts = np.stack([(labels == label).sum(0) for label in Label], axis=1)
    counts = counts[counts.sum(1) > 1].astype(np.float64)
    if not len(counts):
        return float("nan")
    sizes = counts.sum(1)
    matrix = (counts / (sizes - 1)[:, None]).T @ counts
    matrix -= np.diag((counts / (sizes - 1)[:, None]).sum(0))
    totals = matrix.sum(1)
    expected = totals.sum() ** 2 - (totals**2).sum()
    if expected <= 0:
        return float("nan")
    return float(1.0 - (totals.sum() - 1) * (matrix.sum() - np.trace(matrix)) / expected)


def agreement(sources: Sequence[Path]) -> Agreement:
    """Compare label files, or directories of label files paired by name.

    Raises `GoldError` if two files are not of the same page, `CrfcleanError` for fewer than two
    sources, and for sources without a common page.
    """
    if len(sources) < 2:
        raise CrfcleanError("agreement needs two annotators or more")
    pages = [_label_files(source) for source in sources]
    names = sorted(
        name for name in set().union(*pages) if sum(name in files for files in pages) > 1
    )
    if not names:
        raise CrfcleanError(f"no label file in common: {', '.join(map(str, sources))}")
    parts, differences = [], []
    for name in names:
        labels, texts = _side_by_side([files.get(name) for files in pages])
        parts.append(labels)
        differences += _differences(name, labels, texts)
    annotators = [str(source) for source in sources]
    return _measured(annotators, np.concatenate(parts, axis=1), len(names), differences)


def _label_files(source: Path) -> dict[str, Path]:
    if source.is_file():
        return {"": source}
    if not source.is_dir():
        raise CrfcleanError(f"{source}: no such file or directory")
    files = sorted(source.rglob(f"*{LABELS_SUFFIX}"))
    return {file.relative_to(source).as_posix(): file for file in files}


def _side_by_side(files: Sequence[Path | None]) -> tuple[Ints, tuple[str, ...]]:
    """Return the labels (annotators, n) of a page, `NONE` for missing ones, and the texts."""
    read_files = {
        place: tuple(read_labels(file)) for place, file in enumerate(files) if file is not None
    }
    first = next(iter(read_files))
    texts = tuple(text for _, text in read_files[first])
    labels = np.full((len(files), len(texts)), NONE)
    for place, lines in read_files.items():
        if tuple(text for _, text in lines) != texts:
            raise GoldError(f"{files[place]}: its blocks are not those of {files[first]}")
        labels[place] = [label for label, _ in lines]
    return labels, texts


def _differences(name: str, labels: Ints, texts: Sequence[str]) -> list[Disagreement]:
    differences = []
    for place, column in enumerate(labels.T.tolist()):
        if len({label for label in column if label >= 0}) > 1:
            names = tuple(LABEL_NAMES[label] for label in column)
            differences.append(Disagreement(name, place + 1, names, texts[place]))
    return differences


def _measured(
    annotators: list[str], labels: Ints, pages: int, differences: list[Disagreement]
) -> Agreement:
    compared = labels[:, (labels >= 0).sum(0) > 1]
    binary = {label.name: np.where(compared < 0, NONE, compared == label) for label in Label}
    views = {"all": compared, **binary}
    kappa = {name: _mean_kappa(view) for name, view in views.items()}
    alpha = {name: krippendorff_alpha(view) for name, view in views.items()}
    count = compared.shape[1]
    observed = 1 - len(differences) / max(1, count)
    return Agreement(annotators, count, pages, observed, kappa, alpha, differences)


def _mean_kappa(labels: Ints) -> float:
    values = [cohen_kappa(first, second) for first, second in combinations(labels, 2)]
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")


def agreement_text(result: Agreement) -> str:
    """Return the measures by label, then the blocks that differ, as text."""
    size = f"{plural(result.blocks, 'block')} of {plural(result.pages, 'page')}"
    lines = [
        f"{size}, {result.observed:.3f} with equal labels\n",
        f"{'':8}{'kappa':>8}{'alpha':>8}",
    ]
    for name, kappa in result.kappa.items():
        lines.append(f"{name:8}{kappa:8.3f}{result.alpha[name]:8.3f}")
    if result.differences:
        lines.append(f"\nBlocks with different labels, by {', then '.join(result.annotators)}:")
    for difference in result.differences:
        place = (
            f"{difference.name}:{difference.line}" if difference.name else f"line {difference.line}"
        )
        lines.append(f"\n{place}\t{' '.join(difference.labels)}\n    {difference.text}")
    return "\n".join(lines) + "\n"


def agreement_json(result: Agreement) -> str:
    """Return all fields as JSON, null for NaN, with the version of crfclean."""
    record = asdict(result)
    for name in ("kappa", "alpha"):
        record[name] = {key: None if np.isnan(x) else x for key, x in record[name].items()}
    return json_report(record)


# control a labelling session, and the judgements of an audit, by keys

_KEYS = read_toml(Path(__file__).with_name("keys.toml"))
HELP, KEY_HINTS, JUDGING_HELP, JUDGING_HINTS = (
    tuple(_KEYS[screen][name].splitlines())
    for screen in ("labelling", "judging")
    for name in ("help", "hints")
)
_NO_BLOCK = "every block of this page has a label"
ALL_LABELLED = "Everything is labelled. Press q to leave, u to undo."


Choose = Callable[[Sheet, int], Sequence[int]]
"""A function from a page and its current block to the blocks that a key labels."""


def _current(_sheet: Sheet, block: int) -> Sequence[int]:
    return [block]


@dataclass(frozen=True)
class ScreenState:
    """The state of the screen: the current block, and a message or the help.

    `page` is the number of the page in a labelling session, where `choose` returns the blocks that
    the next label is for.
    """

    block: int
    message: str = ""
    helping: bool = False
    page: int = 0
    choose: Choose = _current


class Keyboard:
    """A labelling session with a cursor. `press` never raises: errors become the message."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.leaving = False
        first = session.next_page(0)
        self.view = self._at(first or 0, message="" if first is not None else ALL_LABELLED)

    @property
    def sheet(self) -> Sheet | None:
        """The current page, None if it cannot be opened."""
        if self.session.pages[self.view.page].problem:
            return None
        return self.session.sheet(self.view.page)

    def press(self, key: str) -> None:
        """Run the action of a key; an unknown one only clears the message."""
        if self.view.helping or key not in ACTIONS:
            self.view = self._noted()
            return
        try:
            ACTIONS[key](self)
        except CrfcleanError as error:
            self.view = self._noted(str(error))

    def _noted(self, message: str = "") -> ScreenState:
        return ScreenState(self.view.block, message, page=self.view.page)

    def _at(self, page: int, block: int | None = None, message: str = "") -> ScreenState:
        """The state at a block of a page, by default the first without a label."""
        if self.session.pages[page].problem:
            return ScreenState(0, self.session.pages[page].problem, page=page)
        sheet = self.session.sheet(page)
        start = (sheet.next_unsettled(0) or 0) if block is None else block
        return ScreenState(min(max(0, start), max(0, len(sheet) - 1)), message, page=page)

    @property
    def chosen(self) -> Sequence[int]:
        """The blocks that the next label is for."""
        return self._blocks()

    def _blocks(self, choose: Choose | None = None) -> Sequence[int]:
        sheet = self.sheet
        return (choose or self.view.choose)(sheet, self.view.block) if sheet else []

    def choose(self, choose: Choose) -> None:
        """Choose the blocks for the next label."""
        self.view = replace(self._noted(), choose=choose)

    def begin_range(self) -> None:
        """Choose the blocks from this one to the one to which the user moves."""
        start = self.view.block
        self.choose(lambda _, block: range(min(start, block), max(start, block) + 1))

    def choose_alike(self) -> None:
        """Choose all blocks that are like this one, wherever the user moves."""
        blocks = self._blocks(Sheet.alike)
        self.choose(lambda *_: blocks)

    def label(self, label: int, choose: Choose | None = None) -> None:
        """Label the blocks that `choose` returns, by default the chosen ones, then go on."""
        self.label_and_go_on(dict.fromkeys(self._blocks(choose), label))

    def accept(self, choose: Choose | None = None) -> None:
        """Label blocks, by default the chosen ones, with the model's guesses."""
        sheet = self.sheet
        if sheet is None or not len(sheet):
            return
        if sheet.guesses[self.view.block] == NONE:
            raise CrfcleanError("there is no guess to accept: this session has no model")
        self.label_and_go_on({block: int(sheet.guesses[block]) for block in self._blocks(choose)})

    def label_and_go_on(self, labels: Mapping[int, int]) -> None:
        """Label blocks, then go to the next block without a label, or to the next page."""
        sheet, page, block = self.sheet, self.view.page, self.view.block
        if sheet is None or not labels:
            return
        was_finished = sheet.labelled == len(sheet)
        sheet = self.session.label(page, labels)
        if was_finished or NONE in labels.values():
            self.view = self._at(page, block + (NONE not in labels.values()))
        elif sheet.labelled < len(sheet):
            self.view = self._at(page, sheet.next_unsettled(block + 1))
        else:
            self.go_on(f"finished: {self.session.pages[page].name}")

    def go_on(self, message: str = "") -> None:
        """Go to the next page that is not finished."""
        page = self.session.next_page(self.view.page + 1)
        self.view = self._at(page, None, message) if page is not None else self._noted(ALL_LABELLED)

    def turn(self, step: int) -> None:
        """Move by `step` pages, around the ends."""
        self.view = self._at((self.view.page + step) % len(self.session.pages))

    def move(self, step: int) -> None:
        """Move by `step` blocks within the page."""
        moved = self._at(self.view.page, self.view.block + step)
        self.view = replace(moved, choose=self.view.choose)

    def seek(self) -> None:
        """Go to the next block without a label."""
        sheet = self.sheet
        block = sheet.next_unsettled(self.view.block + 1) if sheet else None
        self.view = self._at(self.view.page, block) if block is not None else self._noted(_NO_BLOCK)

    def undo_or_redo(self, step: Callable[[], tuple[int, int] | None], nothing: str) -> None:
        """Undo or redo a step, and go to its block; raises `CrfcleanError` if there is none."""
        position = step()
        if position is None:
            raise CrfcleanError(nothing)
        self.view = self._at(*position)

    def help(self) -> None:
        """Show the keys."""
        self.view = replace(self._noted(), helping=True)

    def leave(self) -> None:
        """End the session."""
        self.leaving = True


ACTIONS: Mapping[str, Callable[[Keyboard], None]] = {
    "h": lambda keyboard: keyboard.label(Label.HEADER),
    "t": lambda keyboard: keyboard.label(Label.TEXT),
    "o": lambda keyboard: keyboard.label(Label.OTHER),
    "d": lambda keyboard: keyboard.label(DOUBT),
    "H": lambda keyboard: keyboard.label(Label.HEADER, Sheet.run),
    "T": lambda keyboard: keyboard.label(Label.TEXT, Sheet.run),
    "O": lambda keyboard: keyboard.label(Label.OTHER, Sheet.run),
    "D": lambda keyboard: keyboard.label(DOUBT, Sheet.run),
    "v": Keyboard.begin_range,
    "a": Keyboard.choose_alike,
    "escape": lambda keyboard: keyboard.choose(_current),
    "enter": Keyboard.accept,
    "r": lambda keyboard: keyboard.accept(Sheet.run),
    "e": lambda keyboard: keyboard.accept(Sheet.rest),
    "E": lambda keyboard: keyboard.label(Label.OTHER, Sheet.rest),
    "x": lambda keyboard: keyboard.label(NONE),
    "u": lambda keyboard: keyboard.undo_or_redo(keyboard.session.undo, "nothing to undo"),
    "y": lambda keyboard: keyboard.undo_or_redo(keyboard.session.redo, "nothing to redo"),
    "c-r": lambda keyboard: keyboard.undo_or_redo(keyboard.session.redo, "nothing to redo"),
    "up": lambda keyboard: keyboard.move(-1),
    "k": lambda keyboard: keyboard.move(-1),
    "down": lambda keyboard: keyboard.move(1),
    "j": lambda keyboard: keyboard.move(1),
    "pageup": lambda keyboard: keyboard.move(-10),
    "pagedown": lambda keyboard: keyboard.move(10),
    "home": lambda keyboard: keyboard.move(-keyboard.view.block),
    "end": lambda keyboard: keyboard.move(1 << 40),
    "g": Keyboard.seek,
    "n": Keyboard.go_on,
    "p": lambda keyboard: keyboard.turn(-1),
    "?": Keyboard.help,
    "q": Keyboard.leave,
    "c-c": Keyboard.leave,
}
"""Key -> what it does."""


# judge for an audit whether single blocks belong to the text

ALL_JUDGED = "Everything is judged. Press q to leave and print the figures, u to undo."

_Step = tuple[int, bool | None, bool | None]
"""A block, its judgement before and after."""


class Judging:
    """The blocks to judge, a cursor, and the steps to undo.

    `save` writes the judgements before a step returns. `press` never raises: errors become the
    message, and change nothing.
    """

    def __init__(
        self,
        blocks: Sequence[AuditedBlock],
        judgements: Judgements,
        save: Callable[[Judgements], object],
    ) -> None:
        self.blocks = blocks
        self.judgements = dict(judgements)
        self.leaving = False
        self._save = save
        self._done: list[_Step] = []
        self._undone: list[_Step] = []
        self.view = self._at_next(0)

    @property
    def judged(self) -> int:
        """The number of blocks that are judged."""
        return sum(number in self.judgements for number in range(len(self.blocks)))

    def press(self, key: str) -> None:
        """Run the action of a key; an unknown one only clears the message."""
        if self.view.helping or key not in JUDGING_ACTIONS:
            self.view = ScreenState(self.view.block)
            return
        try:
            JUDGING_ACTIONS[key](self)
        except CrfcleanError as error:
            self.view = ScreenState(self.view.block, str(error))

    def judge(self, answer: bool | None) -> None:  # noqa: FBT001
        """Judge the block (None removes the judgement) and go on; raises `CrfcleanError`."""
        number = self.view.block
        before = self.judgements.get(number)
        self._set(number, answer)
        self._done.append((number, before, answer))
        self._undone.clear()
        self.view = ScreenState(number) if answer is None else self._at_next(number + 1)

    def undo(self) -> None:
        """Undo the last step, and go to its block; raises `CrfcleanError`."""
        self._step(self._done, self._undone, "nothing to undo", back=True)

    def redo(self) -> None:
        """Redo the step undone last, and go to its block; raises `CrfcleanError`."""
        self._step(self._undone, self._done, "nothing to redo", back=False)

    def move(self, blocks: int) -> None:
        """Move by so many blocks."""
        last = len(self.blocks) - 1
        self.view = ScreenState(min(max(0, self.view.block + blocks), last))

    def seek(self) -> None:
        """Go to the next block without a judgement, around the end."""
        self.view = self._at_next(self.view.block + 1)

    def help(self) -> None:
        """Show the keys."""
        self.view = ScreenState(self.view.block, helping=True)

    def leave(self) -> None:
        """End the session."""
        self.leaving = True

    def _step(self, source: list[_Step], target: list[_Step], nothing: str, *, back: bool) -> None:
        if not source:
            raise CrfcleanError(nothing)
        number, before, after = source[-1]
        self._set(number, before if back else after)
        target.append(source.pop())
        self.view = ScreenState(number)

    def _set(self, number: int, answer: bool | None) -> None:  # noqa: FBT001
        """Save a judgement, then set it; nothing changes if it cannot be saved."""
        changed = {key: value for key, value in self.judgements.items() if key != number}
        if answer is not None:
            changed[number] = answer
        self._save(changed)
        self.judgements = changed

    def _at_next(self, number: int) -> ScreenState:
        """The state at the next block without a judgement from this one on, around the end."""
        count = len(self.blocks)
        places = ((number + step) % count for step in range(count))
        place = next((place for place in places if place not in self.judgements), None)
        if place is None:
            return ScreenState(min(number, count - 1), ALL_JUDGED)
        return ScreenState(place)


JUDGING_ACTIONS: Mapping[str, Callable[[Judging], None]] = {
    "t": lambda judging: judging.judge(True),
    "o": lambda judging: judging.judge(False),
    "x": lambda judging: judging.judge(None),
    "g": Judging.seek,
    "u": Judging.undo,
    "y": Judging.redo,
    "c-r": Judging.redo,
    "up": lambda judging: judging.move(-1),
    "k": lambda judging: judging.move(-1),
    "down": lambda judging: judging.move(1),
    "j": lambda judging: judging.move(1),
    "home": lambda judging: judging.move(-judging.view.block),
    "end": lambda judging: judging.move(len(judging.blocks)),
    "?": Judging.help,
    "q": Judging.leave,
    "c-c": Judging.leave,
}
"""Key -> what it does; a key of `ACTIONS` means the same here."""
