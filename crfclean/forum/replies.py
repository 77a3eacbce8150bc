"""Find which post answers which, where a page nests answers inside the posts they answer."""

from __future__ import annotations

from collections.abc import Sequence

from crfclean.types import Nodes

_BARE = frozenset(["li", "dd", "article", "details"])
"""Elements that hold a post and the answers to it though they have no class."""


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
