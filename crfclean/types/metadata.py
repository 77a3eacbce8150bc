"""The metadata of a document: each value with its source and its probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageType:
    """The likeliest type of a page, and the probability of each type."""

    name: str
    probabilities: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Value:
    """One value that a page states, or that was inferred from it.

    `source` says where it was found, such as `json-ld headline`, `meta og:title`, `byline`, `url`
    or `words`. `xpath` is the path of its element, "" if the source has none (JSON-LD, addresses).
    `probability` is the probability that the value is right (0..1).
    """

    text: str
    source: str
    probability: float
    xpath: str = ""


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata of a document; None or () for a value that the page does not state.

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
    page_type: PageType | None = None
