"""Runs of text and the marks around them -> the content of one line, white space as it is shown.

White space is folded as in `Block.text`; it stands outside of the marks that it is at the edge of,
so that `<b>a </b>b` and `<b>a</b> b` are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crfclean.structure.parts import Content, Part

NOTHING, SPACE, BREAK = 0, 1, 2
"""What stands between the text so far and the next."""

_APART = frozenset(["link", "note"])
"""Marks that are never one with the mark beside them."""


@dataclass(slots=True, eq=False)
class Mark:
    """An inline element: the part that it becomes, and what is inside so far."""

    kind: str
    node: int
    facts: dict[str, Any] = field(default_factory=dict)
    inside: list[Mark | Part | str] = field(default_factory=list)

    def like(self, other: Mark) -> bool:
        """Whether two marks that touch are one: `<b>a</b><b>b</b>`."""
        return self is other or (self.kind == other.kind and self.kind not in _APART)


@dataclass(slots=True)
class Line:
    """What is known of a line while its runs come in; `block` is theirs, -1 for none."""

    block: int = -1
    inside: list[Mark | Part | str] = field(default_factory=list)
    open: list[tuple[Mark, Mark]] = field(default_factory=list)
    between: int = NOTHING

    def add_text(self, text: str, marks: Sequence[Mark]) -> None:
        """Take a run of text, and the marks around it from the outermost."""
        words = " ".join(text.split())
        if not words:
            self.between = max(self.between, SPACE if text else NOTHING)
            return
        if text[0].isspace():
            self.between = max(self.between, SPACE)
        self._put(words, marks)
        self.between = SPACE if text[-1].isspace() else NOTHING

    def add_part(self, part: Part, marks: Sequence[Mark]) -> None:
        """Take a picture."""
        self._put(part, marks)
        self.between = NOTHING

    def end_line(self) -> None:
        """Take a line break; it shows only where text follows."""
        self.between = BREAK

    def _put(self, one: Part | str, marks: Sequence[Mark]) -> None:
        if not self.inside:
            self.between = NOTHING
        same = self._same(marks)
        del self.open[same:]
        if self.between == BREAK:
            self._inner.append(Part("break"))
        elif self.between == SPACE:
            self._inner.append(" ")
        for mark in marks[same:]:
            self._open(mark)
        self._inner.append(one)

    @property
    def _inner(self) -> list[Mark | Part | str]:
        return self.open[-1][1].inside if self.open else self.inside

    def _same(self, marks: Sequence[Mark]) -> int:
        """How many of the open marks go on."""
        count = 0
        for (opened, shown), mark in zip(tuple(self.open), marks, strict=False):
            if not (opened is mark if self.between else opened.like(mark)):
                break
            self.open[count] = (mark, shown)
            count += 1
        return count

    def _open(self, mark: Mark) -> None:
        """Open a mark; the one just closed goes on where they touch and are alike."""
        inner = self._inner
        last = inner[-1] if inner else None
        if not (isinstance(last, Mark) and last.like(mark)):
            last = Mark(mark.kind, mark.node, mark.facts)
            inner.append(last)
        self.open.append((mark, last))

    def content(self) -> tuple[Content, ...]:
        """The line's text and inline parts."""
        return _frozen(self.inside)


def _frozen(inside: Sequence[Mark | Part | str]) -> tuple[Content, ...]:
    """Marks as parts, texts that touch as one; as deep as there are kinds of marks."""
    found: list[Content] = []
    words: list[str] = []
    for one in inside:
        if isinstance(one, str):
            words.append(one)
            continue
        if words:
            found.append("".join(words))
            words = []
        part = one if isinstance(one, Part) else _part(one)
        found.append(part)
    return (*found, "".join(words)) if words else tuple(found)


def _part(mark: Mark) -> Part:
    return Part(mark.kind, _frozen(mark.inside), mark.facts, mark.node)
