"""Writers of threads: JSON by the fields of zyte-common-items, text, CSV."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crfclean.io import csv_text
from crfclean.products.forum.dates import When
from crfclean.products.forum.replies import Reply
from crfclean.products.forum.thread import Post, Thread

CSV_COLUMNS = (
    "topic number page postId first author authorUrl date datePublished certainty url text quotes "
    "replyTo replyToId".split()
)


_NAMES = {
    "author": "author",
    "author_url": "author.url",
    "published": "datePublished",
    "url": "url",
    "post_id": "postId",
}
"""Fields of a `Post` that JSON-LD may fill, with their names in the output."""


def thread_to_dict(thread: Thread) -> dict[str, Any]:
    """Return a ForumThread; unknown values are None."""
    return {
        "url": thread.url or None,
        "topic": {"name": thread.topic} if thread.topic else None,
        "status": thread.status,
        "pages": list(thread.pages),
        "joinedTo": thread.joined_to or None,
        "postsWithoutWords": thread.posts_without_words,
        "posts": [_post(post, number) for number, post in enumerate(thread.posts, 1)],
    }


def _post(post: Post, number: int) -> dict[str, Any]:
    author = {"name": post.author, "url": post.author_url or None}
    return {
        "number": number,
        "postId": post.post_id or None,
        "url": post.url or None,
        "author": author if post.author else None,
        "datePublished": post.published.iso or None,
        "dateCertainty": post.published.certainty,
        "dateRaw": post.date or None,
        "text": post.text,
        "quotes": list(post.quotes),
        "page": post.page + 1,
        "first": post.first,
        "fromData": [_NAMES[key] for key in post.from_data],
        "replyTo": _reply(post.reply),
    }


def _reply(reply: Reply | None) -> dict[str, Any] | None:
    """The answered post, by its place in the thread from 1."""
    if reply is None:
        return None
    place = reply.place + 1 if reply.place >= 0 else None
    return {"post": place, "postId": reply.post_id or None, "from": reply.source}


def thread_from_dict(row: Mapping[str, Any]) -> Thread:
    """Read a dict of `thread_to_dict`; a post's `full` is its quotes and then its text."""
    topic, joined_to = row.get("topic") or {}, row.get("joinedTo") or ""
    posts = tuple(_read_post(post) for post in row["posts"])
    pages = tuple(row.get("pages") or ())
    status = row["status"]
    return Thread(row["url"] or "", topic.get("name", ""), posts, status, 0.0, pages, joined_to)


def _read_post(post: Mapping[str, Any]) -> Post:
    author, reply = post["author"] or {}, post["replyTo"]
    fields = {name: field for field, name in _NAMES.items()}
    return Post(
        text=post["text"],
        quotes=tuple(post["quotes"]),
        full="\n".join([*post["quotes"], post["text"]]),
        author=author.get("name") or "",
        author_url=author.get("url") or "",
        date=post["dateRaw"] or "",
        published=When(post["datePublished"] or "", post["dateCertainty"]),
        post_id=post["postId"] or "",
        url=post["url"] or "",
        page=post["page"] - 1,
        first=post["first"],
        node=-1,
        from_data=tuple(fields[name] for name in post["fromData"]),
        reply=reply and Reply((reply["post"] or 0) - 1, reply["postId"] or "", reply["from"]),
    )


def thread_to_jsonl(thread: Thread) -> str:
    """Write a thread as one line of JSON."""
    return json.dumps(thread_to_dict(thread), ensure_ascii=False) + "\n"


def thread_to_text(thread: Thread) -> str:
    """Write the topic, then every post: a line with author and date, its quotes, its text."""
    parts = [thread.topic] if thread.topic else []
    for post in thread.posts:
        head = ", ".join(filter(None, [post.author, post.published.iso or post.date]))
        quotes = "".join(f"> {line}\n" for text in post.quotes for line in text.splitlines())
        parts.append(f"[{head}]\n{quotes}{post.text}".rstrip("\n"))
    return "\n\n".join(parts) + "\n" if parts else ""


def thread_to_csv(thread: Thread) -> str:
    """Write the names of `CSV_COLUMNS`, then a row per post; empty lines separate quotes."""
    rows: list[Sequence[object]] = [CSV_COLUMNS]
    for number, post in enumerate(thread.posts, 1):
        first = "true" if post.first else "false"
        named = [
            thread.topic,
            number,
            post.page + 1,
            post.post_id,
            first,
            post.author,
            post.author_url,
        ]
        dated = [post.date, post.published.iso, post.published.certainty]
        reply = _reply(post.reply) or {"post": None, "postId": None}
        worded = [post.url, post.text, "\n\n".join(post.quotes)]
        rows.append([*named, *dated, *worded, reply["post"], reply["postId"]])
    return csv_text(["" if each is None else str(each) for each in row] for row in rows)


THREAD_WRITERS: Mapping[str, Callable[[Thread], str]] = {
    "jsonl": thread_to_jsonl,
    "txt": thread_to_text,
    "csv": thread_to_csv,
}
"""Writers by format, which is also the ending of the output files."""
