"""Tests of `metadata/`: texts of sources -> names, dates and titles; candidates; the ranking."""

from __future__ import annotations

import pytest

from crfclean.metadata.candidates import Candidate, Context, absolute, alternatives
from crfclean.metadata.dated_address import address_candidates
from crfclean.metadata.dates import find_date, find_dates
from crfclean.metadata.marked import survey
from crfclean.metadata.meta_elements import META, meta_candidates
from crfclean.metadata.names import names_of
from crfclean.metadata.ranking import RankingWeights, rank_values
from crfclean.metadata.title_parts import title_cuts, variants
from crfclean.page.blocks import split
from crfclean.types import Blocks, Page


def blocks_of(html: str) -> Blocks:
    return split(Page(html))


# names

NAMES = [
    ("Ann Lee", ["Ann Lee"]),
    ("  by\n Ann   Lee ", ["Ann Lee"]),
    ("BY ANN LEE", ["ANN LEE"]),
    ("Author: Ann Lee", ["Ann Lee"]),
    ("Posted by Ann Lee on May 7, 2024", ["Ann Lee"]),
    ("May 7, 2024 • Ann Lee", ["Ann Lee"]),
    ("Ann Lee | Senior Editor | 5 min read", ["Ann Lee"]),
    ("Ann Lee, MD, PhD", ["Ann Lee"]),
    ("Ann Lee, Staff Writer, and Bob Roe", ["Ann Lee", "Bob Roe"]),
    ("Ann Lee, Bob Roe, and Cy Doe", ["Ann Lee", "Bob Roe", "Cy Doe"]),
    ("Ann Lee; Bob Roe & Cy Doe", ["Ann Lee", "Bob Roe", "Cy Doe"]),
    ("Anna Weiß und Jürgen Groß", ["Anna Weiß", "Jürgen Groß"]),
    ("Jan Novák a Eva Malá", ["Jan Novák", "Eva Malá"]),
    ("Иван Петров и Анна Ёлкина", ["Иван Петров", "Анна Ёлкина"]),
    ("José Núñez y Ana Gil", ["José Núñez", "Ana Gil"]),
    ("Zoé Roy et Max Petit", ["Zoé Roy", "Max Petit"]),
    ("王小明、李雷", ["王小明", "李雷"]),
    ("Lee, Ann", ["Ann Lee"]),
    ("ann@x.example", ["ann@x.example"]),
    ("Ann (the tall) Lee", ["Ann Lee"]),
    ("https://x.example/ann", []),
    ("Reviewed by Ann Lee", []),
    ("admin", []),
    ("Log in", []),
    ("May 7", []),
    ("12", []),
    ("", []),
    ("Ann Lee Senior Political Correspondent", ["Ann Lee"]),
    ("Chief Editor Ann Lee", ["Ann Lee"]),
    ("Rechtsanwalt Jürgen Groß", ["Jürgen Groß"]),
    ("Staff Writer", []),
    ("Ann Lee ann@x.example", ["Ann Lee"]),
    ("Ann Lee @annlee", ["Ann Lee"]),
    ("@annlee", ["annlee"]),
    ("Ann Lee, AFP", ["Ann Lee", "AFP"]),
    ("Associated Press", ["Associated Press"]),
    ("ANN LEE, BOB KING & CY DOE", ["ANN LEE", "BOB KING", "CY DOE"]),
    ("Ann Marie KLEIN", ["Ann Marie KLEIN"]),
    ("Photo: Ann Lee", []),
    ("Symbolbild: Ann Lee", []),
    ("写真：王小明", []),
    ("More stories by Ann Lee", []),
    ("Mehr von Ann Lee", []),
    ("Text und Interview: Anna Weiß", ["Anna Weiß"]),
    ("Eine Kolumne von Anna Weiß", ["Anna Weiß"]),
    ("Anna Weiß am Samstag, um 11 Uhr", ["Anna Weiß"]),
    ("Anna sagt", []),
    ("Rezept von", []),
    ("Datum: 03.05.19", []),
    ("Updated", []),
    ("著者：王小明", ["王小明"]),
    ("投稿者: 王小明", ["王小明"]),
    ("作者 王小明 李雷", ["王小明", "李雷"]),
    ("작성자: 홍길동 기자", ["홍길동"]),
    ("Di Anna Neri e Ugo Rossi", ["Anna Neri", "Ugo Rossi"]),
    ("It is a truth universally acknowledged that tea", []),
]


