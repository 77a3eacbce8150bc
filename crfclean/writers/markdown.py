"""`Document` -> Markdown: CommonMark with the tables, strikethrough and footnotes of GitHub's.

What Markdown has no mark for: the definitions of a term are a list in its item. A cell that spans
several columns or rows stands in the first of them, the others are empty; what a cell has more
than one line of is parted by `<br>`. A table whose first row is no header has an empty one. Items
of ordered lists keep their own numbers, though readers of Markdown count on from the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from crfclean.structure.content import comments_content, content
from crfclean.structure.filter import shown
from crfclean.structure.parts import USUAL, Part, Show
from crfclean.types import Document
from crfclean.writers.markdown_inline import HEADING, parted, to_inline
from crfclean.writers.markdown_tables import table_lines

MAX_NUMBER = 999_999_999  # CommonMark's own
BULLETS, POINTS = ("-", "*"), (".", ")")
"""Marks of lists; a list right behind another has the second, so that they stay two."""

Lines: TypeAlias = "list[str]"
_TICKS = re.compile(r"`+")


def to_md(document: Document, show: Show = USUAL) -> str:
    """The content as Markdown; comments beside the text follow after a rule."""
    text = markdown(shown(content(document), show))
    if not document.comments:
        return text
    comments = markdown(shown(comments_content(document), show))
    return text + ("\n" if text else "") + "---\n\n" + comments


def markdown(parts: Sequence[Part]) -> str:
    r"""The Markdown of some parts; "" for none.

    >>> markdown([Part("heading", ("1 * 2",), {"level": 2})])
    '## 1 \\* 2\n'
    """
    return "".join(line + "\n" for line in _blocks(parts))


def _blocks(parts: Iterable[Part], *, tight: bool = False) -> Lines:
    """Parts that stand beside each other, an empty line between them."""
    lines: Lines = []
    before = ("", 0)
    for part in parts:
        kind = _list_kind(part)
        turn = 1 - before[1] if kind and kind == before[0] else 0
        written = _WRITE[part.kind](part, turn)
        if not written:
            continue
        if lines and not tight:
            lines.append("")
        lines += written
        before = (kind, turn)
    return lines


def _list_kind(part: Part) -> str:
    """The kind of list that a part is in Markdown, "" for none."""
    if part.kind == "list":
        return "ordered" if part.facts.get("ordered") else "bullets"
    return "bullets" if part.kind in ("definitions", "footnotes") else ""


def _line(part: Part, _turn: int = 0) -> Lines:
    text = to_inline(part.children)
    return text.split("\n") if text else []


def _heading(part: Part, _turn: int) -> Lines:
    text = to_inline(part.children, HEADING)
    return ["#" * part.facts["level"] + " " + text] if text else []


def _rule(_part: Part, _turn: int) -> Lines:
    return ["---"]


def _code(part: Part, _turn: int) -> Lines:
    """Code between fences that are longer than any run of backticks in it."""
    text = "".join(child for child in part.children if isinstance(child, str))
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    return [fence + part.facts.get("language", ""), *text.split("\n"), fence]


def _quote(part: Part, _turn: int) -> Lines:
    return [f"> {line}" if line else ">" for line in _mixed(part)]


def _mixed(part: Part) -> Lines:
    """What is in a part that holds a line, other parts, or a line and other parts behind it."""
    inline, others = parted(part)
    lines = to_inline(inline).split("\n") if inline else []
    return lines + ([""] if lines and others else []) + _blocks(others)


# lists


def _list(part: Part, turn: int) -> Lines:
    items = [one for one in part.children if isinstance(one, Part)]
    if not part.facts.get("ordered"):
        return _items((BULLETS[turn], item) for item in items)
    marks = (f"{_number(item, at)}{POINTS[turn]}" for at, item in enumerate(items, 1))
    return _items(zip(marks, items, strict=True))


def _number(item: Part, at: int) -> int:
    return max(0, min(MAX_NUMBER, int(item.facts.get("number", at))))


def _items(items: Iterable[tuple[str, Part]]) -> Lines:
    """Items with their marks; with an empty line between them where one has paragraphs."""
    known = list(items)
    tight = all(_is_tight(item) for _, item in known)
    lines: Lines = []
    for mark, item in known:
        written = _tight(item) if tight else _mixed(item)
        if written:
            lines += ([""] if lines and not tight else []) + _indented(mark + " ", written)
    return lines


def _is_tight(item: Part) -> bool:
    """Whether an item is a line with nothing but lists behind that may stand right behind it."""
    _, others = parted(item)
    return all(one.kind in ("list", "definitions") and _interrupts(one) for one in others)


def _interrupts(part: Part) -> bool:
    """Whether a list may begin in the line after a text: an ordered one if it begins with 1."""
    if part.kind != "list" or not part.facts.get("ordered"):
        return True
    first = next((one for one in part.children if isinstance(one, Part)), None)
    return first is not None and _number(first, 1) == 1


def _tight(item: Part) -> Lines:
    inline, others = parted(item)
    lines = to_inline(inline).split("\n") if inline else []
    return lines + _blocks(others, tight=True)


def _indented(mark: str, lines: Lines) -> Lines:
    """Lines behind a mark and below it."""
    space = " " * len(mark)
    return [mark + lines[0]] + [space + line if line else "" for line in lines[1:]]


def _definitions(part: Part, turn: int) -> Lines:
    """Terms as items, their definitions as lists in them."""
    groups: list[tuple[list[Part], list[Part]]] = []
    for one in part.children:
        if not isinstance(one, Part):
            continue
        if not groups or (one.kind == "term" and groups[-1][1]):
            groups.append(([], []))
        groups[-1][one.kind != "term"].append(one)
    return _items((BULLETS[turn], item) for item in chain.from_iterable(map(_terms, groups)))


def _terms(group: tuple[list[Part], list[Part]]) -> Iterator[Part]:
    """The items of some terms and their definitions: those stand in the last one's."""
    terms, definitions = group
    items = [Part("item", one.children, {}, one.node, one.blocks) for one in definitions]
    below = (Part("list", tuple(items), {"ordered": False}),) if items else ()
    if not terms:
        yield from items
        return
    for term in terms:
        more = below if term is terms[-1] else ()
        yield Part("item", (*term.children, *more), {}, term.node, term.blocks)


