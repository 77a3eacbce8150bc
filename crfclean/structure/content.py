"""`Document` -> the tree of its content: the kept blocks in the page's own structure."""

from __future__ import annotations

from crfclean.page.paragraphs import elements
from crfclean.page.urls import Addresses
from crfclean.structure.builder import Builder
from crfclean.structure.footnotes import find_notes
from crfclean.structure.parts import Part
from crfclean.structure.selection import Marked, data_tables, whole_code, whole_tables
from crfclean.types import Bools, Document


def content(document: Document) -> tuple[Part, ...]:
    """What the page's text is made of, in page order; () where no block is kept.

    Every kept block's text stands in it once; code and tables of data of which half is kept are
    there with all their lines and cells. Left out are line numbers beside code, links that
    only lead from a footnote back to its place, and the signs of headings' anchors.
    """
    return _parts(document, document.tags.kept, document.tags.pictures)


def comments_content(document: Document) -> tuple[Part, ...]:
    """The same for readers' comments that are wanted beside the text; their pictures are not."""
    found = document.tags.comments
    return () if found is None else _parts(document, found, ())


def _parts(document: Document, kept: Bools, pictures: tuple[int, ...] | None) -> tuple[Part, ...]:
    if not kept.any():
        return ()
    page = elements(document.blocks)
    tables = data_tables(page)
    stays = whole_tables(page, whole_code(page, kept), tables)
    marks = Marked(page, stays, pictures, tables)
    addresses = Addresses.of(document.blocks, document.url)
    notes = find_notes(marks, addresses)
    return Builder(marks, addresses, notes, document.tags.labels).built()
