"""Find where the pages of a site show their title and their authors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from crfclean.metadata.read import read
from crfclean.site_rules.selectors import xpath_of
from crfclean.site_rules.values import FieldPlace, PageNotes
from crfclean.types import Document

FIELDS = ("title", "author")
_AROUND = 40  # characters that may stand beside the name in an author's line
_LEAST_PRECISION = 0.5  # of the pages with an element at the place, those where it is the field


def field_paths(document: Document, paths: Sequence[str]) -> dict[str, str]:
    """Field -> the path, of `paths` (n,), of the first block that shows it, alone there."""
    metadata, blocks_at = read(document), Counter(paths)
    title = _folded(metadata.title.text) if metadata.title else ""
    author = _folded(metadata.authors[0].text) if metadata.authors else ""
    fields = dict[str, str]()
    for path, text in zip(paths, map(str.casefold, document.blocks.texts), strict=True):
        if blocks_at[path] > 1:
            continue
        if title and text == title:
            fields.setdefault("title", path)
        if author and len(text) <= len(author) + _AROUND and author in text:
            fields.setdefault("author", path)
    return fields


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def field_places(pages: Sequence[PageNotes], least: int) -> tuple[FieldPlace, ...]:
    """The place of each field that enough of the pages show at the same place."""
    holders = Counter(path for page in pages for path in page.places)
    places = []
    for name in FIELDS:
        counts = Counter(page.fields[name] for page in pages if name in page.fields)
        if not counts:
            continue
        path, count = max(counts.items(), key=lambda row: (row[1], row[0]))
        precision, recall = count / max(holders[path], count), count / counts.total()
        if count >= least and precision >= _LEAST_PRECISION:
            css, xpath = _selectors(path)
            places.append(
                FieldPlace(name, css, xpath, count, round(precision, 4), round(recall, 4))
            )
    return tuple(places)


def _selectors(path: str) -> tuple[str, str]:
    """A path as CSS and as XPath, by the lowest named element and its own tag."""
    *around, own = path.split(" ")
    if not around:
        return own, xpath_of(own)
    step = around[-1]
    tag = step.partition("#")[0].partition(".")[0]
    return (step, xpath_of(step)) if tag == own else (f"{step} {own}", f"{xpath_of(step)}//{own}")
