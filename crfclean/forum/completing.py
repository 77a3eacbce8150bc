"""Posts completed by what the page's JSON-LD and markup say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from crfclean.forum import places
from crfclean.forum.pairing import letters
from crfclean.forum.records import Records
from crfclean.forum.replies import DATA, Reply, moved, stated_replies
from crfclean.forum.structured import DataItem, data_items, match_items, surer_date
from crfclean.forum.thread import Post
from crfclean.types import Bools, Page


def with_json_ld(
    scripts: Sequence[str], page_posts: Sequence[Post], page: Page
) -> tuple[Post, ...]:
    """Complete and correct posts by the page's JSON-LD; none is added or lost."""
    items = data_items(scripts) if page_posts else []
    if not items:
        return tuple(page_posts)
    matches = match_items([post.text for post in page_posts], items)  # data may leave quotes out
    matches |= match_items([post.full for post in page_posts], items)
    base = page.url or ""
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


def _with_data(post: Post, item: DataItem, base: str) -> Post:
    """Take from a post's item what the page lacks or states otherwise."""
    other = bool(item.author) and letters(item.author) != letters(post.author)
    link = places.absolute_link(base, item.author_url) if other or not post.author_url else ""
    changes: dict[str, Any] = {
        "author": item.author if other else post.author,
        "author_url": link if other else post.author_url or link,
        "published": surer_date(post.published, item.when),
        "url": places.absolute_link(base, item.url) or post.url,
        "post_id": item.number or post.post_id,
    }
    return replace(
        post,
        **changes,
        from_data=tuple(key for key in changes if changes[key] != getattr(post, key)),
    )


def with_replies(
    page_posts: Sequence[Post], kept: Sequence[int], records: Records, quoted: Bools
) -> tuple[Post, ...]:
    """Add which posts are answered; `kept` are the places of the posts among the records.

    `quoted` marks the runs of quotes, (runs,). What the markup says comes before JSON-LD, which has
    many answers below the first post that quote another one.
    """
    ids = [""] * len(records)
    for post, place in zip(page_posts, kept, strict=True):
        ids[place] = post.post_id
    stated = stated_replies(records, quoted, ids)
    indices = {place: at for at, place in enumerate(kept)}
    replies = [moved(stated[place], indices) for place in kept]
    return tuple(
        replace(post, reply=reply or post.reply)
        for post, reply in zip(page_posts, replies, strict=True)
    )
