"""Posts that the markup of a page states."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from crfclean.products.forum.outline import Outline, once_per_outline
from crfclean.types import Ints

_REMARKED = frozenset(["Question", "Answer"])
"""Types of posts whose comments are remarks and not posts."""
_ITEM_TYPES = _REMARKED | {
    "DiscussionForumPosting",
    "SocialMediaPosting",
    "Comment",
    "UserComments",
}
_TEXTS = ("text", "articleBody", "commentText")
_AUTHORS = ("author", "creator")
_DATES = ("datePublished", "dateCreated", "commentTime")
_FEWEST = 2  # stated posts; a single one says nothing of the others
_MAX_ITEM_CHARS = 400  # of an attribute with names
_NAME_END = re.compile(r"[/:#]")


@once_per_outline
def stated_posts(outline: Outline) -> dict[int, Mapping[str, Any]]:
    """Map the element of each stated post's words to its author and date, as in JSON-LD.

    Elements are in page order and not nested. A page that states a single post gives {}.
    """
    table, around = outline.page.table, list[int]()  # the item around each element, -1 for none
    types, parts = dict[int, frozenset[str]](), defaultdict[int, dict[str, int]](dict)
    for node, parent in enumerate(table.parent.tolist()):
        attributes = table.attributes[node]
        around.append(parent if parent in types else around[parent] if parent >= 0 else -1)
        if "itemscope" in attributes or "typeof" in attributes:
            types[node] = _names(attributes.get("itemtype") or attributes.get("typeof", ""))
        for name in _names(attributes.get("itemprop") or attributes.get("property", "")):
            parts[around[node]].setdefault(name, node)
    bodies = dict[int, int]()
    for item, kinds in types.items():
        body = _first(parts[item], _TEXTS)
        is_remark = "Comment" in kinds and types.get(around[item], frozenset()) & _REMARKED
        if (
            kinds & _ITEM_TYPES
            and not is_remark
            and body >= 0
            and outline.first[body] < outline.last[body]
        ):
            bodies[body] = item
    posts, end = dict[int, Mapping[str, Any]](), 0
    for body in sorted(bodies):
        if body >= end:
            posts[body], end = _signed(outline, bodies[body], parts), int(table.end[body])
    return posts if len(posts) >= _FEWEST else {}


@lru_cache(maxsize=20_000)
def _names(value: str) -> frozenset[str]:
    """The last parts of names and addresses: `Comment` for `https://schema.org/Comment`."""
    words = value[:_MAX_ITEM_CHARS].split()
    return frozenset(_NAME_END.split(word.rstrip("/"))[-1] for word in words)


def _first(parts: Mapping[str, int], names: tuple[str, ...]) -> int:
    """The element of the first of some properties, -1 for none."""
    return next((parts[name] for name in names if name in parts), -1)


def _signed(
    outline: Outline, item: int, parts: Mapping[int, Mapping[str, int]]
) -> Mapping[str, Any]:
    """Author and date of an item, with the keys of JSON-LD."""
    author, date = _first(parts[item], _AUTHORS), _first(parts[item], _DATES)
    inner = {"name": author, **parts.get(author, {})}
    told = {
        "name": _value(outline, inner["name"]),
        "url": _value(outline, inner.get("url", -1), "href"),
    }
    return {"author": told, "datePublished": _value(outline, date, "datetime")}


def _value(outline: Outline, node: int, attribute: str = "") -> str:
    """Return an element's value: that of an attribute, or the first line of its text."""
    if node < 0:
        return ""
    attributes = outline.page.table.attributes[node]
    stated = attributes.get("content") or attributes.get(attribute)
    return stated or outline.text(node).partition("\n")[0]


def overlapping(outline: Outline, nodes: Ints, others: Ints) -> Ints:
    """Return the index of the only one of `others` that shares text with each element, or -1."""
    first = np.searchsorted(outline.last[others], outline.first[nodes], "right")
    last = np.searchsorted(outline.first[others], outline.last[nodes], "left")
    return np.where(last - first == 1, first, -1)
