"""Tests of `forum/joining.py`: pages of one thread."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from threadpages import two_pages

from crfclean.metadata.address import stated_address
from crfclean.page.blocks import split
from crfclean.products.forum.dates import NEVER
from crfclean.products.forum.joining import joined, page_key, thread_groups
from crfclean.products.forum.posts import posts
from crfclean.products.forum.replies import Reply
from crfclean.products.forum.thread import Post, Thread
from crfclean.types import Page


def post(number: int, page: int = 0, text: str = "") -> Post:
    words = text or f"words {number}"
    return Post(
        words, (), words, "ann", "", "", NEVER, str(number), "", page, first=number == 1, node=0
    )


def thread(url: str, *posts: Post, topic: str = "Tea or coffee") -> Thread:
    return Thread(url, topic, posts, "ok", 2.0)


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
        ("3", 1, False),
    ]
    assert [one.first for one in milk.posts] == [True]
    assert tea.url == "https://a.example/t/tea"
    assert tea.pages == ("https://a.example/t/tea", "https://a.example/t/tea?page=2")
    assert milk.pages == ()


LONG = "The kettle sings before it boils, whatever the stove."


def test_without_addresses_a_shared_post_decides() -> None:
    """A title alone may be that of two threads: such pages stay apart."""
    opening = post(1, text=LONG)
    pages = [thread("", opening, post(2)), thread("", opening, post(3)), thread("", post(4))]
    pages.append(thread("", opening, topic="Another title"))
    assert thread_groups(pages) == [[0, 1], [2], [3]]
    short = [thread("", post(1, text="Thanks!")), thread("", post(1, text="Thanks!"))]
    assert thread_groups(short) == [[0], [1]]


def test_equal_addresses_are_one_thread_whatever_their_end_may_be() -> None:
    """The number at the end of `/f2/t/1205` may be a page's; `?page=2` says that it is none."""
    address = "https://a.example/f2/t/1205"
    pages = [thread(f"{address}?page={number}", post(number)) for number in (1, 2, 3)]
    assert thread_groups(pages) == [[0, 1, 2]]


def test_pages_that_bridge_two_others_join_them() -> None:
    first, second = (post(number, text=f"{number} {LONG}") for number in (1, 2))
    pages = [thread("", first), thread("", second), thread("", first, second)]
    assert thread_groups(pages) == [[0, 1, 2]]


def test_a_bare_number_is_a_page_of_a_page_that_is_there() -> None:
    """`/t/tea/1205/2` is a page of `/t/tea/1205`, if that is there; `/forum/12/78` is of none."""
    base, second, third = (
        thread(f"https://a.example/t/tea/1205{end}", post(number))
        for number, end in enumerate(("", "/2", "/3"), 1)
    )
    assert thread_groups([base, second, third]) == [[0, 1, 2]]
    assert thread_groups([second, third]) == [[0], [1]]
    shared = replace(base, posts=(post(9, text=LONG),)).posts
    pages = [replace(page, posts=(*shared, *page.posts)) for page in (second, third)]
    assert thread_groups(pages) == [[0, 1]]


def test_pages_come_in_the_order_of_their_numbers() -> None:
    url = "https://a.example/viewtopic.php?t=5"
    pages = [thread(f"{url}{more}", post(number)) for more, number in (("&start=40", 3), ("", 1))]
    pages.append(thread(f"{url}&start=20", post(2)))
    (tea,) = joined(pages)
    assert [one.post_id for one in tea.posts] == ["1", "2", "3"]
    assert [one.first for one in tea.posts] == [True, False, False]
    first_and_last, second = joined(pages[:2])[0], pages[2]
    (again,) = joined([first_and_last, second])
    assert again.posts == tuple(
        replace(one, page=page) for one, page in zip(tea.posts, (0, 2, 1), strict=True)
    ), "a thread that was joined before takes a further page in its place"
    assert joined([tea]) == [tea]


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


@pytest.mark.parametrize("url", ["https://forum.example/t/tea-5", ""])
@pytest.mark.parametrize(
    "site",
    ["chess-cafe", "lighthouse-keepers-list", "zahradka-forum"],
)
def test_threads_of_many_kinds_of_forums(root: Path, site: str, url: str) -> None:
    """The second page first; both show the opening post."""
    page = root / "data" / "forum" / site / "1.html"
    first, second = two_pages(page)
    pages = [Page(second, url and f"{url}?page=2"), Page(first, url)]
    (whole,) = posts([Page(page.read_text("utf-8"), url)])
    (tea,) = joined(posts(pages))
    words = sorted((one.author, one.text) for one in tea.posts)
    assert words == sorted((one.author, one.text) for one in whole.posts)
    assert not url or [one.text for one in tea.posts] == [one.text for one in whole.posts]


