"""Tests of `features/link_boxes.py`."""

from __future__ import annotations

import pytest

from crfclean.features.zones import zones
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.types import Kind, Page

TEXT = f"<article><h1>The river rose</h1>{'<p>' + 'The river rose again. ' * 12 + '</p>'}"
HEADLINES = "".join(
    f"<li><a href={place}>The bridge at {place} was closed on Monday</a></li>" for place in "abc"
)
SECTIONS = "".join(f"<li><a href={name}>{name}</a></li>" for name in ("News", "Sport", "Arts"))


def measure(html: str) -> Measures:
    return split(Page(html))


def names(html: str) -> list[str]:
    """The zones of a page's blocks, "" for none."""
    return [Kind(kind).name.lower() if kind else "" for kind in zones(measure(html)).tolist()]


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (f"<ul>{HEADLINES}</ul>", ["teaser"] * 3),
        (f"<div><h3>Elsewhere</h3><ul>{HEADLINES}</ul></div>", ["teaser"] * 4),
        (f"<ul>{SECTIONS}</ul>", ["navigation"] * 3),
        (f"<div><p>Pages</p><ul>{SECTIONS}</ul></div>", ["navigation"] * 4),
        (f"<ul>{SECTIONS}{HEADLINES}</ul>", ["teaser"] * 6),  # most words are headlines'
        ("<ul><li><a href=a>News</a><li><a href=b>Sport</a></ul>", ["", ""]),  # two links
        ("<p>One</p><p>Two</p><p>Three</p>", ["", "", ""]),
        ("<p><a href=a>News</a> <a href=b>Arts</a> <a href=c>Sport</a></p>", [""]),  # a block
    ],
)
def test_boxes_of_links_beside_the_content(box: str, expected: list[str]) -> None:
    assert names(f"{TEXT}</article><div>{box}</div>")[2:] == expected


def test_what_an_element_around_is_for_counts_first() -> None:
    box = f"<footer><div><ul>{HEADLINES}</ul></div></footer>"
    assert names(f"{TEXT}</article>{box}")[2:] == ["navigation"] * 3
