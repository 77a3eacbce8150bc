"""`Document` -> plain text: a paragraph a line, items with marks, rows with tabs between cells.

Code keeps its lines and spaces; what stands in an item is indented below its mark. Pictures and
marks within a line say nothing here. `Document.text` is plainer still: a block a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from crfclean.structure.content import comments_content, content
from crfclean.structure.filter import shown
from crfclean.structure.parts import USUAL, Content, Part, Show
from crfclean.types import Document
from crfclean.writers.markdown_inline import parted

Lines: TypeAlias = "list[str]"


def to_txt(document: Document, show: Show = USUAL) -> str:
    """The content as text; comments beside the text follow after an empty line."""
    text = plain_text(shown(content(document), show))
    if not document.comments:
        return text
    return text + "\n" + plain_text(shown(comments_content(document), show))


def plain_text(parts: Sequence[Part]) -> str:
    r"""The text of some parts; "" for none.

    >>> plain_text([Part("list", (Part("item", ("a",)), Part("item", ("b",))))])
    '- a\n- b\n'
    """
    return "".join(line + "\n" for line in _lines(parts))


def words(children: Iterable[Content]) -> str:
    """The text of a line; a break in it is a space.

    >>> words(["a ", Part("strong", ("b",)), Part("break"), "c"])
    'a b c'
    """
    return " ".join("".join(_pieces(children)).split())


def _pieces(children: Iterable[Content]) -> Lines:
    found: Lines = []
    for child in children:
        if isinstance(child, str):
            found.append(child)
        else:
            found += [" "] if child.kind == "break" else _pieces(child.children)
    return found


def _lines(parts: Iterable[Part]) -> Lines:
    return [line for part in parts for line in _WRITE.get(part.kind, _mixed)(part)]


def _mixed(part: Part) -> Lines:
    """A part that begins with a line of text, or holds other parts."""
    inline, others = parted(part)
    text = words(inline)
    return ([text] if text else []) + _lines(others)


def _code(part: Part) -> Lines:
    return "".join(child for child in part.children if isinstance(child, str)).split("\n")


def _list(part: Part) -> Lines:
    """Items behind their marks."""
    ordered = part.facts.get("ordered")
    found: Lines = []
    for at, item in enumerate(part.children, 1):
        if isinstance(item, Part):
            mark = f"{item.facts.get('number', at)}. " if ordered else "- "
            found += _indented(mark, _mixed(item))
    return found


def _definitions(part: Part) -> Lines:
    """Definitions indented below their terms."""
    found: Lines = []
    for one in part.children:
        if isinstance(one, Part):
            found += _indented("  " if one.kind == "definition" else "", _mixed(one))
    return found


def _footnote(part: Part) -> Lines:
    mark = f"[{part.facts['id']}] " if part.facts.get("id") else ""
    return _indented(mark, _mixed(part))


def _indented(mark: str, lines: Lines) -> Lines:
    """Lines behind a mark and below it."""
    space = " " * len(mark)
    below = (space + line if line else "" for line in lines[1:])
    return [mark + lines[0], *below] if lines else []


def _row(part: Part) -> Lines:
    """The cells, a tab between; a cell of several lines has spaces between them."""
    cells = (" ".join(_flat(one)) for one in part.children if isinstance(one, Part))
    return ["\t".join(cells)]


def _flat(cell: Part) -> Lines:
    return [" ".join(line.split()) for line in _mixed(cell)]


_WRITE: Mapping[str, Callable[[Part], Lines]] = {
    "codeblock": _code,
    "list": _list,
    "definitions": _definitions,
    "footnote": _footnote,
    "row": _row,
    "rule": lambda _: [],
}
"""Kind of part -> its lines, where they are not its text and parts one below the other."""
