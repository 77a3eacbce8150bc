"""Read the posts that a page states in microdata or RDFa."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from crfclean.forum.outline import Outline
from crfclean.types import Ints

_REMARKED = frozenset(["Question", "Answer"])
"""Types of posts whose comments are remarks and not posts."""
_TYPES = _REMARKED | {"DiscussionForumPosting", "SocialMediaPosting", "Comment", "UserComments"}
_TEXTS = ("text", "articleBody", "commentText")
_AUTHORS = ("author", "creator")
_DATES = ("datePublished", "dateCreated", "commentTime")
_FEWEST = 2  # stated posts; a single one says nothing of the others
_MAX_CHARS = 400  # of an attribute with names
_NAME_END = re.compile(r"[/:#]")


def stated_posts(page: Outline) -> dict[int, Mapping[str, Any]]:
    """Map the element of each stated post's words to its author and date, as in JSON-LD.

    Elements are in page order and not nested. A page that states a single post gives {}.
    """
    if "stated" not in page.memo:
        page.memo["stated"] = _stated_posts(page)
    stated: dict[int, Mapping[str, Any]] = page.memo["stated"]
    return stated


def _stated_posts(page: Outline) -> dict[int, Mapping[str, Any]]:
    nodes, around = page.page.nodes, list[int]()  # the item around each element, -1 for none
    types, parts = dict[int, set[str]](), defaultdict[int, dict[str, int]](dict)
    for node, parent in enumerate(nodes.parent.tolist()):
        attributes = nodes.attributes[node]
        around.append(parent if parent in types else around[parent] if parent >= 0 else -1)
        if "itemscope" in attributes or "typeof" in attributes:
            types[node] = _names(attributes.get("itemtype") or attributes.get("typeof", ""))
        for name in _names(attributes.get("itemprop") or attributes.get("property", "")):
            parts[around[node]].setdefault(name, node)
    bodies = dict[int, int]()
    for item, kinds in types.items():
        body = _first(parts[item], _TEXTS)
        is_remark = "Comment" in kinds and types.get(around[item], set()) & _REMARKED
        if kinds & _TYPES and not is_remark and body >= 0 and page.first[body] < page.last[body]:
            bodies[body] = item
    posts, end = dict[int, Mapping[str, Any]](), 0
    for body in sorted(bodies):
        if body >= end:
            posts[body], end = _signed(page, bodies[body], parts), int(nodes.end[body])
    return posts if len(posts) >= _FEWEST else {}


def _names(value: str) -> set[str]:
    """The last parts of names and addresses: `Comment` for `https://schema.org/Comment`."""
    return {_NAME_END.split(word.rstrip("/"))[-1] for word in value[:_MAX_CHARS].split()}


def _first(parts: Mapping[str, int], names: tuple[str, ...]) -> int:
    """The element of the first of some properties, -1 for none."""
    return next((parts[name] for name in names if name in parts), -1)


def _signed(page: Outline, item: int, parts: Mapping[int, Mapping[str, int]]) -> Mapping[str, Any]:
    """Author and date of an item, with the keys of JSON-LD."""
    author, date = _first(parts[item], _AUTHORS), _first(parts[item], _DATES)
    inner = {"name": author, **parts.get(author, {})}
    told = {"name": _value(page, inner["name"]), "url": _value(page, inner.get("url", -1), "href")}
    return {"author": told, "datePublished": _value(page, date, "datetime")}


def _value(page: Outline, node: int, attribute: str = "") -> str:
    """Return an element's value: that of an attribute, or the first line of its text."""
    if node < 0:
        return ""
    attributes = page.page.nodes.attributes[node]
    stated = attributes.get("content") or attributes.get(attribute)
    return stated or page.text(node).partition("\n")[0]


def overlapping(page: Outline, nodes: Ints, others: Ints) -> Ints:
    """For each element the place in `others` of the only one that shares text with it, else -1."""
    first = np.searchsorted(page.last[others], page.first[nodes], "right")
    last = np.searchsorted(page.first[others], page.last[nodes], "left")
    return np.where(last - first == 1, first, -1)