def _footnotes(part: Part, turn: int) -> Lines:
    """Footnotes by their ids; those that nothing refers to as items."""
    lines: Lines = []
    for one in part.children:
        if not isinstance(one, Part):
            continue
        written = _mixed(one)
        if not written:
            continue
        mark = f"[^{one.facts['id']}]: " if one.facts.get("id") else f"{BULLETS[turn]} "
        space = "    " if one.facts.get("id") else "  "
        lines += [""] if lines else []
        lines += [mark + written[0]] + [space + line if line else "" for line in written[1:]]
    return lines


def _table(part: Part, _turn: int) -> Lines:
    """A table, its captions above."""
    inside = [one for one in part.children if isinstance(one, Part)]
    above = _blocks(one for one in inside if one.kind == "caption")
    lines = table_lines([one for one in inside if one.kind == "row"])
    return [*above, "", *lines] if above and lines else above + lines


_WRITE: Mapping[str, Callable[[Part, int], Lines]] = {
    **dict.fromkeys(["paragraph", "caption", "term"], _line),
    **dict.fromkeys(["item", "definition", "cell", "row", "footnote"], lambda p, _: _mixed(p)),
    "heading": _heading,
    "list": _list,
    "definitions": _definitions,
    "table": _table,
    "codeblock": _code,
    "quote": _quote,
    "figure": lambda part, _: _mixed(part),
    "rule": _rule,
    "footnotes": _footnotes,
}
"""Kind of part -> its lines."""
