"""Tests of `forum/joining.py`: pages of one thread."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crfclean.forum.dates import NEVER
from crfclean.forum.joining import joined
from crfclean.forum.posts import NO_POSTS
from crfclean.forum.replies import Reply
from crfclean.forum.thread import Post, Thread
from crfclean.forum.thread_keys import thread_key


def post(number: int, page: int = 0, text: str = "") -> Post:
    words = text or f"words {number}"
    return Post(
        words, (), words, "ann", "", "", NEVER, str(number), "", page, first=number == 1, node=0
    )


def thread(url: str, *posts: Post, topic: str = "Tea or coffee") -> Thread:
    return Thread(url, topic, posts, "ok", 2.0)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://a.example/t/5/title", "https://a.example/t/5/title?page=2"),
        ("https://a.example/threads/x.5/", "https://a.example/threads/x.5/page-2#post-9"),
        (
            "https://a.example/viewtopic.php?f=1&t=5",
            "https://a.example/viewtopic.php?f=1&t=5&start=15",
        ),
        ("https://a.example/viewtopic.php?t=5", "https://a.example/viewtopic.php?start=15&t=5"),
        ("https://a.example/index.php?topic=5.0", "https://a.example/index.php?topic=5.15"),
        ("https://a.example/5812914/tea", "https://a.example/5812914/tea/2"),
        ("https://a.example/t5-tea.html", "https://a.example/t5-tea-page2.html"),
    ],
)
def test_addresses_of_one_thread(first: str, second: str) -> None:
    assert thread_key(first, "") == thread_key(second, "")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://a.example/viewtopic.php?t=5", "https://a.example/viewtopic.php?t=6"),
        ("https://a.example/index.php?topic=5.0", "https://a.example/index.php?topic=6.0"),
        ("https://a.example/t/tea-5", "https://a.example/t/tea-6"),
        ("https://a.example/t/1234567", "https://a.example/t/1234568"),
        ("https://a.example/t/5", "https://b.example/t/5"),
    ],
)
def test_addresses_of_other_threads(first: str, second: str) -> None:
    assert thread_key(first, "") != thread_key(second, "")


def test_pages_are_joined_once_and_in_order() -> None:
    pages = [
        thread("https://a.example/t/tea", post(1), post(2)),
        thread("https://a.example/t/milk", post(7, 1)),
        thread("https://a.example/t/tea?page=2", post(1, 2), post(3, 2)),
    ]
    tea, milk = joined(pages)
    assert [(one.post_id, one.page, one.first) for one in tea.posts] == [
        ("1", 0, True),
        ("2", 0, False),
        ("3", 2, False),
    ]
    assert [one.first for one in milk.posts] == [True]
    assert tea.url == "https://a.example/t/tea"


def test_equal_words_on_a_page_are_two_posts() -> None:
    twice = thread("https://a.example/t/tea", post(1, text="Thanks!"), post(1, text="Thanks!"))
    assert len(joined([twice])[0].posts) == 2


def test_without_addresses_the_title_decides() -> None:
    pages = [thread("", post(1)), thread("", post(2, 1)), thread("", post(3, 2), topic="Tea")]
    assert [len(one.posts) for one in joined(pages)] == [2, 1]


def test_pages_without_posts_stay() -> None:
    empty = Thread("https://a.example/t/tea", "", (), NO_POSTS)
    assert joined([empty, empty]) == [empty, empty]
    assert joined([]) == []


def test_a_broken_address_is_its_own_thread() -> None:
    assert thread_key("http://[a", "") == "http://[a"


def test_replies_follow_their_posts() -> None:
    """What a page answers by place, by a number of another page, and by a post shown again."""
    second = replace(post(2), reply=Reply(0, "1", "link"))
    first = thread("https://a.example/t/tea", post(1), second)
    again = replace(post(3, 1), reply=Reply(0, "1", "nesting"))
    quoting = replace(post(4, 1), reply=Reply(-1, "2", "quote"))
    answering = replace(post(5, 1), reply=Reply(2, "4", "link"))
    lost = replace(post(6, 1), reply=Reply(-1, "99", "quote"))
    more = thread("https://a.example/t/tea?page=2", post(1, 1), again, quoting, answering, lost)
    (tea,) = joined([first, more])
    assert [one.reply and (one.reply.place, one.reply.post_id) for one in tea.posts] == [
        None,
        (0, "1"),
        (0, "1"),
        (1, "2"),
        (3, "4"),
        (-1, "99"),
    ]
