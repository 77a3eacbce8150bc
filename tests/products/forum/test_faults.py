"""Tests of faults that forums of unknown markup had shown, on pages of the project's own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from crfclean.page.blocks import split
from crfclean.products.forum import posts as forum_posts
from crfclean.products.forum.body_features import BODY_FEATURES, body_groups
from crfclean.products.forum.dates import DateReader, core_of
from crfclean.products.forum.outline import outline
from crfclean.products.forum.post_dates import looks_like_date
from crfclean.products.forum.thread import Post, Thread
from crfclean.types import Page

WORDS = (
    "I have had nothing but tea since Monday, and my head aches from noon to supper.",
    "Coffee in the morning, tea in the afternoon, and nothing at all after six o'clock.",
    "Water, thank you. A glass before every meal, and two when the wind is in the south.",
    "My grandmother put a spoon of honey into either, and she lived to be ninety-seven.",
)
NAMES = ("Ann_of_Ayr", "Bertil", "kettle_77", "Dorothea")


def page_of(body: str, title: str = "Tea or coffee in winter") -> Page:
    return Page(
        f"<html lang=en><head><title>{title}</title></head><body><div class=top><a href=/>Board"
        f"</a> <a href=/login>Log in</a></div><h1>{title}</h1>{body}<p>Powered by paper</p></body>"
        "</html>"
    )


def thread_of(body: str) -> Thread:
    """What the shipped model reads."""
    return forum_posts([page_of(body)])[0]


def words_of(posts: Sequence[Post]) -> tuple[str, ...]:
    return tuple(post.text for post in posts)


POST = (
    '<div class="entry"><div class="head"><a class="nick" href="/member/{name}">{name}</a> '
    '<span class="when">{date}</span></div><div class="words">{words}</div></div>'
)
DATES = ("5 May 2020, 10:01", "5 May 2020, 11:30", "6 May 2020, 08:15", "9 May 2020, 21:40")


def entries(template: str, dates: Sequence[str] = DATES) -> str:
    rows = zip(NAMES, dates, WORDS, range(len(WORDS)), strict=True)
    return "".join(
        template.format(name=name, date=date, words=words, n=number)
        for name, date, words, number in rows
    )


# teasers

TEASER = (
    '<div class="card"><h4><a href="/t/{n}">{title}</a></h4><p class="text">{text}…</p><span>{name}'
    "</span> <span>{n} May 2020</span></div>"
)
TITLES = (
    (
        "Kettles that whistle too early",
        "Mine begins at seventy degrees, and the cat leaves the room",
    ),
    ("Which cup keeps warm longest", "Tin cools at once, and clay takes its time, but then again"),
    (
        "Sugar before or after the milk",
        "An aunt of mine broke with her brother over this, since he",
    ),
    (
        "Is the water of the well safe",
        "The parish had it tested in spring, and the answer was that",
    ),
    (
        "Mending a cracked teapot",
        "Glue holds for a month, rivets for a lifetime, if you find a man",
    ),
    ("Drying mint in the attic", "It must hang head down and out of the sun, and even so the mice"),
)
TEASERS = "".join(
    TEASER.format(n=number, title=title, text=text, name=NAMES[number % 4])
    for number, (title, text) in enumerate(TITLES, 11)
)


def test_teasers_of_other_threads_are_no_posts() -> None:
    thread = thread_of(entries(POST) + f"<h3>More threads</h3>{TEASERS}")
    assert words_of(thread.posts) == WORDS


def test_signs_of_teasers() -> None:
    page = page_of(entries(POST) + TEASERS)
    assert teasing(page, "p.text") == [1.0, 1.0]
    assert teasing(page, "div.words") == [0.0, 0.0]
    more = Page("<p class=a>words…<a href=/1>Read more</a></p><p class=a>whole.</p>")
    assert teasing(more, "p.a") == [0.0, 0.5]


def test_titles_of_teasers_stand_near_and_differ() -> None:
    title, words = "<a href=/{}>{} and far away</a>", "<p class=a>words</p>"
    near, far = "<i>.</i><b>.</b>" * 3 + "<i>.</i>", "<i>.</i><b>.</b>" * 4
    for between, texts, share in ((near, "xyz", 1.0), (far, "xyz", 0.0), ("", "xxx", 1 / 3)):
        items = (title.format(n, text) + between + words for n, text in enumerate(texts))
        assert teasing(Page("".join(items)), "p.a")[0] == share


def teasing(page: Page, name: str) -> list[float]:
    """The shares of a group's elements with a title above, and with text cut off."""
    groups = {group.name: group.values for group in body_groups(outline(split(page)))}
    return [float(groups[name][BODY_FEATURES.index(sign)]) for sign in ("titled", "cut")]


