"""Tests of `forum/joining.py`: addresses and titles of pages of one thread, and of others."""

from __future__ import annotations

import pytest

from crfclean.forum.joining import page_key, stated_address
from crfclean.page.blocks import split
from crfclean.types import Page


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
