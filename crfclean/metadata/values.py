"""Metadata as a dictionary, and as a YAML header of Markdown."""

from __future__ import annotations

import json
from typing import Any

from crfclean.types import Document, Metadata, PageType, Value


def metadata_dict(metadata: Metadata) -> dict[str, Any]:
    """Return all fields as plain data: a value becomes a dictionary; None and [] stand for none.

    >>> metadata_dict(Metadata(title=Value("Tea", "h1", 0.9)))["title"]
    {'text': 'Tea', 'source': 'h1', 'probability': 0.9, 'xpath': ''}
    """
    return {name: _plain(value) for name, value in metadata._asdict().items()}


def _plain(value: Any) -> Any:
    if isinstance(value, PageType):
        return {"name": value.name, "probabilities": dict(value.probabilities)}
    if isinstance(value, Value):
        return value._asdict()
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def front_matter(document: Document, page_id: str = "") -> str:
    """Return a YAML header between `---` lines: the page's id, its metadata, and its score.

    A value that is not known has no line. A page that states no address has the given one. Texts
    are in double quotes, with the escapes of JSON, which YAML 1.2 shares.
    """
    metadata = document.metadata
    values: dict[str, Any] = {"id": page_id, **metadata._asdict()}
    values["address"] = metadata.address or document.url
    lines = [f"{name}: {_quoted(value)}" for name, value in values.items() if value]
    return "\n".join(["---", *lines, f"score: {document.score:.4f}", "---", ""])


def _quoted(value: Any) -> str:
    if isinstance(value, PageType):
        value = value.name
    text = value.text if isinstance(value, Value) else value
    if isinstance(text, tuple):
        return "[" + ", ".join(map(_quoted, text)) + "]"
    quoted = json.dumps(text, ensure_ascii=False).encode("utf-8", "replace").decode()
    return "".join(
        char if char.isprintable() or ord(char) > 0xFFFF else f"\\u{ord(char):04x}"
        for char in quoted
    )
