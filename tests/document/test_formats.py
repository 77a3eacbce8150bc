"""Tests of `document/formats.py`: one small document in every format."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crfclean.document.formats import WRITERS, kind_phrase, to_explanation
from crfclean.document.json import to_dict, to_json, to_jsonl, to_row
from crfclean.document.parts import Show
from crfclean.model.kinds import document_kinds
from crfclean.page.blocks import split
from crfclean.types import Document, Label, Page, Reason, Tags

LETTERS = {"H": Label.HEADER, "T": Label.TEXT, "O": Label.OTHER}
HTML = """<html><head><title>Ferries &amp; more</title></head><body>
<p>Home</p><h1>Ferry returns</h1><p>It runs from Monday.</p><p>Advertisement</p>
<ul><li>by day</li><li>by night</li></ul><h3>Prices</h3><p>Two crowns.</p></body></html>"""
LABELS = "OHTOTTHT"


def document(html: str, labels: str, score: float = 0.8, url: str | None = None) -> Document:
    """A page with the labels of its blocks, a letter each, of probability 0.9."""
    blocks = split(Page(html))
    chosen = np.array([LETTERS[letter] for letter in labels], np.int32)
    marginals = np.full((len(labels), 3), 0.05)
    marginals[np.arange(len(labels)), chosen] = 0.9
    assert len(blocks) == len(labels)
    return Document(url, blocks, Tags(chosen, marginals, score))


@pytest.fixture
def small() -> Document:
    return document(HTML, LABELS, url="http://x.example/a?b=c&d")


def row(index: int, label: str, tag: str, xpath: str, text: str) -> dict[str, object]:
    return {
        "index": index,
        "label": label,
        "probability": 0.95,
        "tag": tag,
        "xpath": xpath,
        "text": text,
    }


# JSON


def test_json_fields(small: Document) -> None:
    told = json.loads(to_json(small, Show(blocks=True, evidence=True)))
    blocks = told.pop("blocks")
    assert told.pop("evidence")["title"]["text"] == "Ferry returns"
    assert told.pop("comment_blocks") is None
    assert [told.pop(name) for name in ("thread", "end", "rules")] == [None, None, []]
    values = {name: value for name, value in told.items() if value not in (None, [], "")}
    assert values == {
        "url": "http://x.example/a?b=c&d",
        "url_from": "input",
        "title": "Ferry returns",
        "language": "en",
        "site": "x.example",
        "page_type": "form",
        "text": "Ferry returns\nIt runs from Monday.\nby day\nby night\nPrices\nTwo crowns.",
        "score": 0.8,
        "status": "ok",
        "encoding_guessed": False,
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
    for told in (to_dict(small, without), json.loads(to_jsonl(small, without))):
        assert (told["site"], told["authors"], told["published"]) == (None, [], None)
    assert json.loads(to_row(small, id="x")) == to_dict(small) | {"id": "x"}


def test_front_matter_is_asked_for(small: Document) -> None:
    header, rest = WRITERS["md"](small, Show(front_matter=True)).split("---\n\n", 1)
    assert header.startswith('---\ntitle: "Ferry returns"\n')
    assert "authors" not in header
    assert '\naddress: "http://x.example/a?b=c&d"\n' in header  # as given: the page states none
    assert header.endswith("\nscore: 0.8000\n")
    assert rest == WRITERS["md"](small)
    assert WRITERS["md"](small, Show(front_matter=True), "p1").startswith('---\nid: "p1"\ntitle: ')


def test_the_title_is_that_of_the_metadata_if_there_are_any(small: Document) -> None:
    assert to_dict(small, Show(metadata=False))["title"] == "Ferries & more"
    assert to_dict(small)["title"] == small.title == "Ferry returns"


def test_probability_is_rounded() -> None:
    page = split(Page("<p>a</p>"))
    tags = Tags(np.array([1], np.int32), np.array([[1 / 3, 1 / 3, 1 / 3]]), 0.0)
    (block,) = to_dict(Document(None, page, tags), Show(blocks=True))["blocks"]
    assert block["probability"] == 0.6667


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
