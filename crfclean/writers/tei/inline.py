"""Inline `Part`s -> pieces of TEI: emphasis, code, links, notes, pictures, breaks of lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from crfclean.structure.parts import INLINE_KINDS, Part
from crfclean.writers.tei.fragments import (
    CODE,
    PARAGRAPH,
    PHRASE,
    Markup,
    Notes,
    Piece,
    Pieces,
    Placed,
    Writer,
    around,
    line_end,
    placed_all,
)
from crfclean.writers.tei.text import uri, xml_attributes, xml_text

_RENDITIONS = {
    "emphasis": "simple:italic",
    "strong": "simple:bold",
    "subscript": "simple:subscript",
    "superscript": "simple:superscript",
}


def graphic(part: Part) -> Iterator[Piece]:
    """A picture inside a figure, with the words that stand for it."""
    address = uri(str(part.facts.get("source") or ""))
    title, told = (xml_text(str(part.facts.get(name) or "")) for name in ("title", "description"))
    desc = f"<desc>{title}</desc>" if title and title != told else ""
    if address:
        yield Markup(f"<graphic{xml_attributes(url=address)}>{desc}</graphic>")
    if told:
        yield Markup(f"<figDesc>{told}</figDesc>")


def _image(part: Part, where: int, _: Notes) -> Pieces:
    if where == CODE:
        return [Markup(xml_text(str(part.facts.get("description") or "")))]
    return around("figure", graphic(part), line_end(where))


def _note(part: Part, where: int, notes: Notes) -> Pieces:
    name = notes.referred.get(str(part.facts.get("id", "")))
    if where == CODE:
        return placed_all(part.children, where)
    inner = list(placed_all(part.children, PHRASE)) or [
        Markup(xml_text(str(part.facts.get("id", ""))))
    ]
    return around("ref", inner, type="note", target=f"#{name}" if name else None)


def _link(part: Part, where: int, _: Notes) -> Pieces:
    inner = placed_all(part.children, max(where, PARAGRAPH))
    if where == CODE:
        return inner
    return around("ref", inner, target=uri(str(part.facts.get("address") or "")))


def _marked(name: str) -> Writer:
    """A writer of parts that are an element in a line."""

    def write(part: Part, where: int, _: Notes) -> Pieces:
        inner = placed_all(part.children, max(where, PARAGRAPH))
        if where == CODE:
            return inner
        return around(name, inner, rendition=_RENDITIONS.get(part.kind))

    return write


def _code(part: Part, where: int, _: Notes) -> Pieces:
    """Code in a line; what is marked inside it goes around its pieces, for it holds no elements."""
    if where == CODE:
        yield from placed_all(part.children, where)
        return
    for one in part.children:
        if isinstance(one, str):
            yield Markup(f"<code>{xml_text(one)}</code>")
        elif one.kind in INLINE_KINDS and one.kind not in ("break", "image", "code"):
            yield Placed(Part(one.kind, (Part("code", one.children),), one.facts), where)
        else:
            yield Placed(one, where)


def _break(_part: Part, where: int, _: Notes) -> Pieces:
    return [Markup("\n" if where == CODE else "<lb/>")]


LINES: Mapping[str, Writer] = {
    "image": _image,
    "note": _note,
    "link": _link,
    "code": _code,
    "break": _break,
    "deleted": _marked("del"),
    "inserted": _marked("add"),
    **dict.fromkeys(["emphasis", "strong", "marked", "subscript", "superscript"], _marked("hi")),
}
"""Kind of inline part -> what writes it."""
