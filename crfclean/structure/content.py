"""Build the tree of a document's content from its kept blocks."""

from __future__ import annotations

from crfclean.page.measures import measured
from crfclean.page.urls import Addresses
from crfclean.structure.builder import Builder
from crfclean.structure.callouts import find_callouts
from crfclean.structure.footnotes import find_notes
from crfclean.structure.parts import Part
from crfclean.structure.selection import Selection, complete_tables
from crfclean.types import Bools, Document


def content(document: Document) -> tuple[Part, ...]:
    """Return the parts of the page's main content in page order; () if no block is kept.

    Every kept block's text stands in them once. Code and data tables of which half is kept come
    with all their lines and cells, callouts with their titles. Line numbers beside code, links that
    lead back from a footnote to its reference, the mark that a footnote repeats, and the signs of
    anchors in headings are left out.
    """
    return _parts(document, document.tags.kept, document.tags.pictures)


def outline(document: Document) -> tuple[Part, ...]:
    """Return the same parts, but with a word for the text of each line, and no marks around it.

    `block_types` needs no more, and it takes half the time.
    """
    return _parts(document, document.tags.kept, document.tags.pictures, outline=True)


def comments_content(document: Document) -> tuple[Part, ...]:
    """Return the parts of the readers' comments that are kept separately, without pictures."""
    comments = document.tags.comments
    return () if comments is None else _parts(document, comments, ())


def _parts(
    document: Document, kept: Bools, pictures: tuple[int, ...] | None, *, outline: bool = False
) -> tuple[Part, ...]:
    if not kept.any():
        return ()
    page = measured(document.blocks)
    completed = complete_tables(page, kept)
    callouts = find_callouts(page, completed)
    completed[list(callouts.titles)] = True
    selection = Selection(page, completed, pictures)
    addresses = Addresses.of(page, document.url)
    notes = find_notes(selection, addresses)
    return Builder(selection, addresses, notes, callouts, document.tags.labels, outline).build()
