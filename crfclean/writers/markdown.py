"""Write a document as Markdown: CommonMark with GitHub's tables, strikethrough and footnotes.

Where Markdown has no mark: definitions are a list in the item of their term. A cell that spans
several columns or rows stands in the first of them, the others are empty; lines of a cell are
separated by `<br>`. A table whose first row is no header gets an empty one. Items of ordered lists
keep their own numbers, though readers of Markdown count on from the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from crfclean.structure.content import comments_content, content
from crfclean.structure.parts import DEFAULT_SHOW, Part, Show, filter_parts
from crfclean.types import Document
from crfclean.writers.markdown_inline import HEADING_LINE, split_inline, to_inline
from crfclean.writers.markdown_tables import table_lines

_MAX_NUMBER = 999_999_999  # CommonMark's limit of nine digits
_BULLETS, _POINTS = ("-", "*"), (".", ")")
"""Marks of lists; a list right after another has the second one, so that they stay two lists."""

_TICKS = re.compile(r"`+")


def to_md(document: Document, show: Show = DEFAULT_SHOW) -> str:
    """Return the content as Markdown; separate comments follow after a rule."""
    text = markdown(filter_parts(content(document), show))
    if not document.comments:
        return text
    comments = markdown(filter_parts(comments_content(document), show))
    return text + ("\n" if text else "") + "---\n\n" + comments


def markdown(parts: Sequence[Part]) -> str:
    r"""Return the Markdown of parts.

    >>> markdown([Part("heading", ("1 * 2",), {"level": 2})])
    '## 1 \\* 2\n'
    """
    return "".join(line + "\n" for line in _blocks(parts))


def _blocks(parts: Iterable[Part], *, tight: bool = False) -> list[str]:
    """The lines of sibling parts, with an empty line between two unless they are `tight`."""
    lines: list[str] = []
    last_kind, last_turn = "", 0
    for part in parts:
        kind = _list_kind(part)
        turn = 1 - last_turn if kind and kind == last_kind else 0
        part_lines = _WRITE[part.kind](part, turn)
        if not part_lines:
            continue
        if lines and not tight:
            lines.append("")
        lines += part_lines
        last_kind, last_turn = kind, turn
    return lines


def _list_kind(part: Part) -> str:
    """The kind of list that a part becomes in Markdown, "" for none."""
    if part.kind == "list":
        return "ordered" if part.facts.get("ordered") else "bullets"
    return "bullets" if part.kind in ("definitions", "footnotes") else ""


def _line(part: Part, _turn: int = 0) -> list[str]:
    text = to_inline(part.children)
    return text.split("\n") if text else []


def _paragraph(part: Part, turn: int) -> list[str]:
    """A line; a display formula that stands alone has lines of its own between its marks."""
    formula = part.children[0] if len(part.children) == 1 else None
    if isinstance(formula, Part) and formula.kind == "formula" and formula.facts.get("display"):
        tex = formula.facts.get("tex", "")
        return ["$$", *tex.split("\n"), "$$"] if tex else _line(part, turn)
    return _line(part, turn)


def _heading(part: Part, _turn: int) -> list[str]:
    text = to_inline(part.children, HEADING_LINE)
    return ["#" * part.facts["level"] + " " + text] if text else []


def _rule(_part: Part, _turn: int) -> list[str]:
    return ["---"]


def _code(part: Part, _turn: int) -> list[str]:
    """Code between fences that are longer than any run of backticks in it."""
    text = "".join(child for child in part.children if isinstance(child, str))
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    return [fence + part.facts.get("language", ""), *text.split("\n"), fence]


def _quote(part: Part, _turn: int) -> list[str]:
    return [f"> {line}" if line else ">" for line in _mixed(part)]


def _mixed(part: Part) -> list[str]:
    """The lines of a part that holds a line, other parts, or a line and other parts after it."""
    inline, others = split_inline(part)
    lines = to_inline(inline).split("\n") if inline else []
    return lines + ([""] if lines and others else []) + _blocks(others)


# lists


def _list(part: Part, turn: int) -> list[str]:
    items = [item for item in part.children if isinstance(item, Part)]
    if not part.facts.get("ordered"):
        return _items((_BULLETS[turn], item) for item in items)
    marks = (f"{_number(item, at)}{_POINTS[turn]}" for at, item in enumerate(items, 1))
    return _items(zip(marks, items, strict=True))


def _number(item: Part, at: int) -> int:
    return max(0, min(_MAX_NUMBER, int(item.facts.get("number", at))))


def _items(items: Iterable[tuple[str, Part]]) -> list[str]:
    """Items with their marks; if one has paragraphs, an empty line separates all of them."""
    marked = list(items)
    tight = all(_is_tight(item) for _, item in marked)
    lines: list[str] = []
    for mark, item in marked:
        item_lines = _tight(item) if tight else _mixed(item)
        if item_lines:
            lines += ([""] if lines and not tight else []) + _indented(mark + " ", item_lines)
    return lines


def _is_tight(item: Part) -> bool:
    """Whether an item is a line, followed only by lists that may begin on the next line."""
    _, others = split_inline(item)
    return all(part.kind in ("list", "definitions") and _interrupts(part) for part in others)


def _interrupts(part: Part) -> bool:
    """Whether a list may begin on the line after a text: an ordered one only with 1."""
    if part.kind != "list" or not part.facts.get("ordered"):
        return True
    first = next((item for item in part.children if isinstance(item, Part)), None)
    return first is not None and _number(first, 1) == 1


def _tight(item: Part) -> list[str]:
    inline, others = split_inline(item)
    lines = to_inline(inline).split("\n") if inline else []
    return lines + _blocks(others, tight=True)


def _indented(mark: str, lines: list[str]) -> list[str]:
    """Lines after a mark, the others indented below."""
    space = " " * len(mark)
    return [mark + lines[0]] + [space + line if line else "" for line in lines[1:]]


def _definitions(part: Part, turn: int) -> list[str]:
    """Terms as items, with their definitions as lists inside."""
    groups: list[tuple[list[Part], list[Part]]] = []
    for child in part.children:
        if not isinstance(child, Part):
            continue
        if not groups or (child.kind == "term" and groups[-1][1]):
            groups.append(([], []))
        groups[-1][child.kind != "term"].append(child)
    return _items((_BULLETS[turn], item) for item in chain.from_iterable(map(_terms, groups)))


def _terms(group: tuple[list[Part], list[Part]]) -> Iterator[Part]:
    """Yield the items of terms that share definitions, which stand in the last item."""
    terms, definitions = group
    items = [Part("item", part.children, {}, part.node, part.blocks) for part in definitions]
    sublist = (Part("list", tuple(items), {"ordered": False}),) if items else ()
    if not terms:
        yield from items
        return
    for term in terms:
        inner = sublist if term is terms[-1] else ()
        yield Part("item", (*term.children, *inner), {}, term.node, term.blocks)


def _footnotes(part: Part, turn: int) -> list[str]:
    """Footnotes with their ids; those without one as items."""
    lines: list[str] = []
    for note in part.children:
        if not isinstance(note, Part):
            continue
        note_lines = _mixed(note)
        if not note_lines:
            continue
        mark = f"[^{note.facts['id']}]: " if note.facts.get("id") else f"{_BULLETS[turn]} "
        space = "    " if note.facts.get("id") else "  "
        lines += [""] if lines else []
        lines += [mark + note_lines[0]] + [space + line if line else "" for line in note_lines[1:]]
    return lines


def _table(part: Part, _turn: int) -> list[str]:
    """A table with its captions above."""
    children = [child for child in part.children if isinstance(child, Part)]
    captions = _blocks(child for child in children if child.kind == "caption")
    lines = table_lines([child for child in children if child.kind == "row"])
    return [*captions, "", *lines] if captions and lines else captions + lines


_WRITE: Mapping[str, Callable[[Part, int], list[str]]] = {
    **dict.fromkeys(["caption", "term"], _line),
    "paragraph": _paragraph,
    **dict.fromkeys(
        ["item", "definition", "cell", "row", "footnote", "figure"], lambda part, _: _mixed(part)
    ),
    "heading": _heading,
    "list": _list,
    "definitions": _definitions,
    "table": _table,
    "codeblock": _code,
    "quote": _quote,
    "rule": _rule,
    "footnotes": _footnotes,
}
"""Kind of part -> its lines."""