# runs of a line, each in an element of its own

NEIGHBOURS = [
    ("<span>By</span><a>Ann Lee</a>", "By Ann Lee"),
    ("<a>Ann Lee</a><span>CEO</span>", "Ann Lee | CEO"),
    ("By <a>Ann Lee</a><a>Bob Roe</a>", "By Ann Lee, Bob Roe"),
    ("<i>Ann Lee</i> <i>Bob Roe</i>", "Ann Lee, Bob Roe"),
    ("<a>Ann Lee</a> <i>The Leaf</i>", "Ann Lee | The Leaf"),
    ("<i>Ann</i> <b>Lee</b>", "Ann Lee"),
    ("<b>A</b>nn Lee", "Ann Lee"),
    ("posted by<a>Ann Lee</a>", "posted by Ann Lee"),
    ("<a>Ann Lee</a> and <a>Bob Roe</a>", "Ann Lee and Bob Roe"),
    ("<a>Ann Lee</a><b>7 May 2024</b>", "Ann Lee 7 May 2024"),
    ("<b>作者</b><a>王小明</a>", "作者：王小明"),
    ("Ann Lee", "Ann Lee"),
]


@pytest.mark.parametrize(("markup", "line"), NEIGHBOURS)
def test_neighbours_in_different_elements_stay_apart(markup: str, line: str) -> None:
    blocks = blocks_of(f"<p>{markup}</p>")
    seen = survey(blocks)
    assert seen.parted_blocks(range(1), 99) == [line]
    assert seen.parted_lines(blocks.table.tags.index("p")) == [line]


@pytest.mark.parametrize(("text", "names"), NAMES)
def test_names(text: str, names: list[str]) -> None:
    assert list(names_of(text)) == names


# dates

WRITTEN = [
    ("2024-05-07", "2024-05-07"),
    ("20240507", "2024-05-07"),
    ("2024/5/7", "2024-05-07"),
    ("2024.05.07", "2024-05-07"),
    ("2024-05", "2024-05"),
    ("2024-05-07T10:30:00Z", "2024-05-07T10:30:00Z"),
    ("2024-05-07T10:30:00.123+0200", "2024-05-07T10:30:00+02:00"),
    ("2024-05-07 10:30", "2024-05-07T10:30"),
    ("May 7th, 2024", "2024-05-07"),
    ("MAY 7 2024", "2024-05-07"),
    ("May 7, 2024 at 1:05 pm", "2024-05-07T13:05"),
    ("May 7, 2024 12:05 a.m.", "2024-05-07T00:05"),
    ("Sept. 7, 2024", "2024-09-07"),
    ("7 May 2024", "2024-05-07"),
    ("7-May-2024", "2024-05-07"),
    ("May 2024", "2024-05"),
    ("13/5/2024", "2024-05-13"),
    ("5/13/2024", "2024-05-13"),
    ("7.5.2024", "2024-05-07"),
    ("7. 5. 2024", "2024-05-07"),
    ("den 7. März 2024", "2024-03-07"),
    ("7 de marzo de 2024", "2024-03-07"),
    ("7 août 2024", "2024-08-07"),
    ("7. září 2024", "2024-09-07"),
    ("7 września 2024", "2024-09-07"),
    ("7 сентября 2024", "2024-09-07"),
    ("2024年5月7日 10:30", "2024-05-07T10:30"),
    ("2024 年 5 月", "2024-05"),
    ("2024년 5월 7일", "2024-05-07"),
    ("2024. május 7., 10:30", "2024-05-07T10:30"),
    ("05 Ιαν. 2012, 11:45", "2012-01-05T11:45"),
    ("7. toukokuuta 2024", "2024-05-07"),
    ("7 травня 2024", "2024-05-07"),
]


@pytest.mark.parametrize(("text", "iso"), WRITTEN)
def test_dates(text: str, iso: str) -> None:
    found = find_date(f"It was {text}.")
    assert found is not None
    assert found.iso == iso
    assert found.start == len("It was ") or text.startswith("den")


