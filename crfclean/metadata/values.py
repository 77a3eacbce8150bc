"""The values of metadata with source and probability, as dictionary, YAML and lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from crfclean.pagetype.model import PageType

# the values of metadata, each with its source and its probability


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


# convert metadata for writers: to a dictionary for JSON or to a YAML header for Markdown


def as_dict(metadata: Metadata) -> dict[str, Any]:
    """All fields, each value with `text`, `source`, `probability`, `xpath`; None and [] for none.

    >>> as_dict(Metadata(title=Value("Tea", "h1", 0.9)))["title"]
    {'text': 'Tea', 'source': 'h1', 'probability': 0.9, 'xpath': ''}
    """
    return {field.name: _plain(getattr(metadata, field.name)) for field in fields(metadata)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, PageType):
        return {"name": value.name, "probabilities": dict(value.probabilities)}
    if isinstance(value, Value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return value


def front_matter(metadata: Metadata) -> str:
    r"""A YAML header between `---` lines with the fields that have a value; "" if none has.

    Texts are in double quotes with JSON's escapes, which YAML 1.2 shares.

    >>> print(front_matter(Metadata(title=Value('A "b": c', "h1", 0.9))), end="")
    ---
    title: "A \"b\": c"
    ---
    """
    lines = [
        f"{field.name}: {_quoted(getattr(metadata, field.name))}"
        for field in fields(metadata)
        if getattr(metadata, field.name)
    ]
    return "\n".join(["---", *lines, "---", ""]) if lines else ""


def _quoted(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_quoted, value)) + "]"
    text = value.name if isinstance(value, PageType) else value.text
    quoted = json.dumps(text, ensure_ascii=False).encode("utf-8", "replace").decode()
    return "".join(_escaped(char) for char in quoted)


def _escaped(char: str) -> str:
    """A character as YAML allows it inside double quotes."""
    allowed = char.isprintable() or char == " "
    return char if allowed or ord(char) > 0xFFFF else f"\\u{ord(char):04x}"


# format metadata as lines for a terminal: name, probability, value, source

_MAX_CHARS = 100  # of a value
_LEAST_PROBABILITY = 0.05  # of a page type that is listed


def lines(metadata: Metadata) -> list[str]:
    """One line for each value, in the order of `Metadata`'s fields.

    >>> lines(Metadata(title=Value("Tea", "h1", 0.9, "/html[1]/body[1]/h1[1]")))
    ['title        0.900 Tea (h1, /html[1]/body[1]/h1[1])']
    """
    return [f"{name:12} {probability:.3f} {text}" for name, probability, text in _values(metadata)]


def _values(metadata: Metadata) -> Iterator[tuple[str, float, str]]:
    """Name, probability and text of every value."""
    for each in fields(metadata):
        values = getattr(metadata, each.name)
        for value in values if isinstance(values, tuple) else (values,):
            if isinstance(value, Value):
                source = ", ".join(filter(None, (value.source, value.xpath)))
                text = " ".join(value.text.split())[:_MAX_CHARS]
                yield each.name, value.probability, f"{text} ({source})"
            elif isinstance(value, PageType):
                yield each.name, value.probabilities[value.name], _type(value)


def _type(page_type: PageType) -> str:
    """The likeliest type, and the others of at least `_LEAST_PROBABILITY`."""
    ranking = sorted(page_type.probabilities.items(), key=lambda pair: (-pair[1], pair[0]))
    others = "".join(
        f", {name} {probability:.2f}"
        for name, probability in ranking
        if name != page_type.name and probability >= _LEAST_PROBABILITY
    )
    return f"{page_type.name} (model{others})"
