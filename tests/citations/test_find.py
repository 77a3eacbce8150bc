"""Tests of `citations/cite.py`."""

from __future__ import annotations

import pytest
from doubles import KeepLong

from crfclean.citations import find
from crfclean.citations.cite import Match, best_match
from crfclean.pipeline import run
from crfclean.types import CrfcleanError, Document, Page

HTML = """<html><body>
<ul><li>The ferry sails</li></ul>
<p>Today the ferry sails again: “From Monday on, twice a day,” says its captain.</p>
<p>Advert</p>
<p>The harbour is small<br>and it is old.</p></body></html>"""


@pytest.fixture(scope="module")
def document() -> Document:
    return run(Page(HTML, "https://example.org/1"), KeepLong())


def text_of(document: Document, quote: str) -> str:
    citation = find(document, quote)
    assert citation is not None
    return citation.text


@pytest.mark.parametrize(
    "quote",
    ["twice a day", "“From Monday on, twice a day,”", "says its captain.\nThe harbour is small"],
)
def test_a_quote_is_found_as_it_stands(document: Document, quote: str) -> None:
    assert text_of(document, quote) == quote
    citation = find(document, quote)
    assert citation is not None
    assert citation.similarity == 1.0
    assert document.text[citation.start : citation.end] == quote


def test_case_white_space_and_marks_do_not_count(document: Document) -> None:
    assert text_of(document, "FROM  monday\non twice a day") == "From Monday on, twice a day"


def test_the_text_comes_before_the_rest_of_the_page(document: Document) -> None:
    citation = find(document, "the ferry sails")
    assert citation is not None
    assert citation.blocks[0].xpath == "/html[1]/body[1]/p[1]"


def test_what_is_no_part_of_the_text_has_no_span() -> None:
    document = run(Page("<p>Buy me</p><p>The harbour is small and old.</p>"), KeepLong())
    citation = find(document, "buy me")
    assert citation is not None
    assert (citation.text, citation.start, citation.end) == ("Buy me", None, None)
    assert citation.url == "#:~:text=Buy%20me"


def test_words_that_changed_are_found(document: Document) -> None:
    citation = find(document, "Yesterday the old ferry sails again: from Monday on, twice a day")
    assert citation is not None
    assert citation.blocks[0].xpath == "/html[1]/body[1]/p[1]"
    assert 0.7 <= citation.similarity < 1.0


@pytest.mark.parametrize("quote", ["", " — ", "word " * 2_001])
def test_a_quote_needs_words_but_not_too_many(document: Document, quote: str) -> None:
    with pytest.raises(CrfcleanError, match="a quote of"):
        find(document, quote)


# the most similar words

PAGE = "at noon the ferry sails again from monday on and the ferry returns at night".split()


@pytest.mark.parametrize(
    ("quote", "match"),
    [
        ("the ferry sails again", Match(2, 6, 1.0)),
        ("the ferry", Match(2, 4, 1.0)),
        ("the ferry returns", Match(10, 13, 1.0)),
        ("the bus sails again", None),
    ],
)
def test_equal_words_come_first(quote: str, match: Match | None) -> None:
    assert best_match(PAGE, quote.split(), 0.9) == match


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("the ferry runs again from monday on", "the ferry sails again from monday on"),
        ("the old ferry returns at night", "the ferry returns at night"),
        ("ferry sails from monday on", "ferry sails again from monday on"),
    ],
)
def test_some_words_may_differ(quote: str, words: str) -> None:
    match = best_match(PAGE, quote.split(), 0.7)
    assert match is not None
    assert PAGE[match.start : match.end] == words.split()
    assert 0.7 <= match.similarity < 1.0


@pytest.mark.parametrize("quote", ["monday at noon", "snow on the ferry quay of the town", ""])
def test_other_words_are_not_found(quote: str) -> None:
    assert best_match(PAGE, quote.split(), 0.7) is None
