"""Tests of `features/zones.py`."""

from __future__ import annotations

import pytest

from crfclean.features.zones import (
    MAX_BYLINE_WORDS,
    coarse_kinds,
    is_byline,
    is_caption,
    is_comment,
)
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.types import CoarseKind, Page

BODY, TITLE, HEADERS = CoarseKind.BODY, CoarseKind.TITLE, CoarseKind.HEADERS
CAPTIONS, BYLINES, COMMENTS = CoarseKind.CAPTIONS, CoarseKind.BYLINES, CoarseKind.COMMENTS


def measure(html: str) -> Measures:
    return split(Page(html))


CASES = [
    ("<p>a</p>", [BODY]),
    ("<h1>a</h1><h2>b</h2><p>c</p>", [TITLE, HEADERS, BODY]),
    ("<title>x y</title><p>x y</p><h2>b</h2>", [TITLE, HEADERS]),
    ("<h3><span>a</span></h3><header>b</header>", [HEADERS, BODY]),
    ("<figure><img><figcaption>a</figcaption></figure><p>b</p>", [CAPTIONS, BODY]),
    ("<p class=caption>a</p><div class=caption><p>b</p></div>", [CAPTIONS, CAPTIONS]),
    ("<div class=caption><div><p>a</p></div></div>", [BODY]),  # two steps up: too far
    ("<p>By Jane</p><p>Bye</p>", [BYLINES, BODY]),
    ("<p class=author>a</p><p id=date>b</p><p><time>c</time></p>", [BYLINES] * 3),
    ("<address>a</address>", [BYLINES]),
    ("<div class=author><p>a</p></div>", [BYLINES]),
    ("<div class=author><div><p>a</p></div></div>", [BODY]),
    ("<p class=author>" + "a " * (MAX_BYLINE_WORDS - 1) + "</p>", [BYLINES]),
    ("<p class=author>" + "a " * MAX_BYLINE_WORDS + "</p>", [BODY]),
    ("<div class=comments><ul><li><p>a</p></li></ul></div><p>b</p>", [COMMENTS, BODY]),
    ("<div itemprop=comment><div><div><p>a</p></div></div></div>", [COMMENTS]),
    (
        "<ol class=comments><li class=comment><p>a</p><ol><li class=comment><p>b</p></ol></ol><p>c",
        [COMMENTS, COMMENTS, BODY],
    ),
    ("<body class='no-comments comments-open'><p>a</p><p>b</p></body>", [BODY, BODY]),
    ("<main class=with-comments><p>a</p><p>b</p></main>", [BODY, BODY]),
    ("<article class=has-comments><h1>a</h1><p>b</p></article><p>c</p>", [TITLE, BODY, BODY]),
    ("<p>a <span class=comment-count>3 comments</span></p><p>b</p>", [BODY, BODY]),
    ("<p><a class=comments-link href=x>3 comments</a></p><p>b</p>", [BODY, BODY]),
    (
        "<h1>a</h1><div id=comments><article><h2>b</h2><p>c</p></article></div>",
        [TITLE, HEADERS, COMMENTS],
    ),
    ("<div class=comments><p class=author>a</p><h4>b</h4></div>", [BYLINES, HEADERS]),
    ("<figure class=author><figcaption>a</figcaption></figure>", [CAPTIONS]),
    ("<h2 class=author>By me</h2>", [HEADERS]),
    ("<figcaption><h1>a</h1></figcaption>", [TITLE]),
    ("", []),
]


@pytest.mark.parametrize(("html", "expected"), CASES)
def test_kinds(html: str, expected: list[CoarseKind]) -> None:
    assert [CoarseKind(kind) for kind in coarse_kinds(measure(html))] == expected


def test_a_heading_is_no_byline_but_may_be_a_caption_or_comment() -> None:
    html = "<h1>a</h1><div class='author caption comments'><h2>By me</h2></div>"
    measures = measure(html)
    assert is_byline(measures).tolist() == [False, False]
    assert is_caption(measures).tolist() == [False, True]
    assert is_comment(measures).tolist() == [False, True]


def test_deeply_nested_comments_are_marked() -> None:
    depth = 300
    html = "<h1>a</h1>" + "<div class=comment><p>b</p>" * depth
    assert is_comment(measure(html)).tolist() == [False] + [True] * depth
