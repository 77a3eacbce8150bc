"""Tests of `document/view.py`."""

from __future__ import annotations

import pytest

from crfclean.decision.verdict import RULE_PREFIX
from crfclean.document.view import AGAINST, FOR, PHRASES, Phrase, phrase_of
from crfclean.model.columns import FEATURES, FIRST_PASS_NAMES
from crfclean.systems.perceptron import ANALYSIS_STEPS, STEP_PREFIX
from crfclean.types import Rule

OTHERS = {
    *FIRST_PASS_NAMES,
    *(f"pass_heading[{step:+d}]" for step in (-1, 1)),
    *(RULE_PREFIX + rule.name.lower() for rule in Rule if rule),
    *(STEP_PREFIX + step for step in ANALYSIS_STEPS),
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
    lowers = rule.name in "COMMENT ASIDE CHOICE END COPY SELECTOR SITE".split()
    raises = rule in (Rule.TITLE, Rule.LIST, Rule.ALSO)
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
