"""Tests of `tune/report.py`: what is shown of a page, escaped and bounded."""

from __future__ import annotations

import re
from itertools import product

import pytest

from crfclean.tune.pages import Verdict
from crfclean.tune.report import BlockRow, kinds_section, page_details
from crfclean.types import Kind

EVIL = '<script>alert("1")</script>&'


def page(*blocks: BlockRow, name: str = "a.html") -> str:
    return page_details(name, 0.8, 0.9, blocks)


def rows_of(html: str) -> list[tuple[str, str]]:
    """Class and visible words of every row."""
    body = html[html.index("<tbody>") : html.index("</tbody>")]
    rows = re.findall(r'<tr class="(\w+)">(.*?)</tr>', body)
    return [(name, re.sub(r"<[^>]+>", "", markup)) for name, markup in rows]


@pytest.mark.parametrize(
    ("decisions", "row"),
    [
        ((True, True, True), ("same", "✓✓✓text")),
        ((True, False, True), ("better", "✓–✓now in text")),
        ((False, True, False), ("better", "–✓–now out text")),
        ((True, True, False), ("worse", "✓✓–lost text")),
        ((False, False, True), ("worse", "––✓let in text")),
        ((True, False, False), ("against", "✓––still missing text")),
        ((False, True, True), ("against", "–✓✓still in text")),
        ((False, False, False), ("same", "–––1 block that nobody keeps")),
    ],
)
def test_each_combination_has_its_row(
    decisions: tuple[bool, bool, bool], row: tuple[str, str]
) -> None:
    assert rows_of(page(BlockRow("text", *decisions))) == [row]


def test_a_page_counts_what_changed_and_is_open() -> None:
    blocks = [BlockRow("text", *decisions) for decisions in product((True, False), repeat=3)]
    html = page(*blocks, *blocks)
    assert "<details open>" in html
    counts = re.findall(r">(\d+ [a-z ]+)</b>", html)
    assert counts == [
        *("2 now in", "2 now out", "2 lost", "2 let in", "2 still missing", "2 still in"),
    ]


def test_kinds_have_bars() -> None:
    html = kinds_section({Kind.LEAD: Verdict(True, 4, 0.75), Kind.LIST: Verdict(None, 1, 0.5)})
    assert re.findall(r'<meter value="([\d.]+)"', html) == ["0.750", "0.500"]
    assert 'leads <b class="side in">in</b>' in html
    assert "75%" in html
    assert "on 1 page<" in html
    assert not kinds_section({})


def test_texts_and_names_are_escaped() -> None:
    html = page(BlockRow(EVIL, True, False, True), name=EVIL)
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 2
