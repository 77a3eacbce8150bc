"""`Measures` -> what a page says of itself: titles, descriptions, article text and types."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from crfclean.page.measures import Measures, once
from crfclean.types import Nodes

MAX_ITEMS = 5_000  # objects and lists of structured data that are looked at

_META = {
    "og:title": "title",
    "twitter:title": "title",
    "description": "description",
    "og:description": "description",
    "og:type": "type",
}
"""Name or property of a `meta` element -> what it is."""

_JSON_LD = {
    "headline": "title",
    "alternativeHeadline": "title",
    "description": "description",
    "articleBody": "body",
    "text": "body",
    "@type": "type",
}
"""Key of JSON-LD -> what its text is."""


@dataclass(frozen=True, slots=True)
class HeadMetadata:
    """What a page says of itself.

    `titles` begin with that of the `title` element; `types` are in lower case, those of
    OpenGraph with `og:` before them.
    """

    titles: tuple[str, ...]
    descriptions: tuple[str, ...]
    bodies: tuple[str, ...]
    types: frozenset[str]


@once
def head_metadata(page: Measures) -> HeadMetadata:
    """Read `title`, `meta` elements and JSON-LD; what is broken gives nothing."""
    found: dict[str, list[str]] = {"title": [page.blocks.title], "description": [], "body": []}
    found["type"] = []
    for name, text in _said_by_meta(page.blocks.nodes):
        found[_META[name]].append(f"og:{text.strip()}" if name == "og:type" else text)
    for key, text in _said_by_json(page.blocks.json_ld):
        found[_JSON_LD[key]].append(text)
    types = frozenset(one.lower() for one in found["type"])
    return HeadMetadata(
        tuple(found["title"]), tuple(found["description"]), tuple(found["body"]), types
    )


def _said_by_meta(nodes: Nodes) -> Iterator[tuple[str, str]]:
    """Names of `_META` with their contents, up to `body`."""
    for tag, attributes in zip(nodes.tags, nodes.attributes, strict=True):
        if tag == "body":
            return
        if tag == "meta" and "content" in attributes:
            name = attributes.get("property") or attributes.get("name") or ""
            if name in _META:
                yield name, attributes["content"]


def _said_by_json(scripts: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Keys of `_JSON_LD` with their texts; what is no JSON gives nothing."""
    for value in objects(scripts):
        yield from _texts_of(value)


def objects(scripts: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The objects of JSON scripts, those inside others too, the last script first.

    At most `MAX_ITEMS` objects and lists are looked at; what is no JSON gives nothing.
    """
    todo = list(_parsed(scripts))
    for _ in range(MAX_ITEMS):
        if not todo:
            return
        value = todo.pop()
        if isinstance(value, dict):
            yield value
            value = list(value.values())
        todo.extend(inner for inner in value if isinstance(inner, dict | list))


def _texts_of(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Keys of `_JSON_LD` in an object with their texts; of a list each."""
    for key in filter(_JSON_LD.__contains__, value):
        texts = value[key] if isinstance(value[key], list) else [value[key]]
        yield from ((key, text) for text in texts if isinstance(text, str))


def _parsed(scripts: Iterable[str]) -> Iterator[Any]:
    """The objects and lists that scripts hold."""
    for script in scripts:
        try:
            value = json.loads(script, strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            yield value