# records without a repeated class


def test_a_table_without_classes() -> None:
    row = (
        '<tr><td><a href="/u/{n}">{name}</a></td><td><small>{date}</small><div>{words}</div></td>'
        "</tr>"
    )
    thread = thread_of(f"<table>{entries(row)}</table>")
    assert words_of(thread.posts) == WORDS
    assert tuple(post.author for post in thread.posts) == NAMES
    assert [post.published.iso[:10] for post in thread.posts][::3] == ["2020-05-05", "2020-05-09"]


def test_groups_by_place_and_by_shared_class() -> None:
    rows = "<tr><td>ann</td><td>words</td></tr>" * 3
    page = outline(split(Page(f"<table>{rows}</table>")))
    (cells,) = (page.groups[name] for name in page.groups if name.endswith("td[2]"))
    assert [page.text(node) for node in cells] == ["words"] * 3
    items = "".join(f'<li class="c by-{name}">w</li>' for name in NAMES)
    assert len(outline(split(Page(f"<ul>{items}</ul>"))).groups["~li.c"]) == 4


# names


def test_names_in_a_cell_above_the_words() -> None:
    rows = (
        '<tr class="a"><td class="who"><a href="/member.php?u={n}">{name}</a></td></tr>'
        '<tr class="b"><td class="what"><em>{date}</em><div class="words">{words}</div></td></tr>'
    )
    thread = thread_of(f"<table>{entries(rows)}</table>")
    assert words_of(thread.posts) == WORDS
    assert tuple(post.author for post in thread.posts) == NAMES


# spans of time


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("3 hours ago", "3 hours ago"),
        ("Posted 10 months 3 weeks ago", "10 months 3 weeks ago"),
        ("vor 10 Monaten 3 Wochen", "vor 10 Monaten 3 Wochen"),
        ("vor 3 Tagen", "vor 3 Tagen"),
        ("il y a 2 ans", "il y a 2 ans"),
        ("il y a 3 mois et 2 jours", "il y a 3 mois et 2 jours"),
        ("3 giorni fa", "3 giorni fa"),
        ("3 dagen geleden", "3 dagen geleden"),
        ("för 3 dagar sedan", "3 dagar sedan"),
        ("3 päivää sitten", "3 päivää sitten"),
        ("3 gün önce", "3 gün önce"),
        ("acum 3 zile", "acum 3 zile"),
        ("3 дні тому", "3 дні тому"),
        ("há 2 dias", "há 2 dias"),
        ("3日前", "3日前"),
    ],
)
def test_spans_before_now(text: str, core: str) -> None:
    assert looks_like_date(text)
    assert core_of(text) == core
    assert DateReader().read(text).certainty == "relative"


MEMBER = POST.replace(
    '</div><div class="words">',
    '<dl><dt>Member since:</dt><dd>{n} years 2 months</dd></dl></div><div class="words">',
)


@pytest.mark.parametrize(
    "dates",
    [
        ("vor 3 Tagen", "vor 3 Tagen", "vor 2 Tagen", "vor 5 Stunden"),
        ("3 days ago", "3 days ago", "2 days ago", "5 hours ago"),
        ("il y a 3 jours", "il y a 3 jours", "il y a 2 jours", "il y a 5 heures"),
    ],
)
def test_relative_dates_beside_spans_of_membership(dates: Sequence[str]) -> None:
    thread = thread_of(entries(MEMBER, dates))
    assert tuple(post.date for post in thread.posts) == tuple(dates)
    assert {post.published.certainty for post in thread.posts} == {"relative"}
