"""Write metadata as plain data for JSON, and as a YAML header for Markdown."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from crfclean.types import Metadata, PageType, Value


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
