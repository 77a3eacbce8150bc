"""Tests of `document/view.py`: anchors of blocks, and reasons in words."""

from __future__ import annotations

import pytest

from crfclean.decision.verdict import RULE_PREFIX
from crfclean.document.marks import Marks, MarkSpan, place_marks
from crfclean.document.phrases import (
    AGAINST,
    FOR,
    MAX_BECAUSE,
    MAX_BUT,
    MAX_FIGURES,
    PHRASES,
    Phrase,
    in_words,
    phrase_of,
    words_and_links,
)
from crfclean.model.columns import FEATURES
from crfclean.model.first_pass import FIRST_PASS_NAMES
from crfclean.page.blocks import split
from crfclean.types import Page, Reason, Rule


def placed(html: str) -> Marks:
    return place_marks(split(Page(html)))


def test_pieces_of_a_block() -> None:
    marks = placed("<div>one <a>two<p>three</p></a></div>")
    assert marks.pieces == {0: 2, 1: 1}
    assert marks.spans == {0: MarkSpan(2, 0, ' id="crf-0"'), 1: MarkSpan(3, 1, ' data-crf="0"')}


# the words of reasons

OTHERS = {
    *FIRST_PASS_NAMES,
    *(f"pass_heading[{step:+d}]" for step in (-1, 1)),
    *(RULE_PREFIX + rule.name.lower() for rule in Rule if rule),
    *(name for name in PHRASES if name.startswith("post.")),  # steps of a product
}


def test_phrases_are_of_features_that_there_are() -> None:
    assert set(PHRASES) <= {*FEATURES, *OTHERS}


@pytest.mark.parametrize("rule", [rule for rule in Rule if rule], ids=lambda rule: rule.name)
def test_every_rule_has_words_for_what_it_does(rule: Rule) -> None:
    """Rules that lower probabilities have them for a lower one, and so on; none has for neither."""
    said = {
        weight: phrase_of(RULE_PREFIX + rule.name.lower(), 0.5 + weight / 4, weight)
        for weight in (1.0, -1.0)
    }
    lowers = rule.name in "COMMENT ASIDE CHOICE END COPY SELECTOR SITE SCRAP STRAY".split()
    raises = rule in (Rule.TITLE, Rule.LEAD, Rule.LIST, Rule.ALSO)
    assert {weight for weight, words in said.items() if words} == (
        {-1.0} if lowers else {1.0} if raises else {1.0, -1.0}
    )


def test_words_that_point_the_other_way_are_left_out() -> None:
    phrase = Phrase("high", "low", 0.5, FOR)
    assert [phrase.of(0.9, 1.0), phrase.of(0.9, -1.0)] == ["high", ""]
    assert [phrase.of(0.5, 1.0), phrase.of(0.5, -1.0)] == ["", "low"]
    against = Phrase("high", "low", 0.5, AGAINST)
    assert [against.of(0.9, -1.0), against.of(0.1, 1.0), against.of(0.1, -1.0)] == [
        "high",
        "low",
        "",
    ]
    assert Phrase("high").of(1.0, -1.0) == Phrase("high").of(1.0, 1.0) == "high"


@pytest.mark.parametrize(
    ("feature", "value", "weight", "words"),
    [
        ("link_density", 1.0, -2.0, "many links"),
        ("words", 2.0, -1.0, "few words"),
        ("in_nav", 0.5, -1.0, "inside a menu"),
        ("in_nav", 0.0, 1.0, ""),
        ("pass", -0.9, -1.0, "by itself it does not look like content"),
        ("named_comment", 0.3, -0.5, "a class or id says “comment”"),
        ("page_words", 500.0, 1.0, ""),
        ("words[+1]", 2.0, -1.0, ""),
        ("no such feature", 1.0, 1.0, ""),
    ],
)
def test_phrase_of(feature: str, value: float, weight: float, words: str) -> None:
    assert phrase_of(feature, value, weight) == words


# reasons in words

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
