"""What a page says beside a post of the post that it answers: attributes, links and depths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from crfclean.forum.records import Records
from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import POST_NAMES
from crfclean.types import Bools, Nodes

MAX_ABOVE = 12  # elements around a post's words that are read
_MAX_VALUE = 200  # characters of an attribute with a post's name
_MAX_LINK = 2_000  # characters of an address
_MAX_LINE = 60  # characters of a text before a link, as in `in reply to`
_PARENTS = frozenset(
    "parent parentid parentcomment parentcommentid parentpost parentpostid parentmessageid "
    "replyto replytoid inreplyto inreplytoid replytopost replytocomment".split()
)
"""Attributes that name the post that is answered, without `data-`, hyphens and underscores."""
_OWN = frozenset(
    "id name thingid postid commentid messageid cid pid post comment content contentid "
    "permalink".split()
)
"""Attributes that name a post itself, in the same way."""
_DEPTHS = frozenset("depth level indent arialevel replydepth commentdepth".split())
_DEPTH_CLASS = re.compile(r"(?:^|\s)(?:\w+-)?(?:depth|level|indent)[-_]?(\d{1,2})(?=$|\s)")
_NUMBER = re.compile(r"(\d{1,20})(?:/|\.html?)?$")
_LINK_CLASS = re.compile(
    r"in-?_?reply-?_?to|reply-?_?to(?!ols)|\bparent\b|comment-?_?parent", re.IGNORECASE
)
_POST_NAME = re.compile(rf"#?(?:(?:{POST_NAMES}|t\d)?[-_:]?)?\d{{1,20}}", re.IGNORECASE)
_QUOTE_LINK = re.compile(
    r"(?:#|[?&](?:p|pid|id|post|postid)=|posts?[/-]|goto/post|comment-?|msg)\D{0,9}?(\d{1,20})",
    re.IGNORECASE,
)
_QUOTE_MARK = re.compile(r"(?:post|comment|msg|message)?[:\s_-]*(\d{1,20})", re.IGNORECASE)
_QUOTE_ATTRIBUTES = ("data-source", "data-post", "data-post-id", "data-quote-id", "data-pid")


def plain_name(name: str) -> str:
    """An attribute's name without `data-`, hyphens and underscores.

    >>> plain_name("data-parent_id")
    'parentid'
    """
    return name.lower().removeprefix("data-").replace("-", "").replace("_", "")


def keys_of(value: str) -> Iterator[str]:
    """What a name of a post in an attribute or an address may be known by, the surest first.

    >>> list(keys_of("/t/7#comment-12"))
    ['comment-12', '12']
    """
    text = value.strip()[:_MAX_VALUE].rpartition("#")[2].lower()
    if text:
        yield text
    number = _NUMBER.search(text)
    if number and number[1] != text:
        yield number[1]


@dataclass(frozen=True)
class Around:
    """The bodies of a page's posts (elements, in page order), and which post each is nested in.

    `nested` has the indices of posts, -1 for none.
    """

    nodes: Nodes
    bodies: Sequence[int]
    nested: Sequence[int]

    @cached_property
    def ends(self) -> list[int]:
        """The first body after each post's that is not nested in the post, (posts,)."""
        ends, open_posts = [len(self.nodes)] * len(self.bodies), list[int]()
        for place, outer in enumerate(self.nested):
            while open_posts and open_posts[-1] > outer:
                ends[open_posts.pop()] = self.bodies[place]
            open_posts.append(place)
        return ends

    def above(self, place: int) -> Iterator[int]:
        """A post's body and the elements around it that are the post's alone, inside out.

        They hold no other post but those nested in it: an answer with a list of comments is no part
        of the first comment.
        """
        node = self.bodies[place]
        before = self.bodies[place - 1] if place else -1
        for _ in range(MAX_ABOVE):
            if node <= before or self.nodes.end[node] > self.ends[place]:
                return
            yield node
            node = int(self.nodes.parent[node])


