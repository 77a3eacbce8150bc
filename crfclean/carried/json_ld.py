"""The texts in a page's structured data (JSON-LD)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from crfclean.carried.texts import CarriedText
from crfclean.page.head import objects

_BODIES = ("articleBody", "text")
_DESCRIBED = frozenset(
    "product productgroup individualproduct jobposting event course book movie service "
    "softwareapplication realestatelisting apartment house".split()
)
"""Types whose description is what their page is about; that of an article is a summary of it."""
_NO_CONTENT = frozenset(["comment", "answer", "review", "imageobject", "videoobject", "rating"])
_HEADINGS = ("headline", "title", "name")
_SCRIPT = re.compile(r"<script\b[^<>]*>", re.IGNORECASE)
_END = re.compile(r"</script", re.IGNORECASE)


def json_ld_texts(scripts: tuple[str, ...]) -> list[CarriedText]:
    """The bodies of articles and the descriptions of things, the longest first.

    Scripts that are not JSON are left out.
    """
    texts = [text for value in objects(scripts) for text in _texts_of(value)]
    return sorted(texts, key=lambda carried: -len(carried.text))


def article_bodies(scripts: tuple[str, ...]) -> list[str]:
    """The bodies of articles, as they stand; they may be HTML."""
    values = [value for value in objects(scripts) if not _types(value) & _NO_CONTENT]
    bodies = (value.get("articleBody") for value in values)
    return [body for body in bodies if isinstance(body, str) and body.strip()]


def without_bodies(html: str) -> str:
    """The page without the bodies of articles in its structured data; all else is as it was.

    >>> without_bodies('<script type="application/ld+json">{"a": 1, "articleBody": "b"}</script>')
    '<script type="application/ld+json">{"a": 1}</script>'
    """
    parts, place = [], 0
    while (start := _SCRIPT.search(html, place)) and (end := _END.search(html, start.end())):
        text = html[start.end() : end.start()]
        parts += [
            html[place : start.end()],
            _without_body(text) if "ld+json" in start[0].lower() else text,
        ]
        place = end.start()
    return "".join([*parts, html[place:]])


def _without_body(text: str) -> str:
    """The JSON of a script without `articleBody`; as it was where it has none, or is no JSON."""
    if "articleBody" not in text:
        return text
    try:
        value = json.loads(text, strict=False, object_pairs_hook=_other_pairs)
    except (ValueError, RecursionError):
        return text
    return json.dumps(value, ensure_ascii=False).replace("</", "<\\/")


def _other_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: value for key, value in pairs if key != "articleBody"}


def _texts_of(value: dict[str, Any]) -> Iterator[CarriedText]:
    types = _types(value)
    if types & _NO_CONTENT:
        return
    for key in (*_BODIES, *(["description"] if types & _DESCRIBED else ())):
        text = value.get(key)
        if isinstance(text, str) and text.strip():
            yield CarriedText("json-ld", _heading(value), text)


def _types(value: dict[str, Any]) -> set[str]:
    """The types of an object, in lower case."""
    types = value.get("@type")
    names = types if isinstance(types, list) else [types]
    return {name.lower() for name in names if isinstance(name, str)}


def _heading(value: dict[str, Any]) -> str:
    texts = (value.get(key) for key in _HEADINGS)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")
