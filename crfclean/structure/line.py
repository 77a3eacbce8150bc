"""Build the content of one line from runs of text and the marks around them.

White space is folded as in `Block.text` and moved out of the edges of marks, so that `<b>a </b>b`
and `<b>a</b> b` give the same content.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crfclean.structure.parts import Content, Part

_NOTHING, _SPACE, _BREAK = 0, 1, 2
"""What separates the text so far from the next run; the greater one wins."""

_NEVER_JOINED = frozenset(["link", "note", "ruby"])
"""Kinds of marks that stay two where they touch: two links may have two addresses."""


@dataclass(slots=True, eq=False)
class Mark:
    """An inline element: the part that it becomes and its content so far."""

    kind: str
    node: int
    facts: dict[str, Any] = field(default_factory=dict)
    content: list[Mark | Part | str] = field(default_factory=list)

    def joins(self, other: Mark) -> bool:
        """Return whether two marks that touch become one: `<b>a</b><b>b</b>`."""
        return self is other or (self.kind == other.kind and self.kind not in _NEVER_JOINED)


@dataclass(slots=True, eq=False)
class Line:
    """A line under construction; `block` is the index of its block, -1 for none.

    `open` has the open marks from the outermost: each as it came in and as it is in the content.
    """

    block: int = -1
    content: list[Mark | Part | str] = field(default_factory=list)
    open: list[tuple[Mark, Mark]] = field(default_factory=list)
    between: int = _NOTHING

    def add_text(self, text: str, marks: Sequence[Mark]) -> None:
        """Add a run of text; `marks` are those around it from the outermost."""
        words = " ".join(text.split())
        if not words:
            self.between = max(self.between, _SPACE if text else _NOTHING)
            return
        if text[0].isspace():
            self.between = max(self.between, _SPACE)
        self._put(words, marks)
        self.between = _SPACE if text[-1].isspace() else _NOTHING

    def add_part(self, part: Part, marks: Sequence[Mark]) -> None:
        """Add a picture."""
        self._put(part, marks)
        self.between = _NOTHING

    def end_line(self) -> None:
        """Add a line break, which shows only if text follows."""
        self.between = _BREAK

    def _put(self, item: Part | str, marks: Sequence[Mark]) -> None:
        if not self.content:
            self.between = _NOTHING
        still_open = self._count_still_open(marks) if self.open else 0
        del self.open[still_open:]
        if self.between == _BREAK:
            self._innermost.append(Part("break"))
        elif self.between == _SPACE:
            self._innermost.append(" ")
        for mark in marks[still_open:]:
            self._open(mark)
        self._innermost.append(item)

    @property
    def _innermost(self) -> list[Mark | Part | str]:
        return self.open[-1][1].content if self.open else self.content

    def _count_still_open(self, marks: Sequence[Mark]) -> int:
        """Return how many of the open marks go on."""
        count = 0
        for (opened, shown), mark in zip(tuple(self.open), marks, strict=False):
            if not (opened is mark if self.between else opened.joins(mark)):
                break
            self.open[count] = (mark, shown)
            count += 1
        return count

    def _open(self, mark: Mark) -> None:
        """Open a mark, or reopen the one just closed if the two touch and join."""
        siblings = self._innermost
        last = siblings[-1] if siblings else None
        if not (isinstance(last, Mark) and last.joins(mark)):
            last = Mark(mark.kind, mark.node, mark.facts)
            siblings.append(last)
        self.open.append((mark, last))

    def freeze(self) -> tuple[Content, ...]:
        """Return the line's text and inline parts."""
        return _freeze(self.content)


def _freeze(content: Sequence[Mark | Part | str]) -> tuple[Content, ...]:
    """Turn marks into parts and join texts that touch; as deep as there are kinds of marks."""
    frozen: list[Content] = []
    texts: list[str] = []
    for item in content:
        if isinstance(item, str):
            texts.append(item)
            continue
        if texts:
            frozen.append("".join(texts))
            texts = []
        frozen.append(item if isinstance(item, Part) else _part(item))
    return (*frozen, "".join(texts)) if texts else tuple(frozen)


def _part(mark: Mark) -> Part:
    return Part(mark.kind, _freeze(mark.content), mark.facts, mark.node)
