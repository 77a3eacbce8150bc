"""Tests of `features/forms.py`."""

from __future__ import annotations

import pytest

from crfclean.features.zones import forms, is_formula
from crfclean.page.blocks import split
from crfclean.types import Kind, Page

TABLE = "<table><tr><th>Day</th><th>Metres</th></tr><tr><td>Monday</td><td>{}</td></tr></table>"
CODE = "<div class=code><div><code>a = 1</code></div><div><code>b = 2</code></div></div>"


def names(html: str) -> list[str]:
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
    assert names(html) == expected


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
    assert names(html) == expected
