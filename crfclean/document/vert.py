"""Write a document as a prevertical, the input of corpus managers such as Sketch Engine.

A page is a `doc` element with its metadata as attributes. It has a `p` with its text on one line
for each paragraph, heading, item of a list, row of a table and line of code. Headings have
`heading="1"`, as in the output of jusText. A tokeniser and tagger turn this into a vertical.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crfclean.document.content import shown_content
from crfclean.document.parts import DEFAULT_SHOW, Part, Show, split_inline
from crfclean.document.text import SEPARATOR, line_text, plain_text
from crfclean.types import Document

_WHOLE = frozenset(["codeblock", "table"])
"""Kinds of parts whose lines are paragraphs of their own."""


def to_vert(document: Document, show: Show = DEFAULT_SHOW, *, page_id: str = "") -> str:
    """Return the document, "" without text; comments set apart are `p` with `comment="1"`.

    `page_id` becomes the attribute `id` of `doc`; it names the page in a file of many.
    """
    parts, comments = shown_content(document, show)
    lines = [_paragraph(text, ' heading="1"' * heading) for heading, text in _paragraphs(parts)]
    lines += [_paragraph(text, ' comment="1"') for _, text in _paragraphs(comments)]
    if not lines:
        return ""
    return "\n".join([f"<doc{_attributes(document, show, page_id)}>", *lines, "</doc>", ""])


def _paragraph(text: str, attributes: str) -> str:
    from html import escape  # with its table of names, which plain text need not

    return f"<p{attributes}>\n{escape(text, quote=False)}\n</p>"


def _attributes(document: Document, show: Show, page_id: str) -> str:
    """Return the attributes of `doc` that have a value; the page may state its address."""
    from html import escape

    from crfclean.metadata.read import read  # as above

    values = {"id": page_id, "url": document.url or ""}
    if show.metadata:
        metadata = read(document)
        address = metadata.address.text if metadata.address else ""
        values |= {
            "url": document.url or address,
            "title": metadata.title.text if metadata.title else "",
            "author": SEPARATOR.join(author.text for author in metadata.authors),
            "date": metadata.published.text if metadata.published else "",
            "lang": metadata.language.text if metadata.language else "",
            "site": metadata.site.text if metadata.site else "",
            "type": metadata.page_type.name if metadata.page_type else "",
        }
    folded = {name: " ".join(value.split()) for name, value in values.items()}
    return "".join(f' {name}="{escape(value)}"' for name, value in folded.items() if value)


def _paragraphs(parts: Sequence[Part]) -> Iterator[tuple[bool, str]]:
    """Yield for each paragraph whether it is a heading, and its text in one line."""
    for part in parts:
        if part.kind in _WHOLE:
            lines = (" ".join(line.split()) for line in plain_text([part]).split("\n"))
            yield from ((False, line) for line in lines if line)
            continue
        inline, others = split_inline(part)
        if line := line_text(inline):
            yield part.kind == "heading", line
        yield from _paragraphs(others)
