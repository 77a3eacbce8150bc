"""Tests of `forum/thread.py`."""

from __future__ import annotations

import pytest

from crfclean.page.blocks import split
from crfclean.products.forum import posts as forum_posts
from crfclean.products.forum.replies import answered_posts
from crfclean.types import Page
from tests.products.forum.test_faults import DATES, NAMES, WORDS, page_of


def answers(html: str) -> list[int]:
    """What each `p` of a page answers."""
    table = split(Page(html)).table
    return answered_posts(table, [node for node, tag in enumerate(table.tags) if tag == "p"])


def comment(words: str, *replies: str, classes: str = "comment") -> str:
    """A comment with its answers in a list of their own."""
    inner = f"<ul>{''.join(replies)}</ul>" if replies else ""
    return f'<li class="{classes}"><div><p>{words}</p></div>{inner}</li>'


def test_answers_are_inside_what_they_answer() -> None:
    html = comment("a", comment("b", comment("c")), comment("d")) + comment("e", comment("f"))
    assert answers(f"<ul>{html}</ul>") == [-1, 0, 1, 0, -1, 4]


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


# what the markup states


def note(number: int, head: str = "", *, attributes: str = "", words: str = "") -> str:
    """A post of a flat thread."""
    return (
        f'<div class="note" id="post-{40 + number}" {attributes}><div class="by"><a class="nick" '
        f'href="/member/{NAMES[number]}">{NAMES[number]}</a> <span class="when">{DATES[number]}'
        f'</span>{head}</div><div class="says">{words or WORDS[number]}</div></div>'
    )


def replies_of(*notes: str, count: int = 0) -> list[tuple[int, str, str] | None]:
    """Place, number and source of each post's reply; there are `count` posts (0: one a note)."""
    (thread,) = forum_posts([page_of(f"<section>{''.join(notes)}</section>")])
    assert len(thread.posts) == (count or len(notes))
    return [
        (post.reply.place, post.reply.post_id, post.reply.source) if post.reply else None
        for post in thread.posts
    ]


def test_a_flat_thread_says_nothing() -> None:
    assert replies_of(note(0), note(1), note(2), note(3)) == [None] * 4


@pytest.mark.parametrize(
    "attribute",
    [
        'data-parent-id="40"',
        'data-parent="post-40"',
        'parentid="40"',
        'data-in-reply-to="#post-40"',
        'data-parent_comment_id="comment-40"',
    ],
)
def test_attributes_name_the_parent(attribute: str) -> None:
    assert replies_of(note(0), note(1), note(2, attributes=attribute), note(3)) == [
        None,
        None,
        (0, "40", "attribute"),
        None,
    ]


QUOTES = (
    '<blockquote><cite>Ann wrote: <a href="goto/post?id=40">↑</a></cite><p>tea</p></blockquote>',
    '<aside class="quote" data-post="40"><blockquote><p>nothing but tea</p></blockquote></aside>',
    '<blockquote cite="./viewtopic.php?p=40#p40"><p>nothing but tea</p></blockquote>',
    '<blockquote data-quote="Ann" data-source="post: 40"><p>nothing but tea</p></blockquote>',
)


@pytest.mark.parametrize("quote", QUOTES)
def test_quotes_link_the_posts_that_they_quote(quote: str) -> None:
    answer = note(2, words=f"{quote}<p>{WORDS[2]}</p>")
    assert replies_of(note(0), note(1), answer, note(3))[2] == (0, "40", "quote")


def test_nested_posts() -> None:
    """Answers inside what they answer, in lists that have ids of their own."""
    inner = note(1).replace("</div></div>", "</div><ul id=answers-41></ul></div>")
    nested = note(0)[: -len("</div>")] + f"<div id='replies-40'>{inner}</div></div>"
    (thread,) = forum_posts([page_of(f"<section>{nested}{note(2)}{note(3)}</section>")])
    assert [post.reply and post.reply.place for post in thread.posts] == [None, 0, None, None]
