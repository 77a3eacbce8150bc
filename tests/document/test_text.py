"""Tests of `document/text.py` and `lines.py`: plain text and its lines."""

from __future__ import annotations

import re

import pytest
from markup import soups
from parttrees import keeping, solid

from crfclean.document.content import content
from crfclean.document.parts import Part, Show
from crfclean.document.text import to_txt

WRAPPED = (
    "The mill stood at the end of the lane where|the river turns, and nobody had heard its|"
    "wheel since the winter of the great flood."
)
PAGES = {
    "paragraphs": ("<h1>T</h1><p>a <b>b</b><br>c<p>d", "T\na b\nc\nd\n"),
    "poem": (
        "<p>Still waits the mill,<br>\nThe wheel is <i>still.</i></p>",
        "Still waits the mill,\nThe wheel is still.\n",
    ),
    "address in an item": ("<ul><li>1 Mill Lane<br>Ely</ul>", "- 1 Mill Lane\n  Ely\n"),
    "heading of two lines": ("<h1>a<br>b</h1>", "a b\n"),
    "wrapped prose": (WRAPPED.replace("|", "<br>"), WRAPPED.replace("|", " ") + "\n"),
    "nested lists": (
        "<ul><li>a<ol start=9><li>b<li>c</ol><li>d</ul>",
        "- a\n  9. b\n  10. c\n- d\n",
    ),
    "paragraphs in an item": ("<ol><li><p>a<p>b</ol>", "1. a\n   b\n"),
    "definitions": ("<dl><dt>a<dd>b<dd>c</dl>", "a\n  b\n  c\n"),
    "table": ("<table><tr><th>a<th>b<tr><td>c<br>d<td>e</table>", "a\tb\nc d\te\n"),
    "empty cells": ("<table><tr><th>a<th>b<tr><td><td>e</table>", "a\tb\n\te\n"),
    "lists in cells": (
        "<table><tr><th>a<th>b<tr><td>c<td><ul><li>d<li>e</ul></table>",
        "a\tb\nc\t- d - e\n",
    ),
    "code": ("<p>a</p><pre>\n  b\n\n\tc\n</pre>", "a\n  b\n\n\tc\n"),
    "code in an item": ("<ul><li>a<pre>b\nc</pre></ul>", "- a\n  b\n  c\n"),
    "tasks": ("<ul><li><input type=checkbox disabled> a</ul>", "- [ ] a\n"),
    "references in tables": (
        "".join(f"<table><tr><td>{at}.<td>{text}</table>" for at, text in ((4, "a b"), (5, "c d"))),
        "4. a b\n5. c d\n",
    ),
    "votes in tables": ("<table><tr><td>12<td>a b</table>" * 2, "12\na b\n12\na b\n"),
    "numbers as text in items": ("<ol><li>1) a<li>2) b</ol>", "1. a\n2. b\n"),
    "other numbers in items": ("<ol><li>7) a<li>2) b</ol>", "1. 7) a\n2. 2) b\n"),
    "quote": ("<blockquote><p>a</blockquote>", "a\n"),
    "rule": ("<p>a<hr><p>b", "a\nb\n"),
    "figure": ("<figure><img src=a><figcaption>b</figcaption></figure>", "b\n"),
    "link": ("<p>a <a href=/b>c</a>", "a c\n"),
    "footnote": ("<p>a<sup><a href=#n>1</a></sup><ol><li id=n>b</ol>", "a[1]\n[1] b\n"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("html", "expected"), PAGES.values(), ids=PAGES)
def test_pages(html: str, expected: str) -> None:
    assert to_txt(keeping(html)) == expected


def test_switches() -> None:
    document = keeping("<h1>T</h1><p>a</p><table><tr><th>b<th>c<tr><td>d<td>e</table>")
    assert to_txt(document, Show(headings=False, tables=False)) == "a\n"


def test_any_page_keeps_its_words() -> None:
    for html in soups():
        document = keeping(html)
        written = "".join(line.lstrip(" -") for line in to_txt(document).splitlines())
        assert solid(written) == solid(document.text.replace("-", ""))
        assert words(document.text) == words("\n".join(document.blocks.texts))


# the lines that a reader sees, and that no word changes

HARD_WRAPPED = (
    "The mill stood at the end of the lane where<br>the river turns, and nobody had heard its<br>"
    "wheel since the winter of the great flood."
)
PROSE = HARD_WRAPPED.replace("<br>", " ")


BOTH = {
    "code": ("<p>a<pre>def f():\n    return 1\n\nf()</pre>", "a\ndef f():\n    return 1\n\nf()"),
    "code of one line": ("<pre>a  =  1</pre>", "a  =  1"),
    "lines of a highlighter": (
        "<div class='hljs'><div class='line'>if a:</div><div class='line'>  b</div></div>",
        "if a:\n  b",
    ),
    "lines of Hexo": (
        "<pre><span class='line'><span>a()</span>{</span><br><span class='line'>  b</span></pre>",
        "a(){\n  b",
    ),
    "poem": ("<p>Still waits the mill,<br>\n<i>still</i> the wheel", None),
    "address": ("<div>Anna Lee<br>1 Mill Lane<br>Ely</div>", "Anna Lee\n1 Mill Lane\nEly"),
    "two breaks": ("<p>a<br>b<br><br>c", "a\nb\nc"),
    "break at the ends": ("<p><br>a b<br></p><p>c", "a b\nc"),
    "heading of two lines": ("<h1>a<br>b</h1>", "a b"),
    "wrapped prose": (f"<p>{HARD_WRAPPED}", PROSE),
    "prices below each other": (
        "<p>* Repair of a wheel by the village smith: 500<br>* Repair of a roof, by all means: 900",
        None,
    ),
    "sub-heading": ("<p><b>Ingredients</b><br>2 eggs", "Ingredients\n2 eggs"),
    "sub-heading above wrapped prose": (
        f"<p><strong>The mill and the river</strong><br>{HARD_WRAPPED}",
        f"The mill and the river\n{PROSE}",
    ),
    "sub-heading between lines": (
        f"<p>a b.<br><b>c</b><br>{HARD_WRAPPED}",
        f"a b.\nc\n{PROSE}",
    ),
    "break inside the strong letters": (f"<p><b><i>c</i><br></b>{HARD_WRAPPED}", f"c\n{PROSE}"),
    "strong words without a break": ("<p><b>Pricing:</b> It varies.", "Pricing: It varies."),
    "exponents and units": (
        "<p>is 10<sup>5</sup> or 3 s<sup>-1</sup> on 5 m<sup>2</sup>",
        "is 10^5 or 3 s^-1 on 5 m^2",
    ),
    "numbers of notes": (
        "<p>many<sup><a href=#n>1,2</a></sup>, in 1999<sup>3</sup>.<sup>4</sup>",
        "many[1,2], in 1999[3].[4]",
    ),
    "raised letters, prices, brackets": (
        "<p>1<sup>st</sup> for $9<sup>99</sup><sup><a href=#n>[1]</a></sup>",
        "1st for $999[1]",
    ),
    "raised numbers in lines": (
        "<p>Still waits<sup>1</sup><br>the mill",
        "Still waits[1]\nthe mill",
    ),
    "heading beside a text": ("<div><h3>c</h3>It varies.</div>", "c\nIt varies."),
}


LONG = " ".join(["Stir."] * 40)
ROWS = {
    "amount in a box": ("<div><p class=a>98</p><p class=b>grams flour</p></div>", "98 grams flour"),
    "amount, unit and name": (
        "<div><p>1 1/2</p><i style='display:block'>cups</i><p class=b>oat flour</p></div>",
        "1 1/2 cups oat flour",
    ),
    "amount in the item itself": ("<ul><li><b>½</b> <b>tbsp.</b> <p>oil</p></ul>", "½ tbsp. oil"),
    "grid": (f"<div>{'<p>3</p><div>eggs</div>' * 3}</div>", "3 eggs\n3 eggs\n3 eggs"),
    "row of a table": ("<table><tr><td>2 cups<td>sugar</table>", "2 cups sugar"),
    "number of a step": (f"<div><b>1</b><p>{LONG}</p></div>", f"1 {LONG}"),
    "numbers of references": (
        f"<table><tr><td>1.<td>{LONG}</table>" * 2,
        f"1. {LONG}\n1. {LONG}",
    ),
    "row of a ranking": ("<table><tr><td>1<td>Alaska<td>49</table>", "1\nAlaska\n49"),
    "number and title above a text": (
        "<div><p>1</p><div>Discovery</div><p>We listen.</p></div>",
        "1 Discovery\nWe listen.",
    ),
    "amount between other parts": (
        "<div><div>consent</div><p>2 years</p><div>Stores it</div></div>",
        "consent\n2 years\nStores it",
    ),
    "amount above a heading": ("<div><p>5</p><h3>Eggs</h3></div>", "5\nEggs"),
    "items": ("<ul><li>5<li class=b>eggs</ul>", "5\neggs"),
    "paragraphs": ("<p>5</p><p>eggs</p>", "5\neggs"),
    "date": ("<div><b>05/17/2022</b><p>Peters</p></div>", "05/17/2022\nPeters"),
    "votes beside posts": (
        f"<div>{f'<p>5</p><div>{LONG}</div>' * 3}</div>",
        "\n".join(["5", LONG] * 3),
    ),
}


def words(text: str) -> tuple[list[str], str]:
    """The words that scores count, and all characters but white space."""
    return re.findall(r"\w+", text), "".join(text.split())


@pytest.mark.parametrize(("html", "expected"), BOTH.values(), ids=BOTH)
def test_both_texts_have_the_lines(html: str, expected: str | None) -> None:
    document = keeping(html)
    if expected is None:
        expected = "\n".join(" ".join(line.split()) for line in plain(html).split("<br>"))
    assert document.text == expected
    assert to_txt(document) == expected + "\n"


def plain(html: str) -> str:
    for tag in ("<p>", "<i>", "</i>"):
        html = html.replace(tag, "")
    return html


def test_the_foot_of_a_table_comes_last() -> None:
    table = "<table><tfoot><tr><th>{}<td>1<tbody><tr><th>{}<td>2<tr><th>{}<td>3</table>"
    document = keeping(table.format(*"abc") + "<p>d</p>" + table.format(*"efg"))
    assert document.text.split() == [*"b2c3a1d", *"f2g3e1"]
    assert to_txt(document) == "b\t2\nc\t3\na\t1\nd\nf\t2\ng\t3\ne\t1\n"


@pytest.mark.parametrize(("html", "expected"), ROWS.values(), ids=ROWS)
def test_an_amount_and_its_name_share_a_line(html: str, expected: str) -> None:
    document = keeping(f"<p>a</p>{html}<p>z</p>")
    assert document.text == f"a\n{expected}\nz"
    assert document.to_dict()["text"] == document.text


def test_an_item_has_its_parts_on_one_line() -> None:
    document = keeping("<ul><li><p>98</p><div><b>grams</b> flour</div><li>eggs</ul>")
    assert document.markdown() == "- 98 **grams** flour\n- eggs\n"
    children = content(document)[0].children
    assert [isinstance(part, Part) and part.blocks for part in children] == [(0, 1), (2,)]


def test_lines_that_part_a_word() -> None:
    """`split` reads two lines of a highlighter as one word here, and models know it so."""
    document = keeping("<pre><span class='line'>a</span><span class='line'>b</span></pre>")
    assert document.text == "ab"