SHAPES = {
    "XenForo": (
        "https://f.example/threads/tea.5/{page}",
        (
            '<article class="message" id="js-post-{n}"><h4 class="message-name"><a '
            'class="username" href="/members/{who}.{n}/">{who}</a></h4><h5>Member</h5>'
            '<time datetime="2020-05-0{day}T10:00:00Z">May {day}, 2020</time>'
            '<div class="bbWrapper">{words}</div></article>'
        ),
    ),
    "phpBB": (
        "https://f.example/viewtopic.php?t=5{page}",
        (
            '<div id="p{n}" class="post"><div class="postbody"><p class="author">by <strong><a '
            'class="username" href="memberlist.php?mode=viewprofile&amp;u={n}">{who}</a></strong> '
            '&raquo; Tue May 0{day}, 2020 10:00 am</p><div class="content">{words}</div></div>'
            "</div>"
        ),
    ),
    "vBulletin": (
        "https://f.example/showthread.php?t=5{page}",
        (
            '<table id="post{n}"><tr><td class="thead">0{day}-05-2020, 10:00 AM</td></tr><tr><td>'
            '<a class="bigusername" href="member.php?u={n}">{who}</a></td></tr><tr><td><div '
            'id="post_message_{n}">{words}</div></td></tr></table>'
        ),
    ),
    "comments": (
        "https://f.example/{page}tea-or-coffee.html",
        '<div class="c"><p>{who} says:</p><p>May {day}, 2020 at 10:00 am</p><p>{words}</p></div>',
    ),
}
PAGES = {"XenForo": "page-{}", "phpBB": "&start={}0", "vBulletin": "&page={}", "comments": ""}


@pytest.mark.parametrize("forum", SHAPES)
def test_what_every_page_shows_counts_once(forum: str) -> None:
    """Three pages, the last one first: each shows the opener and a sticky notice again."""
    address, shape = SHAPES[forum]
    numbers, pages = ([1, 2, 3, 4], [1, 2, 5, 6], [1, 2, 7, 8]), list[Page]()
    said = LONG.lower().split()
    texts = [" ".join([*said[n:], *said[:n], *said[: n * n % 9]]) for n in range(8)]
    for number, shown in enumerate(numbers):
        rows = "".join(
            shape.format(n=n + 4100, day=n, who=f"member{'abcdefgh'[n - 1]}", words=texts[n - 1])
            for n in shown
        )
        mark = PAGES[forum].format(number + 1) if number else ""
        url = address.format(page=mark) if mark or forum != "comments" else ""
        html = f"<html lang=en><title>Tea or coffee</title><h1>Tea or coffee</h1>{rows}"
        pages.insert(0, Page(html, url))
    (tea,) = joined(posts(pages))
    assert sorted(one.text for one in tea.posts) == sorted(texts)
    assert len({one.author for one in tea.posts}) == len(tea.posts)
    assert not tea.url or [one.text for one in tea.posts] == texts


# the keys of pages


@pytest.mark.parametrize(
    ("first", "second", "number"),
    [
        ("/t/5/title", "/t/5/title?page=2", 2),
        ("/threads/x.5/", "/threads/x.5/page-2#post-9", 2),
        ("/viewtopic.php?f=1&t=5", "/viewtopic.php?f=1&t=5&start=15", 15),
        ("/viewtopic.php?t=5", "/viewtopic.php?start=15&t=5", 15),
        ("/viewtopic.php?t=5", "/viewtopic.php?t=5&sid=0123456789abcdef0123", 0),
        ("/index.php?topic=5.0", "/index.php?topic=5.15", 15),
        ("/index.php?topic=5.0", "/index.php?topic=5.msg77", 0),
        ("/t5-tea.html", "/t5-tea-page2.html", 2),
        ("/discussion/7/tea", "/discussion/7/tea/p2", 2),
    ],
)
def test_addresses_of_one_thread(first: str, second: str, number: int) -> None:
    keys = [page_key(f"https://a.example{path}", "Tea") for path in (first, second)]
    assert keys[0].thread == keys[1].thread
    assert keys[1].number == number


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a.example/viewtopic.php?t=5", "a.example/viewtopic.php?t=6"),
        ("a.example/index.php?topic=5.0", "a.example/index.php?topic=6.0"),
        ("a.example/t/tea-5", "a.example/t/tea-6"),
        ("a.example/t/1234567", "a.example/t/1234568"),
        ("a.example/t/12", "a.example/t/13"),
        ("a.example/forums/4/77", "a.example/forums/4/78"),
        ("a.example/?p=12", "a.example/?p=13"),
        ("a.example/viewtopic.php?f=3&p=12", "a.example/viewtopic.php?f=3&p=13"),
        ("a.example/?page=2", "a.example/?page=3"),
        ("a.example/index.php?page=12", "a.example/index.php?page=13"),
        ("a.example/t/5", "b.example/t/5"),
    ],
)
def test_addresses_of_other_threads(first: str, second: str) -> None:
    keys = [page_key(f"https://{address}", "Welcome") for address in (first, second)]
    assert keys[0].thread != keys[1].thread


def test_titles_of_pages_and_of_threads() -> None:
    url = "https://a.example/index.php?x=1"
    key = page_key(url, "Tea or coffee")
    for title in (
        "Tea or coffee - Page 2",
        "Tea or coffee (Seite 2 von 5)",
        "Tea or coffee | ページ2",
    ):
        assert page_key(url, title) == key
    assert page_key(url, "Tea or milk").thread != key.thread


def test_a_page_states_its_address() -> None:
    link = '<link rel="canonical" href="https://a.example/t/5">'
    graph = '<meta property="og:url" content="https://a.example/t/6">'
    for head, address in (
        (link + graph, "5"),
        (graph, "6"),
        ('<link rel=canonical href="/x">', ""),
        (f'<meta name="keywords" content=", ,">{link}', "5"),
    ):
        page = split(Page(f"<head>{head}</head><p>Tea</p>"))
        assert stated_address(page) == (address and f"https://a.example/t/{address}")
