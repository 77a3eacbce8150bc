"""Remarks below posts: shorter texts with authors and dates of their own, which are no posts.

Sites of questions and answers have remarks below each of them. They look like posts of a forum, and
there are more of them than of answers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crfclean.forum.bodies import BodyGroup
from crfclean.forum.outline import Outline
from crfclean.forum.records import Records, records
from crfclean.types import Ints

_FEWEST = 2  # posts that have remarks
_LONGER = 1.3  # times the words of a remark that a post has on the mean
_MOST = 0.8  # share of the posts that are dated, and of the remarks that stand below one


def posts_above(
    page: Outline, remarks: BodyGroup, groups: Sequence[BodyGroup]
) -> tuple[BodyGroup, Records] | None:
    """The first of some groups whose elements are posts with remarks below, None for none.

    Each post is alone in an element, with a date, and longer than the remarks; all remarks stand in
    such elements, in one several or in one none. The records end where the remarks begin.
    """
    starts = page.first[list(remarks.nodes)]
    length, heads = _mean_words(page, remarks), records(page, np.array(remarks.nodes)).start
    for group in groups:
        if len(group.nodes) >= _FEWEST and _mean_words(page, group) >= _LONGER * length:
            posts = records(page, np.array(group.nodes))
            bare = _without(posts, starts, heads)
            if _holds(posts, starts) and _share_dated(bare) >= _MOST:
                return group, bare
    return None


def _mean_words(page: Outline, group: BodyGroup) -> float:
    nodes = list(group.nodes)
    return float((page.words[page.last[nodes]] - page.words[page.first[nodes]]).mean())


def _holds(posts: Records, remarks: Ints) -> bool:
    """Whether the remarks, by their first runs, stand below posts, unevenly."""
    bodies = posts.page.inside(posts.page.first[posts.bodies], posts.page.last[posts.bodies])
    owner = posts.record[remarks]
    below = (owner >= 0) & ~bodies[remarks] & (remarks >= posts.page.first[posts.bodies[owner]])
    counts = np.bincount(owner[below], minlength=len(posts))
    return bool(below.mean() >= _MOST and counts.max() > 1) and bool(below.any())


def _without(posts: Records, remarks: Ints, heads: Ints) -> Records:
    """The records up to the first of their remarks, by these' first runs, or up to its head.

    `heads` are the first runs of the remarks' own records; a single one has that of the post.
    """
    end, owner = posts.end.copy(), posts.record[remarks]
    last = posts.page.last[posts.bodies[owner]]
    begin, below = np.where(heads >= last, heads, remarks), (owner >= 0) & (remarks >= last)
    np.minimum.at(end, owner[below], begin[below])
    return Records(posts.page, posts.bodies, posts.start, end)


def _share_dated(posts: Records) -> float:
    """Share of the records with a run that looks like a date."""
    dated = posts.record[np.flatnonzero(posts.page.dates)]
    return len(set(dated.tolist()) - {-1}) / len(posts)
