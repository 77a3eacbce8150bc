"""Write parts as TEI: the XML of each part, and the content that is still to be written inside it.

This is TEI P5 (tei-c.org) in its customisation simplePrint, whose ODD has @rendition with `simple:`
values instead of @rend. A heading opens a division that ends before the next heading of its level
or a higher one; a heading inside a list, table or quotation is a `label`. Code blocks are `ab`,
header cells have the role `label`, items of lists of definitions follow their labels, footnotes are
notes with an id that references point to. Titles of links are left out: TEI has no place for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from crfclean.structure.parts import INLINE_KINDS, Content, Part
from crfclean.writers.tei.fragments import (
    IN_CODE,
    IN_DIVISION,
    IN_MIXED,
    IN_PARAGRAPH,
    IN_PHRASE,
    Fragment,
    Fragments,
    Markup,
    NoteNames,
    PartWriter,
    Placed,
    flat_fragments,
    group_lines,
    line_end,
    place_all,
    tei_element,
)
from crfclean.writers.tei.inline import INLINE_WRITERS, graphic
from crfclean.writers.tei.text import xml_attributes, xml_text

_NOT_IN_LANGUAGE = re.compile(r"[^\w.+#/-]", re.ASCII)  # of the names of programming languages
_BLOCKS = frozenset(["heading", "paragraph", "codeblock", "quote"])


def fragments_of(content: Content, where: int, notes: NoteNames) -> Fragments:
    """Return the fragments of content in an element that may hold what `where` says."""
    if isinstance(content, str):
        return [Markup(xml_text(content))]
    return _WRITERS[content.kind](content, where, notes)


def sections(content: Iterable[Content]) -> Iterator[Fragment]:
    """Yield the content of a division; headings open divisions inside it."""
    open_levels: list[int] = []
    for group in group_lines(content):
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
        yield from tei_element("head", place_all(first.children, IN_PARAGRAPH), "\n")
    yield Markup("</div>\n" * len(open_levels))


def _division(group: Sequence[Content]) -> Iterator[Fragment]:
    """Content in an element that holds only blocks: a line becomes a paragraph."""
    first = group[0]
    if isinstance(first, Part) and first.kind not in INLINE_KINDS:
        yield Placed(first, IN_DIVISION)
    elif any(map(_is_visible, group)):
        yield from tei_element("p", place_all(group, IN_PARAGRAPH), "\n")


def has_block(content: Iterable[Part]) -> bool:
    """Return whether some part becomes an element of text: a body needs at least one."""
    return any(
        part.kind in _BLOCKS
        or (part.kind in ("list", "definitions") and _has_content(part))
        or (part.kind == "table" and bool(_rows(part)))
        for part in content
    )


def _blocks(content: Iterable[Content]) -> Iterator[Fragment]:
    for group in group_lines(content):
        yield from _division(group)


def _heading(part: Part, where: int, _: NoteNames) -> Fragments:
    if where > IN_MIXED:
        return _without_element(part, where)
    kind = f"h{int(part.facts.get('level', 2))}"
    inner = place_all(part.children, IN_PHRASE)
    return tei_element("label", inner, line_end(where), type="heading", subtype=kind)


def _paragraph(part: Part, where: int, _: NoteNames) -> Fragments:
    if where > IN_MIXED:
        return _without_element(part, where)
    return tei_element("p", place_all(part.children, IN_PARAGRAPH), line_end(where))


def _without_element(part: Part, where: int) -> Fragments:
    """The content of a part whose element may not stand here."""
    if where == IN_DIVISION:
        return _blocks(part.children)
    return place_all(part.children, where) if where == IN_MIXED else flat_fragments(part, where)


def _has_content(part: Part) -> bool:
    return any(map(_is_visible, part.children))


def _is_visible(child: Content) -> bool:
    return not isinstance(child, str) or bool(child.strip())


def _list(part: Part, where: int, _: NoteNames) -> Fragments:
    if where > IN_PARAGRAPH or not _has_content(part):
        return _without_element(part, where)
    kind = "ordered" if part.facts.get("ordered") else "bulleted"
    return tei_element("list", _items(part.children), line_end(where), type=kind)


def _items(content: Iterable[Content]) -> Iterator[Fragment]:
    for child in content:
        if isinstance(child, Part) and child.kind == "item":
            number = child.facts.get("number")
            attributes = {"n": None if number is None else str(number)}
            yield from tei_element("item", place_all(child.children, IN_MIXED), "\n", **attributes)
        elif _is_visible(child):
            yield from tei_element("item", [Placed(child, IN_MIXED)], "\n")


def _definitions(part: Part, where: int, _: NoteNames) -> Fragments:
    if where > IN_PARAGRAPH or not _has_content(part):
        return _without_element(part, where)
    return tei_element("list", _glosses(part.children), line_end(where), type="gloss")


def _glosses(content: Iterable[Content]) -> Iterator[Fragment]:
    """Labels and items by turns; several definitions of a term share its item."""
    entries: list[tuple[Content | None, list[Content]]] = []
    for child in content:
        if isinstance(child, Part) and child.kind == "term":
            entries.append((child, []))
        elif _is_visible(child):
            if not entries:
                entries.append((None, []))
            entries[-1][1].append(child)
    for term, definitions in entries:
        label = place_all(term.children, IN_PHRASE) if isinstance(term, Part) else ()
        yield from tei_element("label", label)
        yield from tei_element("item", _definition_fragments(definitions), "\n")


def _definition_fragments(definitions: Sequence[Content]) -> Iterator[Fragment]:
    for child in definitions:
        content: Sequence[Content] = (child,)
        if isinstance(child, Part) and child.kind == "definition":
            content = child.children
        yield from _blocks(content) if len(definitions) > 1 else place_all(content, IN_MIXED)


def _table(part: Part, where: int, _: NoteNames) -> Fragments:
    rows = _rows(part)
    if where > IN_PARAGRAPH or not rows:
        return _without_element(part, where)
    heads = [fragment for caption in _of_kind(part, "caption") for fragment in _head(caption)]
    inner = (fragment for row in rows for fragment in _row(row))
    return tei_element("table", [Markup("\n"), *heads, *inner], line_end(where))


def _rows(part: Part) -> list[Part]:
    return [row for row in _of_kind(part, "row") if _of_kind(row, "cell")]


def _of_kind(part: Part, kind: str) -> list[Part]:
    return [child for child in part.children if isinstance(child, Part) and child.kind == kind]


def _head(part: Part) -> Iterator[Fragment]:
    return tei_element("head", place_all(part.children, IN_PARAGRAPH), "\n")


def _row(part: Part) -> Iterator[Fragment]:
    cells = _of_kind(part, "cell")
    is_header = all(cell.facts.get("header") for cell in cells)
    yield Markup(f"<row{xml_attributes(role='label' if is_header else None)}>")
    for cell in cells:
        sizes = {"cols": cell.facts.get("colspan"), "rows": cell.facts.get("rowspan")}
        spans = {name: str(size) for name, size in sizes.items() if size and int(size) > 1}
        role = "label" if cell.facts.get("header") else None
        yield from tei_element("cell", place_all(cell.children, IN_MIXED), role=role, **spans)
    yield Markup("</row>\n")


def _codeblock(part: Part, where: int, _: NoteNames) -> Fragments:
    if where == IN_CODE:
        return _without_element(part, where)
    name = _NOT_IN_LANGUAGE.sub("", str(part.facts.get("language") or "")) or None
    code = tei_element("code", place_all(part.children, IN_CODE), lang=name, xml_space="preserve")
    return code if where > IN_MIXED else tei_element("ab", code, line_end(where), type="codeblock")


def _quote(part: Part, where: int, _: NoteNames) -> Fragments:
    if where > IN_PARAGRAPH:
        return _without_element(part, where)
    return tei_element("quote", place_all(part.children, IN_MIXED), line_end(where))


def _figure(part: Part, where: int, _: NoteNames) -> Fragments:
    if where == IN_CODE:
        return _without_element(part, where)
    return tei_element("figure", _figure_content(part.children), line_end(where))


def _figure_content(content: Iterable[Content]) -> Iterator[Fragment]:
    for group in group_lines(content):
        first = group[0]
        if isinstance(first, Part) and first.kind == "caption":
            yield from _head(first)
        elif all(isinstance(child, Part) and child.kind == "image" for child in group):
            for child in group:
                yield from graphic(child) if isinstance(child, Part) else ()
        else:
            yield from _division(group)


def _rule(_part: Part, where: int, _: NoteNames) -> Fragments:
    return [Markup("" if where == IN_CODE else '<milestone unit="rule"/>' + line_end(where))]


def _footnotes(part: Part, where: int, _: NoteNames) -> Fragments:
    return _blocks(part.children) if where == IN_DIVISION else place_all(part.children, where)


def _footnote(part: Part, where: int, notes: NoteNames) -> Fragments:
    if where == IN_CODE:
        return _without_element(part, where)
    name = notes.by_part.get(id(part))
    return tei_element(
        "note", place_all(part.children, IN_MIXED), line_end(where), place="bottom", xml_id=name
    )


def _loose(part: Part, where: int, notes: NoteNames) -> Fragments:
    """A part without its parent: an item of no list, a cell of no table."""
    if where <= IN_MIXED and any(
        isinstance(child, Part) and child.kind not in INLINE_KINDS for child in part.children
    ):
        return _blocks(part.children) if where == IN_DIVISION else place_all(part.children, where)
    return _paragraph(part, where, notes)


_WRITERS: Mapping[str, PartWriter] = {
    **INLINE_WRITERS,
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
"""Kind of part -> its writer."""
