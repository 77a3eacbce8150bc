"""The values of metadata, each with its source and its probability."""

from __future__ import annotations

from dataclasses import dataclass, field

from crfclean.pagetype.model import PageType


@dataclass(frozen=True, slots=True)
class Value:
    """One value that a page states, or that was inferred from it.

    `source` says where it was found (`json-ld headline`, `meta og:title`, `byline`, `url`,
    `words`); `xpath` is the element, "" where there is none (JSON-LD, addresses).
    `probability` is that of being right, 0..1.
    """

    text: str
    source: str
    probability: float
    xpath: str = ""


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata of a document; None and () where nothing was found.

    Dates are ISO 8601 as precise as the page states them (`2024`, `2024-05`, `2024-05-07`,
    `2024-05-07T10:30:00+02:00`); `language` is a BCP 47 tag; addresses are absolute.
    """

    title: Value | None = None
    authors: tuple[Value, ...] = ()
    published: Value | None = None
    modified: Value | None = None
    language: Value | None = None
    site: Value | None = None
    address: Value | None = None
    description: Value | None = None
    tags: tuple[Value, ...] = ()
    categories: tuple[Value, ...] = ()
    image: Value | None = None
    licence: Value | None = None
    page_type: PageType | None = field(default=None)
