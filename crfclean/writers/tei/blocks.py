"""`Part`s -> pieces of TEI: ready XML, and the content that is still to be written inside it.

TEI P5 (tei-c.org) as its customisation simplePrint has it, whose ODD drops @rend for @rendition
with `simple:` values. A heading opens a division with all that follows up to the next heading of
its level or a higher one; one inside a list, table or quotation is a `label`. Code blocks are `ab`,
cells that are headings have the role `label`, items of lists of definitions follow their labels,
footnotes are notes with an id that references point to. Titles of links are left out: TEI has no
place for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from crfclean.structure.parts import INLINE_KINDS, Content, Part
from crfclean.writers.tei.fragments import (
    CODE,
    DIVISION,
    PARAGRAPH,
    PHRASE,
    SPECIAL,
    Markup,
    Notes,
    Piece,
    Pieces,
    Placed,
    Writer,
    around,
    flat,
    grouped,
    line_end,
    placed_all,
)
from crfclean.writers.tei.inline import LINES, graphic
from crfclean.writers.tei.text import xml_attributes, xml_text

_NO_NAME = re.compile(r"[^\w.+#/-]", re.ASCII)  # not in the name of a programming language
_BLOCKS = frozenset(["heading", "paragraph", "codeblock", "quote"])


def pieces_of(content: Content, where: int, notes: Notes) -> Pieces:
    """Content where `where` may stand, in pieces."""
    if isinstance(content, str):
        return [Markup(xml_text(content))]
    return _WRITERS[content.kind](content, where, notes)


def sections(content: Iterable[Content]) -> Iterator[Piece]:
    """Content of a division; headings open divisions inside it."""
    open_levels: list[int] = []
    for group in grouped(content):
        first = group[0]
        if not isinstance(first, Part) or first.kind != "heading":
            yield from _division(group)
            continue
        level = int(first.facts.get("level", 2))
        while open_levels and open_levels[-1] >= level:
            open_levels.pop()
            yield Markup("</div>\n")
        open_levels.append(level)
        kind = xml_attributes(type="section", subtype=f"h{level}")
        yield Markup(f"<div{kind}>\n")
        yield from around("head", placed_all(first.children, PARAGRAPH), "\n")
    yield Markup("</div>\n" * len(open_levels))


def _division(group: Sequence[Content]) -> Iterator[Piece]:
    """Content where blocks alone may stand: what is inline becomes a paragraph."""
    first = group[0]
    if isinstance(first, Part) and first.kind not in INLINE_KINDS:
        yield Placed(first, DIVISION)
    elif any(not isinstance(one, str) or one.strip() for one in group):
        yield from around("p", placed_all(group, PARAGRAPH), "\n")


def has_block(content: Iterable[Part]) -> bool:
    """Whether one part at least becomes an element of text: of which a body needs one."""
    return any(
        part.kind in _BLOCKS
        or (part.kind in ("list", "definitions") and _says(part))
        or (part.kind == "table" and bool(_rows(part)))
        for part in content
    )


def _blocks(content: Iterable[Content]) -> Iterator[Piece]:
    for group in grouped(content):
        yield from _division(group)


def _heading(part: Part, where: int, _: Notes) -> Pieces:
    if where > SPECIAL:
        return _undone(part, where)
    kind = f"h{int(part.facts.get('level', 2))}"
    inner = placed_all(part.children, PHRASE)
    return around("label", inner, line_end(where), type="heading", subtype=kind)


def _paragraph(part: Part, where: int, _: Notes) -> Pieces:
    if where > SPECIAL:
        return _undone(part, where)
    return around("p", placed_all(part.children, PARAGRAPH), line_end(where))


def _undone(part: Part, where: int) -> Pieces:
    """What is in a part that cannot be written as what it is."""
    if where == DIVISION:
        return _blocks(part.children)
    return placed_all(part.children, where) if where == SPECIAL else flat(part, where)


def _says(part: Part) -> bool:
    return any(not isinstance(one, str) or one.strip() for one in part.children)


def _list(part: Part, where: int, _: Notes) -> Pieces:
    if where > PARAGRAPH or not _says(part):
        return _undone(part, where)
    kind = "ordered" if part.facts.get("ordered") else "bulleted"
    return around("list", _items(part.children), line_end(where), type=kind)


def _items(content: Iterable[Content]) -> Iterator[Piece]:
    for one in content:
        if isinstance(one, Part) and one.kind == "item":
            number = one.facts.get("number")
            attributes = {"n": None if number is None else str(number)}
            yield from around("item", placed_all(one.children, SPECIAL), "\n", **attributes)
        elif not isinstance(one, str) or one.strip():
            yield from around("item", [Placed(one, SPECIAL)], "\n")


def _definitions(part: Part, where: int, _: Notes) -> Pieces:
    if where > PARAGRAPH or not _says(part):
        return _undone(part, where)
    return around("list", _glosses(part.children), line_end(where), type="gloss")


def _glosses(content: Iterable[Content]) -> Iterator[Piece]:
    """Labels and items in turn; several definitions of a term share its item."""
    entries: list[tuple[Content | None, list[Content]]] = []
    for one in content:
        if isinstance(one, Part) and one.kind == "term":
            entries.append((one, []))
        elif isinstance(one, Part) or one.strip():
            if not entries:
                entries.append((None, []))
            entries[-1][1].append(one)
    for term, definitions in entries:
        named = placed_all(term.children, PHRASE) if isinstance(term, Part) else ()
        yield from around("label", named)
        yield from around("item", _definition_pieces(definitions), "\n")


def _definition_pieces(definitions: Sequence[Content]) -> Iterator[Piece]:
    for one in definitions:
        content = one.children if isinstance(one, Part) and one.kind == "definition" else (one,)
        yield from _blocks(content) if len(definitions) > 1 else placed_all(content, SPECIAL)


def _table(part: Part, where: int, _: Notes) -> Pieces:
    rows = _rows(part)
    if where > PARAGRAPH or not rows:
        return _undone(part, where)
    heads = [piece for one in _of_kind(part, "caption") for piece in _head(one)]
    inner = (piece for row in rows for piece in _row(row))
    return around("table", [Markup("\n"), *heads, *inner], line_end(where))


def _rows(part: Part) -> list[Part]:
    return [row for row in _of_kind(part, "row") if _of_kind(row, "cell")]


def _of_kind(part: Part, kind: str) -> list[Part]:
    return [one for one in part.children if isinstance(one, Part) and one.kind == kind]


def _head(part: Part) -> Iterator[Piece]:
    return around("head", placed_all(part.children, PARAGRAPH), "\n")


def _row(part: Part) -> Iterator[Piece]:
    cells = _of_kind(part, "cell")
    label = all(cell.facts.get("header") for cell in cells)
    yield Markup(f"<row{xml_attributes(role='label' if label else None)}>")
    for cell in cells:
        sizes = {"cols": cell.facts.get("colspan"), "rows": cell.facts.get("rowspan")}
        told = {name: str(size) for name, size in sizes.items() if size and int(size) > 1}
        role = "label" if cell.facts.get("header") else None
        yield from around("cell", placed_all(cell.children, SPECIAL), role=role, **told)
    yield Markup("</row>\n")


def _codeblock(part: Part, where: int, _: Notes) -> Pieces:
    if where == CODE:
        return _undone(part, where)
    name = _NO_NAME.sub("", str(part.facts.get("language") or "")) or None
    code = around("code", placed_all(part.children, CODE), lang=name, xml_space="preserve")
    return code if where > SPECIAL else around("ab", code, line_end(where), type="codeblock")


def _quote(part: Part, where: int, _: Notes) -> Pieces:
    if where > PARAGRAPH:
        return _undone(part, where)
    return around("quote", placed_all(part.children, SPECIAL), line_end(where))


def _figure(part: Part, where: int, _: Notes) -> Pieces:
    if where == CODE:
        return _undone(part, where)
    return around("figure", _figured(part.children), line_end(where))


def _figured(content: Iterable[Content]) -> Iterator[Piece]:
    for group in grouped(content):
        first = group[0]
        if isinstance(first, Part) and first.kind == "caption":
            yield from _head(first)
        elif all(isinstance(one, Part) and one.kind == "image" for one in group):
            for one in group:
                yield from graphic(one) if isinstance(one, Part) else ()
        else:
            yield from _division(group)


def _rule(_part: Part, where: int, _: Notes) -> Pieces:
    return [Markup("" if where == CODE else '<milestone unit="rule"/>' + line_end(where))]


def _footnotes(part: Part, where: int, _: Notes) -> Pieces:
    return _blocks(part.children) if where == DIVISION else placed_all(part.children, where)


def _footnote(part: Part, where: int, notes: Notes) -> Pieces:
    if where == CODE:
        return _undone(part, where)
    name = notes.named.get(id(part))
    return around(
        "note", placed_all(part.children, SPECIAL), line_end(where), place="bottom", xml_id=name
    )


def _loose(part: Part, where: int, notes: Notes) -> Pieces:
    """A part outside of what it belongs to: an item of no list, a cell of no table."""
    if where <= SPECIAL and any(
        isinstance(one, Part) and one.kind not in INLINE_KINDS for one in part.children
    ):
        return _blocks(part.children) if where == DIVISION else placed_all(part.children, where)
    return _paragraph(part, where, notes)


_WRITERS: Mapping[str, Writer] = {
    **LINES,
    "heading": _heading,
    "paragraph": _paragraph,
    "list": _list,
    "definitions": _definitions,
    "table": _table,
    "codeblock": _codeblock,
    "quote": _quote,
    "figure": _figure,
    "rule": _rule,
    "footnotes": _footnotes,
    "footnote": _footnote,
    **dict.fromkeys("item term definition caption row cell".split(), _loose),
}
"""Kind of part -> what writes it."""
