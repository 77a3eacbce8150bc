"""Tests of `forum/choose.py`, and of dates that stand in attributes alone."""

from __future__ import annotations

import pytest

from crfclean.page.blocks import split
from crfclean.products.forum.dates import DateReader, When
from crfclean.products.forum.outline import outline
from crfclean.products.forum.posts import posts
from crfclean.products.forum.stated import stated_posts
from crfclean.types import Page

WORDS = (
    "I have had nothing but tea since Monday, and I sleep better than in years.",
    "Coffee in the morning, tea in the afternoon, and nothing at all after six.",
    "Water, thank you. The well behind the mill has the best of the whole valley.",
    "Whoever drinks from that well in August has not seen what swims in it by night.",
)
NAMES = ("ann", "Bob O&#39;Neil", "cleo", "dora")
ITEM = """<section itemscope itemtype="https://schema.org/{kind}">
<span itemprop="author" itemscope><meta itemprop="name" content="{name}"></span>
<meta itemprop="datePublished" content="2020-05-0{n}T08:00:00Z"><b>{n}</b>
<div class="words{n}" itemprop="text">{words}</div>{more}</section>"""
RDFA = """<div typeof="sioc:Post schema:Comment"><p property="schema:author">{name}</p>
<p class="words{n}" property="schema:text">{words}</p>{more}</div>"""


def items(shape: str, count: int = 3, kind: str = "Comment", more: str = "") -> str:
    rows = enumerate(zip(NAMES[:count], WORDS, strict=False), 1)
    parts = ({"n": n, "name": name, "words": words} for n, (name, words) in rows)
    return "".join(shape.format(**part, kind=kind, more=more) for part in parts)


REMARK = ITEM.format(kind="Comment", name="eve", n=9, words="Nonsense!", more="")


@pytest.mark.parametrize(
    ("html", "bodies"),
    [
        (items(ITEM), 3),
        (items(RDFA), 3),
        (items(ITEM, 1), 0),
        (items(ITEM, kind="Recipe"), 0),
        (items(ITEM, kind="Answer", more=REMARK), 3),
        (ITEM.format(kind="Question", name="ann", n=1, words="Tea?", more=items(ITEM)), 0),
        (items(ITEM, kind="DiscussionForumPosting", more=REMARK), 6),
        (items(ITEM).replace(WORDS[0], items(ITEM)), 3),  # the outer one alone counts
        (items(ITEM).replace("itemprop=", "id="), 0),
    ],
)
def test_posts_that_a_page_states(html: str, bodies: int) -> None:
    page = outline(split(Page(f"<body>{html}</body>")))
    stated = list(stated_posts(page))
    assert len(stated) == bodies
    assert stated == sorted(stated)


def test_posts_are_completed_by_what_is_stated() -> None:
    """No author and no date is shown, and no two elements of words share a name."""
    (thread,) = posts([Page(f"<html lang=en><body><h1>Tea</h1>{items(ITEM)}</body></html>")])
    assert [post.text for post in thread.posts] == list(WORDS[:3])
    assert [post.author for post in thread.posts] == ["ann", "Bob O'Neil", "cleo"]
    assert [post.published.iso[:10] for post in thread.posts] == [
        f"2020-05-0{day}" for day in (1, 2, 3)
    ]
    assert thread.posts[0].from_data[:2] == ("author", "published")


POST = """<div class="post"><a class="username" href="/u/{n}">{name}</a> <span class="time"
{date}</span><div class="body"><p>{words}</p><p>{close}</p></div></div>"""


def thread_page(dates: list[str], close: str = "", after: str = "") -> Page:
    rows = enumerate(zip(dates, NAMES, WORDS, strict=True), 1)
    body = "".join(
        POST.format(n=n, name=name, words=words, date=date, close=close)
        for n, (date, name, words) in rows
    )
    return Page(f"<html lang=en><title>Tea</title><body><h1>Tea</h1>{body}{after}</body></html>")


@pytest.mark.parametrize(
    "date",
    [
        'title="May {n}, 2020 8:00 am">2 years ago',
        'title="2020-05-0{n} 08:00:00">',
        'data-livestamp="2020-05-0{n}T08:00:00+0000">3h',
        '><time datetime="2020-05-0{n}"></time>',
        'title="Tue {n} May 2020">May {n}',
    ],
)
def test_dates_in_attributes(date: str) -> None:
    (thread,) = posts([thread_page([date.format(n=n) for n in (1, 2, 3, 4)])])
    assert [post.published.iso[:10] for post in thread.posts] == [
        f"2020-05-0{day}" for day in (1, 2, 3, 4)
    ]
    assert [post.author for post in thread.posts] == ["ann", "Bob O'Neil", "cleo", "dora"]


@pytest.mark.parametrize(
    "date",
    [
        'title="edited May {n}, 2020 8:00 am">2 years ago',
        'data-id="158837760{n}">2 years ago',  # a number is a date where its name says so
        '>2 years ago, <i title="May 2020 brings rain">new</i>',
    ],
)
def test_attributes_without_a_date_of_the_post(date: str) -> None:
    (thread,) = posts([thread_page([date.format(n=n) for n in (1, 2, 3, 4)])])
    assert [(post.published.iso, post.published.certainty) for post in thread.posts] == [
        ("", "relative")
    ] * 4


def test_a_span_of_time_behind_a_sign_is_no_date() -> None:
    assert DateReader().read("· 4y") == When("", "relative")


DATES = [f">May {n}, 2020 8:00 am" for n in (1, 2, 3, 4)]


def test_what_ends_all_posts_is_none_of_their_words() -> None:
    (thread,) = posts([thread_page(DATES, close="Answer now")])
    assert [post.text for post in thread.posts] == list(WORDS)


@pytest.mark.parametrize("last", [">", ">vor wenigen Sekunden", ">in einem Moment"])
def test_the_newest_post_needs_no_date_that_is_known(last: str) -> None:
    (thread,) = posts([thread_page([*DATES[:3], last])])
    assert [post.text for post in thread.posts] == list(WORDS)
