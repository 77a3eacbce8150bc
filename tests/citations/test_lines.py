"""Tests of `citations/fragments.py`."""

from __future__ import annotations

import pytest

from crfclean.citations.fragments import lines_of
from crfclean.page.blocks import split
from crfclean.types import Page


def lines(html: str) -> list[str]:
    return [text.strip() for text in lines_of(split(Page(html))).texts]


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>One<br>two.</p><p>Three.</p>", ["One", "two.", "Three."]),
        ("<p>One <b>bold</b> word.</p>", ["One bold word."]),
        ("<p>One <img src=a alt=x> two.</p>", ["One", "two."]),
        ("<p>One <a style='display:inline-block'>8</a> two.</p>", ["One", "8", "two."]),
        ("<p>a<b>b<br></b>c<i>d</i></p>", ["ab", "cd"]),
        ("", []),
    ],
)
def test_lines_end_where_a_browsers_search_does(html: str, texts: list[str]) -> None:
    assert lines(html) == texts
