"""Complete posts with the page's JSON-LD, microdata and markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crfclean.page.head import Addresses, json_objects
from crfclean.products.forum.data_items import (
    DataItem,
    data_item,
    data_items,
    match_items,
    surer_date,
)
from crfclean.products.forum.outline import Outline, letters
from crfclean.products.forum.records import Records
from crfclean.products.forum.replies import DATA, Reply, moved_reply, stated_replies
from crfclean.products.forum.stated import overlapping
from crfclean.products.forum.thread import Post
from crfclean.types import Blocks, Bools


def with_json_ld(page: Blocks, page_posts: Sequence[Post], base: str) -> tuple[Post, ...]:
    """Complete and correct posts by the page's JSON-LD; no post is added or lost."""
    items = data_items(json_objects(page)) if page_posts else []
    if not items:
        return tuple(page_posts)
    matches = match_items([post.text for post in page_posts], items)  # data may leave quotes out
    matches |= match_items([post.full for post in page_posts], items)
    texts = {item.text: at for at, item in matches.items()}
    data_posts = [
        _with_data(post, matches[at], base) if at in matches else post
        for at, post in enumerate(page_posts)
    ]
    for at, item in matches.items():
        answered = texts.get(item.answers, at)
        if answered != at:
            reply = Reply(answered, data_posts[answered].post_id, DATA)
            data_posts[at] = replace(data_posts[at], reply=reply)
    return tuple(data_posts)


def with_microdata(
    stated: Mapping[int, Mapping[str, Any]], page_posts: Sequence[Post], outline: Outline, base: str
) -> tuple[Post, ...]:
    """Complete and correct posts by a page's `stated_posts`; no post is added or lost."""
    if not stated or not page_posts:
        return tuple(page_posts)
    nodes = np.array([post.node for post in page_posts])
    own = overlapping(outline, nodes, np.array(list(stated))).tolist()
    items = [data_item(value) for value in stated.values()]
    return tuple(
        _with_data(post, items[at], base) if at >= 0 else post
        for post, at in zip(page_posts, own, strict=True)
    )


def _with_data(post: Post, item: DataItem, base: str) -> Post:
    """Take from a post's item the facts that the page lacks or states otherwise."""
    other = bool(item.author) and letters(item.author) != letters(post.author)
    link = Addresses("", base).absolute(item.author_url) if other or not post.author_url else ""
    changes: dict[str, Any] = {
        "author": item.author if other else post.author,
        "author_url": link if other else post.author_url or link,
        "published": surer_date(post.published, item.when),
        "url": Addresses("", base).absolute(item.url) or post.url,
        "post_id": item.number or post.post_id,
    }
    return replace(
        post,
        **changes,
        from_data=tuple(key for key in changes if changes[key] != getattr(post, key)),
    )


def with_replies(
    page_posts: Mapping[int, Post], records: Records, quoted: Bools
) -> tuple[Post, ...]:
    """Add the links from posts to answered posts; posts have the place of their record as key.

    `quoted` marks the runs of quotes, (runs,). The markup has precedence over JSON-LD, in which
    answers that quote another post are often listed below the first one.
    """
    places = range(len(records))
    ids = [page_posts[place].post_id if place in page_posts else "" for place in places]
    stated = stated_replies(records, quoted, ids)
    indices = {place: at for at, place in enumerate(page_posts)}
    return tuple(
        replace(post, reply=moved_reply(stated[place], indices) or post.reply)
        for place, post in page_posts.items()
    )
