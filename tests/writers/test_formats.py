"""Tests of `writers/formats.py`: one small document in every format."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from crfclean.kinds.of_blocks import document_kinds
from crfclean.page.blocks import split
from crfclean.structure.parts import Show
from crfclean.types import Document, Label, Page, Reason, Tags
from crfclean.writers.formats import WRITERS, kind_phrase, to_explanation
from crfclean.writers.json import to_dict, to_json, to_jsonl, to_row
from crfclean.writers.markdown import to_md
from crfclean.writers.text import to_txt

LETTERS = {"H": Label.HEADER, "T": Label.TEXT, "O": Label.OTHER}
HTML = """<html><head><title>Ferries &amp; more</title></head><body>
<p>Home</p><h1>Ferry returns</h1><p>It runs from Monday.</p><p>Advertisement</p>
<ul><li>by day</li><li>by night</li></ul><h3>Prices</h3><p>Two crowns.</p></body></html>"""
LABELS = "OHTOTTHT"


def document(html: str, labels: str, score: float = 0.8, **fields: str) -> Document:
    """A page with the labels of its blocks, a letter each, of probability 0.9."""
    blocks = split(Page(html))
    chosen = np.array([LETTERS[letter] for letter in labels], np.int32)
    marginals = np.full((len(labels), 3), 0.05)
    marginals[np.arange(len(labels)), chosen] = 0.9
    assert len(blocks) == len(labels)
    return Document(fields.pop("url", None), blocks, Tags(chosen, marginals, score), **fields)


@pytest.fixture
def small() -> Document:
    return document(HTML, LABELS, url="http://x.example/a?b=c&d")


@pytest.fixture
def nothing_kept() -> Document:
    return document("<p>Home</p>", "O", 0.0, status="nothing-kept")


@pytest.fixture
def nothing_there() -> Document:
    return document("", "", 0.0, status="no-blocks")


def test_formats() -> None:
    assert list(WRITERS) == ["txt", "md", "json", "jsonl", "html", "tei", "vert"]


# txt


def test_txt(small: Document) -> None:
    assert to_txt(small) == (
        "Ferry returns\nIt runs from Monday.\n- by day\n- by night\nPrices\nTwo crowns.\n"
    )


def test_txt_has_the_words_of_the_document(small: Document) -> None:
    assert re.findall(r"\w+", to_txt(small)) == re.findall(r"\w+", small.text)


# Markdown


def test_md(small: Document) -> None:
    assert to_md(small) == (
        "# Ferry returns\n\nIt runs from Monday.\n\n- by day\n- by night\n\n### Prices\n\n"
        "Two crowns.\n"
    )


BLOCKS = {
    "levels": (
        "".join(f"<h{n}>{n}x</h{n}>" for n in range(1, 7)),
        "HHHHHH",
        "# 1x\n\n## 2x\n\n### 3x\n\n#### 4x\n\n##### 5x\n\n###### 6x\n",
    ),
    "heading inside a block": ("<h2><div>Title</div></h2>", "H", "## Title\n"),
    "heading by label alone": ("<p>Title</p>", "H", "## Title\n"),
    "heading labelled text": ("<h1>Title</h1>", "T", "# Title\n"),
    "list after a paragraph": ("<p>a:</p><ul><li>b<li>c</ul>", "TTT", "a:\n\n- b\n- c\n"),
    "paragraph after a list": ("<ul><li>b<li>c</ul><p>d</p>", "TTT", "- b\n- c\n\nd\n"),
    "list alone": ("<ol><li>b<li>c</ol>", "TT", "1. b\n2. c\n"),
    "item left out": ("<ul><li>a<li>b<li>c</ul>", "TOT", "- a\n- c\n"),
    "definitions": ("<dl><dt>a<dd>b</dl>", "TT", "- a\n  - b\n"),
    "paragraph inside an item": ("<ul><li><p>a</p></li></ul>", "T", "a\n"),
}


@pytest.mark.parametrize(("html", "labels", "expected"), BLOCKS.values(), ids=BLOCKS)
def test_md_blocks(html: str, labels: str, expected: str) -> None:
    assert to_md(document(html, labels)) == expected


ESCAPES = {
    "plain": ("Nothing to do, 3 - 2 + 1 = 2.", "Nothing to do, 3 - 2 + 1 = 2."),
    "emphasis": ("a *b* _c_ **d**", r"a \*b\* \_c\_ \*\*d\*\*"),
    "code": ("the `ls` command", r"the \`ls\` command"),
    "backslash": (r"C:\temp\*", r"C:\\temp\\\*"),
    "link": ("[text](http://x.example)", r"\[text\](http://x.example)"),
    "tag": ("a &lt;b&gt; c", r"a \<b> c"),
    "heading": ("# no heading", r"\# no heading"),
    "hash inside": ("number #1", "number #1"),
    "item with a dash": ("- no item", r"\- no item"),
    "item with a plus": ("+ no item", r"\+ no item"),
    "item with a star": ("* no item", r"\* no item"),
    "negative number": ("-3 degrees", r"\-3 degrees"),
    "rule of dashes": ("---", r"\---"),
    "underline": ("===", r"\==="),
    "numbered item": ("1. January", r"1\. January"),
    "item in brackets": ("12) twelfth", r"12\) twelfth"),
    "number and full stop": ("2024.", r"2024\."),
    "decimal number": ("3.14 is pi", "3.14 is pi"),
    "quote": ("&gt; no quote", r"\> no quote"),
    "fence of tildes": ("~~~~ no code", r"\~\~\~\~ no code"),
    "character reference": ("write &amp;copy; for it", r"write \&copy; for it"),
    "ampersand": ("Marks &amp; Spencer", "Marks & Spencer"),
}


@pytest.mark.parametrize(("html", "expected"), ESCAPES.values(), ids=ESCAPES)
def test_md_protects_marks(html: str, expected: str) -> None:
    assert to_md(document(f"<p>{html}</p>", "T")) == expected + "\n"


# JSON


def test_json_fields(small: Document) -> None:
    told = json.loads(to_json(small))
    blocks = told.pop("blocks")
    assert told.pop("metadata")["title"]["text"] == "Ferry returns"
    assert told == {
        "url": "http://x.example/a?b=c&d",
        "title": "Ferries & more",
        "status": "ok",
        "truncated": "",
        "encoding": None,
        "encoding_guessed": False,
        "score": 0.8,
        "source": "",
        "presence": None,
        "text": "Ferry returns\nIt runs from Monday.\nby day\nby night\nPrices\nTwo crowns.",
        "thread": None,
        "rules": [],
    }
    known = ("index", "label", "probability", "tag", "xpath", "text")
    assert [{name: one[name] for name in known} for one in blocks] == [
        row(1, "HEADER", "h1", "/html[1]/body[1]/h1[1]", "Ferry returns"),
        row(2, "TEXT", "p", "/html[1]/body[1]/p[2]", "It runs from Monday."),
        row(4, "TEXT", "li", "/html[1]/body[1]/ul[1]/li[1]", "by day"),
        row(5, "TEXT", "li", "/html[1]/body[1]/ul[1]/li[2]", "by night"),
        row(6, "HEADER", "h3", "/html[1]/body[1]/h3[1]", "Prices"),
        row(7, "TEXT", "p", "/html[1]/body[1]/p[4]", "Two crowns."),
    ]


def test_metadata_can_be_left_out(small: Document) -> None:
    without = Show(metadata=False)
    assert "metadata" not in to_dict(small, without)
    assert "metadata" not in json.loads(to_jsonl(small, without))
    assert "metadata" not in json.loads(to_row(small, without))
    assert json.loads(to_row(small, id="x"))["metadata"] == to_dict(small)["metadata"]


def test_front_matter_is_asked_for(small: Document) -> None:
    header, rest = WRITERS["md"](small, Show(front_matter=True)).split("---\n\n", 1)
    assert header.startswith('---\ntitle: "Ferry returns"\n')
    assert "authors" not in header
    assert rest == WRITERS["md"](small)


def row(index: int, label: str, tag: str, xpath: str, text: str) -> dict[str, object]:
    return {
        "index": index,
        "label": label,
        "probability": 0.95,
        "tag": tag,
        "xpath": xpath,
        "text": text,
    }


def test_json_is_readable(small: Document) -> None:
    text = to_json(small)
    assert text.endswith("}\n")
    assert '\n "title": "Ferries & more",\n' in text
    assert "žluť" in to_json(document("<p>žluť</p>", "T"))


def test_jsonl_is_one_line(small: Document) -> None:
    text = to_jsonl(small)
    assert text.count("\n") == 1
    assert text.endswith("}\n")
    assert json.loads(text) == json.loads(to_json(small)) == to_dict(small)


def test_probability_is_rounded() -> None:
    page = split(Page("<p>a</p>"))
    tags = Tags(np.array([1], np.int32), np.array([[1 / 3, 1 / 3, 1 / 3]]), 0.0)
    (block,) = to_dict(Document(None, page, tags))["blocks"]
    assert block["probability"] == 0.6667


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_score_is_rounded(ending: str) -> None:
    told = json.loads(WRITERS[ending](document("<p>a</p>", "T", 2 / 3)))
    assert told["score"] == 0.6667


@pytest.mark.parametrize("ending", ["txt", "md"])
def test_plain_text_has_no_score(ending: str) -> None:
    shown = {WRITERS[ending](document("<p>a</p>", "T", score)) for score in (0.25, 0.75)}
    assert shown == {"a\n"}


def test_status_and_truncation_are_told() -> None:
    told = to_dict(document("<p>a</p>", "T", truncated="depth", status="ok"))
    assert (told["status"], told["truncated"]) == ("ok", "depth")


# explanations


def test_explanation_shows_every_block(small: Document) -> None:
    reasons = [[Reason("words", 12.3456, -0.5), Reason("links[+1]", 0.0, 1.256)]] * 8
    lines = to_explanation(small, reasons).splitlines()
    kinds = document_kinds(small)
    phrases = [kind_phrase(kind, likely) for kind, likely in zip(kinds, kinds.likely, strict=True)]
    assert lines[:4] == [
        "ok, 8 blocks, score 0.8000",
        f"OTHER  0.100 /html[1]/body[1]/p[1] {phrases[0]}",
        "       Home",
        "       words=12.3 -0.50  links[+1]=0 +1.26",
    ]
    assert lines[4] == f"HEADER 0.950 /html[1]/body[1]/h1[1] {phrases[1]} -> heading (level 1)"
    item = f"TEXT   0.900 /html[1]/body[1]/ul[1]/li[1] {phrases[4]} -> item (depth 1)"
    assert item.split() == lines[13].replace("0.950", "0.900").split()
    assert len(lines) == 1 + 3 * 8


def test_explanation_cuts_long_texts_and_tells_of_cut_pages() -> None:
    page = document(f"<p>{'long ' * 50}</p>", "T", truncated="depth")
    head, _, text, _ = to_explanation(page, [[]]).splitlines()
    assert head == "ok, 1 blocks, score 0.8000, truncated (depth)"
    assert len(text.strip()) <= 100


def test_explanation_of_nothing(nothing_there: Document) -> None:
    assert to_explanation(nothing_there, []) == "no-blocks, 0 blocks, score 0.0000\n"


def test_explanation_needs_reasons_for_every_block(small: Document) -> None:
    with pytest.raises(ValueError, match="zip"):
        to_explanation(small, [[]])


# nothing to show


@pytest.mark.parametrize("name", ["nothing_kept", "nothing_there"])
@pytest.mark.parametrize("ending", ["txt", "md", "vert"])
def test_no_text_is_an_empty_file(request: pytest.FixtureRequest, name: str, ending: str) -> None:
    assert WRITERS[ending](request.getfixturevalue(name)) == ""


@pytest.mark.parametrize("name", ["nothing_kept", "nothing_there"])
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_no_text_is_told(request: pytest.FixtureRequest, name: str, ending: str) -> None:
    page = request.getfixturevalue(name)
    told = json.loads(WRITERS[ending](page))
    assert (told["text"], told["blocks"], told["status"]) == ("", [], page.status)


@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_ends_its_last_line(small: Document, ending: str, tmp_path: Path) -> None:
    text = WRITERS[ending](small)
    (tmp_path / "x").write_bytes(text.encode())
    assert text.endswith("\n")
    assert not text.startswith("\n")
    assert (tmp_path / "x").read_text("utf-8") == text