def own_keys(around: Around, place: int) -> Iterator[tuple[int, str]]:
    """What a post may be known by on its page, each with the levels above its words.

    These are values of ids and of attributes named for posts. What another post is known by nearer
    to its words is that post's.
    """
    nodes = around.nodes
    for level, node in enumerate(around.above(place)):
        for name, value in nodes.attributes[node].items():
            if plain_name(name) in _OWN and any(map(str.isdigit, value)):
                yield from ((level, key) for key in keys_of(value))


def named_parents(around: Around, place: int) -> Iterator[str]:
    """What attributes around a post name another post by, the surest first.

    `data-parent="#accordion1"` names an element of the page, so its number alone names no post.
    """
    for node in around.above(place):
        for name, value in around.nodes.attributes[node].items():
            if plain_name(name) in _PARENTS:
                keys = list(keys_of(value))
                yield from keys if _POST_NAME.fullmatch(value.strip()[:_MAX_VALUE]) else keys[:1]


def reply_links(page_records: Records, place: int) -> Iterator[str]:
    """Addresses of links beside a post that lead to the post it answers.

    A link with a class for it, or behind words such as `in reply to`, in it or before it.
    """
    page, nodes = page_records.page, page_records.page.page.nodes
    body = int(page_records.bodies[place])
    texts, start = page.masks, int(page_records.start[place])
    for run in range(start, int(page_records.end[place])):
        node = int(page.page.runs.node[run])
        if not page.linked[run] or body <= node < nodes.end[body]:
            continue
        while node >= 0 and nodes.tags[node] != "a":
            node = int(nodes.parent[node])
        attributes: Mapping[str, str] = nodes.attributes[node] if node >= 0 else {}
        said = f"{texts[run - 1][-_MAX_LINE:] if run > start else ''} {texts[run][:_MAX_LINE]}"
        if attributes.get("href") and (_is_named(attributes) or _answers().search(said)):
            yield attributes["href"]


def _is_named(attributes: Mapping[str, str]) -> bool:
    """Whether class or `rel` of a link say that it leads to the post that is answered."""
    return bool(_LINK_CLASS.search(f"{attributes.get('class', '')} {attributes.get('rel', '')}"))


@cache
def _answers() -> re.Pattern[str]:
    words = lexicon().pattern(lambda language: language.forum.answers)
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


def quoted_posts(page_records: Records, place: int, quoted: Bools) -> Iterator[str]:
    """Numbers of the posts that a post quotes: in addresses and attributes of its quotes.

    `quoted` marks the runs of quotes, (runs,).
    """
    page, nodes = page_records.page, page_records.page.page.nodes
    body = int(page_records.bodies[place])
    for node in range(body + 1, int(nodes.end[body])):
        first, last = int(page.first[node]), int(page.last[node])
        if last > first and quoted[first] and quoted[last - 1]:
            yield from _quote_numbers(nodes.tags[node], nodes.attributes[node])


def _quote_numbers(tag: str, attributes: Mapping[str, str]) -> Iterator[str]:
    """Numbers of posts in the attributes of an element of a quote."""
    link = attributes.get("href", "") if tag == "a" else attributes.get("cite", "")
    linked = _QUOTE_LINK.search(link[:_MAX_LINK])
    if linked:
        yield linked[1]
    for name in _QUOTE_ATTRIBUTES:
        mark = _QUOTE_MARK.fullmatch(attributes.get(name, "")[:_MAX_VALUE])
        if mark:
            yield mark[1]


def depth_of(around: Around, place: int) -> int:
    """How deep in the thread a page says that a post stands, -1 if it says nothing."""
    for node in around.above(place):
        depth = _stated_depth(around.nodes.attributes[node])
        if depth >= 0:
            return depth
    return -1


def _stated_depth(attributes: Mapping[str, str]) -> int:
    for name, value in attributes.items():
        if plain_name(name) in _DEPTHS and re.fullmatch(r"\d{1,2}", value):
            return int(value)
    match = _DEPTH_CLASS.search(attributes.get("class", "").lower())
    return int(match[1]) if match else -1
