"""Threads that span several pages, joined into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from crfclean.forum.replies import moved
from crfclean.forum.thread import Post, Thread
from crfclean.forum.thread_keys import thread_key


def joined(threads: Sequence[Thread]) -> list[Thread]:
    """Join the threads of pages that are one thread, in the order of the pages.

    A post that a later page shows again, as many do with the first, counts once; the first post
    alone is `first`. Pages without posts stay as they are.
    """
    groups: dict[str, list[Thread]] = {}
    for place, thread in enumerate(threads):
        key = thread_key(thread.url, thread.topic) if thread.posts else ""
        groups.setdefault(key or f" {place}", []).append(thread)
    return [_one(group) for group in groups.values()]


def _one(pages: Sequence[Thread]) -> Thread:
    """The thread of some pages."""
    posts = tuple(replace(post, first=place == 0) for place, post in enumerate(_once(pages)))
    return replace(pages[0], posts=posts, score=min(page.score for page in pages))


def _once(pages: Sequence[Thread]) -> list[Post]:
    """The posts of all pages, without those that an earlier page has, and what they answer."""
    rows = list[tuple[Post, dict[int, int]]]()  # each with the indices of its page's posts
    seen = dict[tuple[str, str, str], int]()
    numbers = dict[str, int]()
    for page in pages:
        indices = dict[int, int]()
        new = dict[tuple[str, str, str], int]()
        for place, post in enumerate(page.posts):
            key = (post.post_id or post.date, post.author, post.full)
            indices[place] = seen.get(key, len(rows))
            if key not in seen:
                new[key] = len(rows)
                numbers.setdefault(post.post_id, len(rows))
                rows.append((post, indices))
        seen |= new
    return [_answering(post, indices, numbers) for post, indices in rows]


def _answering(post: Post, indices: Mapping[int, int], numbers: Mapping[str, int]) -> Post:
    """A post whose reply has the place that the answered post has in the thread."""
    reply = post.reply
    if reply is None:
        return post
    if reply.place >= 0:
        return replace(post, reply=moved(reply, indices))
    return replace(post, reply=replace(reply, place=numbers.get(reply.post_id, -1)))
