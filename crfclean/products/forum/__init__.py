"""Posts of forum pages, each with author, date and text: `posts(pages)`."""

from __future__ import annotations

from crfclean.products.forum.posts import posts
from crfclean.products.forum.thread import Post, Thread

__all__ = ["Post", "Thread", "posts"]
