"""Tests of `papers/segment_writer.py`: coherent texts as text, JSON and a picture."""

from __future__ import annotations

import json

import pytest

from crfclean.pipeline import run
from crfclean.products.papers.coherent import segments
from crfclean.products.papers.segment_params import SegmentParams
from crfclean.products.papers.segment_writer import SegmentPageWriter
from crfclean.systems.load import named
from crfclean.types import Document, Page
from crfclean.types.choices import SEGMENT_FORMATS

PORTAL = """<title>Ferry &amp; more</title><ul><li><a href=1>Home</a></li>
<li><a href=2>News "now"</a></li></ul><div><h1>Ferry</h1><p>One <b>two</b></p></div>"""
LINKS = SegmentParams("links")


def segmented(html: str = PORTAL) -> Document:
    return run(Page(html, url="http://x.example/?a=1&b"), named("links"))


def test_txt_parts_texts_by_an_empty_line() -> None:
    written = SegmentPageWriter("txt", LINKS).write(segmented())
    assert written == 'Home\n\nNews "now"\n\nFerry\nOne two\n'


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_carries_all(form: str) -> None:
    written = SegmentPageWriter(form, LINKS).write(segmented())
    told = json.loads(written)
    assert written.endswith("}\n")
    assert (written.count("\n") == 1) == (form == "jsonl")
    assert {name: told[name] for name in ("url", "title", "status", "truncated", "method")} == {
        "url": "http://x.example/?a=1&b",
        "title": "Ferry & more",
        "status": "ok",
        "truncated": "",
        "method": "links",
    }
    found = segments(PORTAL, "links")
    assert [one["xpath"] for one in told["segments"]] == [one.xpath for one in found]
    assert [one["text"] for one in told["segments"]] == [one.text for one in found]
    assert [one["energy"] for one in told["segments"]] == pytest.approx(
        [one.energy for one in found], rel=1e-5
    )
    assert [one["labels"] for one in told["segments"]] == [["OTHER"], ["OTHER"], ["HEADER", "TEXT"]]
    assert told["segments"][0]["link_share"] == 1.0
    assert told["segments"][2]["blocks"] == [2, 3]


@pytest.mark.parametrize("form", SEGMENT_FORMATS)
def test_page_without_text(form: str) -> None:
    written = SegmentPageWriter(form, LINKS).write(segmented(""))
    if form.startswith("json"):
        told = json.loads(written)
        assert (told["segments"], told["status"]) == ([], "no-blocks")
    elif form == "txt":
        assert written == ""
    else:
        assert "0 coherent texts" in written
