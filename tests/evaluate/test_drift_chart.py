"""Tests of `evaluate/drift_page.py`: scores over time as a drawing."""

from __future__ import annotations

import re

import numpy as np

from crfclean.evaluate.drift_page import Series, chart


def dots(html: str) -> list[tuple[float, float]]:
    """The places of the dots of a chart."""
    (drawn,) = re.findall(r'class="dots" d="([^"]+)"', html)
    return [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)h0", drawn)]


def test_a_page_is_a_dot() -> None:
    html = chart(Series("score", np.array([1.0, 0.5, 0.0, 0.25])))
    assert dots(html) == [(125, 0), (375, 50), (625, 100), (875, 75)]
    assert "change" not in html
    assert 'aria-label="score of 4 pages: mean 0.438"' in html


def test_the_change_stands_between_the_means() -> None:
    html = chart(Series("fit", np.array([1.0, 0.8, 0.2, 0.2, 0.2]), change=2, since="2026-03-11"))
    assert 'class="before" d="M0 10.0H400.0"' in html
    assert 'class="after" d="M400.0 80.0H1000"' in html
    assert 'class="change" d="M400.0 0V100"' in html
    assert "left:40.0%" in html
    assert ">2026-03-11</span>" in html


def test_names_are_text() -> None:
    html = chart(Series("a<b", np.array([1.0, 0.0]), ("<i>", "&"), 1, '"><script>'))
    assert "<script" not in html
    assert "<i>" not in html
    assert "&lt;i&gt;" in html
    assert "<span>&amp;</span>" in html
