"""Threads that span several pages, joined into one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from crfclean.forum.posts import Post, Thread
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


def _once(pages: Sequence[Thread]) -> Iterator[Post]:
    """The posts of all pages, without those that an earlier page has."""
    seen = set[tuple[str, str, str]]()
    for page in pages:
        keys = [(post.post_id or post.date, post.author, post.full) for post in page.posts]
        yield from (post for key, post in zip(keys, page.posts, strict=True) if key not in seen)
        seen.update(keys)
