"""Find which post answers which, where a page says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from crfclean.core.table import Table
from crfclean.products.forum.post_attributes import (
    Around,
    keys_of,
    named_parents,
    own_keys,
    quoted_posts,
)
from crfclean.products.forum.records import Records
from crfclean.types import Bools

ATTRIBUTE, NESTING, QUOTE, DATA = "attribute nesting quote data".split()
"""Sources of `Reply`; `data` is the page's JSON-LD."""

_BARE = frozenset(["li", "dd", "article", "details"])
"""Elements that may hold a post and its answers without a class."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answered post: `place` is its index in the thread, -1 if it is not there.

    `post_id` is its number, "" if it has none; `source` names the evidence.
    """

    place: int
    post_id: str
    source: str


def stated_replies(
    page_records: Records, quoted: Bools, post_ids: Sequence[str]
) -> list[Reply | None]:
    """Return the post that each post answers, None if the markup does not say.

    `quoted` marks the runs of quotes, (runs,); `post_ids` are the posts' numbers. Of a quoted post
    on another page only the number is known.
    """
    table, bodies = page_records.page.page.table, page_records.bodies.tolist()
    nested = answered_posts(table, bodies)
    around = Around(table, bodies, nested)
    names = _names(around, post_ids)
    replies = list[Reply | None]()
    for place in range(len(bodies)):
        quotes = list(quoted_posts(page_records, place, quoted))
        answered = (
            (_known(names, named_parents(around, place), place), ATTRIBUTE),
            (nested[place], NESTING),
            (_known(names, quotes, place), QUOTE),
        )
        other = (Reply(at, post_ids[at], source) for at, source in answered if at >= 0)
        elsewhere = (Reply(-1, key, QUOTE) for key in quotes if key not in names)
        replies.append(next(other, next(elsewhere, None)))
    return replies


def _names(around: Around, post_ids: Sequence[str]) -> dict[str, int]:
    """Map each key to the post that has it nearest to its words."""
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
    """The first other post that one of these keys names, -1 for none."""
    known = (names[key] for key in keys if key in names)
    return next((other for other in known if other != place), -1)


def moved_reply(reply: Reply | None, places: Mapping[int, int]) -> Reply | None:
    """Translate the index in a reply by `places`; None if the answered post has none."""
    if reply is None or reply.place < 0:
        return reply
    place = places.get(reply.place, -1)
    return Reply(place, reply.post_id, reply.source) if place >= 0 else None


def answered_posts(table: Table, bodies: Sequence[int]) -> list[int]:
    """Return for each post the index of the post that it answers, -1 for none.

    `bodies` are the elements of the posts' words, in page order and not nested. A post answers the
    nearest one before it whose element holds it. The elements of the two posts are equally many
    levels above their words, share tag and class, and one is inside the other.
    """
    answered, above = list[int](), list[int]()
    for place, body in enumerate(bodies):
        while above and not _holds(table, bodies[above[-1]], body):
            above.pop()
        answered.append(above[-1] if above else -1)
        above.append(place)
    return answered


def _holds(table: Table, body: int, later: int) -> bool:
    """Return whether the element of a post, given by its words, holds a later post like it."""
    outer, inner = body, later
    while outer >= 0 and table.end[outer] <= later:
        outer, inner = int(table.parent[outer]), int(table.parent[inner])
        if inner < 0:
            return False
    return outer >= 0 and outer < inner and _alike(table, outer, inner)


def _alike(table: Table, outer: int, inner: int) -> bool:
    if table.tags[outer] != table.tags[inner]:
        return False
    classes = [set(table.attributes[node].get("class", "").split()) for node in (outer, inner)]
    if any(classes):
        return bool(classes[0] & classes[1])
    return table.tags[outer] in _BARE or "-" in table.tags[outer]
