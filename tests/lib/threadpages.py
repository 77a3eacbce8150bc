"""Pages of threads that go over several pages, made of the demo forums' threads of one page."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import cast

from lxml import etree, html

Posts = Callable[[html.HtmlElement], list[html.HtmlElement]]


def two_pages(page: Path) -> list[str]:
    """A thread on two pages: all posts but the last, then the opening one again and the last."""
    rules = (page.parent / "posts.xpath").read_text("utf-8").splitlines()
    (xpath,) = (line.removeprefix("comments=") for line in rules if line.startswith("comments="))
    tree, posts = html.fromstring(page.read_text("utf-8")), cast("Posts", etree.XPath(xpath))
    last = len(posts(tree)) - 1
    return [_with(tree, posts, kept) for kept in (set(range(last)), {0, last})]


def _with(tree: html.HtmlElement, posts: Posts, kept: set[int]) -> str:
    """The page with some of its posts alone."""
    page = copy.deepcopy(tree)
    for place, post in enumerate(posts(page)):
        if place not in kept:
            post.drop_tree()
    return f"<!DOCTYPE html>\n{html.tostring(page, encoding='unicode')}"
