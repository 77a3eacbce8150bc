"""Tests of `document/view.py`."""

from __future__ import annotations

import pytest

from crfclean.document.view import (
    MAX_BECAUSE,
    MAX_BUT,
    MAX_FIGURES,
    in_words,
    words_and_links,
)
from crfclean.types import Reason

MENU = [
    Reason("page_words", 900.0, 9.0),
    Reason("link_density", 1.0, -1.5),
    Reason("links_per_word", 1.0, -1.0),
    Reason("in_nav", 1.0, -2.0),
    Reason("words", 2.0, -0.8),
    Reason("ends_sentence", 1.0, 0.7),
    Reason("depth", 3.0, 0.1),
]


def test_a_menu() -> None:
    explanation = in_words(MENU, kept=False)
    assert explanation.because == ("many links", "inside a menu", "few words")
    assert explanation.but == ("ends like a sentence",)
    behind = [reason.feature for reason in explanation.figures[:5]]
    assert behind == ["in_nav", "link_density", "links_per_word", "words", "ends_sentence"]
    assert [reason.feature for reason in explanation.figures[5:]] == ["page_words", "depth"]


def test_what_is_for_and_against_depends_on_the_label() -> None:
    dropped, kept = in_words(MENU, kept=False), in_words(MENU, kept=True)
    assert kept.because == dropped.but
    assert kept.but == dropped.because[:MAX_BUT]


def test_light_reasons_are_not_said() -> None:
    heavy, light = Reason("in_nav", 1.0, -5.0), Reason("in_aside", 1.0, -0.4)
    assert in_words([heavy, light], kept=False).because == ("inside a menu",)


def test_words_are_few() -> None:
    names = "in_nav in_aside in_footer in_header in_button in_form in_dialog".split()
    against = [Reason(name, 1.0, -1.0) for name in names]
    explanation = in_words(against * 2, kept=False)
    assert len(explanation.because) == MAX_BECAUSE
    assert len(explanation.figures) == MAX_FIGURES
    assert len(in_words(against, kept=True).but) == MAX_BUT


@pytest.mark.parametrize(
    ("words", "links", "expected"),
    [
        (1.0, 0.0, "1 word, no links"),
        (1234.0, 0.0, "1,234 words, no links"),
        (3.0, 1.0, "3 words, all inside links"),
        (8.0, 0.25, "8 words, 25 % of the characters inside links"),
        (8.0, 0.001, "8 words, 1 % of the characters inside links"),
        (0.2, 0.0, "less than a word, no links"),
    ],
)
def test_words_and_links(words: float, links: float, expected: str) -> None:
    assert words_and_links(words, links) == expected
