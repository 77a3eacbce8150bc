"""Write a document as plain text.

Plain text has a line per paragraph, marked items, tabs between cells.
The line breaks of poems, addresses and recipes stay; those of hard-wrapped prose do not. Code keeps
its lines and spaces; the content of an item is indented below its mark. Pictures and marks inside a
line are left out. `Document.text` has the same lines without marks and indents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from crfclean.document.content import shown_content
from crfclean.document.kinds import LINE_KINDS
from crfclean.document.lines import shown_lines
from crfclean.document.parts import DEFAULT_SHOW, Content, Part, Show, iter_parts, split_inline
from crfclean.document.raised import MAX_BEFORE, set_off
from crfclean.types import Document

SEPARATOR = "|"
"""The separator of several values of an attribute, such as authors."""


def to_txt(document: Document, show: Show = DEFAULT_SHOW) -> str:
    """Return the content as text; separate comments follow after an empty line."""
    parts, comments = shown_content(document, show)
    return plain_text(parts) + ("\n" + plain_text(comments) if document.comments else "")


def plain_text(parts: Sequence[Part]) -> str:
    r"""Return the text of parts.

    >>> plain_text([Part("list", (Part("item", ("a",)), Part("item", ("b",))))])
    '- a\n- b\n'
    """
    return "".join(line + "\n" for line in _lines(parts))


def line_text(children: Iterable[Content]) -> str:
    """Return the text of a line; a break in it becomes a space.

    >>> line_text(["a ", Part("strong", ("b",)), Part("break"), "c"])
    'a b c'
    """
    return " ".join("".join(text for text, _ in _pieces(children)).split())


def text_lines(children: Iterable[Content]) -> list[str]:
    """Return the text of a paragraph: its lines, or one if its breaks only wrap a text.

    >>> text_lines(["Roses are red,", Part("break"), "Violets are blue"])
    ['Roses are red,', 'Violets are blue']
    """
    lines: list[list[tuple[str, bool]]] = [[]]
    for text, is_strong in _pieces(children):
        if text == "\n":
            lines.append([])
        else:
            lines[-1].append((text, is_strong))
    texts = [" ".join("".join(text for text, _ in line).split()) for line in lines]
    strong = [all(is_strong or text.isspace() for text, is_strong in line) for line in lines]
    kept = [at for at, text in enumerate(texts) if text]
    return list(shown_lines([texts[at] for at in kept], lambda line: strong[kept[line]]))


def _pieces(
    children: Iterable[Content], *, is_strong: bool = False, before: str = ""
) -> Iterator[tuple[str, bool]]:
    """Yield texts, and whether each is in strong letters; a break is a line feed.

    Raised numbers are set off from the text `before`.
    """
    for child in children:
        for text, strong in _pieces_of(child, is_strong=is_strong, before=before):
            before = "" if text == "\n" else before[-MAX_BEFORE:] + text
            yield text, strong


def _pieces_of(child: Content, *, is_strong: bool, before: str) -> Iterator[tuple[str, bool]]:
    if isinstance(child, str):
        yield child, is_strong
    elif child.kind == "break":
        yield "\n", is_strong
    elif child.kind in ("superscript", "note"):
        text = "".join(text for text, _ in _pieces(child.children))
        is_link = any(part.kind in ("link", "note") for part in iter_parts(child))
        opening, closing = set_off(before, text.strip(), is_link=is_link)
        yield opening + text + closing, is_strong
    else:
        is_strong = is_strong or child.kind == "strong"
        yield from _pieces(child.children, is_strong=is_strong, before=before)


def _lines(parts: Iterable[Part]) -> list[str]:
    return [line for part in parts for line in _WRITE.get(part.kind, _mixed)(part)]


def _mixed(part: Part) -> list[str]:
    """Return the lines of a part that has a line of text, other parts, or both."""
    inline, others = split_inline(part)
    lines = [line_text(inline)] if part.kind in LINE_KINDS else text_lines(inline)
    return [line for line in lines if line] + _lines(others)


def _code(part: Part) -> list[str]:
    return "".join(child for child in part.children if isinstance(child, str)).split("\n")


def _list(part: Part) -> list[str]:
    """Return items after their marks."""
    ordered = part.facts.get("ordered")
    lines: list[str] = []
    for at, item in enumerate(part.children, 1):
        if isinstance(item, Part):
            mark = f"{item.facts.get('number', at)}. " if ordered else "- "
            lines += indented(mark + box_of(item), _mixed(item), len(mark))
    return lines


def box_of(item: Part) -> str:
    """Return the box of an item of a task list, "" for other items."""
    return {True: "[x] ", False: "[ ] "}.get(item.facts.get("checked", ""), "")


def _definitions(part: Part) -> list[str]:
    """Return definitions indented below their terms."""
    lines: list[str] = []
    for child in part.children:
        if isinstance(child, Part):
            lines += indented("  " if child.kind == "definition" else "", _mixed(child))
    return lines


def _footnote(part: Part) -> list[str]:
    mark = f"[{part.facts['id']}] " if part.facts.get("id") else ""
    return indented(mark, _mixed(part))


def indented(mark: str, lines: list[str], size: int | None = None) -> list[str]:
    """Return lines after a mark; `size` spaces, or as many as the mark has, indent the others."""
    space = " " * (len(mark) if size is None else size)
    below = (space + line if line else "" for line in lines[1:])
    return [mark + lines[0], *below] if lines else []


def _row(part: Part) -> list[str]:
    """Return the cells with tabs between them; spaces join the lines of a cell."""
    cells = (_mixed(cell) for cell in part.children if isinstance(cell, Part))
    return ["\t".join(" ".join(" ".join(lines).split()) for lines in cells)]


_WRITE: Mapping[str, Callable[[Part], list[str]]] = {
    "codeblock": _code,
    "list": _list,
    "definitions": _definitions,
    "footnote": _footnote,
    "row": _row,
    "rule": lambda _: [],
}
"""Kind of part -> its lines; other kinds have the lines of their text and parts."""
