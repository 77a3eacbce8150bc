"""JSON-LD of a page -> candidates: graphs, references by `@id`, lists, and scripts that are broken.

Objects are told apart by type and place: an article's author counts more than a page's, and what
stands inside comments, lists of items or breadcrumbs is not the page's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from typing import Any

from crfclean.metadata.candidates import MAX_OF_A_SOURCE, Candidate, plain

MAX_ITEMS = 5_000  # objects and lists that are looked at
MAX_KEYS = 200  # of an object that others refer to
MAX_CHARS = 300_000  # of a broken script that is mended

TYPES = {
    "page": "webpage itempage aboutpage contactpage medicalwebpage checkoutpage qapage faqpage",
    "list": "collectionpage searchresultspage itemlist profilepage category",
    "thread": "discussionforumposting socialmediaposting question",
    "product": "product productgroup softwareapplication service offer",
    "site": "website organization newsmediaorganization corporation localbusiness person",
    "work": "course book movie recipe videoobject event jobposting creativework howto dataset",
}
PLACES = {name: place for place, names in TYPES.items() for name in names.split()}
_ARTICLE = re.compile(r"article|posting$|report|review$|analysis")
_FOREIGN = frozenset(
    "comment comments itemlistelement haspart review reviews suggestedanswer acceptedanswer "
    "ispartof breadcrumb mentions relatedlink offers potentialaction citation "
    "isrelatedto issimilarto hasvariant subjectof worksfor memberof aggregaterating".split()
)
"""Keys whose objects tell of something else than the page."""

_FIELDS: Mapping[str, str] = {
    "headline": "title",
    "name": "title",
    "author": "author",
    "creator": "author",
    "datePublished": "published",
    "dateCreated": "published",
    "uploadDate": "published",
    "dateModified": "modified",
    "publisher": "site",
    "url": "address",
    "mainEntityOfPage": "address",
    "description": "description",
    "keywords": "tag",
    "articleSection": "category",
    "image": "image",
    "thumbnailUrl": "image",
    "license": "licence",
}
_NAMED = ("name", "legalName", "alternateName", "@value", "@id", "url")
_TAG = re.compile(r"<[^<>]*>")
_WRAPPING = re.compile(
    r"^(?:/[*/]\s*)?(?:<!\[CDATA\[|<!--)(?:\s*\*/)?|(?:/[*/]\s*)?(?:\]\]>|-->)(?:\s*\*/)?[\s;]*$"
)
_COMMENT = re.compile(r"^[ \t]*//[^\n]*$", re.MULTILINE)
_SURPLUS = re.compile(r",(?=\s*[}\]])")


def said_by_json_ld(scripts: Iterable[str]) -> Iterator[Candidate]:
    """The candidates of JSON-LD scripts; what cannot be mended gives nothing."""
    objects = list(_objects(scripts))
    known = {
        one["@id"]: one
        for _, one in objects
        if isinstance(one.get("@id"), str) and 1 < len(one) <= MAX_KEYS
    }
    seen: dict[str, int] = {}
    for foreign, one in objects:
        place = "foreign" if foreign else _place(one)
        for key in filter(_FIELDS.__contains__, one):
            kind = _FIELDS[key]
            if _says_nothing(kind, key, place):
                continue
            texts = tuple(_texts(one[key], kind, known))
            source = f"json-ld {key}"
            seen[source] = seen.get(source, 0) + 1
            if texts and seen[source] <= MAX_OF_A_SOURCE:
                yield Candidate(kind, texts, source, place)


def _says_nothing(kind: str, key: str, place: str) -> bool:
    """Whether a key tells nothing of the page in an object of this kind."""
    if place == "foreign":
        return kind not in ("author", "published", "title") or key == "name"
    return place == "site" and kind not in ("site", "title")


def _place(one: Mapping[str, Any]) -> str:
    """What an object tells of: "article", a key of `TYPES`, or "other"."""
    told = one.get("@type")
    names = [name for name in (told if isinstance(told, list) else [told]) if isinstance(name, str)]
    bare = [re.split(r"[/#:]", name)[-1].lower() for name in names[:10]]
    if any(_ARTICLE.search(name) and name not in PLACES for name in bare):
        return "article"
    return next((PLACES[name] for name in bare if name in PLACES), "other")


def _objects(scripts: Iterable[str]) -> Iterator[tuple[bool, dict[str, Any]]]:
    """The objects of all scripts in their order, and whether they stand in a foreign place."""
    todo = [(False, value) for value in _parsed(scripts)][::-1]
    for _ in range(MAX_ITEMS):
        if not todo:
            return
        foreign, value = todo.pop()
        if isinstance(value, dict):
            yield foreign, value
            inner = [
                (foreign or key.lower() in _FOREIGN or key in _FIELDS, one)
                for key, one in value.items()
                if isinstance(one, dict | list)
            ]
        else:
            inner = [(foreign, one) for one in value if isinstance(one, dict | list)]
        todo += [(far or _is_author(one), one) for far, one in reversed(inner[:MAX_ITEMS])]


def _is_author(value: Any) -> bool:
    return isinstance(value, dict) and value.get("@type") == "Person"


def _parsed(scripts: Iterable[str]) -> Iterator[Any]:
    """The objects and lists that scripts hold, mended where they are broken."""
    for script in scripts:
        value = _loaded(script)
        for mend in (unwrapped, mended) if len(script) <= MAX_CHARS else ():
            value = _loaded(mend(script)) if value is None else value
        if isinstance(value, dict | list):
            yield value


def _loaded(script: str) -> Any:
    try:
        return json.loads(script, strict=False)
    except (ValueError, RecursionError):
        return None


def unwrapped(script: str) -> str:
    """A script without what stands around its JSON.

    >>> unwrapped('<!-- {"a": 1}; -->')
    '{"a": 1}'
    """
    bare = _WRAPPING.sub("", _WRAPPING.sub("", script.strip()).strip()).strip()
    if "&quot;" in bare and '"' not in bare:
        bare = unescape(bare)
    return bare.rstrip("; \n")


def mended(script: str) -> str:
    """The same without comment lines and surplus commas, in its texts, too.

    >>> mended('<!-- {"a": [1, 2,],} -->')
    '{"a": [1, 2]}'
    """
    return _SURPLUS.sub("", _COMMENT.sub("", unwrapped(script))).strip()


def _texts(value: Any, kind: str, known: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a value: its own, of a list each, of an object its name or address."""
    values = value if isinstance(value, list) else [value]
    for one in values[:MAX_OF_A_SOURCE]:
        text = _text(one, kind, known)
        if text and kind == "tag":
            yield from (part.strip() for part in text.split(",") if part.strip())
        elif text:
            yield text


def _text(one: Any, kind: str, known: Mapping[str, Any]) -> str:
    if isinstance(one, dict):
        if isinstance(one.get("@id"), str) and one["@id"] in known and "name" not in one:
            one = {**known[one["@id"]], **one}
        keys = ("url", "contentUrl", "@id") if kind in ("image", "address", "licence") else _NAMED
        told = [one[key] for key in keys if isinstance(one.get(key), str | list)]
        one = told[0] if told else ""
        if isinstance(one, list):
            one = one[0] if one else ""
    if isinstance(one, int) and not isinstance(one, bool) and kind in ("published", "modified"):
        one = str(one)[:20] if abs(one) < 10**14 else ""
    return _bare(one) if isinstance(one, str) else ""


def _bare(text: str) -> str:
    """A text without tags and entities."""
    text = unescape(text[:2_000])
    return plain(_TAG.sub(" ", text) if "<" in text and ">" in text else text)
