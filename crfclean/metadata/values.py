"""Values of metadata with source and probability, and their form as dictionary and YAML."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any

from crfclean.pagetype.model import PageType

# the values of metadata, each with its source and its probability


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
    page_type: PageType | None = field(default=None)


# convert metadata for writers: to a dictionary for JSON or to a YAML header for Markdown


def as_dict(metadata: Metadata) -> dict[str, Any]:
    """Return all fields as plain data: a value becomes a dictionary; None and [] stand for none.

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
    r"""Return a YAML header between `---` lines, with the fields that have a value; "" for none.

    Texts are in double quotes, with the escapes of JSON, which YAML 1.2 shares.

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
    return "".join(
        char if char.isprintable() or ord(char) > 0xFFFF else f"\\u{ord(char):04x}"
        for char in quoted
    )
