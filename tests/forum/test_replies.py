"""Tests of `forum/replies.py`."""

from __future__ import annotations

import pytest

from crfclean.forum.replies import answered_posts
from crfclean.page.blocks import split
from crfclean.types import Page


def answers(html: str) -> list[int]:
    """What each `p` of a page answers."""
    nodes = split(Page(html)).nodes
    return answered_posts(nodes, [node for node, tag in enumerate(nodes.tags) if tag == "p"])


def comment(words: str, *replies: str, classes: str = "comment") -> str:
    """A comment with its answers in a list of their own."""
    inner = f"<ul>{''.join(replies)}</ul>" if replies else ""
    return f'<li class="{classes}"><div><p>{words}</p></div>{inner}</li>'


def test_answers_are_inside_what_they_answer() -> None:
    html = comment("a", comment("b", comment("c")), comment("d")) + comment("e", comment("f"))
    assert answers(f"<ul>{html}</ul>") == [-1, 0, 1, 0, -1, 4]


def test_a_class_in_common_is_enough() -> None:
    html = comment("a", comment("b", classes="comment odd depth-2"), classes="comment depth-1")
    assert answers(f"<ul>{html}</ul>") == [-1, 0]


@pytest.mark.parametrize(
    "html",
    [
        f"<ul>{comment('a')}{comment('b')}{comment('c')}</ul>",
        "<div><p>a</p><p>b</p></div>",
        '<div class="question"><p>a</p><div class="answers"><div><p>b</p></div></div></div>',
        "<div><p>a</p><div><p>b</p></div></div>",
        '<table><tr><td><p>a<tr><td class="deep"><table><tr><td><p>b</table></table>',
    ],
)
def test_other_pages_tell_nothing(html: str) -> None:
    assert set(answers(html)) == {-1}


def test_elements_of_a_page_of_its_own_need_no_class() -> None:
    post = "<x-post><p>a</p>{}</x-post>"
    assert answers(post.format(post.format(""))) == [-1, 0]
    bare = "<li><p>a</p><ol>{}</ol></li>"
    assert answers(f"<ol>{bare.format(bare.format(''))}</ol>") == [-1, 0]


def test_no_posts() -> None:
    assert answers("<div>words</div>") == []


def test_many_levels_and_many_posts() -> None:
    deep = "".join('<div class="c"><p>a</p>' for _ in range(300))
    assert answers(deep) == [-1, *range(299)]
    assert answers(f"<ul>{comment('a') * 3_000}</ul>") == [-1] * 3_000
