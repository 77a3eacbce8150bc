"""Tests of `page/file_names.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from crfclean.page.file_names import HTML_SUFFIXES, is_page, stem


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x.html", "x"),
        ("x.y.htm", "x.y"),
        ("x.xhtml.gz", "x"),
        ("x.html.gz", "x"),
        ("x.txt", "x"),
        ("x", "x"),
        ("x.gz", "x"),
    ],
)
def test_stem(name: str, expected: str) -> None:
    assert stem(Path("folder", name)) == expected


def test_pages_are_known_by_their_names() -> None:
    assert all(is_page(f"X{suffix.upper()}") for suffix in HTML_SUFFIXES)
    assert not any(map(is_page, ["x.html.xz", "html", "x.txt", ""]))
