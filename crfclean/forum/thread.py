"""Threads and their posts."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.forum.dates import When
from crfclean.forum.replies import Reply


@dataclass(frozen=True, slots=True)
class Post:
    """A post: `text` has its own words, one line per paragraph, `quotes` those of other posts.

    `full` is both in page order; `date` is as written, `published` what it means; `page` numbers
    the page in the input, in a joined thread its page; `first` marks the post that opens the
    thread; `from_data` names the fields that come from the page's JSON-LD; `reply` is the post that
    it answers.
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

    `status` is "ok", the status of the page, "no-posts", or "joined": the posts of the page are in
    the thread of the page named `joined_to`. `pages` names the pages of a joined thread.
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
        """Number of posts without words of their own: nothing but quotes, or pictures."""
        return sum(not post.text for post in self.posts)
