"""Tests of `document/lines.py`: the lines that a reader sees, and that no word changes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from markup import MARKUP
from parttrees import chosen, keeping

from crfclean.document.content import content
from crfclean.document.text import to_txt
from crfclean.page.blocks import split
from crfclean.types import Page

WRAPPED = (
    "The mill stood at the end of the lane where<br>the river turns, and nobody had heard its<br>"
    "wheel since the winter of the great flood."
)
PROSE = WRAPPED.replace("<br>", " ")


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
    "wrapped prose": (f"<p>{WRAPPED}", PROSE),
    "prices below each other": (
        "<p>* Repair of a wheel by the village smith: 500<br>* Repair of a roof, by all means: 900",
        None,
    ),
    "sub-heading": ("<p><b>Ingredients</b><br>2 eggs", "Ingredients\n2 eggs"),
    "sub-heading above wrapped prose": (
        f"<p><strong>The mill and the river</strong><br>{WRAPPED}",
        f"The mill and the river\n{PROSE}",
    ),
    "sub-heading between lines": (f"<p>a b.<br><b>c</b><br>{WRAPPED}", f"a b.\nc\n{PROSE}"),
    "break inside the strong letters": (f"<p><b><i>c</i><br></b>{WRAPPED}", f"c\n{PROSE}"),
    "strong words without a break": ("<p><b>Pricing:</b> It varies.", "Pricing: It varies."),
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


@pytest.mark.parametrize(("html", "expected"), ROWS.values(), ids=ROWS)
def test_an_amount_and_its_name_share_a_line(html: str, expected: str) -> None:
    document = keeping(f"<p>a</p>{html}<p>z</p>")
    assert document.text == f"a\n{expected}\nz"
    assert document.to_dict()["text"] == document.text


def test_an_item_has_its_parts_on_one_line() -> None:
    document = keeping("<ul><li><p>98</p><div><b>grams</b> flour</div><li>eggs</ul>")
    assert document.markdown() == "- 98 **grams** flour\n- eggs\n"
    assert [part.blocks for part in content(document)[0].children] == [(0, 1), (2,)]


def test_lines_that_part_a_word() -> None:
    """`split` reads two lines of a highlighter as one word here, and models know it so."""
    document = keeping("<pre><span class='line'>a</span><span class='line'>b</span></pre>")
    assert document.text == "ab"


@given(MARKUP)
def test_no_word_changes(html: str) -> None:
    blocks = split(Page(html))
    document = chosen(blocks, np.ones(len(blocks), np.bool_))
    assert words(document.text) == words("\n".join(blocks.texts))
