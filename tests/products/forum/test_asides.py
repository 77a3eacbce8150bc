"""Tests of `forum/outline.py`."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.page.blocks import split
from crfclean.products.forum import posts as forum_posts
from crfclean.products.forum.asides import beside, without_asides
from crfclean.types import Page
from tests.products.forum.test_faults import NAMES, WORDS

OPENER = "Every winter the same question comes up at our table: tea or coffee, and why?"
ABOUT = "A community for all who love their teapots, kettles and cups, and for those who mend them."
SIDE = (
    '<div class="card"><div class="card-body"><h5>Teapots</h5><div class="md-div"><p>{about}</p>'
    "<p>Be kind to each other, and post no links to shops.</p></div><ul><li>310 posts</li>"
    '<li><a class="person-listing" href="/u/mod">mod</a></li></ul></div></div>'
)


def lemmy(before: str = "", after: str = "") -> Page:
    """A thread where posts, comments and the community's description share their markup."""
    comments = "".join(
        f'<li class="comment"><article id="comment-{number}" class="comment-node"><div '
        f'class="ms-2"><div class="d-flex"><a class="person-listing" href="/u/{name}">{name}</a> '
        f'<span class="moment-time">{number + 2} days ago</span></div><div class="md-div"><p>'
        f"{words}</p></div></div></article></li>"
        for number, (name, words) in enumerate(zip(NAMES, WORDS, strict=True))
    )
    opener = (
        '<div class="post-listing"><article class="post-container"><h1>Tea or coffee in winter</h1>'
        '<a class="person-listing" href="/u/eve">eve</a> <i class="moment-time">7 days ago</i>'
        '</article><article id="postContent"><div class="card-body"><div class="md-div">'
        f"<p>{OPENER}</p></div></div>"
        "</article></div>"
    )
    return Page(
        "<html lang=en><title>Tea or coffee in winter - Teapots</title><body><nav><a href=/>Home"
        f"</a></nav><div class=row>{before}<main>{opener}<ul class=comments>{comments}</ul></main>"
        f"{after}</div></body></html>"
    )


@pytest.mark.parametrize(
    "around",
    [
        "<aside class='col-4'>{}</aside>",
        "<div id='sidebarMain'>{}</div>",
        "<div class='site-sidebar'>{}</div>",
        "<div role='complementary'>{}</div>",
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_the_description_of_a_community_is_no_post(around: str, *, is_first: bool) -> None:
    side = around.format(SIDE.format(about=ABOUT))
    (thread,) = forum_posts([lemmy(side) if is_first else lemmy(after=side)])
    assert tuple(post.text for post in thread.posts) == (OPENER, *WORDS)
    assert tuple(post.author for post in thread.posts) == ("eve", *NAMES)


@pytest.mark.parametrize(
    ("html", "is_aside"),
    [
        ("<aside><p>words</aside>", True),
        ("<div class='left-sidebar'><div><p>words</div></div>", True),
        ("<aside class='quote'><p>words</aside>", False),
        ("<body class='has-sidebar'><p>words", False),
        ("<div class='sidebarless'><p>words</div>", False),
        ("<p>words", False),
    ],
)
def test_asides(html: str, *, is_aside: bool) -> None:
    table = split(Page(html)).table
    assert beside(table)[table.tags.index("p")] == is_aside


def test_a_group_that_is_mostly_in_asides_stays() -> None:
    aside = np.array([False, True, True, True])
    assert without_asides([0, 1, 2, 3], aside) == [0, 1, 2, 3]
    assert without_asides([0, 1], aside) == [0]
    assert without_asides([0], aside) == [0]
