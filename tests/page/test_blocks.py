"""Tests of `page/blocks.py`."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from crfclean.page import walk as module
from crfclean.page.blocks import (
    MIN_NOSCRIPT_CHARS,
    SplitParams,
    bounded,
    split,
)
from crfclean.page.effects import SPLIT
from crfclean.page.limits import MAX_DEPTH
from crfclean.types import Blocks, Page

ARTICLE = "The article that the forum shows without scripts. " * 12
NOTICE = "Please enable JavaScript."


def texts(html: str, *elements: str) -> list[str]:
    return list(split(Page(html), SplitParams(elements)).texts)


def cases(table: dict[str, Any]) -> pytest.MarkDecorator:
    """Name of a case -> its values, as a parametrisation."""
    rows = [row if isinstance(row, tuple) else (row,) for row in table.values()]
    return pytest.mark.parametrize(("html", "expected")[: len(rows[0])], rows, ids=list(table))


# What is a block

BLOCKS = {
    "bare text": ("text", ["text"]),
    "bare div": ("<div>a b</div>", ["a b"]),
    "paragraphs": ("<p>a</p><p>b</p>", ["a", "b"]),
    "blank paragraphs": ("<p> </p><p>\n\t</p><p></p><p>a</p>", ["a"]),
    "nested div": ("<div><div>a</div><div><div>b</div></div></div>", ["a", "b"]),
    "text before a block": ("<div>a<p>b</p></div>", ["a", "b"]),
    "text after a block": ("<div><p>a</p>b</div>", ["a", "b"]),
    "text between blocks": ("<div><p>a</p>b<p>c</p></div>", ["a", "b", "c"]),
    "cells": ("<table><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></table>", ["a", "b", "c"]),
    "caption": ("<table><caption>a</caption><tr><td>b</td></tr></table>", ["a", "b"]),
    "nested table": (
        "<table><tr><td>a<table><tr><td>b</td></tr></table>c</td></tr></table>",
        ["a", "b", "c"],
    ),
    "list": ("<ul><li>a</li><li>b</li></ul>", ["a", "b"]),
    "paragraph in an item": ("<ul><li><p>a</p></li><li>b</li></ul>", ["a", "b"]),
    "nested list": ("<ul><li>a<ol><li>b</li><li>c</li></ol>d</li></ul>", ["a", "b", "c", "d"]),
    "definitions": ("<dl><dt>a</dt><dd>b</dd></dl>", ["a", "b"]),
    "headings": ("<h1>a</h1><h6>b</h6>c", ["a", "b", "c"]),
    "quote": ("a<blockquote>b</blockquote>c", ["a", "b", "c"]),
    "figure": ("<figure><img alt=x><figcaption>a</figcaption></figure>b", ["a", "b"]),
    "details": ("<details><summary>a</summary>b</details>", ["a", "b"]),
    "fieldset": ("<fieldset><legend>a</legend>b</fieldset>", ["a", "b"]),
    "button in a line": ("a <button>b</button>, c", ["a b, c"]),
    "buttons in a line": ("<p>a <i><button>b</button></i> <button>c</button> d", ["a b c d"]),
    "button in a heading": ("<h2>a <button><b></b>b</button> c</h2>", ["a b c"]),
    "button at an end": ("<h2>a <button>b</button></h2><p>c", ["a", "b", "c"]),
    "button at a start": ("<p><button>a</button> b</p>", ["a", "b"]),
    "button beside a box": ("a<div><button>b</button></div>c", ["a", "b", "c"]),
    "button of two blocks": ("a<button><p>b</p><p>c</p></button>d", ["a", "b", "c", "d"]),
    "label that touches its value": ("<h1><span>Title:</span>The arch</h1>", ["Title: The arch"]),
    "label in code": ("<code><i>std:</i>string</code>", ["std:string"]),
    "time in two parts": ("<b>10:</b>30", ["10:30"]),
    "label for the ear": ("<p>a<span class='x sr-only'>b</span> c</p>", ["a c"]),
    "label for the ear alone": ("<ul><li><a><b class=sr-only>a</b></a></ul>b", ["a", "b"]),
    "heading for the ear": ("<h2 class=visually-hidden>a</h2><p>b</p>", ["a", "b"]),
    "unknown elements are inline": ("a<my-box>b</my-box>c<o:p>d</o:p>", ["abcd"]),
    "unknown around a block": ("a<my-box>b<p>c</p>d</my-box>e", ["a", "b", "c", "d", "e"]),
    "unknown in unknown": ("a<x-a>b<x-b>c<p>d</p></x-b>e</x-a>f", list("abcdef")),
    "unknown beside unknown": ("<x-a>a<p>b</p></x-a><x-b>c</x-b>d", ["a", "b", "cd"]),
    "unknown around a hidden block": ("a<x-a>b<p hidden>x</p></x-a>c", ["abc"]),
    "style on lines": ('a<b style="display:block">b</b>c', ["a", "b", "c"]),
    "style in a line": (
        '<p style="display:inline">a </p><p style="display: INLINE">b</p>c',
        ["a bc"],
    ),
    "style in a line around a block": ('a<div style="display:inline">b<p>c</p></div>', list("abc")),
    "style without a box": ('a<div style="color:red;display:contents">b</div>c', ["abc"]),
    "last style counts": ('a<b style="display:block;display:inline">b</b>c', ["abc"]),
    "other styles": ('a<b style="display:inline-block;margin:0">b</b>c', ["abc"]),
    "cells by style": (
        '<b style="display:table-cell">a</b><b style="display: table-cell">b</b>',
        ["a", "b"],
    ),
    "picture on a line": ('a<img style="display:block">b', ["a", "b"]),
    "preformatted": ("<pre>a\n\n  b</pre>", ["a b"]),
    "rule": ("a<hr>b", ["a", "b"]),
}

INLINE_TEXT = {
    "bold glues": ("a<b>b</b>c", ["abc"]),
    "spaces stay": ("a <b>b</b> <i> c</i>", ["a b c"]),
    "links": ("<p>see <a href=x>this <span>one</span></a>.</p>", ["see this one."]),
    "links side by side": ("<a>a</a><a>b</a><a><b>c</b></a>", ["a b c"]),
    "link glues to text": ("a<a>b</a>c<a>d</a>,<a>e</a>", ["abcd,e"]),
    "block in a link": ("<a href=x>a<div>b</div>c</a>", ["a", "b", "c"]),
    "inline around blocks": ("<b>a<p>b</p></b>", ["a", "b"]),
    "in a flexible row": (
        '<div style="display: flex"><b>a</b><i>b</i><a>c</a></div>',
        ["a b c"],
    ),
    "in a row by class": ('<p class="d-flex"><b>a</b><i>b</i></p>', ["a b"]),
    "in a grid by class": ('<p class="gap-2 md:grid"><b>a<u>x</u></b><b>b</b>c</p>', ["ax bc"]),
    "in rows": (
        '<p class="inline-flex"><b class="flex"><i>a</i><i>b</i></b><b>c</b></p>',
        ["a b c"],
    ),
    "in a row by style": ('<p class="grid-x" style="DISPLAY:grid"><b>a</b><b>b</b></p>', ["a b"]),
    "in a class that is long": (f'<p class="{"x" * 2000} flex"><b>a</b><b>b</b></p>', ["ab"]),
    "in no row": ('<p class="flexible grid-item xflex"><b>a</b><i>b</i></p>', ["ab"]),
    "beside text in a row": ('<p class="flex">a<b>b</b>c</p>', ["abc"]),
    "amount, unit and name": ("<i>2</i><i>yemek kaşığı</i><b>un</b>", ["2 yemek kaşığı un"]),
    "number of a step": ("<p><b>Step 1</b>Heat</p><p><b>2</b>Stir", ["Step 1 Heat", "2 Stir"]),
    "no amount": (
        "<p><b>1</b>st</p><p>CO<sub>2</sub>max</p><p><b>mp3</b>gain</p><p><b>2 b</b>est",
        ["1st", "CO2max", "mp3gain", "2 best"],
    ),
    "number raised": ("<p>1<sup>ère</sup></p><p><i>1</i><sup>ère</sup></p>", ["1ère", "1ère"]),
    "number in code": ("<pre><b>1</b><b>let</b></pre>", ["1let"]),
    "code in a grid": ('<pre class="grid"><b>a</b><b>b</b></pre>', ["ab"]),
    "map": ('a<map name="m">b<area href=x></map>c', ["abc"]),
    "open map": ('<map name="m"><area href=x><p>a</p><p>b</p>', ["a", "b"]),
    "picture": ("a<img src=x>b", ["ab"]),
    "word break": ("a<wbr>b", ["ab"]),
    "subscript": ("H<sub>2</sub>O", ["H2O"]),
    "label": ("<label>a</label><label>b</label>", ["ab"]),
    "ruby": ("<ruby>a<rt>b</rt></ruby>", ["a"]),
    "folding": ("<p>\n a \t\r\n b\n</p>", ["a b"]),
    "hard spaces fold": ("<p>&nbsp;a&nbsp; &#160;b\u2003c\u3000d&nbsp;</p>", ["a b c d"]),
    "entities": (
        "<p>&lt;p&gt; &amp;amp; &eacute;&#8364;&#x41; &bogus;</p>",
        ["<p> &amp; é€A &bogus;"],
    ),
    "soft hyphen stays": ("<p>a&shy;b</p>", ["a\u00adb"]),
    "joiner stays": ("<p>a&zwj;b</p>", ["a\u200db"]),
    "astral": ("<p>😀 𠀀</p>", ["😀 𠀀"]),
}

LINE_BREAKS = {
    "one is white space": ("<p>a<br>b</p>", ["a b"]),
    "two part": ("<p>a<br><br>b</p>", ["a", "b"]),
    "three part once": ("<p>a<br/><br/><br/>b</p>", ["a", "b"]),
    "white space between": ("<p>a<br> \n&nbsp;<br>b</p>", ["a", "b"]),
    "inline between": ("<p>a<br><span> </span><br>b</p>", ["a", "b"]),
    "text between": ("<p>a<br>b<br>c</p>", ["a b c"]),
    "first": ("<br><br>a<br>", ["a"]),
    "inside bold": ("a<b>b<br><br>c</b>d", ["ab", "cd"]),
    "one in each of two blocks": ("<p>a<br></p><p><br>b</p>", ["a", "b"]),
    "comment between": ("a<br><!-- x --><br>b", ["a", "b"]),
    "end tag": ("<p>a</br>b</BR >c</br/>d</p>", ["a b c d"]),
    "end tags": ("<p>a</br></Br>b<br></br>c</p>", ["a", "b", "c"]),
    "other end tags": ("<p>a</brx></b>b</p>", ["ab"]),
}


NEVER_INLINE = {
    "script": ("a<script>x</script>b", ["ab"]),
    "style": ("a<style>x</style>b", ["ab"]),
    "notice": ("<p>a<noscript>x</noscript>b</p>", ["ab"]),
    "picture": ("<p>a<svg><p>x</p></svg>b</p>", ["ab"]),
    "hidden": ("<p>a<span hidden>x</span>b</p>", ["ab"]),
    "comment": ("a<!-- x -->b", ["ab"]),
    "hidden block": ("a<div hidden>x</div>b", ["ab"]),
}

HIDDEN = {
    "attribute": "<p hidden>x</p>",
    "attribute with a value": '<div hidden="hidden"><p>x</p></div>',
    "display": '<div style="color: red; display:none">x</div>',
    "display in capitals": '<div style="DISPLAY : None !important">x</div>',
    "visibility": '<span style="visibility: hidden">x</span>',
    "collapse": '<tr style="visibility:collapse"><td>x</td></tr>',
    "closed dialog": "<dialog>x</dialog>",
    "closed dialog with a class": '<dialog class="box">x</dialog>',
    "nested": "<div hidden><p>x</p><div><ul><li>x</li></ul></div>x</div>",
    "no segment": '<div hidden id="S:x">x</div>',
    "hidden in hidden": "<div hidden>x<p hidden>x</p>x</div>",
    "noscript in hidden": f"<div hidden><noscript><p>{ARTICLE}</p></noscript></div>",
}

SHOWN = {  # styles whose names only end like one that hides
    "custom property": "<div style='--footer-display: none; --x-visibility: hidden'>x</div>",
    "back of a card": "<div style='backface-visibility:hidden'>x</div>",
}

MALFORMED = {
    "open paragraphs": ("<p>a<p>b<div>c", ["a", "b", "c"]),
    "open items": ("<ul><li>a<li>b</ul>c", ["a", "b", "c"]),
    "open cells": ("<table><tr><td>a<td>b<tr><td>c</table>d", ["a", "b", "c", "d"]),
    "open definitions": ("<dl><dt>a<dd>b<dt>c</dl>", ["a", "b", "c"]),
    "surplus ends": ("</div></span><p>a</p></div></body2></td>b", ["a", "b"]),
    "crossed": ("<b>a<i>b</b>c</i>d", ["abcd"]),
    "capitals": ("<DIV>a<P>b</P><BR><BR>c</DIV>", ["a", "b", "c"]),
    "nested forms": ("<form>a<form><p>b</p></form>c</form>d", ["a", "b", "cd"]),
    "text in a table": ("<table>a<tr><td>b</td></tr></table>", ["a", "b"]),
    "stray row": ("<tr><td>a</td></tr>", ["a"]),
    "stray item": ("<li>a<li>b", ["a", "b"]),
    "attributes without quotes": ("<p class=a id=b>c</p>", ["c"]),
    "open attribute": ('<p>a</p><p class="x>b</p><p>c', ["a"]),
    "less than": ("<p>a < b and 1<2</p>", ["a < b and 1<2"]),
    "premature end": ("<html><body><p>a</p></body></html><p>b</p><div>c</div>", ["a", "b", "c"]),
    "two premature ends": ("<p>a</p></html><p>b</p></html><p>c</p>", ["a", "b", "c"]),
    "second body": ("<body><p>a</p></body><body><p>b</p></body><p>c", ["a", "b", "c"]),
    "second page": (
        "<html><body><p>a</p></body></html><html><head></head><body><p>b</p></body></html>",
        ["a", "b"],
    ),
    "text outside body": ("<p>a</p></body>b</html>", ["a", "b"]),
    "text before body": ("<html>a<body><p>b</p></body></html>", ["a", "b"]),
    "text in head": ("<head>a<title>t</title></head><p>b</p>", ["a", "b"]),
    "frames": ("<frameset><frame src=x><noframes><p>a</p></noframes></frameset>", []),
    "text for no frames": (
        f"<frameset><frame src=x></frameset><noframes><p>{ARTICLE.strip()}</p></noframes>",
        [ARTICLE.strip()],
    ),
    "text beside text for no frames": (f"<p>a</p><noframes><p>{ARTICLE}</p></noframes>", ["a"]),
    "nothing": ("", []),
    "white space": (" \n ", []),
    "elements without text": ("<div><p></p><img src=x></div>", []),
    "comment alone": ("<!-- a -->", []),
    "end tag alone": ("</p>", []),
}


@cases(BLOCKS | INLINE_TEXT | LINE_BREAKS | NEVER_INLINE | MALFORMED)
def test_page_is_cut_into(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@cases(HIDDEN)
def test_hidden_text_is_left_out(html: str) -> None:
    assert texts(f"<p>a</p>{html}<p>b</p>") == ["a", "b"]


@cases(SHOWN)
def test_other_styles_hide_nothing(html: str) -> None:
    assert texts(f"<p>a</p>{html}<p>b</p>") == ["a", "x", "b"]


# Pages inside `srcdoc`


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("a<iframe srcdoc='<title>t</title><h1>b</h1>c'>no frames</iframe>d", "a b c d"),
        ('<iframe SRCDOC="&lt;body&gt;&lt;p&gt;a &amp;amp; b">x</iframe>', "a & b"),
        ("<iframe srcdoc='a'></iframe><iframe src=b.html>no frames</iframe>c", "a c"),
        ("<iframe srcdoc='<iframe srcdoc=&quot;a&quot;>x</iframe>b'>x</iframe>", "a b"),
        ("<iframe hidden srcdoc='a'></iframe>b", "b"),
        ("<script>x = \"<iframe srcdoc='a'></iframe>\"</script>b", "b"),
        ("<!-- <iframe srcdoc='a'></iframe> -->b", "b"),
        ("<p>a<iframe srcdoc='b<script>c</script></body></html>d'></iframe>e</p>", "a bd e"),
    ],
)
def test_pages_in_frames_are_read(html: str, texts: str) -> None:
    blocks = split(Page(f"<html><body>{html}</body></html>"))
    assert " ".join(blocks.texts) == texts
    assert blocks.title == ("t" if "title" in html else "")


def test_frames_in_frames_end() -> None:
    html = "a"
    for _ in range(40):
        html = (
            f'<iframe srcdoc="{html[:100_000].replace("&", "&amp;").replace(chr(34), "&quot;")}">'
        )
    assert split(Page(html)).texts == ()


# Text inside `noscript`


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<noscript>{NOTICE}</noscript><p>a</p>", ["a"]),
        (f"<noscript>{NOTICE}</noscript>", []),
        (f"<noscript><p>{ARTICLE}</p></noscript><p>a</p>", [ARTICLE.strip(), "a"]),
        (f"<div>a<noscript>{ARTICLE}</noscript>b</div>", ["a", ARTICLE.strip(), "b"]),
        (f"<noscript>{ARTICLE}</noscript><p>{ARTICLE}</p>", [ARTICLE.strip()]),
        (f"<noscript>{'x' * MIN_NOSCRIPT_CHARS}</noscript>", []),
        (f"<noscript>{'x' * (MIN_NOSCRIPT_CHARS + 1)}</noscript>", ["x" * 501]),
        (f"<head><noscript><p>{ARTICLE}</p></noscript></head><p>a</p>", [ARTICLE.strip(), "a"]),
        (f"<noscript><p hidden>a</p>{ARTICLE}</noscript>", [ARTICLE.strip()]),
        (f"<noscript>{ARTICLE[:400]}</noscript>b<noscript>{ARTICLE[:400]}</noscript>", 3),
    ],
)
def test_noscript_counts_where_it_holds_the_article(html: str, expected: list[str] | int) -> None:
    found = texts(html)
    assert (len(found) if isinstance(expected, int) else found) == expected


# The title


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>Title</title><p>a", "Title"),
        ("<title>\n  A\tB \n</title>", "A B"),
        ("<title>A &amp; B &lt;C&gt; &eacute;</title><p>a", "A & B <C> é"),
        ("<title>Q&A: A<B</title><p>a", "Q&A: A<B"),
        (f"<title>{'x' * 30_000} y</title><p>a", "x" * 30_000 + " y"),
        (f"<title>{'a&amp;' * 100_000}</title>", "a&" * 100_000),
        ("<title></title><title>Second</title>", ""),
        ("<title>First</title><p>a</p><title>Second</title>", "First"),
        ("<svg><title>Icon</title></svg><title>Title</title>", "Title"),
        ("<p>a</p>", ""),
        ("<p title=x>a</p>", ""),
        (f"<title>T</title><noscript>{ARTICLE}</noscript>", "T"),
    ],
)
def test_title_is_kept_apart(html: str, title: str) -> None:
    page = split(Page(html))
    assert page.title == title
    assert not title or title not in page.texts


# What stands between two blocks


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<p>b</p>", [[], ["p"]]),
        ("<p>a</p>b", [["p"], ["p"]]),
        ("<div>a</div><p>b</p>", [["block"], ["block", "p"]]),
        ("<p>a<br><br>b</p>", [["p"], ["br"]]),
        ("<p>a<br>b</p>", [["p"]]),
        ("<p>a</p><br><p>b</p>", [["p"], ["br", "p"]]),
        ("a<hr>b", [[], ["hr"]]),
        ("<h2>a</h2>b", [["heading"], ["heading"]]),
        ("<ul><li>a<li>b</ul><dl><dt>c</dl>", [["list"], ["list"], ["list"]]),
        ("<table><tr><td>a<th>b</table>", [["cell"], ["cell"]]),
        ("a<div></div>b", [[], ["block"]]),
        ("a<p hidden>x</p>b", [[]]),
    ],
)
def test_split_bits(html: str, expected: list[list[str]]) -> None:
    bits = [sum(SPLIT[name] for name in names) for names in expected]
    assert split(Page(html)).split.tolist() == bits


# Containers and XPaths


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div>a<b>b</b></div>", ["/html[1]/body[1]/div[1]"]),
        ("a", ["/html[1]/body[1]"]),
        ("<p>a</p><p>b</p>", ["/html[1]/body[1]/p[1]", "/html[1]/body[1]/p[2]"]),
        ("<p hidden>a</p><p>b</p>", ["/html[1]/body[1]/p[2]"]),
        ("<p>\u200b</p><p></p><p>b</p>", ["/html[1]/body[1]/p[3]"]),
        ("<div><p>a</p>b</div>", ["/html[1]/body[1]/div[1]/p[1]", "/html[1]/body[1]/div[1]"]),
        ("<a href=x><div>a</div></a>", ["/html[1]/body[1]/a[1]/div[1]"]),
        ("<p>a</p></body></html><p>b</p>", ["/html[1]/body[1]/p[1]", "/html[1]/body[1]/p[2]"]),
        ("<p>a</p></body>b", ["/html[1]/body[1]/p[1]", "/html[1]/body[1]"]),
        ("<p>a</p></html>b", ["/html[1]/body[1]/p[1]", "/html[1]/body[1]"]),
        ("<body>a</body><body>b</body>c<p>d", [*["/html[1]/body[1]"] * 3, "/html[1]/body[1]/p[1]"]),
    ],
)
def test_containers(html: str, expected: list[str]) -> None:
    assert [block.xpath for block in split(Page(html))] == expected


# Chosen elements alone


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        (("h1",), ["a"]),
        (("td",), ["c"]),
        (("div",), ["b c"]),
        (("table", "h1"), ["a", "c"]),
        (("article",), []),
    ],
)
def test_any_block_element_may_be_chosen(elements: tuple[str, ...], expected: list[str]) -> None:
    html = "<h1>a</h1><div><p>b</p><table><tr><td>c</td></tr></table></div>d"
    assert texts(html, *elements) == expected


# The tables


def around(page: Blocks, node: int) -> list[int]:
    """An element and all that are around it."""
    found = []
    while node >= 0:
        found.append(node)
        node = int(page.table.parent[node])
    return found


def test_runs_know_the_elements_before_them_by_example() -> None:
    page = split(Page("<p>a<br>b<img>c<b>d</b>e"))
    before = [page.table.tags[after - 1] for after in page.table.run_after]
    assert list(zip(page.table.run_texts, before, strict=True)) == [
        ("a", "p"),
        (" ", "p"),
        ("b", "br"),
        ("c", "img"),
        ("d", "b"),
        ("e", "b"),
    ]


# Depth and size

DEPTHS = [255, 256, 300, MAX_DEPTH - 2, MAX_DEPTH - 1, 2_040, 2_060, 5_000, 100_000]


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("tag", ["div", "span"])
@pytest.mark.parametrize("depth", DEPTHS)
def test_no_text_is_lost_in_depth(depth: int, tag: str, *, closed: bool) -> None:
    deep = f"<{tag}>" * depth + "deep" + f"</{tag}>" * depth * closed
    page = split(Page(f"<p>first</p>{deep}<p>last</p>"))
    assert page.texts == ("first", "deep", "last")
    levels = depth + 2 + (not closed)  # html, body, and the last paragraph if it is inside
    assert page.truncated == ("depth" if levels > MAX_DEPTH else "")
    assert len(page.table.parent) <= depth + 4


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 10, 100])
def test_too_many_nodes_cut_the_page(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    monkeypatch.setattr(module, "MAX_NODES", limit)
    page = split(Page("<body>" + "<p>a</p>" * 200 + "</body>"))
    assert page.truncated == "nodes"
    assert len(page.table.parent) == limit
    assert page.texts == ("a",) * max(0, limit - 2)


# Odd characters


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a\0b</p><p>c</p>", ["a\ufffdb", "c"]),
        ("\0<p>a</p>\0", ["\ufffd", "a", "\ufffd"]),
        ("<p\0>a</p>", ["a"]),
        ("<p>\ud800a</p><p>b</p>", ["?a", "b"]),
        ("<p title='\udfff'>a</p>", ["a"]),
        ("\ufeff<p>a</p>", ["a"]),
        ("<p>\x01\x02a</p>", 1),
        ("<p>a\x1cb\x85c\u2028d</p>", ["a b c d"]),
        ("<p>&#0;&#xD800;&#x110000;&#99999999999;a</p>", 1),
        ("<meta charset='koi8-r'><p>žluť</p>", ["žluť"]),
        ("<meta charset='utf-16'><p>žluť</p>", ["žluť"]),
        ('<?xml version="1.0" encoding="utf-16"?><p>žluť</p>', ["žluť"]),
    ],
)
def test_odd_characters(html: str, expected: list[str] | int) -> None:
    found = texts(html)
    assert (len(found) if isinstance(expected, int) else found) == expected


# pages of too many blocks


@pytest.mark.parametrize(("limit", "status"), [(None, "ok"), (4, "ok"), (3, "over-blocks")])
def test_pages_of_too_many_blocks_are_empty(limit: int | None, status: str) -> None:
    page, blocks = bounded(Page("<p>a</p><p>b</p>c<p>d</p>", "https://e.org"), max_blocks=limit)
    assert (page.status, page.url) == (status, "https://e.org")
    assert len(blocks) == (4 if status == "ok" else 0)


def test_bytes_of_a_block() -> None:
    """Tables and counts; the text of a block of one run is the run's; tags are shared."""
    page = Page(f"<html><body>{'<div><p>some words</p></div>' * 20_000}</body></html>")
    tracemalloc.start()
    try:
        blocks = split(page)
        size, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size / len(blocks) < 400
    assert peak / len(blocks) < 600
    assert all(text is run for text, run in zip(blocks.texts, blocks.table.run_texts, strict=True))


