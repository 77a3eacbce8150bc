"""Find which post answers which, where a page says so.

A page may name the post that is answered in an attribute or a link, nest answers inside the posts
they answer, state how deep a post stands in the thread, or link the post that is quoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from crfclean.forum.records import Records
from crfclean.forum.reply_marks import (
    Around,
    depth_of,
    keys_of,
    named_parents,
    own_keys,
    quoted_posts,
    reply_links,
)
from crfclean.types import Bools, Nodes

ATTRIBUTE, LINK, NESTING, DEPTH, QUOTE, DATA = "attribute link nesting depth quote data".split()
"""What says which post is answered; `data` is the page's JSON-LD."""

_BARE = frozenset(["li", "dd", "article", "details"])
"""Elements that hold a post and the answers to it though they have no class."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The post that a post answers, by its index in the thread, -1 if it is not there.

    `post_id` is its number, "" if it has none; `source` is what says so.
    """

    place: int
    post_id: str
    source: str


def stated_replies(
    page_records: Records, quoted: Bools, post_ids: Sequence[str]
) -> list[Reply | None]:
    """The post that each post answers by the page's markup, None where it says nothing.

    `quoted` marks the runs of quotes, (runs,); `post_ids` are the posts' numbers. A quoted post
    that is on another page is known by its number alone.
    """
    nodes, bodies = page_records.page.page.nodes, page_records.bodies.tolist()
    nested = answered_posts(nodes, bodies)
    around = Around(nodes, bodies, nested)
    names, depths = _names(around, post_ids), _answered_by_depth(around)
    replies = list[Reply | None]()
    for place in range(len(bodies)):
        links = (key for link in reply_links(page_records, place) for key in keys_of(link))
        quotes = list(quoted_posts(page_records, place, quoted))
        answered = (
            (_known(names, named_parents(around, place), place), ATTRIBUTE),
            (_known(names, links, place), LINK),
            (nested[place], NESTING),
            (depths[place], DEPTH),
            (_known(names, quotes, place), QUOTE),
        )
        other = (Reply(at, post_ids[at], source) for at, source in answered if at >= 0)
        elsewhere = (Reply(-1, key, QUOTE) for key in quotes if key not in names)
        replies.append(next(other, next(elsewhere, None)))
    return replies


def _names(around: Around, post_ids: Sequence[str]) -> dict[str, int]:
    """What posts are known by -> the post that is known by it nearest to its words."""
    nearest = dict[str, tuple[int, int]]()
    shared = set[tuple[str, int]]()
    for place, post_id in enumerate(post_ids):
        keys = [(-1, key) for key in keys_of(post_id)]
        for level, key in (*keys, *own_keys(around, place)):
            best = nearest.setdefault(key, (level, place))
            if level < best[0]:
                nearest[key] = (level, place)
            elif level == best[0] and place != best[1]:
                shared.add((key, level))
    return {key: place for key, (level, place) in nearest.items() if (key, level) not in shared}


def _known(names: Mapping[str, int], keys: Iterable[str], place: int) -> int:
    """The first other post that one of some keys names, -1 for none."""
    known = (names[key] for key in keys if key in names)
    return next((other for other in known if other != place), -1)


def _answered_by_depth(around: Around) -> list[int]:
    """The last post before each that stands less deep in the thread, -1 for none."""
    answered, above = list[int](), list[tuple[int, int]]()
    for place in range(len(around.bodies)):
        depth = depth_of(around, place)
        while above and above[-1][0] >= depth:
            above.pop()
        answered.append(above[-1][1] if above and depth >= 0 else -1)
        if depth >= 0:
            above.append((depth, place))
    return answered


def moved(reply: Reply | None, places: Mapping[int, int]) -> Reply | None:
    """The same reply where posts have other indices; None if the answered post is left out."""
    if reply is None or reply.place < 0:
        return reply
    place = places.get(reply.place, -1)
    return Reply(place, reply.post_id, reply.source) if place >= 0 else None


def answered_posts(nodes: Nodes, bodies: Sequence[int]) -> list[int]:
    """For each post the index of the post that it answers, -1 for none.

    `bodies` are the elements of the posts' words, in page order and not nested. A post answers the
    nearest one before it whose own element holds it: as many levels above their words both posts
    have elements of the same tag and class, one inside the other.
    """
    answered, above = list[int](), list[int]()
    for place, body in enumerate(bodies):
        while above and not _holds(nodes, bodies[above[-1]], body):
            above.pop()
        answered.append(above[-1] if above else -1)
        above.append(place)
    return answered


def _holds(nodes: Nodes, body: int, later: int) -> bool:
    """Whether the element of a post, given by its words, holds a later post like it."""
    outer, inner = body, later
    while outer >= 0 and nodes.end[outer] <= later:
        outer, inner = int(nodes.parent[outer]), int(nodes.parent[inner])
        if inner < 0:
            return False
    return outer >= 0 and outer < inner and _alike(nodes, outer, inner)


def _alike(nodes: Nodes, outer: int, inner: int) -> bool:
    """Whether two elements have the same tag and a class in common."""
    if nodes.tags[outer] != nodes.tags[inner]:
        return False
    classes = [set(nodes.attributes[node].get("class", "").split()) for node in (outer, inner)]
    if any(classes):
        return bool(classes[0] & classes[1])
    return nodes.tags[outer] in _BARE or "-" in nodes.tags[outer]
