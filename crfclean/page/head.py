"""Read the metadata that a page declares: titles, descriptions, article text and types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from crfclean.page.measures import Measures, once
from crfclean.types import Nodes

MAX_ITEMS = 5_000  # objects and lists of structured data that are read
_MAX_KEPT_CHARS = 100_000  # of a script whose value is kept for the next reader

_META = {
    "og:title": "title",
    "twitter:title": "title",
    "description": "description",
    "og:description": "description",
    "og:type": "type",
}
"""Name or property of a `meta` element -> its field."""

_JSON_LD = {
    "headline": "title",
    "alternativeHeadline": "title",
    "description": "description",
    "articleBody": "body",
    "text": "body",
    "@type": "type",
}
"""Key of JSON-LD -> its field."""

THREAD_TYPES = frozenset(["discussionforumposting", "qapage", "question", "answer"])
ARTICLE_TYPES = frozenset(
    (
        "article newsarticle blogposting reportagenewsarticle analysisnewsarticle "
        "opinionnewsarticle liveblogposting og:article"
    ).split()
)
"""Declared types of pages that are threads, and that are articles."""


class HeadMetadata(NamedTuple):
    """The metadata that a page declares.

    The first of `titles` is that of the `title` element. `types` are in lower case; types of
    OpenGraph have the prefix `og:`.
    """

    titles: tuple[str, ...]
    descriptions: tuple[str, ...]
    bodies: tuple[str, ...]
    types: frozenset[str]


@once
def head_metadata(page: Measures) -> HeadMetadata:
    """Read `title`, `meta` elements and JSON-LD; broken parts are left out."""
    texts: dict[str, list[str]] = {"title": [page.title], "description": [], "body": []}
    texts["type"] = []
    for name, text in _meta_texts(page.nodes):
        texts[_META[name]].append(f"og:{text.strip()}" if name == "og:type" else text)
    for value in objects(page.json_ld):
        for key, text in _texts_of(value):
            texts[_JSON_LD[key]].append(text)
    types = frozenset(name.lower() for name in texts["type"])
    return HeadMetadata(
        tuple(texts["title"]), tuple(texts["description"]), tuple(texts["body"]), types
    )


def _meta_texts(nodes: Nodes) -> Iterator[tuple[str, str]]:
    """Yield names in `_META` with their contents, up to `body`."""
    for tag, attributes in zip(nodes.tags, nodes.attributes, strict=True):
        if tag == "body":
            return
        if tag == "meta" and "content" in attributes:
            name = attributes.get("property") or attributes.get("name") or ""
            if name in _META:
                yield name, attributes["content"]


def objects(scripts: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON scripts, nested ones included, the last script first.

    Reads at most `MAX_ITEMS` objects and lists; leaves out scripts that are not JSON.
    """
    values = map(read_json, scripts)
    pending = [value for value in values if isinstance(value, dict | list)]
    for _ in range(MAX_ITEMS):
        if not pending:
            return
        value = pending.pop()
        if isinstance(value, dict):
            yield value
            value = list(value.values())
        pending.extend(inner for inner in value if isinstance(inner, dict | list))


def _texts_of(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield an object's keys in `_JSON_LD` with their texts, each text of a list."""
    for key in filter(_JSON_LD.__contains__, value):
        texts = value[key] if isinstance(value[key], list) else [value[key]]
        yield from ((key, text) for text in texts if isinstance(text, str))


def read_json(script: str) -> Any:
    """Read the value of a script, None if it is not JSON; callers share it, and change nothing."""
    return _read_once(script) if len(script) <= _MAX_KEPT_CHARS else _read(script)


def _read(script: str) -> Any:
    script = script.lstrip()
    start = _VALUE.search(script)
    try:
        return _DECODER.raw_decode(script, start.start())[0] if start else None
    except (ValueError, RecursionError):
        return None


_read_once = lru_cache(maxsize=16)(_read)
_VALUE = re.compile(r"(?<!.)\[|\{", re.DOTALL)  # some scripts have a comment before their value
_DECODER = json.JSONDecoder(strict=False)  # `raw_decode` ignores a brace too many behind it
