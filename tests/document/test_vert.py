"""Tests of `document/vert.py`: preverticals and verticals."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from doubles import KeepAll
from markup import soups

from crfclean.document.parts import Show
from crfclean.document.vert import (
    MAX_DOC_CHARS,
    MAX_TOKEN_CHARS,
    to_vert,
    to_vertical,
    vertical_tokens,
)
from crfclean.page.chars import WITHOUT_WIDTH
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


DATES = {
    "2024-05-07T10:30:00+02:00": {"date": "2024-05-07", "year": "2024"},
    "2024-05": {"date": "2024-05", "year": "2024"},
}


@pytest.mark.parametrize("stated", DATES)
@pytest.mark.parametrize("write", [to_vert, to_vertical])
def test_dates_are_days_with_their_year(stated: str, write: Callable[..., str]) -> None:
    head = f'<meta property="article:published_time" content="{stated}"><h1>'
    root = ET.fromstring(write(document(PAGE.replace("<h1>", head, 1))))
    dates = {name: value for name, value in root.attrib.items() if name in {"date", "year"}}
    assert dates == DATES[stated]


# verticals


def rows(html: str) -> list[str]:
    return to_vertical(document(html), Show(metadata=False)).split("\n")[1:-2]


def test_a_token_has_a_line_and_a_sentence_its_element() -> None:
    html = "<p>Dr. Lee paid $3.50 (a&amp;b). <b>“Don't!”</b></p><h2>&lt;p&gt;</h2>"
    assert " ".join(rows(html)) == (
        '<p type="paragraph"> <s> Dr <g/> . Lee paid $ <g/> 3.50 ( <g/> a <g/> &amp; <g/> b <g/> ) '
        "<g/> . </s> <s> “ <g/> Don't <g/> ! <g/> ” </s> </p> "
        '<p type="heading"> <s> &lt; <g/> p <g/> &gt; </s> </p>'
    )


def test_every_paragraph_has_the_kind_of_its_part() -> None:
    kinds = re.findall('<p type="([a-z]+)">', "\n".join(rows(PAGE)))
    assert kinds == ["heading", "paragraph", *["item"] * 3, *["table"] * 2, *["codeblock"] * 2]


def test_scripts_without_spaces_have_the_tokens_of_the_boundaries() -> None:
    found = {text: [each for each in vertical_tokens(text) if each != " "] for text in SCRIPTS}
    assert found == SCRIPTS


SCRIPTS = {
    "北京很大。": ["北", "京", "很", "大", "。"],
    "日本語のテキスト": ["日", "本", "語", "の", "テキスト"],
    "สวัสดี": ["ส", "วั", "ส", "ดี"],
    "한국어 단어": ["한국어", "단어"],
}


def test_sentences_without_a_space_between_them_are_glued() -> None:
    joined = " ".join(rows("<p>雨。晴。</p>"))
    assert "<g/> 。 </s> <g/> <s> 晴" in joined


def test_what_nobody_sees_is_no_token() -> None:
    assert rows("<p>co&shy;operate \u200b now\u200b.</p>")[2:-2] == [
        "cooperate",
        "now",
        "<g/>",
        ".",
    ]


STRUCTURE = re.compile(r"</?(?:doc|p|s)(?: [a-z]+=\"[^\"<>]*\")*>|<g/>")


def check_vertical(text: str) -> list[str]:
    """The tokens of a vertical; fail where Sketch Engine or CWB would not load it."""
    lines = text.split("\n")
    assert not lines or lines.pop() == ""
    found, opened = [], list[str]()
    for line in lines:
        assert line.strip() == line != ""
        assert len(line.encode()) < 65_536, "a line of CWB"
        if not line.startswith("<"):
            assert opened == ["doc", "p", "s"]
            assert len(line) <= MAX_TOKEN_CHARS + len("&amp;")
            assert not re.search(r"\s|<|&(?!(?:amp|lt|gt);)", line)
            found.append(line)
            continue
        assert STRUCTURE.fullmatch(line), line
        if line != "<g/>" and line.startswith("</"):
            assert opened.pop() == line[2:-1]
        elif line != "<g/>":
            opened.append(re.findall("[a-z]+", line)[0])
    assert not opened
    return found


def test_any_page_becomes_a_vertical_with_its_words() -> None:
    for html in soups():
        page = document(html)
        written = unescape("".join(check_vertical(to_vertical(page, Show(metadata=False)))))
        assert without_space(written) == without_space(
            " ".join(text for _, text in paragraphs(to_vert(page, Show(metadata=False))))
        )


def without_space(text: str) -> str:
    return "".join(unescape(text).translate(dict.fromkeys(map(ord, WITHOUT_WIDTH))).split())


HOSTILE = {
    "flags": "\U0001f1e6" * 20_000,
    "a long word": "é" * 20_000,
    "marks": "a" + "\u0301" * 20_000,
    "joined pictures": "👩\u200d" * 9_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_long_words_are_cut_in_linear_time(name: str) -> None:
    text = HOSTILE[name]
    found = list(vertical_tokens(text))
    assert "".join(found) == text
    assert max(map(len, found)) <= MAX_TOKEN_CHARS
    assert len(found) <= len(text) / 2 + 1


def test_attributes_are_cut_and_escaped() -> None:
    address = "https://example.org/?" + '"<&' * MAX_DOC_CHARS
    text = to_vertical(document(PAGE, address))
    check_vertical(text)
    assert ET.fromstring(text).attrib["url"] == address[:MAX_DOC_CHARS]
