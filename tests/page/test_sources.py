"""Tests of `page/sources.py`: what callers may pass as a page, and names that they pass instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from lxml import etree
from lxml import html as lxml_html

from crfclean import Page, clean, extract, run_many
from crfclean.page.sources import as_page
from crfclean.types import CrfcleanError

HTML = "<html><body><h1>Ferry returns</h1><p>The <b>ferry</b> is back.</p>tail</body></html>"

SOURCES: dict[str, Callable[[str], object]] = {
    "str": str,
    "bytes": str.encode,
    "page": Page,
    "binary file": lambda html: BytesIO(html.encode()),
    "text file": StringIO,
    "lxml element": lxml_html.fromstring,
    "lxml tree": lambda html: lxml_html.fromstring(html).getroottree(),
    "XML tree": lambda html: etree.ElementTree(etree.fromstring(html)),
    "soup": lambda html: BeautifulSoup(html, "html.parser"),
    "tag": lambda html: BeautifulSoup(html, "lxml").html,
}


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_sources_give_the_same_page(make: Callable[[str], object]) -> None:
    document = clean(make(HTML), "https://example.org/1")  # type: ignore[arg-type]
    assert document.blocks.texts == ("Ferry returns", "The ferry is back.", "tail")
    assert document.url == "https://example.org/1"


def test_a_part_of_a_tree_is_written_without_what_follows() -> None:
    tree: Any = lxml_html.fromstring(HTML)
    (heading,) = tree.xpath("//h1")
    heading.tail = "After"
    assert as_page(heading).html == "<h1>Ferry returns</h1>"


def test_paths_are_read(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(HTML, "utf-8")
    assert extract(path) == extract(HTML) != ""
    assert [document.text for document in run_many([path, HTML])] == [extract(HTML)] * 2
    for wrong in (tmp_path, tmp_path / "absent.html"):
        with pytest.raises(CrfcleanError, match=r"cannot be read: [nN]ot? "):
            extract(wrong)


NAMES = {
    "page.html": "is a path, not HTML",
    "pages/Index.HTM ": "is a path, not HTML",
    "saved.mhtml": "is a path, not HTML",
    "https://example.org/a?b=1": "is a URL, not HTML",
    "\nFILE:///page\n": "is a URL, not HTML",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_of_pages_are_no_pages(name: str) -> None:
    for form in (name, name.encode()):
        with pytest.raises(CrfcleanError, match=NAMES[name]):
            extract(form)
        assert clean(form, "https://example.org/").status == "not-html"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_name_ends_many_pages_after_the_pages_before_it(workers: int) -> None:
    texts = run_many([HTML] * 3 + ["page.html", HTML], workers=workers, format="txt")
    assert [next(texts) for _ in range(3)] == [extract(HTML)] * 3
    with pytest.raises(CrfcleanError, match=re.escape("pass Path('page.html')")):
        next(texts)


@pytest.mark.parametrize(
    "text", ["", "No mark-up.", "a\nb.html", "see https://a.example", "\0.x", "x" * 3_000, "//a/b"]
)
def test_other_texts_are_pages(text: str) -> None:
    assert extract(text) == extract(text.encode()) == ""


def test_no_text_is_looked_up_as_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("LICENSE", "folder/page", str(tmp_path / "absolute")):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(HTML, "utf-8")
        assert extract(name) == extract(name.encode()) == ""
        assert clean(name).status == "not-html"


def test_one_page_is_not_many() -> None:
    for make in SOURCES.values():
        with pytest.raises(TypeError, match="several pages are needed"):
            run_many(make(HTML))  # type: ignore[call-overload]


def test_a_page_of_bytes_is_rejected() -> None:
    with pytest.raises(CrfcleanError, match="Page takes text, not bytes"):
        clean(Page(b"<p>Rain</p>"))  # type: ignore[arg-type]
