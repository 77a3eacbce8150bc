"""Write inline parts as TEI: emphasis, code, links, references, pictures and line breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from crfclean.structure.parts import INLINE_KINDS, Part
from crfclean.writers.tei.fragments import (
    IN_CODE,
    IN_PARAGRAPH,
    IN_PHRASE,
    Fragment,
    Fragments,
    Markup,
    NoteNames,
    PartWriter,
    Placed,
    line_end,
    place_all,
    tei_element,
)
from crfclean.writers.tei.text import uri, xml_attributes, xml_text

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
        yield Markup(f"<graphic{xml_attributes(url=address)}>{desc}</graphic>")
    if description:
        yield Markup(f"<figDesc>{description}</figDesc>")


def _image(part: Part, where: int, _: NoteNames) -> Fragments:
    if where == IN_CODE:
        return [Markup(xml_text(str(part.facts.get("description") or "")))]
    return tei_element("figure", graphic(part), line_end(where))


def _note(part: Part, where: int, notes: NoteNames) -> Fragments:
    name = notes.by_id.get(str(part.facts.get("id", "")))
    if where == IN_CODE:
        return place_all(part.children, where)
    inner = list(place_all(part.children, IN_PHRASE)) or [
        Markup(xml_text(str(part.facts.get("id", ""))))
    ]
    return tei_element("ref", inner, type="note", target=f"#{name}" if name else None)


def _link(part: Part, where: int, _: NoteNames) -> Fragments:
    inner = place_all(part.children, max(where, IN_PARAGRAPH))
    if where == IN_CODE:
        return inner
    return tei_element("ref", inner, target=uri(str(part.facts.get("address") or "")))


def _marked(name: str) -> PartWriter:
    """Return a writer of parts that become an element of this name in a line."""

    def write(part: Part, where: int, _: NoteNames) -> Fragments:
        inner = place_all(part.children, max(where, IN_PARAGRAPH))
        if where == IN_CODE:
            return inner
        return tei_element(name, inner, rendition=_RENDITIONS.get(part.kind))

    return write


def _code(part: Part, where: int, _: NoteNames) -> Fragments:
    """Code in a line; `code` holds no elements, so that marks inside it go around its pieces."""
    if where == IN_CODE:
        yield from place_all(part.children, where)
        return
    for child in part.children:
        if isinstance(child, str):
            yield Markup(f"<code>{xml_text(child)}</code>")
        elif child.kind in INLINE_KINDS and child.kind not in ("break", "image", "code"):
            yield Placed(Part(child.kind, (Part("code", child.children),), child.facts), where)
        else:
            yield Placed(child, where)


def _formula(part: Part, where: int, _: NoteNames) -> Fragments:
    """A formula as TeX, as MathML, or else its characters.

    MathML is text in the element: as elements it is in no schema of TEI but a customised one.
    """
    for notation in ("TeX", "MathML"):
        source = str(part.facts.get(notation.lower()) or "")
        if source and where != IN_CODE:
            return [Markup(f'<formula notation="{notation}">{xml_text(source)}</formula>')]
    return place_all(part.children, where)


def _reading(part: Part, where: int, _: NoteNames) -> Fragments:
    """A reading stands in a note above the text before it: simplePrint has no `ruby`."""
    text = str(part.facts.get("text") or "")
    return (
        [Markup(f'<note place="above">{xml_text(text)}</note>')]
        if text and where != IN_CODE
        else []
    )


def _break(_part: Part, where: int, _: NoteNames) -> Fragments:
    return [Markup("\n" if where == IN_CODE else "<lb/>")]


INLINE_WRITERS: Mapping[str, PartWriter] = {
    "image": _image,
    "note": _note,
    "link": _link,
    "code": _code,
    "break": _break,
    "formula": _formula,
    "ruby": lambda part, where, _: place_all(part.children, where),
    "reading": _reading,
    "deleted": _marked("del"),
    "inserted": _marked("add"),
    **dict.fromkeys(["emphasis", "strong", "marked", "subscript", "superscript"], _marked("hi")),
}
"""Kind of inline part -> its writer."""
