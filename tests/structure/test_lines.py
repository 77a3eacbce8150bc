"""Tests of `structure/lines.py`: the lines that a reader sees, and that no word changes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from markup import MARKUP
from parttrees import chosen, keeping

from crfclean.page.blocks import split
from crfclean.types import Page
from crfclean.writers.text import to_txt

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


def test_lines_that_part_a_word() -> None:
    """`split` reads two lines of a highlighter as one word here, and models know it so."""
    document = keeping("<pre><span class='line'>a</span><span class='line'>b</span></pre>")
    assert document.text == "ab"


@given(MARKUP)
def test_no_word_changes(html: str) -> None:
    blocks = split(Page(html))
    document = chosen(blocks, np.ones(len(blocks), np.bool_))
    assert words(document.text) == words("\n".join(blocks.texts))
