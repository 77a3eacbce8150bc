"""Tests of `pipeline.py`: the whole path, for good pages, bad pages and many pages."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from markup import soups

import crfclean
from crfclean.document.formats import WRITERS, extract
from crfclean.page.blocks import SplitParams
from crfclean.page.decode import decode
from crfclean.pipeline import clean, run, split_params
from crfclean.products.corpus.many import run_many
from crfclean.products.forum.posts import posts
from crfclean.products.teach.gold import GoldPage
from crfclean.systems.crf import CrfTagger
from crfclean.types import Blocks, Document, Label, Page, Tags

WORDS = "The ferry across the bay will run again from Monday, said the harbour master. " * 3
HTML = f"<ul><li><a href='/'>Home</a></li></ul><h1>Ferry returns</h1><p>{WORDS}</p><p>{WORDS}</p>"


@dataclass(frozen=True)
class Fixed:
    """A tagger that gives every block the same label."""

    label: Label
    elements: tuple[str, ...] = ()
    score: float = 0.5

    def tag(self, blocks: Blocks) -> Tags:
        marginals = np.zeros((len(blocks), 3))
        marginals[:, self.label] = 1.0
        return Tags(np.full(len(blocks), self.label, np.int32), marginals, self.score)


KEEP = Fixed(Label.TEXT)


def same(one: Document, other: Document) -> bool:
    return (
        (one.url, one.status, one.truncated, one.score, one.blocks.texts, one.kept)
        == (other.url, other.status, other.truncated, other.score, other.blocks.texts, other.kept)
    ) and np.array_equal(one.tags.marginals, other.tags.marginals)


STATUSES = {
    "ok": (b"<p>Text.</p>", "ok", "Text."),
    "no bytes": (b"", "empty", ""),
    "white space": (b" \n\t\r\n ", "empty", ""),
    "byte order mark alone": (b"\xef\xbb\xbf", "empty", ""),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(100), "binary", ""),
    "document": (b"%PDF-1.7 <p>text</p>", "binary", ""),
    "zeros": (bytes(2_000), "binary", ""),
    "plain text": (b"No mark-up at all, 1 < 2.", "not-html", ""),
    "JSON": (b'{"a": "b"}', "not-html", ""),
    "feed": (b"<?xml version='1.0'?><rss><item>text</item></rss>", "feed", ""),
    "damaged gzip": (b"\x1f\x8bjunk", "gzip-error", ""),
    "gzip's magic alone": (b"\x1f\x8b", "gzip-error", ""),
    "no text": (b"<html><body><img src='x.png'></body></html>", "no-blocks", ""),
    "hidden text": (b"<body><div hidden>text</div><script>var x;</script></body>", "no-blocks", ""),
}


@pytest.mark.parametrize(("data", "status", "text"), STATUSES.values(), ids=STATUSES)
def test_status_says_what_a_page_is(tagger: CrfTagger, data: bytes, status: str, text: str) -> None:
    document = run(decode(data), KEEP)
    assert (document.status, document.text) == (status, text)
    assert run(decode(data), tagger).status in {status, "nothing-kept"}


CUT = {
    "bytes": Page(HTML, truncated="bytes"),
    "depth": Page("<div>" * 3_000 + HTML),
    "gzip": decode(gzip.compress(HTML.encode())[:-8]),
}


@pytest.mark.parametrize("cut", CUT)
def test_truncation_is_reported(tagger: CrfTagger, cut: str) -> None:
    document = run(CUT[cut], tagger)
    assert document.truncated == cut
    assert "Ferry returns" in document.blocks.texts


def test_model_may_be_path_string_or_tagger(model: Path, tagger: CrfTagger) -> None:
    expected = clean(HTML, model=tagger)
    assert expected.text
    assert same(clean(HTML, model=model), expected)
    assert same(clean(HTML, model=str(model)), expected)


def test_pages_are_cut_as_the_tagger_wants() -> None:
    tagger = Fixed(Label.TEXT, ("h1",))
    assert split_params(tagger) == SplitParams(("h1",))
    assert run(Page(HTML), tagger).text == "Ferry returns"


# many pages


@pytest.fixture(scope="module")
def pages(demo_gold: list[GoldPage]) -> list[Page]:
    bad = [decode(b""), decode(b"%PDF"), decode(b"text"), Page("<p>Alone.</p>", "http://x.example")]
    return [page for gold in demo_gold[::2] for page in (gold.page, *bad)]


@pytest.mark.parametrize("workers", [1, 2])
def test_many_pages_are_cleaned_as_one_each(
    pages: list[Page], tagger: CrfTagger, workers: int
) -> None:
    documents = list(run_many(pages, tagger, workers))
    assert len(documents) == len(pages)
    for page, document in zip(pages, documents, strict=True):
        assert same(document, run(page, tagger))


def test_a_page_that_takes_too_long_is_empty() -> None:
    html = "<p>The ferry sails again over the lake, said its master.</p>" * 40_000  # seconds
    document = clean(html, "https://example.org/", max_seconds=0.01)
    assert (document.url, len(document.blocks), document.text) == ("https://example.org/", 0, "")
    assert (document.status, document.message) == ("over-time", "it took more than 0.01 s")
    assert extract(html, max_seconds=0.01) == ""
    assert '"status": "over-time"' in extract(html, format="json", max_seconds=0.01)
    assert clean("<p>Rain fell in the north.</p>", max_seconds=600).status == "ok"


# any bytes

MORE = (
    "\ud800 <html> <body> <h1> </h1> <script> <!-- --> <noscript> <title> </title> &#0; &#xD800; "
    "<![CDATA[ ]]> <p\x00> < > </html> <meta|charset=rot13> <meta|charset=utf-16> <input|hidden> "
    "<frameset> <svg> <math> <template>"
)
KNOWN = {
    "ok",
    "empty",
    "binary",
    "not-html",
    "feed",
    "gzip-error",
    "mhtml-error",
    "no-blocks",
    "nothing-kept",
}
"""Statuses of the tagger's own rule, which asks for no precision."""


