"""`Part`s + `Metadata` -> a TEI-XML document that is valid against TEI simplePrint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crfclean.metadata.values import Metadata
from crfclean.structure.parts import Part, inside
from crfclean.writers.tei.blocks import has_block, pieces_of, sections
from crfclean.writers.tei.fragments import Markup, Notes, Piece, around
from crfclean.writers.tei.header import language, tei_header
from crfclean.writers.tei.text import xml_attributes

NAMESPACE = "http://www.tei-c.org/ns/1.0"


def tei_document(
    content: Sequence[Part],
    metadata: Metadata = Metadata(),
    address: str | None = None,
    comments: Sequence[Part] = (),
) -> str:
    """A whole TEI document; comments beside the text are a division of their own at its end."""
    lang = xml_attributes(xml_lang=language(metadata))
    body = _written(content, comments)
    if not comments and not has_block(content):
        body += "<p/>\n"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<TEI xmlns="{NAMESPACE}">\n'
        f"{tei_header(metadata, address)}\n<text{lang}>\n<body>\n{body}</body>\n</text>\n</TEI>\n"
    )


def _written(content: Sequence[Part], comments: Sequence[Part]) -> str:
    """The inside of the body; without recursion: content nests as deep as a page."""
    notes = _notes([*content, *comments])
    todo: list[Piece] = [*sections(content)]
    if comments:
        todo += around("div", sections(comments), "\n", type="comments")
    todo.reverse()
    out: list[str] = []
    while todo:
        piece = todo.pop()
        if isinstance(piece, Markup):
            out.append(piece.text)
        else:
            todo += reversed([*pieces_of(piece.content, piece.where, notes)])
    return "".join(out)


def _notes(content: Iterable[Part]) -> Notes:
    """The names of the footnotes; the first of several with one id has it."""
    referred: dict[str, str] = {}
    named: dict[int, str] = {}
    for part in (one for top in content for one in inside(top) if one.kind == "footnote"):
        name = str(part.facts.get("id", ""))
        if name and name not in referred:
            referred[name] = named[id(part)] = f"note-{len(referred) + 1}"
    return Notes(referred, named)