ROOT = "<template shadowrootmode=open>"
SHADOWS = {
    "paragraphs": ("<x-a><template shadowrootmode=open><p>a<p>b</template></x-a>", ["a", "b"]),
    "in a line": ("<p>a <x-a><template shadowrootmode=closed>b</template></x-a> c", ["a b c"]),
    "before the host's content": (
        "<x-a><template shadowrootmode><h2>a</h2></template>b",
        ["a", "b"],
    ),
    "styles": ("<x-a><template shadowrootmode=open><style>x</style>a</template></x-a>", ["a"]),
    "hidden": ("a<div hidden><template shadowrootmode=open><p>x</template></div>b", ["ab"]),
    "inside a template": (
        "a<template><x-a><template shadowrootmode=open>x</template></x-a>",
        ["a"],
    ),
    "nested": (
        f"<x-a>{ROOT}<x-b>{ROOT}<p>a</template></x-b><p>b</template></x-a><p>c",
        ["a", "b", "c"],
    ),
}


@cases(SHADOWS)
def test_shadow_roots(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


def test_hidden_text_is_counted_and_can_be_read() -> None:
    page = Page("<p>a<div hidden>bc <p hidden>d</p></div><span style='display:none'> e </span>")
    blocks = split(page)
    assert (blocks.texts, blocks.hidden_chars, blocks.source) == (("a",), 4, "")
    blocks = split(page, SplitParams(hidden=True))
    assert (blocks.texts, blocks.hidden_chars) == (("a", "bc", "d", "e"), 0)
    assert blocks.source == "hidden"


@pytest.mark.parametrize("name", ["mw-editsection", "editsection", "a mw-editsection"])
def test_links_to_an_editor_are_no_text(name: str) -> None:
    edit = f"<span class='{name}'><i>[</i><a href=e>editar</a>]</span>"
    assert split(Page(f"<h2>{edit} Water</h2><div><h2>Art</h2>{edit}</div>")).texts == (
        "Water",
        "Art",
    )


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<cite>Ann Moor</cite>Stones", "Ann Moor Stones"),
        ("<b><cite>Ann Moor</cite></b>Stones", "Ann Moor Stones"),
        ("<cite>Ann Moor</cite>, 2001", "Ann Moor, 2001"),
        ("<cite>Ann <b>M</b>oor</cite>", "Ann Moor"),
        ("<cite>石</cite>头", "石头"),
    ],
)
def test_a_source_and_the_words_that_touch_it(html: str, text: str) -> None:
    assert split(Page(f"<p>{html}")).texts == (text,)