def check(document: Document) -> None:
    """What every document promises, whatever the page was."""
    assert document.status in KNOWN
    assert len(document.tags) == len(document.blocks)
    assert bool(document.text) == (document.status == "ok")
    assert document.kept == sorted(set(document.kept))
    for writer in WRITERS.values():
        assert "\x00" not in writer(document).encode("utf-8").decode("utf-8")


def test_random_bytes_never_raise(tagger: CrfTagger) -> None:
    chance = random.Random(8)
    for number, html in enumerate(soups(MORE, 60)):
        noise = (b"", b"<p>", b"\x1f\x8b")[number % 3] + chance.randbytes(number * 5)
        encoding = ("utf-8", "utf-16")[number % 2]
        for data in (noise, html.encode(encoding, "surrogatepass")):
            check(clean(data, model=tagger))


# the shipped model


def test_extract_gives_the_text(default_model: Path, demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold[::6]:
        text = extract(gold.page.html)
        assert text == clean(gold.page.html, model=default_model).text
        assert len(set(text.splitlines()) & set(gold.text.splitlines())) >= 3, gold.id


def test_page_of_too_many_blocks_is_not_tagged(tagger: CrfTagger) -> None:
    page = Page("<p>one</p><p>two</p><p>three</p>", "https://e.org")
    assert len(run(page, tagger, max_blocks=3).blocks) == 3
    document = run(page, tagger, max_blocks=2)
    assert (document.status, len(document.blocks), document.text) == ("over-blocks", 0, "")
    assert document.url == "https://e.org"


@pytest.mark.parametrize("page", [None, 3, ["<p>Rain</p>"]])
def test_only_text_and_bytes_are_pages(page: object) -> None:
    with pytest.raises(TypeError, match=f"a page is str, bytes, .*, not {type(page).__name__}"):
        clean(page)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not"):
        extract(page)  # type: ignore[arg-type]


def test_pages_may_be_text_bytes_or_decoded() -> None:
    forms: list[Page | bytes | str] = [HTML, HTML.encode(), Page(HTML)]
    text = extract(HTML)
    assert [document.text for document in run_many(forms)] == [text] * 3
    assert [repr(thread) for thread in posts(forms)] == [repr(posts([Page(HTML)])[0])] * 3
    assert {document.text for document in run_many(forms, "links")} != {text}


def test_extract_has_formats_models_and_comments() -> None:
    document = clean(HTML, "https://example.org/1")
    assert extract(HTML, "https://example.org/1", format="md") == crfclean.write(document, "md")
    assert json.loads(extract(HTML, "https://example.org/1", format="json")) == document.to_dict()
    assert extract(HTML, model="expert") == clean(HTML, model="expert").text
    assert extract(HTML, format="markdown") == extract(HTML, format="md")
    with pytest.raises(crfclean.CrfcleanError, match="no switch 'colours'"):
        document.to_dict(colours=True)  # type: ignore[call-arg]


RICH = (
    "<html lang=en><title>Ice</title><article><h1>Ice</h1><p>Ice on "
    f"<a href='https://example.org/'>the</a> <em>bay</em>.</p><p>{WORDS}</p>"
    f"<table><tr><td>Day<td>Depth<tr><td>Monday<td>4 cm</table><p>{WORDS}</p></article>"
    f"<section class=comments><h2>Comments</h2><p class=comment>{WORDS} Thanks.</p></section>"
)
ASKED: dict[str, tuple[dict[str, Any], str, str]] = {
    "links": ({"format": "md", "links": False}, "the", "https"),
    "formatting": ({"format": "md", "formatting": False}, "bay", "*"),
    "headings": ({"headings": False}, "Monday", "Ice\n"),
    "tables": ({"tables": False}, "Ice\n", "4 cm"),
    "front matter": ({"format": "md", "front_matter": True}, "---\ntitle: ", "source"),
    "convention": ({"as_": "body"}, "Ice on", "Ice\n"),
    "kinds": ({"keep": "table"}, "4 cm", "bay"),
    "without": ({"without": ["table"]}, "bay", "4 cm"),
    "also": ({"also": "comment", "as_": "body"}, "Thanks.", "Ice\n"),
    "threshold": ({"threshold": 0.0, "as_": "everything"}, "Comments", "<"),
    "comments": ({"comments": "separate"}, ".\n\nComments\n", "<"),
}


@pytest.mark.parametrize(("options", "there", "absent"), ASKED.values(), ids=ASKED)
def test_extract_takes_what_people_expect(options: dict[str, Any], there: str, absent: str) -> None:
    text = extract(RICH, **options)
    assert there in text
    assert absent not in text


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "format": ({"format": "pdf"}, "no format 'pdf'; there are txt, md"),
    "comments": ({"comments": "all"}, "no mode 'all' of comments; there are keep"),
    "convention": ({"as_": "blog"}, "no convention 'blog'; there are auto, article"),
    "kind": ({"without": ["menu"]}, "without: no kind 'menu'; there are paragraph"),
    "precision": ({"precision": 90}, "precision must be a number from 0 to 1, not 90"),
    "threshold": ({"threshold": "0.5"}, "threshold must be a number from 0 to 1, not '0.5'"),
    "both limits": ({"threshold": 0.5, "precision": 0.9}, "a threshold or a precision, not both"),
    "kinds beside a convention": (
        {"keep": "title", "as_": "body"},
        "or the kinds to keep, not both",
    ),
    "barred": ({"comments": "keep", "as_": "body"}, "convention body leaves them out"),
    "tagger": ({"model": "energy", "precision": 0.9}, "precision: tagger `energy` does not"),
    "header": ({"front_matter": True}, 'front_matter needs format="md"'),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_wrong_values_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(crfclean.CrfcleanError, match=message):
        extract(HTML, **options)


def test_documents_are_shown_in_a_line() -> None:
    document = clean(HTML)
    kept, count = len(document.kept), len(document.blocks)
    shown = f"<Document ok: {kept} of {count} blocks, score {document.score:.2f}>"
    assert repr(document) == shown
    assert repr(document.blocks) == f"<Blocks: {count}>"
    assert repr(document.tags) == f"<Tags: {kept} of {count} blocks kept>"
    assert repr(posts([""])[0]) == "<Thread empty: 0 posts, ''>"
    assert repr(clean("")) == "<Document empty: 0 of 0 blocks, score 0.00>"


def test_a_document_tells_what_people_ask_for() -> None:
    page = (
        "<html lang=en><title>Ice</title><meta name=author content='Ada Frost'>"
        "<meta property='article:published_time' content='2026-01-02'>"
        f"<article><h1>Ice in the harbour</h1><p>{WORDS}</p></article>"
    )
    document = clean(page)
    told = (document.title, document.authors, document.date, document.language)
    assert told == ("Ice in the harbour", ["Ada Frost"], "2026-01-02", "en")
    assert document.markdown().startswith("# Ice in the harbour\n")
    assert "Ice in the harbour</h1>" in document.html()
    assert document.metadata is document.metadata
    shown = document._repr_html_()
    assert shown.startswith("<iframe sandbox srcdoc=")
    assert "Ice in the harbour" in shown
    nothing = clean("")
    assert (nothing.title, nothing.authors, nothing.date, nothing.language) == ("", [], "", "")
