"""Write a TEI-XML document that is valid against TEI simplePrint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crfclean.metadata.values import Metadata
from crfclean.structure.parts import Part, iter_parts
from crfclean.writers.tei.blocks import fragments_of, has_block, sections
from crfclean.writers.tei.fragments import Fragment, Markup, NoteNames, tei_element
from crfclean.writers.tei.header import language_tag, tei_header
from crfclean.writers.tei.text import xml_attributes

NAMESPACE = "http://www.tei-c.org/ns/1.0"


def tei_document(
    content: Sequence[Part],
    metadata: Metadata = Metadata(),
    address: str | None = None,
    comments: Sequence[Part] = (),
) -> str:
    """Return a whole TEI document; separate comments are a division at its end.

    `address` is that of the page, for metadata without one.
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
    """The inside of the body, without recursion: content may be nested as deeply as a page."""
    notes = _note_names([*content, *comments])
    stack: list[Fragment] = [*sections(content)]
    if comments:
        stack += tei_element("div", sections(comments), "\n", type="comments")
    stack.reverse()
    xml: list[str] = []
    while stack:
        fragment = stack.pop()
        if isinstance(fragment, Markup):
            xml.append(fragment.text)
        else:
            stack += reversed([*fragments_of(fragment.content, fragment.where, notes)])
    return "".join(xml)


def _note_names(content: Iterable[Part]) -> NoteNames:
    """The names of the footnotes; of several with the same id the first has the name."""
    by_id: dict[str, str] = {}
    by_part: dict[int, str] = {}
    parts = (part for top in content for part in iter_parts(top))
    for part in (part for part in parts if part.kind == "footnote"):
        name = str(part.facts.get("id", ""))
        if name and name not in by_id:
            by_id[name] = by_part[id(part)] = f"note-{len(by_id) + 1}"
    return NoteNames(by_id, by_part)
