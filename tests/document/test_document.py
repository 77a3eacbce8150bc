"""Tests of `document/view.py`."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markup import soups

from crfclean.document.view import PREVIEW_POLICY, safe_document
from crfclean.page.blocks import SplitParams, split
from crfclean.page.decode import decode
from crfclean.types import Blocks, Page

VOID = {"br", "col", "hr", "img", "meta", "wbr"}
ADDRESSES = {"href", "action", "formaction", "srcset", "background", "data", "ping", "poster"}


class Reader(HTMLParser):
    """What is in a document: elements, their attributes, the text inside every mark."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.marked: dict[int, str] = {}
        self.ids: list[str] = []
        self.styles: list[str] = []
        self.text = ""
        self.open: list[tuple[str, int]] = []
        self.strays: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.elements.append((tag, given))
        name = given.get("id") or ""
        self.ids.append(name)
        called = name.removeprefix("crf-") if name.startswith("crf-") else given.get("data-crf")
        if called is not None:
            self.marked[int(called)] = self.marked.get(int(called), "") + " "
        if tag not in VOID:
            self.open.append((tag, -1 if called is None else int(called)))

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1][0] == tag:
            self.open.pop()
        else:
            self.strays.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1][0] == "style":
            self.styles.append(data)
        elif self.open and self.open[-1][0] != "title":
            self.text += data
        for name in {called for _, called in self.open if called >= 0}:
            self.marked[name] += data

    @property
    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}


def read(document: str) -> Reader:
    reader = Reader()
    reader.feed(document)
    reader.close()
    return reader


def shown(html: str, elements: tuple[str, ...] = (), **options: Any) -> tuple[Reader, Blocks]:
    page = Page(html)
    blocks = split(page, SplitParams(elements))
    return read(safe_document(page, blocks, **options)), blocks


def squeezed(text: str) -> str:
    return "".join(text.split())


# every block is marked


@pytest.mark.parametrize("elements", [(), ("h1", "p", "li")])
def test_every_block_of_the_demo_is_marked(demo: Path, elements: tuple[str, ...]) -> None:
    for file in sorted(demo.rglob("*.html")):
        page = decode(file.read_bytes())
        blocks = split(page, SplitParams(elements))
        reader = read(safe_document(page, blocks))
        for block, text in enumerate(blocks.texts):
            assert squeezed(reader.marked[block]) == squeezed(text), f"{file.name}: {block}"
        assert set(reader.marked) == set(range(len(blocks)))


MARKED = {
    "an element that it fills": ("<p>one", '<p id="crf-0">one</p>'),
    "the innermost one": ("<div><p><b>one</b></p></div>", '<b id="crf-0">one</b>'),
    "around several": ("<p>one <b>two</b>", '<p id="crf-0">one <b>two</b></p>'),
    "an id of its own": ('<p id="a">one', '<p id="a"><span id="crf-0">one</span></p>'),
    "text among elements": (
        "<div>one <b>two</b><p>three</p>four</div>",
        (
            '<div><span id="crf-0">one <b>two</b></span><p id="crf-1">three</p>'
            '<span id="crf-2">four</span></div>'
        ),
    ),
    "lines": (
        "<div>one<br><br>two<img>three</div>",
        '<div><span id="crf-0">one </span><br><br><span id="crf-1">two<img>three</span></div>',
    ),
    "cells": ("<table><tr><td>a<td>b", '<td><span id="crf-0">a</span></td>'),
    "a link of several blocks": (
        "<div>one <a>two<p>three</p></a></div>",
        (
            '<div><span id="crf-0">one </span><a><span data-crf="0">two</span>'
            '<p id="crf-1">three</p></a></div>'
        ),
    ),
    "images before": ("<p id=a><img>x", '<p id="a"><img><span id="crf-0">x</span></p>'),
    "images in it": (
        "<p id=a>x <b><img>y</b>",
        '<span id="crf-0">x <b><img>y</b></span>',
    ),
    "wbr": ("<p>one<wbr>two</p><p>three", '<p id="crf-0">one<wbr>two</p><p id="crf-1">three</p>'),
}


@pytest.mark.parametrize("case", MARKED)
def test_marks(case: str) -> None:
    html, expected = MARKED[case]
    page = Page(html)
    assert expected in safe_document(page, split(page))


def test_pieces_of_a_block_are_marked_together() -> None:
    page = Page("<div>one <a>two<p>three</p></a></div>")
    document = safe_document(page, split(page))
    assert ':root:has(#crf-0:target) [data-crf="0"]{' in document
    assert "has(#crf-1" not in document


def test_a_page_cannot_pose_as_a_block() -> None:
    reader, _ = shown('<p id="crf-1">one<p id="crf-0" data-crf="1">two')
    assert [name for name in reader.ids if name] == ["crf-0", "crf-1"]
    assert {number: text.strip() for number, text in reader.marked.items()} == {0: "one", 1: "two"}


# nothing gets through

