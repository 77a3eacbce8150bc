"""Write a TEI-XML document that is valid against TEI simplePrint."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeAlias

from crfclean.document.content import shown_content
from crfclean.document.parts import (
    DEFAULT_SHOW,
    INLINE_KINDS,
    Content,
    Part,
    Show,
    iter_parts,
)
from crfclean.document.tei_header import language_tag, tei_header
from crfclean.document.xml import uri, xml_attributes, xml_text
from crfclean.io import digest
from crfclean.metadata.read import read
from crfclean.types import Document, Metadata, Value

# write parts as TEI P5 (tei-c.org) in its customisation simplePrint, by recursion: `content` bounds
# the depth of parts
#
# simplePrint has @rendition with `simple:` values instead of @rend. A heading opens a division that
# ends before the next heading of its level or a higher level. A heading inside a list, table or
# quotation is a `label`. TEI has no place for the titles of links.

IN_DIVISION, IN_MIXED, IN_PARAGRAPH, IN_PHRASE = range(4)
"""Places of content, from the widest to the narrowest: blocks only; blocks and text (TEI's
`macro.specialPara`); text and lists (`macro.paraContent`); text only (`macro.phraseSeq`)."""


class NoteNames(NamedTuple):
    """Names (`xml:id`) of footnotes, by their id in `Part.facts` and by the `id()` of their part.

    If two footnotes have the same id, only the first has a name.
    """

    by_id: Mapping[str, str]
    by_part: Mapping[int, str]


PartWriter: TypeAlias = "Callable[[Part, int, NoteNames], str]"


def _element(name: str, inner: str, where: int = IN_PHRASE, **attributes: str | None) -> str:
    """Return an element with its content; in a division, a line feed follows it."""
    end = "\n" if where == IN_DIVISION else ""
    return f"<{name}{xml_attributes(**attributes)}>{inner}</{name}>{end}"


def _all(content: Iterable[Content], where: int, notes: NoteNames) -> str:
    """Return the text and parts of one element at their place."""
    return "".join(
        xml_text(child) if isinstance(child, str) else _WRITERS[child.kind](child, where, notes)
        for child in content
    )


def _groups(content: Iterable[Content]) -> Iterator[list[Content]]:
    """Yield adjacent text and inline parts together, every other part by itself."""
    for is_line, group in groupby(content, _is_inline):
        children = list(group)
        yield from [children] if is_line else ([child] for child in children)


def _is_inline(child: Content) -> bool:
    return isinstance(child, str) or child.kind in INLINE_KINDS


# inline parts

_RENDITIONS = {
    "emphasis": "simple:italic",
    "strong": "simple:bold",
    "subscript": "simple:subscript",
    "superscript": "simple:superscript",
}


def _graphic(part: Part) -> str:
    """Return the inside of a figure: a picture and its description."""
    address = uri(str(part.facts.get("source") or ""))
    title, description = (
        xml_text(str(part.facts.get(name) or "")) for name in ("title", "description")
    )
    desc = f"<desc>{title}</desc>" if title and title != description else ""
    picture = f"<graphic{xml_attributes(url=address)}>{desc}</graphic>" if address else ""
    return picture + (f"<figDesc>{description}</figDesc>" if description else "")


def _note(part: Part, _where: int, notes: NoteNames) -> str:
    name = notes.by_id.get(str(part.facts.get("id", "")))
    inner = _all(part.children, IN_PHRASE, notes) or xml_text(str(part.facts.get("id", "")))
    return _element("ref", inner, type="note", target=f"#{name}" if name else None)


def _link(part: Part, where: int, notes: NoteNames) -> str:
    inner = _all(part.children, max(where, IN_PARAGRAPH), notes)
    return _element("ref", inner, target=uri(str(part.facts.get("address") or "")))


def _marked(name: str) -> PartWriter:
    """Return a writer of parts that become an element of this name in a line."""

    def write(part: Part, where: int, notes: NoteNames) -> str:
        inner = _all(part.children, max(where, IN_PARAGRAPH), notes)
        return _element(name, inner, rendition=_RENDITIONS.get(part.kind))

    return write


def _code(part: Part, where: int, notes: NoteNames) -> str:
    """Return code in a line; pictures and breaks follow it, because `code` holds no elements."""
    return "".join(
        f"<code>{xml_text(child)}</code>" if isinstance(child, str) else _all([child], where, notes)
        for child in part.children
    )


def _formula(part: Part, where: int, notes: NoteNames) -> str:
    """Return a formula as TeX, else as MathML, else its characters.

    MathML is written as text, because TEI's own schemas have no elements of MathML.
    """
    for notation in ("TeX", "MathML"):
        source = str(part.facts.get(notation.lower()) or "")
        if source:
            return f'<formula notation="{notation}">{xml_text(source)}</formula>'
    return _all(part.children, where, notes)


def _reading(part: Part, _where: int, _: NoteNames) -> str:
    """Return a reading as a note above the text before it: simplePrint has no `ruby`."""
    text = str(part.facts.get("text") or "")
    return f'<note place="above">{xml_text(text)}</note>' if text else ""


# blocks

_NOT_IN_LANGUAGE = re.compile(r"[^\w.+#/-]", re.ASCII)  # of the names of programming languages
_BLOCKS = frozenset(["heading", "paragraph", "codeblock", "quote"])


def sections(content: Iterable[Content], notes: NoteNames) -> str:
    """Return the content of a division; headings open divisions inside it."""
    open_levels, xml = list[int](), list[str]()
    for group in _groups(content):
        first = group[0]
        if not isinstance(first, Part) or first.kind != "heading":
            xml.append(_division(group, notes))
            continue
        level = int(first.facts.get("level", 2))
        while open_levels and open_levels[-1] >= level:
            open_levels.pop()
            xml.append("</div>\n")
        open_levels.append(level)
        xml.append(f"<div{xml_attributes(type='section', subtype=f'h{level}')}>\n")
        xml.append(_head(first, notes))
    return "".join(xml) + "</div>\n" * len(open_levels)


def _division(group: Sequence[Content], notes: NoteNames) -> str:
    """Return content of an element that holds only blocks: a line becomes a paragraph."""
    if not _is_inline(group[0]):
        return _all(group, IN_DIVISION, notes)
    if not any(map(_is_visible, group)):
        return ""
    return _element("p", _all(group, IN_PARAGRAPH, notes), IN_DIVISION)


def has_block(content: Iterable[Part]) -> bool:
    """Return whether some part becomes a block of text: a body needs at least one."""
    return any(
        part.kind in _BLOCKS
        or (part.kind in ("list", "definitions") and _has_content(part))
        or (part.kind == "table" and bool(_rows(part)))
        for part in content
    )


def _blocks(content: Iterable[Content], notes: NoteNames) -> str:
    return "".join(_division(group, notes) for group in _groups(content))


def _heading(part: Part, where: int, notes: NoteNames) -> str:
    if where > IN_MIXED:
        return _without_element(part, where, notes)
    kind = f"h{int(part.facts.get('level', 2))}"
    inner = _all(part.children, IN_PHRASE, notes)
    return _element("label", inner, where, type="heading", subtype=kind)


def _paragraph(part: Part, where: int, notes: NoteNames) -> str:
    if where > IN_MIXED:
        return _without_element(part, where, notes)
    return _element("p", _all(part.children, IN_PARAGRAPH, notes), where)


def _without_element(part: Part, where: int, notes: NoteNames) -> str:
    """Return the content of a part whose element is not allowed at this place."""
    if where == IN_DIVISION:
        return _blocks(part.children, notes)
    return ("" if where == IN_MIXED else "<lb/>") + _all(part.children, where, notes)


def _has_content(part: Part) -> bool:
    return any(map(_is_visible, part.children))


def _is_visible(child: Content) -> bool:
    return not isinstance(child, str) or bool(child.strip())


def _list(part: Part, where: int, notes: NoteNames) -> str:
    if where > IN_PARAGRAPH or not _has_content(part):
        return _without_element(part, where, notes)
    kind = "ordered" if part.facts.get("ordered") else "bulleted"
    items = (_item(child, notes) for child in part.children if _is_visible(child))
    return _element("list", "".join(items), where, type=kind)


def _item(child: Content, notes: NoteNames) -> str:
    is_item = isinstance(child, Part) and child.kind == "item"
    item = child if isinstance(child, Part) and is_item else Part("item", (child,))
    number = item.facts.get("number")
    n = None if number is None else str(number)
    return _element("item", _all(item.children, IN_MIXED, notes), IN_DIVISION, n=n)


def _definitions(part: Part, where: int, notes: NoteNames) -> str:
    if where > IN_PARAGRAPH or not _has_content(part):
        return _without_element(part, where, notes)
    return _element("list", _glosses(part.children, notes), where, type="gloss")


def _glosses(content: Iterable[Content], notes: NoteNames) -> str:
    """Return the label of each term with its item; several definitions of a term share one item."""
    entries: list[tuple[Sequence[Content], list[Content]]] = []
    for child in content:
        if isinstance(child, Part) and child.kind == "term":
            entries.append((child.children, []))
        elif _is_visible(child):
            if not entries:
                entries.append(((), []))
            entries[-1][1].append(child)
    return "".join(
        _element("label", _all(term, IN_PHRASE, notes))
        + _element("item", _definition(definitions, notes), IN_DIVISION)
        for term, definitions in entries
    )


def _definition(definitions: Sequence[Content], notes: NoteNames) -> str:
    contents = (
        child.children if isinstance(child, Part) and child.kind == "definition" else (child,)
        for child in definitions
    )
    if len(definitions) > 1:
        return "".join(_blocks(content, notes) for content in contents)
    return "".join(_all(content, IN_MIXED, notes) for content in contents)


def _table(part: Part, where: int, notes: NoteNames) -> str:
    rows = _rows(part)
    if where > IN_PARAGRAPH or not rows:
        return _without_element(part, where, notes)
    heads = (_head(caption, notes) for caption in _of_kind(part, "caption"))
    inner = "".join(["\n", *heads, *(_row(row, notes) for row in rows)])
    return _element("table", inner, where)


def _rows(part: Part) -> list[Part]:
    return [row for row in _of_kind(part, "row") if _of_kind(row, "cell")]


def _of_kind(part: Part, kind: str) -> list[Part]:
    return [child for child in part.children if isinstance(child, Part) and child.kind == kind]


def _head(part: Part, notes: NoteNames) -> str:
    return _element("head", _all(part.children, IN_PARAGRAPH, notes), IN_DIVISION)


def _row(part: Part, notes: NoteNames) -> str:
    cells = _of_kind(part, "cell")
    is_header = all(cell.facts.get("header") for cell in cells)
    inner = "".join(_cell(cell, notes) for cell in cells)
    return _element("row", inner, IN_DIVISION, role="label" if is_header else None)


def _cell(cell: Part, notes: NoteNames) -> str:
    sizes = {"cols": cell.facts.get("colspan"), "rows": cell.facts.get("rowspan")}
    spans = {name: str(size) for name, size in sizes.items() if size and int(size) > 1}
    role = "label" if cell.facts.get("header") else None
    inner = _all(cell.children, IN_MIXED, notes)
    return _element("cell", inner, IN_PHRASE, role=role, **spans)


def _codeblock(part: Part, where: int, _: NoteNames) -> str:
    name = _NOT_IN_LANGUAGE.sub("", str(part.facts.get("language") or "")) or None
    lines = "".join(xml_text(child) for child in part.children if isinstance(child, str))
    code = _element("code", lines, lang=name, xml_space="preserve")
    return code if where > IN_MIXED else _element("ab", code, where, type="codeblock")


def _quote(part: Part, where: int, notes: NoteNames) -> str:
    if where > IN_PARAGRAPH:
        return _without_element(part, where, notes)
    return _element("quote", _all(part.children, IN_MIXED, notes), where)


def _figure(part: Part, where: int, notes: NoteNames) -> str:
    inner = (_in_figure(group, notes) for group in _groups(part.children))
    return _element("figure", "".join(inner), where)


def _in_figure(group: Sequence[Content], notes: NoteNames) -> str:
    parts = [child for child in group if isinstance(child, Part)]
    if len(parts) == len(group):
        if parts[0].kind == "caption":
            return _head(parts[0], notes)
        if all(part.kind == "image" for part in parts):
            return "".join(map(_graphic, parts))
    return _division(group, notes)


def _footnotes(part: Part, where: int, notes: NoteNames) -> str:
    if where == IN_DIVISION:
        return _blocks(part.children, notes)
    return _all(part.children, where, notes)


def _footnote(part: Part, where: int, notes: NoteNames) -> str:
    inner, name = _all(part.children, IN_MIXED, notes), notes.by_part.get(id(part))
    return _element("note", inner, where, place="bottom", xml_id=name)


_WRITERS: Mapping[str, PartWriter] = {
    "image": lambda part, where, _: _element("figure", _graphic(part), where),
    "note": _note,
    "link": _link,
    "code": _code,
    "break": lambda _part, _where, _: "<lb/>",
    "formula": _formula,
    "ruby": lambda part, where, notes: _all(part.children, where, notes),
    "reading": _reading,
    "deleted": _marked("del"),
    "inserted": _marked("add"),
    **dict.fromkeys(["emphasis", "strong", "marked", "subscript", "superscript"], _marked("hi")),
    "heading": _heading,
    "paragraph": _paragraph,
    "list": _list,
    "definitions": _definitions,
    "table": _table,
    "codeblock": _codeblock,
    "quote": _quote,
    "figure": _figure,
    "rule": lambda _part, where, _: '<milestone unit="rule"/>' + "\n" * (where == IN_DIVISION),
    "footnotes": _footnotes,
    "footnote": _footnote,
    **dict.fromkeys("item term definition caption row cell".split(), _paragraph),
}
"""Kind of part -> its writer."""

# write a TEI-XML document that is valid against TEI simplePrint

NAMESPACE = "http://www.tei-c.org/ns/1.0"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def tei_document(  # noqa: PLR0913
    content: Sequence[Part],
    metadata: Metadata = Metadata(),
    address: str | None = None,
    comments: Sequence[Part] = (),
    page_id: str = "",
    *,
    extra: Mapping[str, str] = {},
) -> str:
    """Return a whole TEI document; separate comments are a division at its end.

    The `address` of the page is used if the metadata has none. `page_id` becomes `@n`, and makes
    the names of notes those of this page, so that a corpus has each of them once. `extra` are
    further values for the header.
    """
    lang = xml_attributes(xml_lang=language_tag(metadata))
    notes = _note_names([*content, *comments], f"note-{digest(page_id)}" if page_id else "note")
    body = sections(content, notes)
    if comments:
        body += _element("div", sections(comments, notes), IN_DIVISION, type="comments")
    if not comments and not has_block(content):
        body += "<p/>\n"
    header = tei_header(metadata, address, extra)
    return (
        f"{_DECLARATION}<TEI{xml_attributes(xmlns=NAMESPACE, n=page_id or None)}>\n"
        f"{header}\n<text{lang}>\n<body>\n{body}</body>\n</text>\n</TEI>\n"
    )


def corpus_head() -> str:
    """Return what stands before the documents of a `teiCorpus`; `</teiCorpus>` ends it."""
    header = tei_header(Metadata(), None).replace("A web page of unknown address.", "Web pages.")
    return f'{_DECLARATION}<teiCorpus xmlns="{NAMESPACE}">\n{header}\n'


def without_declaration(text: str) -> str:
    """Return a document without its XML declaration, as a part of a corpus."""
    return text.removeprefix(_DECLARATION)


def _note_names(content: Iterable[Part], prefix: str) -> NoteNames:
    """Return the names of the footnotes."""
    by_id: dict[str, str] = {}
    by_part: dict[int, str] = {}
    parts = (part for top in content for part in iter_parts(top))
    for part in (part for part in parts if part.kind == "footnote"):
        name = str(part.facts.get("id", ""))
        if name and name not in by_id:
            by_id[name] = by_part[id(part)] = f"{prefix}-{len(by_id) + 1}"
    return NoteNames(by_id, by_part)


def to_tei(
    document: Document,
    show: Show = DEFAULT_SHOW,
    *,
    page_id: str = "",
    extra: Mapping[str, str] = {},
) -> str:
    """Return a document's content as TEI; separate comments are a division at its end.

    A language that the text does not tell is the one that the page states. `page_id` and `extra`
    are those of `tei_document`.
    """
    metadata = read(document) if show.metadata else Metadata()
    if metadata.language is None and len(document.blocks.table.parent):
        stated = (document.blocks.table.attributes[0].get("lang") or "").strip()
        metadata = metadata._replace(language=Value(stated, "lang", 1.0, "/html[1]"))
    parts, comments = shown_content(document, show)
    return tei_document(parts, metadata, document.url, comments, page_id, extra=extra)
