"""Plain sheets of pages on which a person labels the kinds of blocks.

A line has the numbers of blocks, the two block elements around them, and how they begin, with their
words in brackets. Neighbours alike are one line. `~` marks blocks that are links for the most part.
No label or kind of crfclean's is shown, so that none leads the reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from crfclean.page.measures import measured
from crfclean.page.tree import linked
from crfclean.types import Blocks

_FIRST_WORDS = 8
_SHOWN_CHARS = 60
_SHORT_WORDS = 7
_IN_RUN_CHARS = 26
_ENDS = (4, 2)  # blocks of a run of short ones that are shown, at its beginning and end


@dataclass(frozen=True)
class _Piece:
    number: int
    place: str
    link: bool
    short: bool
    words: int
    text: str


def sheet(blocks: Blocks) -> str:
    """The sheet of a page, a line a run of similar blocks."""
    pieces = _pieces(blocks)
    runs = groupby(pieces, lambda piece: (piece.place, piece.link, piece.short))
    return "\n".join(_line(list(run)) for _, run in runs)


def _pieces(blocks: Blocks) -> Iterator[_Piece]:
    page = measured(blocks)
    links = linked(page) > 0.5 if len(page) else ()
    for number, text in enumerate(blocks.texts):
        words = int(page.words[number])
        place = _place(blocks, int(blocks.node[number]))
        yield _Piece(number, place, bool(links[number]), words <= _SHORT_WORDS, words, text)


def _place(blocks: Blocks, node: int) -> str:
    """The tags of the two lowest block elements around, `div` left out."""
    nodes, tags = blocks.nodes, list[str]()
    while node >= 0 and len(tags) < 2:
        tag = nodes.tags[node]
        if not nodes.inline[node] and tag not in ("div", "body", "html"):
            tags.append(tag)
        node = int(nodes.parent[node])
    return ">".join(reversed(tags)) or "-"


def _line(run: list[_Piece]) -> str:
    first, last = run[0], run[-1]
    numbers = str(first.number) if len(run) == 1 else f"{first.number}-{last.number}"
    head = f"{numbers} {first.place}{'~' if first.link else ''}"
    if first.short:
        return f"{head} {_short(run)}"
    return f"{head} " + " | ".join(f"{_cut(piece.text)}[{piece.words}]" for piece in run)


def _short(run: list[_Piece]) -> str:
    begin, end = _ENDS
    shown = [piece.text[:_IN_RUN_CHARS] for piece in run]
    if len(run) > begin + end + 1:
        shown = [*shown[:begin], f"..{len(run) - begin - end}..", *shown[-end:]]
    return " | ".join(shown)


def _cut(text: str) -> str:
    return " ".join(text.split()[:_FIRST_WORDS])[:_SHOWN_CHARS]
