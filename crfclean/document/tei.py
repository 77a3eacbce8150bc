"""Write a document as TEI-XML that is valid against TEI simplePrint."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, urlsplit, urlunsplit

from crfclean._version import __version__
from crfclean.document.budget import shown_parts
from crfclean.document.content import comments_content, content
from crfclean.document.parts import (
    DEFAULT_SHOW,
    INLINE_KINDS,
    Content,
    Part,
    Show,
    filter_parts,
    iter_parts,
)
from crfclean.metadata.read import read
from crfclean.types import Document, Metadata, Value

# escape texts and addresses for XML and drop the characters that it forbids

_FORBIDDEN = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")  # as XML Schema defines it
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_HOST = re.compile(
    r"(?:[^\s@/?#\[\]\\^`{|}<>\"]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^\s@/?#:\[\]\\^`{|}<>\"]+)(?::\d{1,5})?"
)
_BROKEN_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SAFE = "/:@!$&'()*+,;=-._~%"
_MAX_ADDRESS_CHARS = 8_192  # servers accept no more; longer addresses are data


def xml_text(text: str) -> str:
    r"""Return a text as character data: `&`, `<` and `>` escaped, without what XML 1.0 forbids.

    Line ends become line feeds, control characters and non-characters are dropped, halves of a
    surrogate pair become U+FFFD (XML 1.0, 5th edition, 2.2).

    >>> xml_text("a < b\x00 & c\r\n")
    'a &lt; b &amp; c\n'
    """
    text = _SURROGATE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _FORBIDDEN.sub("", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def xml_attributes(**values: str | None) -> str:
    """Return attributes with a space before each, without those that are None; `_` stands for `:`.

    >>> xml_attributes(xml_id="n1", target='a"b', place=None)
    ' xml:id="n1" target="a&quot;b"'
    """
    pairs = ((name.replace("_", ":"), text) for name, text in values.items() if text is not None)
    return "".join(f' {name}="{_attribute(text)}"' for name, text in pairs)


def _attribute(text: str) -> str:
    return " ".join(xml_text(text).split()).replace('"', "&quot;")


def uri(address: str | None) -> str | None:
    """Return an address as a valid `anyURI` without white space (RFC 3986), None if it is none.

    >>> uri("https://example.org/a b?c=[1]#d#e")
    'https://example.org/a%20b?c=%5B1%5D#d%23e'
    >>> uri("https://[broken/")
    """
    text = (address or "").strip()
    if not text or len(text) > _MAX_ADDRESS_CHARS:
        return None
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    if not _SCHEME.fullmatch(parts.scheme or "x") or not _HOST.fullmatch(parts.netloc or "x"):
        return None
    if not parts.scheme and ":" in parts.path.partition("/")[0]:
        return None
    host = _quoted(parts.netloc, "[]")
    others = (_quoted(part, "?") for part in (parts.path, parts.query, parts.fragment))
    return urlunsplit((parts.scheme, host, *others)) or None


def _quoted(part: str, also_safe: str) -> str:
    return quote(_BROKEN_PERCENT.sub("%25", part), safe=_SAFE + also_safe, errors="replace")


# write a TEI header: title and authors, the page as source, language and keywords
#
# TEI P5, chapter 2, in its customisation simplePrint, which has no `application`: the description
# of the project names crfclean and its version instead.

_DATE = re.compile(
    r"(?P<day>\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?)"
    r"(?:T(?P<time>(?:[01]\d|2[0-3]):[0-5]\d)(?P<seconds>:[0-5]\d(?:\.\d+)?)?"
    r"(?P<zone>Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?"
)
_MADE_BY = f"Text, structure and metadata were extracted by crfclean {__version__}."


def tei_header(metadata: Metadata, address: str | None) -> str:
    """Return the header of a document; `address` is used if the metadata has none."""
    return "\n".join(
        [
            "<teiHeader>",
            "<fileDesc>",
            "<titleStmt>",
            _element("title", metadata.title) or "<title/>",
            *(_element("author", author) for author in metadata.authors),
            "</titleStmt>",
            "<publicationStmt><p>Made from a web page; not published.</p></publicationStmt>",
            f"<sourceDesc>{_source(metadata, address)}</sourceDesc>",
            "</fileDesc>",
            f"<encodingDesc><projectDesc><p>{_MADE_BY}</p></projectDesc></encodingDesc>",
            *_profile(metadata),
            "</teiHeader>",
        ]
    )


def language_tag(metadata: Metadata) -> str | None:
    """Return the language of the text, None if it is unknown or not a language tag."""
    value = metadata.language
    return value.text if value is not None and _LANGUAGE.fullmatch(value.text) else None


def _source(metadata: Metadata, address: str | None) -> str:
    """Return the web page as a bibliographic item, or a paragraph if nothing is known."""
    text = metadata.address.text if metadata.address else address
    target = uri(text)
    licence = metadata.licence
    parts = [
        _element("title", metadata.title),
        *(_element("author", author) for author in metadata.authors),
        _element("publisher", metadata.site),
        _date("published", metadata.published),
        _date("modified", metadata.modified),
        f"<ref{xml_attributes(target=target)}>{xml_text(text or '')}</ref>" if target else "",
    ]
    if licence is not None and licence.text:
        attributes = xml_attributes(target=uri(licence.text) if "://" in licence.text else None)
        terms = f"<licence{attributes}>{xml_text(licence.text)}</licence>"
        parts.append(f"<availability>{terms}</availability>")
    item = "".join(parts)
    return f"<bibl>{item}</bibl>" if item else "<p>A web page of unknown address.</p>"


def _element(name: str, value: Value | None) -> str:
    text = xml_text(value.text).strip() if value is not None else ""
    return f"<{name}>{text}</{name}>" if text else ""


def _date(kind: str, value: Value | None) -> str:
    if value is None or not value.text:
        return ""
    return (
        f"<date{xml_attributes(type=kind, when=xml_date(value.text))}>{xml_text(value.text)}</date>"
    )


def xml_date(text: str) -> str | None:
    """Return an ISO 8601 date in the form of XML Schema, None if it is no valid date.

    >>> xml_date("2024-05-07T10:30+02:00"), xml_date("2024-05"), xml_date("2024-02-30")
    ('2024-05-07T10:30:00+02:00', '2024-05', None)
    """
    match = _DATE.fullmatch(text)
    if match is None or not _is_day(match["day"]) or (match["time"] and len(match["day"]) < 10):
        return None
    if not match["time"]:
        return match["day"]
    seconds = match["seconds"] or ":00"
    return f"{match['day']}T{match['time']}{seconds}{match['zone'] or ''}"


def _is_day(day: str) -> bool:
    """Return whether a year, a month or a day exists."""
    with suppress(ValueError):
        return bool(date(*map(int, (*day.split("-"), "1", "1")[:3])))
    return False


def _profile(metadata: Metadata) -> Iterator[str]:
    tag = language_tag(metadata)
    abstract = _element("p", metadata.description)
    terms = [
        *(_term("tag", value.text) for value in metadata.tags),
        *(_term("category", value.text) for value in metadata.categories),
        _term("page-type", metadata.page_type.name if metadata.page_type else ""),
    ]
    keywords = "".join(terms)
    parts = [
        f"<abstract>{abstract}</abstract>" if abstract else "",
        f'<langUsage><language ident="{tag}">{tag}</language></langUsage>' if tag else "",
        f"<textClass><keywords>{keywords}</keywords></textClass>" if keywords else "",
    ]
    if any(parts):
        yield f"<profileDesc>{''.join(parts)}</profileDesc>"


def _term(kind: str, text: str) -> str:
    term = xml_text(text).strip()
    return f"<term{xml_attributes(type=kind)}>{term}</term>" if term else ""


# write a document's content and metadata as TEI-XML

# fragments of a TEI document: finished XML, and content that is still to be written

IN_DIVISION, IN_MIXED, IN_PARAGRAPH, IN_PHRASE = range(4)
"""Places of content, from the widest to the narrowest: blocks only; blocks and text (TEI's
`macro.specialPara`); text and lists (`macro.paraContent`); text only (`macro.phraseSeq`)."""


class Placed(NamedTuple):
    """Content that is still to be written, and its place."""

    content: Content
    where: int


class NoteNames(NamedTuple):
    """Names (`xml:id`) of footnotes, by their id in `Part.facts` and by the `id()` of their part.

    If two footnotes have the same id, only the first has a name.
    """

    by_id: Mapping[str, str]
    by_part: Mapping[int, str]


Fragment: TypeAlias = "str | Placed"
Fragments: TypeAlias = Iterable[Fragment]
PartWriter: TypeAlias = "Callable[[Part, int, NoteNames], Fragments]"


def tei_element(
    name: str, inner: Fragments, end: str = "", **attributes: str | None
) -> Iterator[Fragment]:
    """Yield an element with its content; `end` follows it."""
    yield f"<{name}{xml_attributes(**attributes)}>"
    yield from inner
    yield f"</{name}>{end}"


def place_all(content: Iterable[Content], where: int) -> Iterator[Fragment]:
    """Yield text and parts of one element as content to be written."""
    return (Placed(child, where) for child in content)


def group_lines(content: Iterable[Content]) -> Iterator[list[Content]]:
    """Yield adjacent text and inline parts together, every other part by itself."""
    line: list[Content] = []
    for child in content:
        if isinstance(child, str) or child.kind in INLINE_KINDS:
            line.append(child)
            continue
        yield from filter(None, [line])
        line = []
        yield [child]
    yield from filter(None, [line])


def line_end(where: int) -> str:
    """Return what follows a block: a line feed, "" where that would be text."""
    return "\n" if where == IN_DIVISION else ""


# write inline parts as TEI: emphasis, code, links, references, pictures and line breaks

_RENDITIONS = {
    "emphasis": "simple:italic",
    "strong": "simple:bold",
    "subscript": "simple:subscript",
    "superscript": "simple:superscript",
}


def graphic(part: Part) -> Iterator[Fragment]:
    """Yield the inside of a figure: a picture and its description."""
    address = uri(str(part.facts.get("source") or ""))
    title, description = (
        xml_text(str(part.facts.get(name) or "")) for name in ("title", "description")
    )
    desc = f"<desc>{title}</desc>" if title and title != description else ""
    if address:
        yield f"<graphic{xml_attributes(url=address)}>{desc}</graphic>"
    if description:
        yield f"<figDesc>{description}</figDesc>"


def _image(part: Part, where: int, _: NoteNames) -> Fragments:
    return tei_element("figure", graphic(part), line_end(where))


def _note(part: Part, _where: int, notes: NoteNames) -> Fragments:
    name = notes.by_id.get(str(part.facts.get("id", "")))
    inner = list(place_all(part.children, IN_PHRASE)) or [xml_text(str(part.facts.get("id", "")))]
    return tei_element("ref", inner, type="note", target=f"#{name}" if name else None)


def _link(part: Part, where: int, _: NoteNames) -> Fragments:
    inner = place_all(part.children, max(where, IN_PARAGRAPH))
    return tei_element("ref", inner, target=uri(str(part.facts.get("address") or "")))


def _marked(name: str) -> PartWriter:
    """Return a writer of parts that become an element of this name in a line."""

    def write(part: Part, where: int, _: NoteNames) -> Fragments:
        inner = place_all(part.children, max(where, IN_PARAGRAPH))
        return tei_element(name, inner, rendition=_RENDITIONS.get(part.kind))

    return write


def _code(part: Part, where: int, _: NoteNames) -> Fragments:
    """Yield code in a line; pictures and breaks follow it, because `code` holds no elements."""
    for child in part.children:
        if isinstance(child, str):
            yield f"<code>{xml_text(child)}</code>"
        else:
            yield Placed(child, where)


def _formula(part: Part, where: int, _: NoteNames) -> Fragments:
    """Return a formula as TeX, else as MathML, else its characters.

    MathML is written as text, because TEI's own schemas have no elements of MathML.
    """
    for notation in ("TeX", "MathML"):
        source = str(part.facts.get(notation.lower()) or "")
        if source:
            return [f'<formula notation="{notation}">{xml_text(source)}</formula>']
    return place_all(part.children, where)


def _reading(part: Part, _where: int, _: NoteNames) -> Fragments:
    """Return a reading as a note above the text before it: simplePrint has no `ruby`."""
    text = str(part.facts.get("text") or "")
    return [f'<note place="above">{xml_text(text)}</note>'] if text else []


# write parts as TEI P5 (tei-c.org) in its customisation simplePrint
#
# simplePrint has @rendition with `simple:` values instead of @rend. A heading opens a division that
# ends before the next heading of its level or a higher level. A heading inside a list, table or
# quotation is a `label`. TEI has no place for the titles of links.

_NOT_IN_LANGUAGE = re.compile(r"[^\w.+#/-]", re.ASCII)  # of the names of programming languages
_BLOCKS = frozenset(["heading", "paragraph", "codeblock", "quote"])


def fragments_of(placed: Placed, notes: NoteNames) -> Fragments:
    """Return the fragments of content at its place."""
    content, where = placed
    if isinstance(content, str):
        return [xml_text(content)]
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
            yield "</div>\n"
        open_levels.append(level)
        kind = xml_attributes(type="section", subtype=f"h{level}")
        yield f"<div{kind}>\n"
        yield from tei_element("head", place_all(first.children, IN_PARAGRAPH), "\n")
    yield "</div>\n" * len(open_levels)


def _division(group: Sequence[Content]) -> Iterator[Fragment]:
    """Yield content of an element that holds only blocks: a line becomes a paragraph."""
    first = group[0]
    if isinstance(first, Part) and first.kind not in INLINE_KINDS:
        yield Placed(first, IN_DIVISION)
    elif any(map(_is_visible, group)):
        yield from tei_element("p", place_all(group, IN_PARAGRAPH), "\n")


def has_block(content: Iterable[Part]) -> bool:
    """Return whether some part becomes a block of text: a body needs at least one."""
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
    """Return the content of a part whose element is not allowed at this place."""
    if where == IN_DIVISION:
        return _blocks(part.children)
    inner = place_all(part.children, where)
    return inner if where == IN_MIXED else ["<lb/>", *inner]


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
    """Yield the label of each term with its item; several definitions of a term share one item."""
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
    return tei_element("table", ["\n", *heads, *inner], line_end(where))


def _rows(part: Part) -> list[Part]:
    return [row for row in _of_kind(part, "row") if _of_kind(row, "cell")]


def _of_kind(part: Part, kind: str) -> list[Part]:
    return [child for child in part.children if isinstance(child, Part) and child.kind == kind]


def _head(part: Part) -> Iterator[Fragment]:
    return tei_element("head", place_all(part.children, IN_PARAGRAPH), "\n")


def _row(part: Part) -> Iterator[Fragment]:
    cells = _of_kind(part, "cell")
    is_header = all(cell.facts.get("header") for cell in cells)
    yield f"<row{xml_attributes(role='label' if is_header else None)}>"
    for cell in cells:
        sizes = {"cols": cell.facts.get("colspan"), "rows": cell.facts.get("rowspan")}
        spans = {name: str(size) for name, size in sizes.items() if size and int(size) > 1}
        role = "label" if cell.facts.get("header") else None
        yield from tei_element("cell", place_all(cell.children, IN_MIXED), role=role, **spans)
    yield "</row>\n"


def _codeblock(part: Part, where: int, _: NoteNames) -> Fragments:
    name = _NOT_IN_LANGUAGE.sub("", str(part.facts.get("language") or "")) or None
    lines = [xml_text(child) for child in part.children if isinstance(child, str)]
    code = tei_element("code", lines, lang=name, xml_space="preserve")
    return code if where > IN_MIXED else tei_element("ab", code, line_end(where), type="codeblock")


def _quote(part: Part, where: int, _: NoteNames) -> Fragments:
    if where > IN_PARAGRAPH:
        return _without_element(part, where)
    return tei_element("quote", place_all(part.children, IN_MIXED), line_end(where))


def _figure(part: Part, where: int, _: NoteNames) -> Fragments:
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
    return ['<milestone unit="rule"/>' + line_end(where)]


def _footnotes(part: Part, where: int, _: NoteNames) -> Fragments:
    return _blocks(part.children) if where == IN_DIVISION else place_all(part.children, where)


def _footnote(part: Part, where: int, notes: NoteNames) -> Fragments:
    name = notes.by_part.get(id(part))
    return tei_element(
        "note", place_all(part.children, IN_MIXED), line_end(where), place="bottom", xml_id=name
    )


_WRITERS: Mapping[str, PartWriter] = {
    "image": _image,
    "note": _note,
    "link": _link,
    "code": _code,
    "break": lambda _part, _where, _: ["<lb/>"],
    "formula": _formula,
    "ruby": lambda part, where, _: place_all(part.children, where),
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
    "rule": _rule,
    "footnotes": _footnotes,
    "footnote": _footnote,
    **dict.fromkeys("item term definition caption row cell".split(), _paragraph),
}
"""Kind of part -> its writer."""


# write a TEI-XML document that is valid against TEI simplePrint

NAMESPACE = "http://www.tei-c.org/ns/1.0"


def tei_document(
    content: Sequence[Part],
    metadata: Metadata = Metadata(),
    address: str | None = None,
    comments: Sequence[Part] = (),
) -> str:
    """Return a whole TEI document; separate comments are a division at its end.

    The `address` of the page is used if the metadata has none.
    """
    lang = xml_attributes(xml_lang=language_tag(metadata))
    body = _written(content, comments)
    if not comments and not has_block(content):
        body += "<p/>\n"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<TEI xmlns="{NAMESPACE}">\n'
        f"{tei_header(metadata, address)}\n<text{lang}>\n<body>\n{body}</body>\n</text>\n</TEI>\n"
    )


def _written(content: Sequence[Part], comments: Sequence[Part]) -> str:
    """Return the content of the body, without recursion: pages may be nested deeply."""
    notes = _note_names([*content, *comments])
    stack: list[Fragment] = [*sections(content)]
    if comments:
        stack += tei_element("div", sections(comments), "\n", type="comments")
    stack.reverse()
    xml: list[str] = []
    while stack:
        fragment = stack.pop()
        if isinstance(fragment, str):
            xml.append(fragment)
        else:
            stack += reversed([*fragments_of(fragment, notes)])
    return "".join(xml)


def _note_names(content: Iterable[Part]) -> NoteNames:
    """Return the names of the footnotes."""
    by_id: dict[str, str] = {}
    by_part: dict[int, str] = {}
    parts = (part for top in content for part in iter_parts(top))
    for part in (part for part in parts if part.kind == "footnote"):
        name = str(part.facts.get("id", ""))
        if name and name not in by_id:
            by_id[name] = by_part[id(part)] = f"note-{len(by_id) + 1}"
    return NoteNames(by_id, by_part)


def to_tei(document: Document, show: Show = DEFAULT_SHOW) -> str:
    """Return a document's content as TEI; separate comments are a division at its end.

    A missing title or language is taken from the page's `title` element or `lang` attribute.
    """
    metadata = read(document) if show.metadata else Metadata()
    comments = filter_parts(comments_content(document), show) if document.comments else ()
    parts = shown_parts(content(document), show)
    return tei_document(parts, _completed(metadata, document), document.url, comments)


def _completed(metadata: Metadata, document: Document) -> Metadata:
    """Return metadata whose missing title or language comes from the page's own elements."""
    nodes, title = document.blocks.nodes, document.blocks.title
    attributes = nodes.attributes[0] if len(nodes) else {}
    lang = (attributes.get("lang") or attributes.get("xml:lang") or "").strip()
    return replace(
        metadata,
        title=metadata.title or (Value(title, "title", 1.0) if title else None),
        language=metadata.language or (Value(lang, "lang", 1.0, "/html[1]") if lang else None),
    )
