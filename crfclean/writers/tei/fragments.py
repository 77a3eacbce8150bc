"""Nothing -> the pieces that a TEI document is written of: ready XML, content in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from crfclean.structure.parts import INLINE_KINDS, Content, Part
from crfclean.writers.tei.text import xml_attributes

DIVISION, SPECIAL, PARAGRAPH, PHRASE, CODE = range(5)
"""What may stand in an element: blocks; both; text and lists; text alone; characters alone."""


@dataclass(frozen=True, slots=True)
class Markup:
    """Ready XML."""

    text: str


@dataclass(frozen=True, slots=True)
class Placed:
    """Content that is to be written where `where` may stand."""

    content: Content
    where: int


@dataclass(frozen=True, slots=True)
class Notes:
    """Names (xml:id) of the footnotes: by the id that references give, and of each footnote.

    The second of two footnotes with one id has no name; a part is known by its `id()`.
    """

    referred: Mapping[str, str]
    named: Mapping[int, str]


Piece: TypeAlias = "Markup | Placed"
Pieces: TypeAlias = Iterable[Piece]
Writer: TypeAlias = "Callable[[Part, int, Notes], Pieces]"


def around(name: str, inner: Pieces, end: str = "", **attributes: str | None) -> Iterator[Piece]:
    """An element with its content."""
    yield Markup(f"<{name}{xml_attributes(**attributes)}>")
    yield from inner
    yield Markup(f"</{name}>{end}")


def placed_all(content: Iterable[Content], where: int) -> Iterator[Piece]:
    """Content side by side in one place."""
    return (Placed(one, where) for one in content)


def grouped(content: Iterable[Content]) -> Iterator[list[Content]]:
    """Text and inline parts that stand side by side together, each other part alone."""
    line: list[Content] = []
    for one in content:
        if isinstance(one, str) or one.kind in INLINE_KINDS:
            line.append(one)
            continue
        if line:
            yield line
        line = []
        yield [one]
    if line:
        yield line


def line_end(where: int) -> str:
    """What follows a block: a new line where no text can stand."""
    return "\n" if where == DIVISION else ""


def flat(part: Part, where: int) -> Iterator[Piece]:
    """A block in a line of text: what is in it, on a line of its own."""
    yield Markup(" " if where == CODE else "<lb/>")
    yield from placed_all(part.children, where)
