"""Threads and their posts."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.products.forum.dates import When
from crfclean.products.forum.replies import Reply


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
