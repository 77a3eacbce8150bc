"""Tests of `model/markup.py`."""

from __future__ import annotations

import pytest
from htmlpages import column, measures_of

from crfclean.lexicon.markup import MARKUP, TAGS, group_bit
from crfclean.model.markup import with_markup
from crfclean.page.effects import DROPPED


def groups_of(name: str) -> set[str]:
    return {group for group in MARKUP if bits_of(name) & group_bit(group)}


def bits_of(name: str) -> int:
    """The bits of a name among others, which say nothing to it."""
    table = with_markup(measures_of(f"<i class=sidebar>a</i><p class='{name}'>b<i id=comment>c"))
    return int(table.name_bits[table.tags.index("p")])


# Names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", set()),
        ("x1 y2", set()),
        ("sidebar", {"sidebar"}),
        ("SIDEBAR", {"sidebar"}),
        ("banner", {"header", "ad"}),
        ("share_tweet", {"share"}),
        ("commentList", {"comment", "list"}),
        ("HTMLComment", {"comment"}),
        ("mostRead", {"related"}),
        ("most-read", {"related"}),
        ("Most 9 Read", {"related"}),
        ("most x read", set()),
        ("read-most", set()),
        ("nav2", {"nav"}),
        ("navx", set()),
        ("mostreadx", set()),
        ("sidebarNav footer", {"sidebar", "nav", "footer"}),
        ("комментарии", set()),
        ("é nav 评论", {"nav"}),
        ("x" * 396 + " nav", {"nav"}),
        ("x" * 397 + " nav", set()),
    ],
)
def test_groups_of_a_name(name: str, expected: set[str]) -> None:
    assert groups_of(name) == expected


# Elements

UNSEEN = DROPPED | {"select"}
SAID = [(group, one) for group, words in TAGS.items() for one in words if one not in UNSEEN]


@pytest.mark.parametrize(("group", "one"), SAID)
def test_what_tags_and_attributes_say(group: str, one: str) -> None:
    key, _, word = one.rpartition("=")
    start = f"<section3 {key}='{word}'>" if key else f"<{one} open>"
    end = "</section3>" if key else f"</{one}>"
    table = ("<table><tr>", "</tr></table>") if one in ("td", "th") else ("", "")
    html = f"{table[0]}{start}<i>a</i>{end}{table[1]}<p>b</p>"
    assert column(group, html) == [0.5, 0]
    others = {name for name in TAGS if column(name, html)[0] == 0.5}
    assert others == {name for name, words in TAGS.items() if one in words}


CASES = [
    ("in_link", "<p><a>a</a> b</p><p>b <a>a</a></p>", [1, 0]),  # the first text counts
    ("in_main", "<main><div><section><p>a</p></section><p>b</p></div></main>", [0.25, 1 / 3]),
    ("in_nav", "<nav>a<nav>b</nav></nav>", [1, 1]),
    ("in_nav", "<div role='x  NAVIGATION y'><p>a</p></div>", [0.5]),
    ("in_main", "<div role='1 2 3 4 5 6 7 main'><p>a</p></div>", [0.5]),
    ("in_main", "<div role='1 2 3 4 5 6 7 8 main'><p>a</p></div>", [0]),
    ("in_comment", "<div itemtype='https://schema.org/Comment'>a</div>", [1]),
    ("in_author", "<p>by <a rel='nofollow author'>b</a></p><a rel=author>c</a>", [0, 1]),
    ("in_main", "<div role><p>a</p></div><div role=''>b</div>", [0, 0]),
    ("in_caption", "<figure><figcaption>a</figcaption></figure>", [1]),
    ("in_figure", "<figure><figcaption>a</figcaption></figure>", [1]),
    ("named_nav", "<div class><p>a</p></div><div id=''>b</div>", [0, 0]),
    ("named_comment", "<ul class=comments><li><p>a</p></li></ul>", [1 / 3]),
    ("named_related", "<div class=most id=read>a</div>", [1]),
    ("named_nav", "<div class=nav id=x>a</div><div class=x id=nav>b</div><div>c</div>", [1, 1, 0]),
    ("named_nav", f"<p class={'x' * 396} id=nav>a</p><p class={'x' * 397} id=nav>b</p>", [1, 0]),
    ("named_comment", "<p id=all-comments>a</p><h2>All  Comments</h2>", [0, 0]),  # made from it
    ("named_comment", "<p id=comments>a</p><h2>Comments</h2>", [1, 0]),
    ("named_post", "<body class=post><p>a</p></body>", [0.5]),
    ("depth", "<p>a</p><div><p>b<i>c</i></p></div>", [2, 3]),
]


@pytest.mark.parametrize(("name", "html", "expected"), CASES)
def test_columns(name: str, html: str, expected: list[float]) -> None:
    assert column(name, html) == pytest.approx(expected)
