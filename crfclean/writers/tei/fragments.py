"""The fragments that a TEI document is written from: finished XML, and content to be written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from crfclean.structure.parts import INLINE_KINDS, Content, Part
from crfclean.writers.tei.text import xml_attributes

IN_DIVISION, IN_MIXED, IN_PARAGRAPH, IN_PHRASE, IN_CODE = range(5)
"""What an element may hold, in falling order: blocks; blocks and text (`macro.specialPara` of TEI);
text and lists (`macro.paraContent`); text alone (`macro.phraseSeq`); characters alone."""


@dataclass(frozen=True, slots=True)
class Markup:
    """Finished XML."""

    text: str


@dataclass(frozen=True, slots=True)
class Placed:
    """Content that is still to be written in an element that may hold what `where` says."""

    content: Content
    where: int


@dataclass(frozen=True, slots=True)
class NoteNames:
    """Names (`xml:id`) of the footnotes, by the id of `Part.facts` and by the `id()` of the part.

    Of two footnotes with the same id only the first has a name.
    """

    by_id: Mapping[str, str]
    by_part: Mapping[int, str]


Fragment: TypeAlias = "Markup | Placed"
Fragments: TypeAlias = Iterable[Fragment]
PartWriter: TypeAlias = "Callable[[Part, int, NoteNames], Fragments]"


def tei_element(
    name: str, inner: Fragments, end: str = "", **attributes: str | None
) -> Iterator[Fragment]:
    """Yield an element with its content; `end` follows it."""
    yield Markup(f"<{name}{xml_attributes(**attributes)}>")
    yield from inner
    yield Markup(f"</{name}>{end}")


def place_all(content: Iterable[Content], where: int) -> Iterator[Fragment]:
    """Yield text and parts that stand side by side in an element."""
    return (Placed(child, where) for child in content)


def group_lines(content: Iterable[Content]) -> Iterator[list[Content]]:
    """Yield adjacent text and inline parts together, every other part alone."""
    line: list[Content] = []
    for child in content:
        if isinstance(child, str) or child.kind in INLINE_KINDS:
            line.append(child)
            continue
        if line:
            yield line
        line = []
        yield [child]
    if line:
        yield line


def line_end(where: int) -> str:
    """Return what follows a block: a line feed where there can be no text, else nothing."""
    return "\n" if where == IN_DIVISION else ""


def flat_fragments(part: Part, where: int) -> Iterator[Fragment]:
    """Yield the content of a block that stands in a line of text, after a line break."""
    yield Markup(" " if where == IN_CODE else "<lb/>")
    yield from place_all(part.children, where)
