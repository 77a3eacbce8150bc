"""Tests of `document/view.py`; `test_document.py` tests that every block is marked."""

from __future__ import annotations

from crfclean.document.view import PREFIX, Marks, Span, place_marks
from crfclean.page.blocks import split
from crfclean.types import Page


def placed(html: str) -> Marks:
    return place_marks(split(Page(html)))


def test_blocks_that_fill_an_element_are_marked_by_it() -> None:
    marks = placed("<p>one</p><p>two <b>three</b></p>")  # html, body, p, p, b
    assert marks.elements == {2: f' id="{PREFIX}0"', 3: f' id="{PREFIX}1"'}
    assert not marks.spans


def test_blocks_that_share_an_element_are_marked_by_spans() -> None:
    marks = placed("<div>one<p>two</p>three <i>four</i></div>")
    assert marks.elements == {3: ' id="crf-1"'}
    assert marks.spans == {0: Span(2, 0, ' id="crf-0"'), 2: Span(2, 3, ' id="crf-2"')}


def test_ids_of_the_page_are_not_replaced() -> None:
    marks = placed("<p id=own>one")
    assert marks.spans == {0: Span(2, 0, ' id="crf-0"')}


def test_pieces_of_a_block() -> None:
    marks = placed("<div>one <a>two<p>three</p></a></div>")
    assert marks.pieces == {0: 2, 1: 1}
    assert marks.spans == {0: Span(2, 0, ' id="crf-0"'), 1: Span(3, 1, ' data-crf="0"')}
