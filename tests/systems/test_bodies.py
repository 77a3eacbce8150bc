"""Tests of the bodies of articles in structured data."""

from __future__ import annotations

from crfclean.systems.carried import MAX_TEXT_CHARS, markup


def test_plain_text_has_a_paragraph_a_line() -> None:
    text = "Mlýn stojí.\r\n\r\nVoda < 2 m &amp; teče.\n<br-ne>"
    lines = "<p>Mlýn stojí.</p><p>Voda &lt; 2 m &amp; teče.</p><p>&lt;br-ne&gt;</p>"
    assert markup(text) == lines


def test_long_texts_are_cut() -> None:
    assert len(markup("a" * (MAX_TEXT_CHARS + 5))) == MAX_TEXT_CHARS + len("<p></p>")
