"""Pages as callers have them: decoded, as bytes, or as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from crfclean.page.decode import decode
from crfclean.types import Page


def as_page(source: Page | bytes | str) -> Page:
    """A page as it is, or of its bytes or text; raises `TypeError` for anything else."""
    return source if isinstance(source, Page) else decode(source)


def as_pages(sources: Iterable[Page | bytes | str]) -> Iterator[Page]:
    """Pages as they are, or of their bytes or texts.

    Raises `TypeError` for one page alone, and for what cannot be iterated over.
    """
    if isinstance(sources, Page | bytes | str) or not isinstance(sources, Iterable):
        raise TypeError(f"several pages are needed, as in a list, not one {type(sources).__name__}")
    return map(as_page, sources)
