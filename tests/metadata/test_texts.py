"""Tests of `metadata/`: texts of sources -> names, dates and titles; candidates; the ranking."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from crfclean.metadata.alternatives import Context, alternatives
from crfclean.metadata.bare_names import is_list_of_names, owner_candidates
from crfclean.metadata.candidates import Candidate, absolute, folded, single_line
from crfclean.metadata.dates import (
    MAX_DATE_CHARS,
    find_date,
    find_dates,
    find_short_date,
    iso_date,
    parse_machine_date,
    votes,
)
from crfclean.metadata.gather import gather_candidates
from crfclean.metadata.linked import first_value, json_ld_candidates, repair, unwrap
from crfclean.metadata.meta import META, meta_candidates
from crfclean.metadata.names import Names, is_name, name_key, names_of
from crfclean.metadata.ranking import RankingWeights, features, rank_values
from crfclean.metadata.survey import kind_of_class, survey
from crfclean.metadata.titles import host_name, is_site, parts_of, variants
from crfclean.metadata.visible import address_candidates, footer_candidates
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
    ("Jan Nowak i Ewa Mała", ["Jan Nowak", "Ewa Mała"]),
    ("Иван Петров и Анна Ёлкина", ["Иван Петров", "Анна Ёлкина"]),
    ("José Núñez y Ana Gil", ["José Núñez", "Ana Gil"]),
    ("Zoé Roy et Max Petit", ["Zoé Roy", "Max Petit"]),
    ("王小明、李雷", ["王小明", "李雷"]),
    ("Lee, Ann", ["Ann Lee"]),
    ("ann@x.example (Ann Lee)", ["Ann Lee"]),
    ("ann@x.example", ["ann@x.example"]),
    ("Ann (the tall) Lee", ["Ann Lee"]),
    ("https://x.example/ann", []),
    ("Reviewed by Ann Lee", []),
    ("Fact-checked by Ann Lee", []),
    ("admin", []),
    ("Log in", []),
    ("Subscribe to the newsletter", []),
    ("May 7", []),
    ("12", []),
    ("", []),
    ("ByAnn Lee", ["Ann Lee"]),
    ("Byron Lee", ["Byron Lee"]),
    ("Ann LeeCEO", ["Ann Lee"]),
    ("Ann LeeStaff Writer", ["Ann Lee"]),
    ("Ann Lee Senior Political Correspondent", ["Ann Lee"]),
    ("Chief Editor Ann Lee", ["Ann Lee"]),
    ("Rechtsanwalt Jürgen Groß", ["Jürgen Groß"]),
    ("Staff Writer", []),
    ("Ann Lee ann@x.example", ["Ann Lee"]),
    ("Ann Lee @annlee", ["Ann Lee"]),
    ("@annlee", ["annlee"]),
    ("Ann Lee The Associated Press", ["Ann Lee"]),
    ("Ann Lee, AFP", ["Ann Lee", "AFP"]),
    ("Associated Press", ["Associated Press"]),
    ("ANN LEE, BOB KING & CY DOE", ["ANN LEE", "BOB KING", "CY DOE"]),
    ("ANN LEE, MD", ["ANN LEE"]),
    ("Ann Marie KLEIN", ["Ann Marie KLEIN"]),
    ("Ann Lee/Bob Roe", ["Ann Lee", "Bob Roe"]),
    ("Photo: Ann Lee", []),
    ("Image by Ann Lee", []),
    ("Foto: Ann Lee", []),
    ("Symbolbild: Ann Lee", []),
    ("写真：王小明", []),
    ("More stories by Ann Lee", []),
    ("More from The Leaf", []),
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
    ("Door Jan Bakker en Piet Visser", ["Jan Bakker", "Piet Visser"]),
    ("Di Anna Neri e Ugo Rossi", ["Anna Neri", "Ugo Rossi"]),
    ("Skriven av Åsa Ek och Bo Öst", ["Åsa Ek", "Bo Öst"]),
    ("Oleh Budi Santoso", ["Budi Santoso"]),
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
    assert seen.parted_block(0) == line
    assert seen.parted_lines(blocks.nodes.tags.index("p")) == [line]


def test_names_that_stand_together_are_one_statement() -> None:
    links = "".join(f'<li><a rel="author" href="/x">{name}</a>' for name in ("Ann Lee", "Bob Roe"))
    far = "<p>x</p>" * 30 + '<a rel="author" href="/x">Cy Doe</a>'
    page = gather_candidates(blocks_of(f"<h1>Tea</h1><ul>{links}</ul>{far}"), "")
    assert ("Ann Lee", "Bob Roe") in [value.texts for value in page.authors]
    assert not any(len(value.texts) > 2 for value in page.authors)


OWNERS = [
    ("© 2019-2024 Ann Lee. All rights reserved.", ["Ann Lee"]),
    ("Copyright (c) 2012- Ann Lee", ["Ann Lee"]),
    ("© 2024 leaf", []),
]


@pytest.mark.parametrize(("text", "names"), OWNERS)
def test_owners_of_the_copyright(text: str, names: list[str]) -> None:
    found = owner_candidates(survey(blocks_of(f"<h1>x</h1><p>{text}</p>")))
    assert [one.texts[0] for one in found] == names


def test_lines_of_nothing_but_names() -> None:
    assert is_list_of_names("Ann Lee, Bob Roe and Ludwig van Beek", Names())
    assert not is_list_of_names("Ann Lee writes on tea", Names())
    assert not is_list_of_names("Tea", Names())


@pytest.mark.parametrize(("text", "names"), NAMES)
def test_names(text: str, names: list[str]) -> None:
    assert list(names_of(text)) == names


def test_names_are_bounded() -> None:
    assert len(names_of("Ann Lee, " * 9_999)) <= 30
    assert names_of("Ann Lee\n" * 2) == ("Ann Lee Ann Lee",)
    assert not is_name("a" * 61)


@given(some.text(max_size=400))
def test_any_text_has_names_or_none(text: str) -> None:
    assert all(map(is_name, names_of(text)))


def test_keys_of_names() -> None:
    assert name_key(("Dr. Ann Lee",)) == name_key(("ANN LEE",)) == "ann lee"
    assert name_key(("B C", "A B")) == "a b; b c"
    assert name_key(("Ann Lee",)) != name_key(("Ann Leigh",))


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
]


@pytest.mark.parametrize(("text", "iso"), WRITTEN)
def test_dates(text: str, iso: str) -> None:
    found = find_date(f"It was {text}.")
    assert found is not None
    assert found.iso == iso
    assert found.start == len("It was ") or text.startswith("den")


NO_DATES = [
    *("3 days ago", "yesterday", "2024-13-01", "2023-02-29", "31 June 2024", "Tea 5 2024"),
    *("1234567890123", "1899-01-01", "call 555-2024-1", "", "10:30", "v2.2024", "May 7"),
]


@pytest.mark.parametrize("text", NO_DATES)
def test_no_dates(text: str) -> None:
    assert find_date(text) is None


def test_all_dates_in_their_order() -> None:
    text = "Published 3 May 2024, updated 2024-05-09 10:30"
    assert [one.iso for one in find_dates(text)] == ["2024-05-03", "2024-05-09T10:30"]


def test_month_first() -> None:
    assert [find_date("3/4/2024", month_first=one).iso for one in (True, False)] == [  # type: ignore[union-attr]
        "2024-03-04",
        "2024-04-03",
    ]
    assert votes("3/13/2024 and 4/14/2024") == 2


MACHINE = [
    ("1715070600", "2024-05-07T08:30:00+00:00"),
    ("1715070600000", "2024-05-07T08:30:00+00:00"),
    ("Tue, 07 May 2024 10:30:00 +0200", "2024-05-07T10:30:00+02:00"),
    ("2024", "2024"),
    ("1970-01-01T00:00:00Z", ""),
    ("soon", ""),
    ("31.10.23", "2023-10-31"),
    ("31.10.23 12:44", "2023-10-31T12:44"),
    ("10/31/23", "2023-10-31"),
    ("31.13.23", ""),
    ("1.2.10.4", ""),
    ("99999999999999999999", ""),
]


@pytest.mark.parametrize(("text", "iso"), MACHINE)
def test_dates_for_programs(text: str, iso: str) -> None:
    assert parse_machine_date(text) == iso


@given(some.text(alphabet="0123456789-/.: TZMayмая年月日", max_size=250))
def test_any_text_has_dates_or_none(text: str) -> None:
    for one in find_dates(text):
        assert 4 <= len(one.iso) <= 25
        assert 0 <= one.start < one.end <= MAX_DATE_CHARS


def test_years_are_bounded() -> None:
    assert iso_date(2101, 1, 1) == ""
    assert iso_date(2100, 12, 31) == "2100-12-31"


def test_the_date_of_the_picture_counts_where_no_other_stands() -> None:
    picture = "<meta property=og:image content=https://x.org/2024/05/07/tea.jpg>"
    (day,) = gather_candidates(blocks_of(f"{picture}<h1>Tea</h1>"), "").dates
    assert (day.key, day.candidates[0][0].source) == ("2024-05-07", "image url")
    dated = gather_candidates(blocks_of(f"{picture}<h1>Tea</h1><p>3 May 2024</p>"), "").dates
    assert [day.key for day in dated] == ["2024-05-03"]
    months = gather_candidates(blocks_of(f"{picture}<h1>Tea</h1><p>June 2023</p>"), "").dates
    assert [day.key for day in months] == ["2023-06", "2024-05-07"]


def sources_of_dates(html: str) -> dict[str, list[str]]:
    """Day -> the kinds, sources and places of the candidates that state it."""
    return {
        day.key: [f"{item.kind} {item.key}" for item, _ in day.candidates]
        for day in gather_candidates(blocks_of(html), "").dates
    }


@pytest.mark.parametrize(
    "element",
    [
        "<relative-time datetime=2024-05-07T10:30:00Z>3 days ago</relative-time>",
        "<x-ago ts=2024-05-07T09:47:05.754000+0000></x-ago>3 d",
        "<span data-timestamp=1715077800>3 d</span>",
        "<a data-time=1715077800000 href=/t>3 d</a>",
    ],
)
def test_dates_in_attributes_for_scripts_count_near_the_heading(element: str) -> None:
    near = sources_of_dates(f"<h1>Tea</h1><p>{element}")
    assert near == {"2024-05-07": ["published stamp@near first"]}
    far = "<p>It is brewed with water.</p>" * 20
    assert sources_of_dates(f"<h1>Tea</h1>{far}<p>{element}") == {}
    assert sources_of_dates(f"<p>{element}") == {}  # without a heading


def test_attributes_that_state_no_day_of_the_page() -> None:
    html = "<h1>Tea</h1><p><ins datetime=2024-05-07>new</ins><b data-time=125>2:05</b><i ts></i>"
    assert sources_of_dates(html) == {}


def test_stamps_are_bounded() -> None:
    html = "<h1>Tea</h1><p>" + "<b data-date=2024-05-07>a</b>" * 3_000
    (candidates,) = sources_of_dates(html).values()
    assert len(candidates) == 20


def test_the_tooltip_of_a_date_counts_where_its_text_has_none() -> None:
    element = "<span class=date title='7 May 2024'>{}</span>"
    spoken = sources_of_dates(f"<h1>Tea</h1><p>{element.format('3 days ago')}")
    assert spoken == {"2024-05-07": ["published class date@near"]}
    dated = sources_of_dates(f"<h1>Tea</h1><p>{element.format('6 May 2024')}")
    assert list(dated) == ["2024-05-06"]


def test_a_date_inside_the_main_heading_counts() -> None:
    html = "<h1>Tea is back <small>7.5.2024</small></h1><p>It is brewed with water."
    assert sources_of_dates(html) == {"2024-05-07": ["published date@heading bare alone"]}


def test_dates_right_below_the_heading_stand_apart() -> None:
    html = "<h1>Tea</h1><p>7 May 2024<p>a<p>b<p>c<p>8 May 2024"
    assert sources_of_dates(html) == {
        "2024-05-07": ["published date@next bare alone"],
        "2024-05-08": ["published date@after bare alone"],
    }


@pytest.mark.parametrize(
    ("name", "is_publication"),
    [
        ("w-published-date", True),
        ("page:publishdate", True),
        ("site_publication_time", True),
        ("datepublic", True),
        ("publisher", False),
        ("publication-title", False),
        ("update-date", False),
        ("x" * 100 + "published-date", False),
    ],
)
def test_names_of_a_site_for_the_day_of_publication(name: str, is_publication: bool) -> None:  # noqa: FBT001
    stated = sources_of_dates(f"<meta name='{name}' content=2024-05-07><h1>Tea</h1>")
    assert stated == ({"2024-05-07": ["published meta publication date"]} if is_publication else {})


def test_listed_names_are_not_read_as_those_of_a_site() -> None:
    stated = sources_of_dates("<meta name=publication_date content=2024-05-07><h1>Tea</h1>")
    assert stated == {"2024-05-07": ["published meta publication_date"]}


def test_days_of_change_in_microdata() -> None:
    stated = sources_of_dates("<h1>Tea</h1><meta itemprop=dateUpdate content='2024-05-07 10:47'>")
    assert stated == {"2024-05-07": ["modified microdata dateUpdate"]}


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
    assert sorted(left for _, left, _ in parts_of(title)) == sorted(parts)


def test_ways_of_leaving_out_the_site() -> None:
    made = dict(variants("Tea | The Leaf", frozenset(["theleaf"])))
    assert made == {"": "Tea | The Leaf", "head site": "Tea", "tail": "The Leaf"}


HOSTS = [
    ("https://www.the-leaf.co.uk/x", "theleaf"),
    ("https://blog.leaf.org", "leaf"),
    ("https://leaf.online/", "leaf"),
    ("http://localhost/", "localhost"),
    ("http://[", ""),
    ("", ""),
]


@pytest.mark.parametrize(("address", "name"), HOSTS)
def test_names_of_hosts(address: str, name: str) -> None:
    assert host_name(address) == name


def test_names_of_sites() -> None:
    assert is_site("The Leaf Online", frozenset(["theleaf"]))
    assert not is_site("Leaf", frozenset(["theleaf"]))
    assert not is_site("", frozenset(["", "x"]))


# candidates


@pytest.mark.parametrize(
    "address", ["javascript:x()", "data:,x", "http://", "http://[", "", "x" * 9_999]
)
def test_what_is_no_address(address: str) -> None:
    assert absolute(address, "") == ""


def test_addresses_are_seen_from_the_page() -> None:
    assert absolute("../a?b=1", "https://x.org/c/d/") == "https://x.org/c/a?b=1"
    assert absolute("//y.org/a", "https://x.org") == "https://y.org/a"


def test_plain_texts() -> None:
    assert single_line(" a\n\tb\x00\ud800 ") == "a b"
    assert len(single_line("x" * 9_999)) == 1_000
    assert folded("“Tea” & MILK!") == "tea milk"


def test_every_name_of_meta_elements_is_read() -> None:
    head = "".join(f'<meta name="{name.upper()}" content="x y">' for name in META)
    found = list(meta_candidates(blocks_of(f"<head>{head}</head>")))
    assert {one.source for one in found} == {f"meta {name}" for name in META}
    assert {one.kind for one in found} == set(META.values())
    assert all(one.node > 0 for one in found)


def test_meta_elements_in_the_body_count() -> None:
    (one,) = meta_candidates(blocks_of('<body><p>x</p><meta name="author" content="Ann Lee">'))
    assert (one.kind, one.texts, one.source) == ("author", ("Ann Lee",), "meta author")


def test_several_authors_in_meta_elements_are_one_statement() -> None:
    head = "".join(f'<meta name="citation_author" content="{name}">' for name in ("A B", "C D"))
    (one,) = meta_candidates(blocks_of(head))
    assert one.texts == ("A B", "C D")


def test_labels_of_cards() -> None:
    head = (
        '<meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="A B">'
    )
    (one,) = meta_candidates(blocks_of(head))
    assert (one.texts, one.source) == (("A B",), "meta twitter:data")
    assert not list(meta_candidates(blocks_of(head.replace("Written by", "Price"))))


def test_places_in_json_ld() -> None:
    script = json.dumps(
        {
            "@type": "Product",
            "name": "Tea",
            "review": {"@type": "Review", "author": {"name": "Bob Roe"}},
            "offers": [{"@type": "Offer", "name": "cheap"}],
        }
    )
    found = {(one.kind, one.texts, one.place) for one in json_ld_candidates([script])}
    assert ("title", ("Tea",), "product") in found
    assert ("author", ("Bob Roe",), "foreign") in found
    assert not any(texts == ("cheap",) for _, texts, _ in found)


NO_JSON = [
    "",
    "{",
    "null",
    "7",
    '"x"',
    "[[[",
    '{"author": {"name": {"name": []}}}',
    '{"@id": {}}',
    "[null]",
]


@pytest.mark.parametrize("script", NO_JSON)
def test_scripts_without_values(script: str) -> None:
    assert list(json_ld_candidates([script])) == []


def test_texts_stay_as_they_are_where_it_can_be() -> None:
    (one,) = json_ld_candidates(['{"headline": "x, ]"};'])
    assert one.texts == ("x, ]",)
    assert json.loads(repair('// x\n{"a": [1,],}')) == {"a": [1]}


def test_entities_around_json() -> None:
    assert json.loads(unwrap("{&quot;a&quot;: 1}")) == {"a": 1}


@pytest.mark.parametrize("behind", ["}", "\n    }\n", "]", '{"a": 2}', "// end"])
def test_what_stands_behind_a_value_of_json_does_no_harm(behind: str) -> None:
    script = '\n {"@type": "NewsArticle", "datePublished": "2020-10-26"}'
    assert json.loads(first_value(script + behind)) == json.loads(script)
    (candidate,) = json_ld_candidates([script + behind])
    assert candidate.texts == ("2020-10-26",)


def test_a_script_that_begins_with_no_value_is_left() -> None:
    assert first_value("{broken} {}") == "{broken} {}"
    assert not list(json_ld_candidates(["{broken} {}", "[" * 100_000]))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("02.12.2019", "2019-12-02"), ("02/12/2019", "2019-02-12"), ("02.13.2019", "2019-02-13")],
)
def test_points_have_the_day_first(text: str, wanted: str) -> None:
    """English pages too write `02.12.19` with the day first."""
    (day,) = find_dates(text, month_first=True)
    assert day.iso == wanted


def test_points_of_short_dates_have_the_day_first() -> None:
    day = find_short_date("02.12.19", month_first=True)
    assert day is not None
    assert day.iso == "2019-12-02"


CLASSES = [
    ("byline", "author"),
    ("post__author-name", "author"),
    ("articleAuthor", "author"),
    ("authority", "author"),
    ("entry-date published", "date"),
    ("publishDate", "date"),
    ("timeline", ""),
    ("update", ""),
    ("post-title", "title"),
    ("headline", "title"),
    ("container", ""),
]


@pytest.mark.parametrize(("name", "kind"), CLASSES)
def test_kinds_of_classes(name: str, kind: str) -> None:
    assert kind_of_class(name) == kind


def test_texts_of_elements() -> None:
    blocks = blocks_of("<p>a <i>b<b>c</b></i> d</p><div id=x>e<p>f</p>g</div>h")
    seen = survey(blocks)
    tags = list(blocks.nodes.tags)
    assert seen.text(tags.index("i")) == "bc"
    assert seen.text(tags.index("p")) == "a bc d"
    assert seen.lines(tags.index("div")) == ["e", "f", "g"]
    assert seen.text(0) == "a bc d e f g h"


def test_the_main_heading() -> None:
    one = blocks_of("<title>Tea</title><h2>Tea</h2><h1>North</h1>")
    assert one.nodes.tags[survey(one).main] == "h1"
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


@pytest.mark.parametrize(
    "text", ["© 2024 Leaf", "Copyright (c) 2019–2024 Leaf", "© The Leaf, 2024"]
)
def test_years_of_the_copyright(text: str) -> None:
    (one,) = footer_candidates(survey(blocks_of(f"<h1>x</h1><p>{text}</p>")))
    assert one.texts == ("2024",)


def test_the_base_element_counts_before_the_body_alone() -> None:
    assert (
        gather_candidates(blocks_of("<base href='/x/'>"), "https://a.org/b").base
        == "https://a.org/x/"
    )
    late = blocks_of("<body><p>x</p><base href='https://evil.org/'>")
    assert gather_candidates(late, "https://a.org/b").base == "https://a.org/b"


def test_times_of_one_day_are_one_date() -> None:
    page = (
        "<meta property=article:published_time content=2024-05-07T10:00:00Z>"
        "<p>x</p><time datetime='2024-05-07T12:30:00Z'>7 May 2024</time>"
    )
    (day,) = gather_candidates(blocks_of(page), "").dates
    assert day.key == "2024-05-07"
    assert {candidate.texts for candidate, _ in day.candidates} >= {
        ("2024-05-07T10:00:00Z",),
        ("2024-05-07T12:30:00Z",),
    }


# the ranking

ONE = Candidate("title", ("Tea",), "meta og:title")
TWO = Candidate("title", ("Milk",), "h1", "only")


def test_candidates_that_say_the_same_are_one_value() -> None:
    made = alternatives(
        [("tea", ("Tea",), ONE, ""), ("milk", ("Milk",), TWO, ""), ("tea", ("TEA",), TWO, "")]
    )
    assert [(one.key, one.texts, len(one.candidates)) for one in made] == [
        ("tea", ("Tea",), 2),
        ("milk", ("Milk",), 1),
    ]


def test_features_say_where_a_value_stands_and_what_contradicts() -> None:
    values = alternatives([("tea", ("Tea",), ONE, ""), ("milk", ("Milk",), TWO, "")])
    first, second = features("title", values, Context(title="Tea time"))
    assert {"tit:meta og:title", "starts title", "words:1", "families:1"} <= first
    assert "not:meta og:title" in second
    assert "not:meta og:title" not in first


def date(kind: str, iso: str, source: str = "time") -> tuple[str, tuple[str, ...], Candidate, str]:
    return iso[:10], (iso,), Candidate(kind, (iso,), source), ""


def own_features(*said: tuple[str, tuple[str, ...], Candidate, str]) -> dict[str, set[str]]:
    """Key of a date -> the features that dates alone have."""
    values = alternatives(said)
    names = ("days:", "precision:", "first day", "last day", "kinds:")
    return {
        value.key: {name for name in found if name.startswith(names)}
        for value, found in zip(values, features("date", values, Context()), strict=True)
    }


def test_features_of_dates_tell_precision_and_order() -> None:
    assert own_features(
        date("published", "2024-05-07T10:30"),
        date("modified", "2024-05-07"),
        date("published", "2024-05-02"),
        date("published", "2024-05-04"),
        date("published", "2024-05"),
        date("published", "2024"),
        date("modified", "2024-06-01"),
    ) == {
        "2024-05-07": {"days:3", "precision:10", "last day", "kinds:modified+published"},
        "2024-05-02": {"days:3", "precision:10", "first day", "kinds:published"},
        "2024-05-04": {"days:3", "precision:10", "kinds:published"},
        "2024-05": {"days:3", "precision:7", "kinds:published"},
        "2024": {"days:3", "precision:4", "kinds:published"},
        "2024-06-01": {"days:3", "precision:10", "kinds:modified"},
    }


@pytest.mark.parametrize("source", ["meta date", "json-ld datePublished", "microdata date"])
def test_precision_of_dates_for_machines_says_nothing(source: str) -> None:
    assert own_features(date("published", "2024-05-07", source)) == {
        "2024-05-07": {"days:1", "kinds:published"}
    }


def date_features(*statements: tuple[str, tuple[str, ...], Candidate, str]) -> dict[str, set[str]]:
    """Key of a date -> its features."""
    values = alternatives(statements)
    rows = features("date", values, Context())
    return {value.key: row for value, row in zip(values, rows, strict=True)}


def test_features_of_dates_tell_whether_readers_see_a_time_of_day() -> None:
    rows = date_features(
        date("published", "2024-05-07T10:30", "date"),
        date("published", "2024-05-08", "date"),
        date("published", "2024-05-09T10:30", "meta date"),
    )
    clocks = {key: row & {"clock", "no clock"} for key, row in rows.items()}
    assert clocks == {"2024-05-07": {"clock"}, "2024-05-08": {"no clock"}, "2024-05-09": set()}


DECLARED_DAYS = {"declared publication", "declared change"}


def test_features_of_dates_tell_publication_from_change_where_both_are_declared() -> None:
    rows = date_features(
        date("published", "2024-05-07", "json-ld datePublished"),
        date("modified", "2024-05-09", "meta article:modified_time"),
        date("published", "2024-05-09", "time"),
        date("published", "2024-05-08", "date"),
    )
    assert {key: row & DECLARED_DAYS for key, row in rows.items()} == {
        "2024-05-07": {"declared publication"},
        "2024-05-09": {"declared change"},
        "2024-05-08": set(),
    }


@pytest.mark.parametrize(
    "statements",
    [
        [("published", "2024-05-07", "json-ld datePublished")],
        [("published", "2024-05-07", "time"), ("modified", "2024-05-09", "meta modified")],
        [("published", "2024-05-07", "meta date"), ("modified", "2024-05-07", "meta modified")],
    ],
)
def test_one_declared_day_is_not_told_apart(statements: list[tuple[str, str, str]]) -> None:
    rows = date_features(*(date(*statement) for statement in statements))
    assert not any(row & DECLARED_DAYS for row in rows.values())


def test_many_days_are_five() -> None:
    said = [date("published", f"2024-05-0{day}") for day in range(1, 8)]
    assert all("days:5" in found for found in own_features(*said).values())


def test_probabilities_of_values_and_of_none_make_one() -> None:
    values = alternatives([("tea", ("Tea",), ONE, ""), ("milk", ("Milk",), TWO, "")])
    made = rank_values("title", values, Context(), RankingWeights({"tit:h1@only": 1.0}))
    assert [one.alternative.key for one in made] == ["milk", "tea"]
    whole = 2 + 2.718281828
    assert [round(one.probability, 6) for one in made] == [
        round(2.718281828 / whole, 6),
        round(1 / whole, 6),
    ]


def test_the_first_of_two_as_likely() -> None:
    values = alternatives([("tea", ("Tea",), ONE, ""), ("milk", ("Milk",), TWO, "")])
    assert [
        one.alternative.key for one in rank_values("title", values, Context(), RankingWeights({}))
    ] == [
        "tea",
        "milk",
    ]
    assert rank_values("title", [], Context(), RankingWeights({})) == []
