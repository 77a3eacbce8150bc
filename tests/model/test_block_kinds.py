"""Tests of `model/zones.py`: the kinds of blocks."""

from __future__ import annotations

import pytest
from htmlpages import measures_of

from crfclean.model.block_kinds import forms, is_formula, kinds_of
from crfclean.model.zones import apart_kinds
from crfclean.page.blocks import split
from crfclean.types import Kind, Page

BODY = (
    "<p>" + "The river rose again this morning, and nobody in the village slept well. " * 4 + "</p>"
)
"""A paragraph of running text."""

PAGE = f"""<html><head><title>The river rose</title></head><body>
<nav><a href=/>Home</a></nav>
<h1>The river rose</h1>
<p class=standfirst>Nobody in the village slept well.</p>
<p class=byline>By Ann Lee</p>
{BODY}{BODY}
<h2>What helped</h2>
<ul><li>Sand.</ul>
<table><tr><th>Day</th><th>Metres</th></tr><tr><td>Monday</td><td>4.2</td></tr></table>
<pre>pump --start</pre>
<math display=block><mi>h</mi><mo>=</mo><mn>4</mn></math>
<blockquote>It was loud.</blockquote>
<ol class=footnotes><li>See the report of 1947.</ol>
<figure><img src=a.png><figcaption>The bridge.</figcaption></figure>
<div class=related><a href=b>A colder river</a></div>
<div class=newsletter-box>Our letter, once a week.</div>
<div id=comments><p>So sorry to read this.</p></div>
<div class=cookie-banner>Cookies are small files.</div>
<div class=copyright>2026 The Village Press</div>
</body></html>"""

EXPECTED = (
    "navigation title lead byline paragraph paragraph heading list table table table table code "
    "formula quote note caption teaser promo comment notice legal"
)


def names(html: str) -> str:
    """The kinds of a page's blocks."""
    return " ".join(Kind(kind).name.lower() for kind in kinds_of(measures_of(html)).tolist())


def test_a_page_with_each_kind() -> None:
    assert names(PAGE) == EXPECTED
    assert set(EXPECTED.upper().split()) | {"POST"} == {kind.name for kind in Kind}


H1 = "<title>The river rose</title><h1>The river rose</h1>"
CASES = [
    ("<p>a</p>", "paragraph"),
    # what the nearest element is for
    (f"{H1}{BODY}<div class=comments><div class=share><p>a</p></div><p>b</p></div>",
     "title paragraph promo comment"),
    (f"{H1}{BODY}<div class=share><div class=comments><p>a</p></div></div>",
     "title paragraph comment"),
    (f"{H1}{BODY}<div class=related><h3>A colder river</h3><p>By Ann Lee</p></div>",
     "title paragraph teaser teaser"),
    # authors and dates of comments tell readers who speaks; headings there belong to them
    (f"{H1}{BODY}<div class=comments><h3>Two voices</h3><p class=author>Bo</p><p>b</p></div>",
     "title paragraph comment byline comment"),
    # never by the page, its main part, what holds the main heading, or an inline element
    (f"<body class='cookie-consent has-newsletter'>{H1}{BODY}</body>", "title paragraph"),
    (f"{H1}<main class='with-related nav'>{BODY}</main>", "title paragraph"),
    (f"<div class='menu legal'>{H1}{BODY}</div>", "title paragraph"),
    (f"{H1}<p>{'It rose again and again. ' * 9}<span class=related>Ice</span></p>",
     "title paragraph"),
    # nor by an element with most of the page's running text
    (f"{H1}<div class=subscribe>{BODY}</div><p>b</p>", "title paragraph paragraph"),
    (f"{H1}<div class='menu'>{BODY}</div>{BODY}{BODY}", "title navigation paragraph paragraph"),
    # nor by the id of a heading, which says what the heading says
    (f"{H1}{BODY}<h2 id=market-share>Market share</h2>", "title paragraph heading"),
    # a photograph's copyright is part of its caption
    (f"{H1}{BODY}<figure><img><div class=copyright><p>Ann Lee</p></div></figure>",
     "title paragraph caption"),
    (f"{H1}{BODY}<figure><figcaption><div><div><p>A bridge</p></div></div></figcaption></figure>",
     "title paragraph caption"),
    # captions with most of the running text are the text of their page
    (f"{H1}<figure><figcaption>{BODY}</figcaption></figure>" * 2 + "<p>a</p>",
     "title paragraph heading paragraph paragraph"),
    # the header and footer of the page, but not those of an article
    ((f"<header><p>The Village Press</p></header>{H1}{BODY}<footer><p>Ann Lee</p>"
     "<p>\u00a9 2026</p></footer>"), "navigation title paragraph navigation legal"),
    (f"{H1}<article><header><p>Ann Lee</p></header>{BODY}<footer><p>Bo</p></footer></article>",
     "title paragraph paragraph paragraph"),
    (f"<header>{H1}<p>Bo</p></header>{BODY}", "title paragraph paragraph"),
    ("<header><h1>The river rose</h1><p>Bo</p></header><p>c</p>", "title paragraph paragraph"),
    (f"{H1}{BODY}<dialog open><p>Tell us what you think.</p></dialog>", "title paragraph notice"),
    # who wrote it, and when
    (f"{H1}<p><a rel=author href=x>Ann Lee</a></p><p><time>Monday</time></p>{BODY}",
     "title byline byline paragraph"),
    (f"{H1}<p>Posted on Monday</p><p>By noon it rained.</p>{BODY}",
     "title byline paragraph paragraph"),
    # a description after a place is a lead; a short one ends many sentences
    (("<meta name=description content='Nobody slept in the village by the river on Monday.'>"
     f"{H1}<p>Holm. Nobody slept in the village by the river on Monday.</p>{BODY}"),
     "title lead paragraph"),
    (f"<meta name=description content='The Village'>{H1}<p>Read in The Village</p>{BODY}",
     "title paragraph paragraph"),
    ("<ul><li>by night<li itemprop=name>Ann Lee</ul>", "list list"),
    # a part of the text that a menu leads to
    (f"{H1}<div class=content-nav-section>{BODY * 3}</div>{BODY * 4}",
     "title" + " paragraph" * 7),
    # forms, by the nearest element
    ("<ul><li><p>a</p><pre>b</pre><blockquote><p>c</p></blockquote></li></ul>", "list code quote"),
    ("<blockquote><ul><li>a</ul><p>b</p></blockquote>", "list quote"),
    ("<table><tr><td><p>a</p></td></tr></table>", "paragraph"),  # of one cell: no data
    ("<dl><dt>a<dd>b</dl>", "list list"),
    ("<p>Let <math><mi>x</mi></math> be the level of the river.</p>", "paragraph"),
    ("", ""),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), CASES)
