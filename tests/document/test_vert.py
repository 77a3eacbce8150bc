"""Tests of `document/vert.py`: preverticals."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
from doubles import KeepAll

from crfclean.document.parts import Show
from crfclean.document.vert import to_vert
from crfclean.page.decode import decode
from crfclean.pipeline import run
from crfclean.types import Document

PAGE = """<html lang=en><head><title>Ferry &amp; bridge</title>
<meta name=author content="Ann Lee"><meta property=og:site_name content='The "Gazette"'>
</head><body>
<h1>Ferry &amp; bridge</h1><p>It runs from <b>Monday</b>.<br>The bridge &lt;b&gt; is closed.</p>
<ul><li>by day<ul><li>twice an hour</li></ul></li><li>by night</li></ul>
<table><tr><th>Who</th><th>Price</th></tr><tr><td>Adults</td><td>2</td></tr></table>
<pre>first = 1
second   = 2</pre></body></html>"""


def document(html: str = PAGE, url: str | None = "https://example.org/?a=1&b=2") -> Document:
    return run(decode(html, url), KeepAll())


def paragraphs(text: str) -> list[tuple[str, str]]:
    return re.findall(r"<p([^>]*)>\n(.*)\n</p>", text)


def test_each_paragraph_stands_on_a_line() -> None:
    assert paragraphs(to_vert(document())) == [
        (' heading="1"', "Ferry &amp; bridge"),
        ("", "It runs from Monday. The bridge &lt;b&gt; is closed."),
        ("", "by day"),
        ("", "twice an hour"),
        ("", "by night"),
        ("", "Who Price"),
        ("", "Adults 2"),
        ("", "first = 1"),
        ("", "second = 2"),
    ]


def test_a_saved_page_has_the_address_that_it_states() -> None:
    saved = PAGE.replace("<meta ", "<link rel=canonical href=https://example.org/ferry><meta ", 1)
    assert '<doc url="https://example.org/ferry" title' in to_vert(document(saved, url=None))
    assert '<doc url="https://example.org/1" title' in to_vert(
        document(saved, "https://example.org/1")
    )
    assert to_vert(document(saved, url=None), Show(metadata=False)).startswith("<doc>")


def test_the_document_is_xml_with_metadata_as_attributes() -> None:
    root = ET.fromstring(to_vert(document()))
    assert root.tag == "doc"
    facts = {name: root.attrib[name] for name in ("url", "title", "author", "lang", "site")}
    assert facts == {
        "url": "https://example.org/?a=1&b=2",
        "title": "Ferry & bridge",
        "author": "Ann Lee",
        "lang": "en",
        "site": 'The "Gazette"',
    }


def test_parts_that_are_switched_off_are_not_there() -> None:
    texts = [text for _, text in paragraphs(to_vert(document(), Show(tables=False)))]
    assert "Adults 2" not in texts
    assert "by day" in texts


def test_comments_set_apart_are_marked() -> None:
    page = document("<p>It runs.</p><p>Good news!</p>")
    apart = np.array([False, True])
    labels = np.where(apart, 2, page.tags.labels).astype(np.int32)
    page = replace(page, tags=replace(page.tags, labels=labels, comments=apart))
    assert paragraphs(to_vert(page)) == [("", "It runs."), (' comment="1"', "Good news!")]
