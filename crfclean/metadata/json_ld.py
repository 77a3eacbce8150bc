"""Candidates of JSON-LD: from graphs, references by `@id`, and lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from typing import Any

from crfclean.metadata.candidates import (
    MAX_OF_A_SOURCE,
    METADATA_SOURCES,
    Candidate,
    kinds_by_name,
    single_line,
)
from crfclean.page.head import json_values
from crfclean.types import Blocks

_MAX_OBJECTS = 5_000  # objects and lists that are read
_MAX_KEYS = 200  # of an object that others refer to

PLACE_OF_TYPE = kinds_by_name("types")
"""Type of schema.org in lower case -> the place of its candidates."""

_ARTICLE = re.compile(r"article|posting$|report|review$|analysis")
_FOREIGN = frozenset(METADATA_SOURCES["lists"]["foreign"].split())
"""Keys whose objects do not describe the page."""

_FIELDS = kinds_by_name("keys")
_ADDRESS_KEYS = ("url", "contentUrl", "@id")
_NAME_KEYS = ("name", "legalName", "alternateName", "@value", "@id", "url")
_TAG = re.compile(r"<[^<>]*>")


def json_ld_candidates(blocks: Blocks) -> Iterator[Candidate]:
    """The candidates of a page's JSON-LD; a broken script has none."""
    objects = list(_objects(json_values(blocks)))
    by_id = {
        item["@id"]: item
        for _, item in objects
        if isinstance(item.get("@id"), str) and 1 < len(item) <= _MAX_KEYS
    }
    seen: dict[str, int] = {}
    for foreign, item in objects:
        place = "foreign" if foreign else _place(item)
        for key in filter(_FIELDS.__contains__, item):
            kind = "site" if (key, place) == ("name", "website") else _FIELDS[key]
            if _is_irrelevant(kind, key, place):
                continue
            texts = tuple(_texts(item[key], kind, by_id))
            source = f"json-ld {key}"
            seen[source] = seen.get(source, 0) + 1
            if texts and seen[source] <= MAX_OF_A_SOURCE:
                yield Candidate(kind, texts, source, place)


def _is_irrelevant(kind: str, key: str, place: str) -> bool:
    """Return whether a key of an object in this place says nothing about the page."""
    if place == "foreign":
        return kind not in ("author", "published", "title") or key == "name"
    return place in ("site", "website") and kind not in ("site", "title")


def _place(item: Mapping[str, Any]) -> str:
    """The place of an object by its type: "article", one of `PLACE_OF_TYPE`, or "other"."""
    types = item.get("@type")
    types = types if isinstance(types, list) else [types]
    names = [name for name in types if isinstance(name, str)]
    bare_names = [re.split(r"[/#:]", name)[-1].lower() for name in names[:10]]
    if any(_ARTICLE.search(name) and name not in PLACE_OF_TYPE for name in bare_names):
        return "article"
    return next((PLACE_OF_TYPE[name] for name in bare_names if name in PLACE_OF_TYPE), "other")


def _objects(values: Iterable[Any]) -> Iterator[tuple[bool, dict[str, Any]]]:
    """Yield (is it foreign, object) for all objects of all scripts in their order."""
    stack = [(False, value) for value in values if isinstance(value, dict | list)][::-1]
    for _ in range(_MAX_OBJECTS):
        if not stack:
            return
        foreign, value = stack.pop()
        if isinstance(value, dict):
            yield foreign, value
            inner = [
                (foreign or key.lower() in _FOREIGN or key in _FIELDS, child)
                for key, child in value.items()
                if isinstance(child, dict | list)
            ]
        else:
            inner = [(foreign, child) for child in value if isinstance(child, dict | list)]
        inner = inner[:_MAX_OBJECTS]
        for outside, child in reversed(inner):
            is_person = isinstance(child, dict) and child.get("@type") == "Person"
            stack.append((outside or is_person, child))


def _texts(value: Any, kind: str, by_id: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a value: a string, the strings of a list, or an object's name or address."""
    values = value if isinstance(value, list) else [value]
    for item in values[:MAX_OF_A_SOURCE]:
        text = _text(item, kind, by_id)
        if text and kind == "tag":
            yield from (part.strip() for part in text.split(",") if part.strip())
        elif text:
            yield text


def _text(value: Any, kind: str, by_id: Mapping[str, Any]) -> str:
    if isinstance(value, dict):
        if isinstance(value.get("@id"), str) and value["@id"] in by_id and "name" not in value:
            value = {**by_id[value["@id"]], **value}
        keys = _ADDRESS_KEYS if kind in ("image", "address", "licence") else _NAME_KEYS
        value = next((value[key] for key in keys if isinstance(value.get(key), str | list)), "")
        if isinstance(value, list):
            value = value[0] if value else ""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if is_number and kind in ("published", "modified"):  # seconds or milliseconds since 1970
        value = str(value)[:20] if abs(value) < 10**14 else ""
    text = unescape(value[:2_000]) if isinstance(value, str) else ""
    return single_line(_TAG.sub(" ", text) if "<" in text and ">" in text else text)