def test_kinds_of_pages(html: str, expected: str) -> None:
    assert names(html) == expected


def test_parts_of_the_kinds_are_those_of_all() -> None:
    page = split(Page(PAGE))
    kinds, apart = kinds_of(page), apart_kinds(page)
    assert (kinds[apart > 0] == apart[apart > 0]).all()
    assert {Kind.TITLE, Kind.BYLINE, Kind.CAPTION, Kind.TEASER} <= set(apart.tolist())
    assert not {Kind.HEADING, Kind.LEAD, Kind.LIST} & set(apart.tolist())


# forms of text

TABLE = "<table><tr><th>Day</th><th>Metres</th></tr><tr><td>Monday</td><td>{}</td></tr></table>"


def form_names(html: str) -> list[str]:
    """The forms of a page's blocks, "" for none."""
    kinds = forms(split(Page(html))).tolist()
    return [Kind(kind).name.lower() if kind else "" for kind in kinds]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (TABLE.format("4.2"), ["table"] * 4),
        (TABLE.format("<ul><li>4.2</ul>"), ["table"] * 3 + ["list"]),
        (f"<ul><li>a{TABLE.format('4.2')}</ul>", ["list"] + ["table"] * 4),
        ("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>", ["", ""]),
        ("<pre>a = 1\nb = 2</pre>", ["code"]),
        ("<p>a <code>b</code></p>", [""]),
        ("<q>a</q><blockquote>b</blockquote>", ["", "quote"]),
        ("<p>a</p>", [""]),
    ],
)
def test_forms(html: str, expected: list[str]) -> None:
    assert form_names(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p><math><mi>h</mi><mo>=</mo><mn>4</mn></math></p>", [True]),
        ("<p><math><mi>h</mi><mo>=</mo><mn>4</mn></math> metres</p>", [False]),
        ("<p>h = 4</p>", [False]),
    ],
)
def test_formulas(html: str, expected: list[bool]) -> None:
    assert is_formula(split(Page(html))).tolist() == expected


LONG = "<p>" + "The river rose again, and nobody slept. " * 12 + "</p>"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<blockquote>{LONG}</blockquote>", [""]),  # all that there is: it only indents
        (f"{LONG}{LONG}<blockquote>{LONG}</blockquote>", ["", "", "quote"]),
        (f"{LONG}<blockquote><h2>Sand</h2><p>It helped.</p></blockquote>", ["", "", ""]),
        ("<blockquote><p>It was loud.</p></blockquote>" * 3, ["quote"] * 3),
        ("<blockquote><p>" + "It was loud. " * 5 + "</p></blockquote>", ["quote"]),  # short
    ],
)
def test_quotations_that_indent_the_text(html: str, expected: list[str]) -> None:
    assert form_names(html) == expected
