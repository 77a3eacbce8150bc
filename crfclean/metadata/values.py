"""Write metadata as plain data for JSON, and as a YAML header for Markdown."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from crfclean.types import Document, Metadata, PageType, Value


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


def front_matter(document: Document, page_id: str = "") -> str:
    """Return a YAML header between `---` lines: the page's id, its metadata, and its score.

    A value that is not known has no line. A page that states no address has the given one. Texts
    are in double quotes, with the escapes of JSON, which YAML 1.2 shares.
    """
    metadata = document.metadata
    values: dict[str, Any] = {"id": page_id} | {
        field.name: getattr(metadata, field.name) for field in fields(metadata)
    }
    values["address"] = metadata.address or document.url
    lines = [f"{name}: {_quoted(value)}" for name, value in values.items() if value]
    return "\n".join(["---", *lines, f"score: {document.score:.4f}", "---", ""])


def _quoted(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_quoted, value)) + "]"
    if isinstance(value, PageType):
        value = value.name
    text = value.text if isinstance(value, Value) else value
    quoted = json.dumps(text, ensure_ascii=False).encode("utf-8", "replace").decode()
    return "".join(
        char if char.isprintable() or ord(char) > 0xFFFF else f"\\u{ord(char):04x}"
        for char in quoted
    )
