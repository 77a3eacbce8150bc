"""Posts of forum pages, each with author, date and text: `posts(pages)`."""

from __future__ import annotations

from crfclean.forum.posts import Post, Thread, posts

__all__ = ["Post", "Thread", "posts"]
