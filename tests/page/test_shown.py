"""Pages of many scripts, and what Chromium's `innerText` is on each: `shown/x.html`, `shown/x.txt`.

`test_browser.py` compares the texts with those of the browser that is installed.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from parttrees import keeping

from crfclean.document.text import to_txt
from crfclean.model.columns import FEATURES
from crfclean.model.markup import title_likeness
from crfclean.page.blocks import split
from crfclean.page.chars import WITHOUT_WIDTH
from crfclean.types import Page

PAGES = sorted((Path(__file__).parent / "shown").glob("*.html"), key=lambda path: path.name)
every_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
NO_WIDTH = str.maketrans("", "", WITHOUT_WIDTH)


def shown_lines(text: str) -> list[str]:
    """The lines of a text that show something, their white space folded."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return [line for line in lines if line.translate(NO_WIDTH).strip()]


@every_page
def test_plain_text_has_the_lines_that_a_browser_shows(path: Path) -> None:
    expected = shown_lines(path.with_suffix(".txt").read_bytes().decode("utf-8"))
    assert shown_lines(to_txt(keeping(path.read_text("utf-8")))) == expected


@every_page
def test_characters_that_show_nothing_change_no_measure(path: Path) -> None:
    html = path.read_text("utf-8")
    plain = split(Page(without_references(html).translate(NO_WIDTH)))
    page = split(Page(html))
    assert page.table.plain_texts == plain.table.plain_texts
    assert len(page.table.plain_texts) == len(page)
    for name in ("words", "chars", "token_kinds", "sentence_ends", "capitalised"):
        assert (getattr(page.table, name) == getattr(plain.table, name)).all(), name
    duplicates = FEATURES["duplicates"]
    assert duplicates(page).tolist() == duplicates(plain).tolist()
    assert (page.table.link_chars <= page.chars).all()


def without_references(html: str) -> str:
    """A page without the references to such characters, of which it has these."""
    for name in ("shy", "#173", "#xAD", "#8203", "#8288", "#65279", "#8206", "#8207", "rlm", "lrm"):
        html = html.replace(f"&{name};", "")
    for code in ("202B", "202C", "2066", "2069", "200f"):
        html = html.replace(f"&#x{code};", "")
    return html


def test_a_title_is_like_its_heading_with_soft_hyphens() -> None:
    html = "<title>Die Donaudampfschifffahrt</title><h1>Die Donau&shy;dampf&shy;schifffahrt</h1>"
    assert title_likeness(split(Page(html))).tolist() == [1.0]
    turned = "<title>Die Donau&shy;dampfschifffahrt</title><h1>Die Donaudampfschifffahrt</h1>"
    assert title_likeness(split(Page(turned))).tolist() == [1.0]
