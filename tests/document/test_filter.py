"""Tests of `document/parts.py`: what each switch leaves out, in every format."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markup import MARKUP
from parttrees import check, chosen, keeping, short

import crfclean
from crfclean.document.content import content
from crfclean.document.formats import WRITERS
from crfclean.document.parts import FORMATTING, Show, filter_parts, iter_parts
from crfclean.page.blocks import split
from crfclean.systems.load import named
from crfclean.types import Page
from crfclean.web.inspection import Inspection, inspect

HTML = (
    "<h1>Ice</h1><p>one <a href=/l>two <b>three</b></a> <img src=/i width=300> <code>four</code>"
    "<figure><img src=/j><figcaption>five</figcaption></figure>"
    "<ul><li><h2>six</h2></ul><table><tr><th>seven<th>eight<tr><td>nine<td>ten</table>"
)
GONE: dict[str, set[str]] = {
    "links": {"link"},
    "images": {"image", "figure"},
    "tables": {"table", "row", "cell"},
    "formatting": set(FORMATTING),
    "headings": {"heading"},
}
NAMES = list(GONE)


def kinds(show: Show) -> set[str]:
    parts = filter_parts(content(keeping(HTML)), show)
    check(parts)
    return {one.kind for part in parts for one in iter_parts(part)}


@pytest.mark.parametrize("name", NAMES)
def test_a_switch_takes_its_kinds_alone(name: str) -> None:
    everything = kinds(Show())
    assert GONE[name] & everything
    left = everything - GONE[name] - ({"list", "item"} if name == "headings" else set())
    left -= {"caption"} if name == "images" else set()
    assert kinds(Show(**{name: False})) == left


def test_words_of_links_and_formatting_stay() -> None:
    (part,) = filter_parts(content(keeping("<p>a <a href=/x>b <b>c</b></a>d")), Show(links=False))
    assert short(part) == ["paragraph", "a b ", ["strong", "c"], "d"]
    (part,) = filter_parts(content(keeping("<p>a<b>b<i>c</i></b>d")), Show(formatting=False))
    assert short(part) == ["paragraph", "abcd"]


@given(MARKUP, st.lists(st.booleans(), min_size=5, max_size=5))
def test_any_page_is_in_order(html: str, switches: list[bool]) -> None:
    blocks = split(Page(html))
    parts = content(chosen(blocks, np.ones(len(blocks), np.bool_)))
    check(filter_parts(parts, Show(**dict(zip(NAMES, switches, strict=True)))))


# by name


def test_write() -> None:
    document = keeping(HTML)
    assert "[two" in crfclean.write(document, "md")
    without = crfclean.write(document, "md", links=False, formatting=False, tables=False)
    assert "one two three ![](http://x.example/i) four" in without
    assert "seven" not in without


MARKS = {
    "md": {"links": "](http://x.example/l)", "images": "![", "headings": "# Ice"},
    "html": {"links": "<a ", "images": "<img", "headings": "<h1>"},
    "txt": {"headings": "Ice"},
}
MARKS["md"] |= {"tables": "| seven", "formatting": "**three**"}
MARKS["html"] |= {"tables": "<td>", "formatting": "<strong>"}
MARKS["txt"] |= {"tables": "seven"}
MARKS["tei"] = {"links": 'target="http://x.example/l"', "images": "<graphic", "tables": "<table"}
MARKS["tei"] |= {"formatting": "<hi ", "headings": "<head>Ice"}
MARKS["json"] = {"headings": '"type": "heading"', "tables": "seven"}


@pytest.mark.parametrize(
    ("form", "name"), [(form, name) for form, known in MARKS.items() for name in known]
)
def test_formats_obey(form: str, name: str) -> None:
    if form == "html":
        pytest.importorskip("nh3")
    document, mark = keeping(HTML), MARKS[form][name]
    assert mark in WRITERS[form](document)
    assert mark not in WRITERS[form](document, Show(**{name: False}))


def test_the_command_line_has_the_switches(crfclean: Any, tmp_path: Any) -> None:
    line = "<p>The <a href=/x>lake</a> froze over in the cold January.</p>"
    (tmp_path / "a.html").write_text("<h1>Ice</h1>" + line * 9)
    written = crfclean(
        "clean", tmp_path / "a.html", "-", "--format", "md", "--tagger", "expert", "--no-links"
    )
    assert "The lake froze" in written.out
    again = crfclean("clean", tmp_path / "a.html", "-", "--format", "md", "--tagger", "expert")
    assert "The [lake](/x) froze" in again.out


def test_pages_are_inspected_with_the_switches() -> None:
    wanted = Inspection(formats=("md",), show=Show(links=False))
    page = Page(
        "<h1>Ice</h1>" + "<p>The <a href=/x>lake</a> froze over in the cold January.</p>" * 9
    )
    assert "](/x)" not in inspect(page, named("expert"), wanted)["texts"]["md"]
    assert "](/x)" in inspect(page, named("expert"), replace(wanted, show=Show()))["texts"]["md"]
