"""Tests of `traces` of `page/walk.py`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.page.chars import has_controls
from crfclean.page.formulas import _CLASSES, _ROOTS
from crfclean.page.walk import Traces, traces

NAMES = (*_CLASSES, *_ROOTS, "latex", "tex", "math", "equation", "mwe-math-fallback-image-inline")
FORMULAS = [
    *(f"<span class={quote}{name}{quote}>" for name in sorted(NAMES) for quote in ("'", '"', "")),
    *("<math>", "<mjx-container>", 'type="math/tex"', "<img class='img tex'>", "data-latex=x"),
    *('<p class="x math-block">', '<p class="x math-inline">'),
    *('<i class="img math">', '<i class="img equation">', "data-tex='x'", "data-math"),
]
PIECES = st.sampled_from(
    [
        *("&#", "&#x", "0", "1", "2", "9", "13", "27", "130", "1b", "D800", "65534", "fffe", ";"),
        *("\x1b", "\t", "\n", "\r", "\x7f", "\x85", "\u00a0", "\ufffe", "\uffff", "\uff01", "é"),
        *("&", "x", "text", "<p>", "漢", "😀", " "),
    ]
)


def of(html: str) -> Traces:
    return traces(html, html.encode("utf-8", "replace"))


@pytest.mark.parametrize("trace", FORMULAS)
def test_formulas_are_seen(trace: str) -> None:
    assert of(trace).formulas
    assert of(f"<p>text {trace} text</p>").formulas


@pytest.mark.parametrize(
    "html",
    [
        "",
        "x",
        "<p class='x-text'>Next text, path, hj, mx, vortex, texas, ax, Ja</p>",
        "x" * 1000,
        '<p class="text" data-text="a">aftermath, my.math.min</p>',
    ],
)
def test_pages_without_any(html: str) -> None:
    assert of(html) == Traces(controls=False, formulas=False, break_ends=False)


@pytest.mark.parametrize(
    ("html", "expected"),
    [("a</br>b", True), ("</BR", True), ("</bR >", True), ("<br/><b></b></x>", False)],
)
def test_ends_of_line_breaks_are_seen(html: str, *, expected: bool) -> None:
    assert of(html).break_ends == expected


@settings(max_examples=400, deadline=None, database=None, derandomize=True)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_controls_are_those_of_the_exact_search(html: str) -> None:
    assert of(html).controls == has_controls(html)


PARTS = (
    *(
        "&#",
        "x",
        "katex",
        "Ja",
        "mj",
        ".cgi",
        "math",
        "-inline",
        "<",
        '"',
        "=",
        " ",
        "hur",
        "quation",
    ),
    *("e", "\\", "abc", "{", "</", "br", "cht=t", "mwe-", ".me/", "\x01", "\xa0", "\ufffe"),
)


@settings(max_examples=300, deadline=None, database=None, derandomize=True)
@given(st.lists(st.sampled_from(PARTS), max_size=9).map("".join), st.integers(0, 9))
def test_a_trace_is_seen_wherever_it_stands(html: str, before: int) -> None:
    """A space at both ends changes nothing, as it would if bytes beyond them were read."""
    assert of(html) == of(f"{' ' * before} {html} ")
