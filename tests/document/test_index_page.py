"""Tests of `document/overlay.py`."""

from __future__ import annotations

import re

from crfclean.document.overlay import IndexRow, index_html

ROWS = (
    IndexRow("a/<b>&.html", 0.25, "unsure-01.html", 3, 1400),
    IndexRow("b.html", 0.5, problem="it took more than 1 s"),
)


def test_rows() -> None:
    html = index_html({"Lowest scores": ROWS, "Highest scores": ()}, 1234)
    assert "A sample: 2 of the 1,234 pages with a text in this run" in html
    assert '<a href="unsure-01.html">a/&lt;b&gt;&amp;.html</a>' in html
    assert "3 of 1,400 blocks kept" in html
    assert "it took more than 1 s" in html
    assert html.count("<a ") == 1
    assert re.findall(r"<h2>([^<]+)", html) == ["Lowest scores"]


def test_it_runs_and_loads_nothing() -> None:
    html = index_html({"Highest scores": ROWS}, 2, "2 pages are left out. ")
    assert "<script" not in html
    assert "</ul></section><section><h2>" in index_html({"a": ROWS, "b": ROWS}, 2)
    assert "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'" in html
    assert not re.search(r"https?://|src=", html)
    assert "2 pages are left out. Open a page" in html
