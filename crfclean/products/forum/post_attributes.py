"""Attributes around a post that name the post that it answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from crfclean.core.table import Table
from crfclean.lexicon.markup import POST_NAMES
from crfclean.products.forum.records import Records
from crfclean.types import Bools

MAX_ABOVE = 12  # elements around a post's words that are read
_MAX_VALUE = 200  # characters of an attribute with a post's name
_MAX_LINK = 2_000  # characters of an address
_PARENTS = frozenset(
    "parent parentid parentcomment parentcommentid parentpost parentpostid parentmessageid "
    "replyto replytoid inreplyto inreplytoid replytopost replytocomment".split()
)
"""Names (`plain_name`) of attributes that name the answered post."""
_OWN = frozenset(
    "id name thingid postid commentid messageid cid pid post comment content contentid "
    "permalink".split()
)
"""Names (`plain_name`) of attributes that name the post itself."""
_NUMBER = re.compile(r"(\d{1,20})(?:/|\.html?)?$")
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
    """Yield the keys under which an attribute or address may name a post; the surest comes first.

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
    """The bodies of a page's posts (elements, in page order).

    `nested` has for each post the index of the post that it is nested in, -1 for none.
    """

    table: Table
    bodies: Sequence[int]
    nested: Sequence[int]

    @cached_property
    def ends(self) -> list[int]:
        """For each post, the first later body that is not nested in it, (posts,)."""
        ends, open_posts = [len(self.table.parent)] * len(self.bodies), list[int]()
        for place, outer in enumerate(self.nested):
            while open_posts and open_posts[-1] > outer:
                ends[open_posts.pop()] = self.bodies[place]
            open_posts.append(place)
        return ends

    def above(self, place: int) -> Iterator[int]:
        """Yield a post's body and the elements around it that belong to the post, inside out.

        They hold no other post except those nested in it. So an answer with a list of comments does
        not belong to the first comment.
        """
        before = self.bodies[place - 1] if place else -1
        for node in self.table.around(self.bodies[place], MAX_ABOVE):
            if node <= before or self.table.end[node] > self.ends[place]:
                return
            yield node


def own_keys(around: Around, place: int) -> Iterator[tuple[int, str]]:
    """Yield the keys of a post, each with the number of levels above its words.

    Keys come from ids and attributes named for posts. If several posts have a key, it belongs to
    the post whose words are nearest (`_names`).
    """
    table = around.table
    for level, node in enumerate(around.above(place)):
        for name, value in table.attributes[node].items():
            if plain_name(name) in _OWN and any(map(str.isdigit, value)):
                yield from ((level, key) for key in keys_of(value))


def named_parents(around: Around, place: int) -> Iterator[str]:
    """Yield the keys by which attributes around a post name its parent; the surest comes first.

    `data-parent="#accordion1"` names an element of the page, so the key "1" is left out.
    """
    for node in around.above(place):
        for name, value in around.table.attributes[node].items():
            if plain_name(name) in _PARENTS:
                keys = list(keys_of(value))
                yield from keys if _POST_NAME.fullmatch(value.strip()[:_MAX_VALUE]) else keys[:1]


def quoted_posts(page_records: Records, place: int, quoted: Bools) -> Iterator[str]:
    """Yield the numbers of quoted posts in addresses and attributes of a post's quotes.

    `quoted` marks the runs of quotes, (runs,).
    """
    page, table = page_records.page, page_records.page.page.table
    body = int(page_records.bodies[place])
    for node in range(body + 1, int(table.end[body])):
        first, last = int(page.first[node]), int(page.last[node])
        if last > first and quoted[first] and quoted[last - 1]:
            yield from _quote_numbers(table.tags[node], table.attributes[node])


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
