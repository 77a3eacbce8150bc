"""Nothing -> what is known of a document, each value with its source and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Value:
    """One thing that a page says of itself, or that was concluded of it.

    `source` says where it was found (`json-ld headline`, `meta og:title`, `byline`, `url`,
    `model`); `xpath` the element, "" where there is none (JSON-LD, a model's guess).
    `probability` that it is right, 0..1, as measured on annotated pages.
    """

    text: str
    source: str
    probability: float
    xpath: str = ""


@dataclass(frozen=True, slots=True)
class PageType:
    """The kind of a page: the likeliest, and the probability of each."""

    name: str
    probabilities: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is known of a document; None and () where nothing was found.

    Dates are ISO 8601 with the precision that the page gives (`2024`, `2024-05`, `2024-05-07`,
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