def test_all_dates_in_their_order() -> None:
    text = "Published 3 May 2024, updated 2024-05-09 10:30"
    assert [one.iso for one in find_dates(text)] == ["2024-05-03", "2024-05-09T10:30"]


def test_month_first() -> None:
    assert [find_date("3/4/2024", month_first=one).iso for one in (True, False)] == [  # type: ignore[union-attr]
        "2024-03-04",
        "2024-04-03",
    ]


# titles

PARTS = [
    ("Tea | The Leaf", ["Tea", "The Leaf"]),
    ("Tea - The Leaf", ["Tea", "The Leaf"]),
    ("Tea — The Leaf", ["Tea", "The Leaf"]),
    ("Tea｜The Leaf", ["Tea", "The Leaf"]),
    ("茶_新闻", ["茶", "新闻"]),
    ("Tea: the leaf", ["Tea", "the leaf"]),
    ("Tea-leaf", []),
    ("Tea", []),
    ("Tea | North | The Leaf", ["Tea | North", "The Leaf", "Tea", "North | The Leaf"]),
]


@pytest.mark.parametrize(("title", "parts"), PARTS)
def test_parts_of_titles(title: str, parts: list[str]) -> None:
    assert sorted(left for _, left, _ in title_cuts(title)) == sorted(parts)


def test_ways_of_leaving_out_the_site() -> None:
    made = dict(variants("Tea | The Leaf", frozenset(["theleaf"])))
    assert made == {"": "Tea | The Leaf", "head site": "Tea", "tail": "The Leaf"}


# candidates


def test_addresses_are_seen_from_the_page() -> None:
    assert absolute("../a?b=1", "https://x.org/c/d/") == "https://x.org/c/a?b=1"
    assert absolute("//y.org/a", "https://x.org") == "https://y.org/a"


def test_every_name_of_meta_elements_is_read() -> None:
    head = "".join(f'<meta name="{name.upper()}" content="x y">' for name in META)
    found = list(meta_candidates(blocks_of(f"<head>{head}</head>")))
    assert {one.source for one in found} == {f"meta {name}" for name in META}
    assert {one.kind for one in found} == set(META.values())
    assert all(one.node > 0 for one in found)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("02.12.2019", "2019-12-02"), ("02/12/2019", "2019-02-12"), ("02.13.2019", "2019-02-13")],
)
def test_points_have_the_day_first(text: str, wanted: str) -> None:
    """English pages too write `02.12.19` with the day first."""
    (day,) = find_dates(text, month_first=True)
    assert day.iso == wanted


def test_the_main_heading() -> None:
    one = blocks_of("<title>Tea</title><h2>Tea</h2><h1>North</h1>")
    assert one.table.tags[survey(one).main] == "h1"
    two = survey(blocks_of("<title>Tea</title><h1>The Leaf</h1><h1>Tea</h1>"))
    assert two.text(two.main) == "Tea"
    assert survey(blocks_of("<p>x</p>")).main == -1


ADDRESSES = [
    ("https://x.org/2024/05/07/tea", ["2024-05-07"]),
    ("https://x.org/2024/05/tea", ["2024-05"]),
    ("https://x.org/tea-20240507.html", ["2024-05-07"]),
    ("https://x.org/articles%2F2024-05-07%2Btea", ["2024-05-07"]),
    ("https://x.org/2024/13/tea", []),
    ("https://x.org/1234567890", []),
    ("http://[", []),
]


@pytest.mark.parametrize(("address", "days"), ADDRESSES)
def test_dates_in_addresses(address: str, days: list[str]) -> None:
    assert [one.texts[0] for one in address_candidates(address)] == days


# the ranking

ONE = Candidate("title", ("Tea",), "meta og:title")
TWO = Candidate("title", ("Milk",), "h1", "only")


def test_probabilities_of_values_and_of_none_make_one() -> None:
    values = alternatives([("tea", ("Tea",), ONE, ""), ("milk", ("Milk",), TWO, "")])
    made = rank_values("title", values, Context(), RankingWeights({"tit:h1@only": 1.0}))
    assert [one.alternative.key for one in made] == ["milk", "tea"]
    whole = 2 + 2.718281828
    assert [round(one.probability, 6) for one in made] == [
        round(2.718281828 / whole, 6),
        round(1 / whole, 6),
    ]
