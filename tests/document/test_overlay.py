"""Tests of `document/overlay.py`: the page painted by what was kept, its file, and the index."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.document.overlay import overlay_html
from crfclean.document.page_view import MAX_SHOWN_BLOCKS, view_of_page
from crfclean.document.paint import MAX_PAGE_CHARS, paint_of
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.shell import read_asset, script_digest
from crfclean.systems.load import load
from crfclean.types import Document, Kind, LikelyKind, Page, Tagger, Tags

LIST = "<p>Words of the text, which are rather many here.</p>"


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return load("default")


@pytest.fixture(scope="module")
def view(demo: Path, tagger: Tagger) -> dict[str, Any]:
    data = (demo / "moorland-gazette" / "sunday-bus-reprieve.html").read_bytes()
    return view_of_page(decode(data), tagger)


def test_every_block_has_a_reason_in_words(view: dict[str, Any]) -> None:
    assert len(view["blocks"]) == view["total"] > 100
    assert sum(block["kept"] for block in view["blocks"]) == view["kept"] > 5
    without = [block["text"] for block in view["blocks"] if not block["because"]]
    assert len(without) < 0.05 * view["total"], without
    assert all(block["figures"] for block in view["blocks"])


def test_a_menu_is_explained_as_one(view: dict[str, Any]) -> None:
    (letters,) = [block for block in view["blocks"] if block["text"] == "Letters"]
    assert (letters["kept"], letters["kind"]) == (False, "navigation")
    assert letters["kind_probability"] > 0.8
    assert letters["size"] == "1 word, all inside links"
    assert any("a class or id says" in reason for reason in letters["because"])


def test_the_page_is_painted(view: dict[str, Any]) -> None:
    painted = [
        f'id="crf-{number}" data-crf-paint="{"k" if block["kept"] else "d"}'
        for number, block in enumerate(view["blocks"])
    ]
    assert not [mark for mark in painted if mark not in view["page"]]
    assert view["page"].count('data-crf-kind="title ') == 1
    assert 'data-crf-kind="paragraph' not in view["page"]


def test_many_blocks_are_cut(tagger: Tagger) -> None:
    view = view_of_page(Page(LIST * 20_000), tagger)
    total = view["total"]
    assert total > MAX_SHOWN_BLOCKS == len(view["blocks"])
    assert (
        view["notes"][0]
        == f"The view shows the first {MAX_SHOWN_BLOCKS:,} of {total:,} blocks, without reasons."
    )
    assert f'id="crf-{MAX_SHOWN_BLOCKS - 1}"' in view["page"]
    assert f'id="crf-{MAX_SHOWN_BLOCKS}"' not in view["page"]
    assert len(view["page"]) < MAX_PAGE_CHARS
    assert len(json.dumps(view)) < 12_000_000


# the file

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
    return overlay_html(Page(html), load("default"))


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


# the paint

LABELS = {True: 1, False: 2}


def painted(kept: list[bool], probabilities: list[float]) -> str:
    """The attributes of blocks, joined."""
    blocks = split(Page("".join(f"<p>Words {number}." for number in range(len(kept)))))
    marginals = np.array([[0.0, share, 1.0 - share] for share in probabilities]).reshape(-1, 3)
    tags = Tags(np.array([LABELS[each] for each in kept], np.int32), marginals, 0.5)
    kinds, likely = [Kind.PARAGRAPH] * len(kept), [LikelyKind(0.0, Kind.PARAGRAPH, 0.0)] * len(kept)
    document = Document(None, blocks, tags, kinds=kinds, likely_kinds=likely)
    return ";".join(paint_of(document, len(kept)).attributes)


@pytest.mark.parametrize(
    ("kept", "probability", "name"),
    [
        (True, 1.0, "k9"),
        (True, 0.55, "k5"),
        (True, 0.0, "k0"),
        (False, 0.0, "d9"),
        (False, 0.55, "d4"),
        (False, 1.0, "d0"),
    ],
)
def test_strength(kept: bool, probability: float, name: str) -> None:  # noqa: FBT001
    assert painted([kept], [probability]) == f' data-crf-paint="{name}"'


def test_the_probability_of_a_kind_stands_beside_it() -> None:
    blocks = split(Page("<nav>Home</nav><p>Words."))
    marginals = np.array([[0.0, 0.1, 0.9]] * 2)
    likely = [LikelyKind(share, Kind.NAVIGATION, 0.874) for share in (0.874, 0.1)]
    tags, kinds = Tags(np.array([2, 2]), marginals, 0.5), [Kind.NAVIGATION, Kind.TEASER]
    document = Document(None, blocks, tags, kinds=kinds, likely_kinds=likely)
    marks = [each.partition("kind=")[2] for each in paint_of(document, 2).attributes]
    assert marks == ['"navigation 87%"', '"teaser 10%"']


def test_the_policy_names_the_one_script() -> None:
    tags = Tags(np.zeros(0, np.int32), np.zeros((0, 3)), 0)
    head = paint_of(Document(None, split(Page("")), tags), 0).head
    scripts = re.findall(r"<script>(.*?)</script>", head, re.DOTALL)
    assert scripts == [read_asset("frame.js")]
    assert f"script-src {script_digest(scripts[0])};" in head
    assert head.index("Content-Security-Policy") < head.index("<style") < head.index("<script")
    assert "'unsafe-inline'" not in head.partition("script-src")[2].partition(";")[0]