HOSTILE = """<html onclick=alert(1)><head><base href="http://x.example/">
<meta http-equiv=refresh content="0;url=http://x.example/">
<link rel=stylesheet href="http://x.example/a.css"><script>alert(1)</script>
<style>p{color:red}</style><script src=http://x.example/a.js></script></head>
<body onload=alert(1) background="http://x.example/b.png"><p onmouseover="alert(1)">
&lt;script&gt;alert(1)&lt;/script&gt; <a href="javascript:alert(1)" ping="http://x.example/">go</a>
<img src="http://x.example/i.png" srcset="http://x.example/j.png 2x" onerror=alert(1) alt="a">
<img src="data:text/html,<script>alert(1)</script>"><img src="data:image/gif;base64,R0lGOD">
<iframe src="http://x.example/"></iframe><object data="http://x.example/"></object>
<embed src="http://x.example/"></embed><form action="http://x.example/"><input name=a autofocus
onfocus=alert(1)><button formaction="http://x.example/">send</button></form>
<svg onload=alert(1)><script>alert(1)</script></svg><math href="javascript:alert(1)">x</math>
<video src="http://x.example/v.mp4" poster="http://x.example/p.png"></video>
<p title='"><script>alert(1)</script>'>quoted <x-evil onclick=alert(1)>own</x-evil>
<plaintext>the end"""


@pytest.mark.parametrize("styled", [True, False])
def test_nothing_that_runs_or_loads_is_left(*, styled: bool) -> None:
    reader, _ = shown(HOSTILE, styled=styled)
    assert not reader.tags & set(
        "script iframe object embed form input base link svg math video plaintext".split()
    )
    names = {name for _, attributes in reader.elements for name in attributes}
    assert not {name for name in names if name.startswith("on")}
    assert not names & ADDRESSES
    sources = [given["src"] for _, given in reader.elements if "src" in given]
    assert sources == ["data:image/gif;base64,R0lGOD"]
    metas = [given for tag, given in reader.elements if tag == "meta"]
    assert [given.get("name") for given in metas] == [None, "viewport"]


@pytest.mark.parametrize(
    "style",
    ["a{}</style><script>alert(1)</script>", "a{}</STYLE ><img src=x onerror=alert(1)>", "</style"],
)
def test_styles_cannot_end_their_element(style: str) -> None:
    reader, _ = shown(f"<style>{style}</style><p>one")
    assert not reader.tags & {"script"}
    assert not any(given for tag, given in reader.elements if tag == "img" and "onerror" in given)


TAGS = "span tr img wbr style script svg h1 body html title".split()
MORE = " ".join(f"<{tag}> </{tag}>" for tag in TAGS)
MORE += """ <p|id="crf-0"|onclick="x"> <a|href='javascript:1'> </ <!-- < > & \" ' / \0 \ud800"""


@pytest.mark.parametrize("elements", [(), ("h1", "p", "li"), ("span",)])
def test_any_page_is_safe_and_marked(elements: tuple[str, ...]) -> None:
    for html in ("<body>a<wbr>b<p>c</p></wbr>d<html><body>e", *soups(MORE, 200)):
        reader, blocks = shown(html, elements)
        assert not reader.tags & {"script", "svg", "x-a"}
        assert not reader.strays
        assert not [tag for tag, _ in reader.open]
        assert not {name for _, given in reader.elements for name in given} & {"onclick", "href"}
        ids = [name for name in reader.ids if name]
        assert len(ids) == len(set(ids))
        for block, text in enumerate(blocks.texts if not elements else ()):
            readable = squeezed(text).replace("\ud800", "?")
            assert squeezed(reader.marked[block]).replace("\ud800", "?") == readable


# looks


def test_styles_of_the_page_are_kept() -> None:
    html = (
        "<style media=print>p{color:red}</style><style type='text/less'>@a:1</style>"
        '<STYLE type="text/css">b{}</STYLE><p style="color:blue" class=x width=3>one'
    )
    reader, _ = shown(html)
    assert reader.styles[1:3] == ["p{color:red}", "b{}"]
    assert ("style", {"media": "print"}) in reader.elements
    assert ("p", {"style": "color:blue", "class": "x", "width": "3", "id": "crf-0"}) in (
        reader.elements
    )


def test_styles_without_an_end_are_found_in_linear_time() -> None:
    reader, _ = shown("<p>one" + "<style " * 100_000 + "<style>" * 100_000)
    assert reader.marked[0].strip() == "one"


def test_deep_pages_are_written_without_recursion() -> None:
    reader, blocks = shown("<div>" * 5_000 + "deep")
    assert blocks.texts == ("deep",)
    assert reader.marked[0].strip() == "deep"


def test_policy_forbids_scripts_and_addresses() -> None:
    parts = dict(part.strip().partition(" ")[::2] for part in PREVIEW_POLICY.split(";"))
    assert parts["sandbox"] == "", "an origin of its own, no scripts, no forms"
    assert parts["default-src"] == "'none'"
    assert parts["img-src"] == "data:"
    assert "script-src" not in parts
    assert not re.search(r"https?:", PREVIEW_POLICY)
