"""Threads and their posts: which post answers which, what is quoted, how they are written."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from crfclean.core.table import Table
from crfclean.io import csv_text
from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import POST_NAMES
from crfclean.products.forum.dates import When
from crfclean.products.forum.outline import Outline
from crfclean.products.forum.records import Records
from crfclean.types import Bools, Ints

# attributes around a post that name the post that it answers

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


# find which post answers which, where a page says so
#
# A page may name the post that is answered in an attribute, nest answers inside the posts they
# answer, or link the post that is quoted.

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


def moved(reply: Reply | None, places: Mapping[int, int]) -> Reply | None:
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


# the words of posts that are quotes of other posts

_WHOLE = 0.9  # least share of a post's words in an element that holds the post
_MOST = 0.5  # share of the posts in elements of a name; with more, these hold the posts
_MAX_RUNS = 12  # in the line above a quote
_QUOTES_MAX_LINE = (
    120  # characters of the line above a quote, as in `Quote from: Ann on 5 May 2020`
)


@cache
def _attribution() -> re.Pattern[str]:
    """Match a line above a quote: `Quote from: Ann`, `Ann wrote:`."""
    labels, said = _label_words(), lexicon().pattern(lambda language: language.forum.said)
    return re.compile(rf"(?:{labels})(?!\w).*|.*\b(?:{said})(?!\w)\W{{0,4}}", re.IGNORECASE)


@cache
def _label() -> re.Pattern[str]:
    return re.compile(rf"(?:{_label_words()})\W{{0,4}}", re.IGNORECASE)


def _label_words() -> str:
    return lexicon().pattern(lambda language: language.forum.quote_labels)


def quoted_runs(page_records: Records, drop: Bools) -> Bools:
    """Mark each run of a quote inside a post, shape (runs,).

    Quotes are elements for quotes inside a body, except those that hold the post itself, and tables
    behind `Quote:`. The line above that names the quote's author belongs to the quote. `drop` marks
    runs that are not a post's words.
    """
    page = page_records.page
    inside = [_quotes_inside(page, body) for body in page_records.bodies.tolist()]
    own = _holders(page_records, inside, drop)
    spans = list[tuple[int, int]]()
    for body, quotes in zip(page_records.bodies.tolist(), inside, strict=True):
        start = int(page.first[body])
        kept = [node for node in quotes.tolist() if node not in own]
        for node in [*kept, *_labelled_tables(page, body)]:
            first = int(page.first[node])
            spans.append((_attribution_start(page, first, start), int(page.last[node])))
    bounds = np.array(spans, np.int64).reshape(-1, 2)
    return page.inside(bounds[:, 0], bounds[:, 1])


def _quotes_inside(outline: Outline, body: int) -> Ints:
    """Elements for quotes with text inside a body, in page order."""
    bounds = np.searchsorted(outline.quotes, [body + 1, int(outline.page.table.end[body])])
    quotes: Ints = outline.quotes[bounds[0] : bounds[1]]
    return quotes[outline.last[quotes] > outline.first[quotes]]


def _holders(page_records: Records, inside: list[Ints], drop: Bools) -> set[int]:
    """Elements that look like quotes and hold the post itself.

    Elements of one name hold the posts if they have nearly all words of more than half of the
    posts. In fewer posts such an element is a quote without a comment. Quotes inside an element
    that holds a post remain quotes.
    """
    page = page_records.page
    words = np.concatenate([[0], np.cumsum(np.diff(page.words) * ~drop)])
    holders, names, posts = list[int](), Counter[str](), 0
    for body, quotes in zip(page_records.bodies.tolist(), inside, strict=True):
        count = int(words[page.last[body]] - words[page.first[body]])
        posts += count > 0
        whole = words[page.last[quotes]] - words[page.first[quotes]] >= max(1, _WHOLE * count)
        nodes = quotes[whole].tolist()
        holders += nodes
        names.update({page.names[node] for node in nodes})
    return {node for node in holders if names[page.names[node]] > _MOST * posts}


def _attribution_start(outline: Outline, first: int, start: int) -> int:
    """The first run of a quote, or of the line above it if that line names the quote's author."""
    block = outline.page.table.run_block
    if first <= start or block[first - 1] == block[first]:
        return first
    above = first - 1
    while above > max(start, first - _MAX_RUNS) and block[above - 1] == block[first - 1]:
        above -= 1
    line = " ".join("".join(outline.page.table.run_texts[above:first]).split())
    return above if len(line) <= _QUOTES_MAX_LINE and _attribution().fullmatch(line) else first


def _labelled_tables(outline: Outline, body: int) -> list[int]:
    """Tables inside a body right after an element with `Quote:`, as vBulletin 3 writes quotes."""
    table = outline.page.table
    tables = []
    for run in range(int(outline.first[body]), int(outline.last[body])):
        if not _label().fullmatch(outline.masks[run]):
            continue
        node = int(table.run_node[run])
        after = int(table.end[node])
        if node > body and after < table.end[body] and table.tags[after] == "table":
            tables.append(after)
    return tables


# threads and their posts


@dataclass(frozen=True, slots=True)
class Post:
    """A post: `text` has its own words, one line per paragraph; `quotes` has other posts' words.

    `full` has both in page order. `date` is as written, `published` as read. `page` is the index of
    the page in the input, or in a joined thread. `first` marks the post that opens the thread.
    `from_data` names the fields that come from JSON-LD or microdata. `reply` is the answered post.
    """

    text: str
    quotes: tuple[str, ...]
    full: str
    author: str
    author_url: str
    date: str
    published: When
    post_id: str
    url: str
    page: int
    first: bool
    node: int
    from_data: tuple[str, ...] = ()
    reply: Reply | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Thread:
    """The posts of a page, or of several pages that were joined.

    `status` is "ok", "no-posts", the status of a bad page, or "joined". The posts of a joined page
    are in the thread of the page named `joined_to`. `pages` names the pages of a joined thread.
    """

    url: str
    topic: str
    posts: tuple[Post, ...]
    status: str = "ok"
    score: float = 0.0
    pages: tuple[str, ...] = ()
    joined_to: str = ""

    def __repr__(self) -> str:
        posts = f"{len(self.posts):,} post{'s' * (len(self.posts) != 1)}"
        return f"<Thread {self.status}: {posts}, {self.topic!r}>"

    @property
    def posts_without_words(self) -> int:
        """Number of posts without own words, which have only quotes or pictures."""
        return sum(not post.text for post in self.posts)


# writers of threads: JSON by the fields of zyte-common-items, text, CSV
#
# The JSON has the fields of ForumThread and SocialMediaPost, and further ones: the author's name,
# the date as written, its certainty, the quotes, the page, whether a post opens the thread, which
# fields come from the page's JSON-LD, and which post is answered.

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
