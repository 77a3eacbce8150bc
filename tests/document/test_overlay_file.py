"""Tests of `document/overlay.py`."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from crfclean.document.overlay import overlay_html
from crfclean.shell import read_asset, script_digest
from crfclean.systems.load import by_name
from crfclean.types import Page

HOSTILE = """<title></title><script>alert(1)</script></title>
<p id="data" onclick="alert(2)">One &lt;/script&gt;&lt;script&gt;alert(3)&lt;/script&gt; word.</p>
<p>]]&gt; --&gt; &lt;!-- &lt;![CDATA[ \u2028 $title ${data} \ud83d</p><script>alert(4)</script>
<img src=x onerror=alert(5)><iframe src="javascript:alert(6)"></iframe><base href="https://e.org/">
<meta http-equiv=refresh content="0;url=https://e.org/"><a href="javascript:alert(7)">Link text</a>
<style>@import "https://e.org/x.css"; p { background: url(https://e.org/y.png) }</style>
<link rel=stylesheet href="https://e.org/z.css"><svg><script>alert(8)</script></svg>
<p style="background:url(https://e.org/u.png)">Styled words.<object data=x></object></p>"""


class Elements(HTMLParser):
    """The elements of a document, with their attributes, and their text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "input", "link", "img", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, "elements nest"

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)


def file_of(html: str) -> str:
    return overlay_html(Page(html), by_name("default"))


def data_of(file: str) -> dict[str, Any]:
    (text,) = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', file, re.DOTALL
    )
    return dict(json.loads(text))


def test_the_file_is_whole() -> None:
    elements = Elements(file_of("<title>Ice</title><h1>Ice</h1><p>The ferry stays in harbour."))
    assert elements.open == []
    assert elements.texts["title"] == ["Ice – what crfclean keeps"]
    tags = [tag for tag, _ in elements.elements]
    assert tags.count("script") == 2
    assert not {"link", "img", "iframe", "base", "object"} & set(tags)
    ids = [attributes["id"] for _, attributes in elements.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("html", [HOSTILE, f"<div>{HOSTILE}" * 3, "<title>]]></script>"])
def test_hostile_pages_stay_data(html: str) -> None:
    file = file_of(html)
    elements = Elements(file)
    without_data = re.sub(r'id="data">.*?</script>', "", file, flags=re.DOTALL)
    assert [tag for tag, _ in elements.elements].count("script") == 2
    assert not re.search(r"alert\(|e\.org", without_data)
    page = data_of(file)["page"]
    inner = Elements(page.replace("<!DOCTYPE html>", ""))
    names = {name for _, attributes in inner.elements for name in attributes}
    assert not {name for name in names if name.startswith("on")} | (names & {"href", "srcset"})
    assert [tag for tag, _ in inner.elements].count("script") == 1
    assert "".join(inner.texts["script"]) == read_asset("frame.js")
    assert not {"iframe", "object", "base", "link", "svg"} & {tag for tag, _ in inner.elements}


def test_data_are_ascii_and_inert() -> None:
    text = file_of(HOSTILE).partition('id="data">')[2].partition("</script>")[0]
    assert text.isascii()
    assert not set("<>&") & set(text)


def test_the_policy_allows_two_scripts_and_nothing_else() -> None:
    file = file_of("<p>Words.")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', file)
    assert policy is not None
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy[1].split(";"))
    script = read_asset("overlay.js")
    assert (
        rules.pop("script-src")
        == f"{script_digest(script)} {script_digest(read_asset('frame.js'))}"
    )
    assert rules == {
        "default-src": "'none'",
        "style-src": "'unsafe-inline'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert f"<script>{script}</script>" in file
