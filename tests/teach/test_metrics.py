"""Tests of `teach/metrics.py`: every score against values worked out by hand."""

from __future__ import annotations

import pytest

from crfclean.teach import metrics
from crfclean.teach.metrics import (
    Snippets,
    WordScores,
    alignment_scores,
    snippet_scores,
    word_scores,
)

# words

WORDS = {
    "equal": ("the cat sat", "the cat sat", (1, 1, 1)),
    "case and marks": ("THE cat, sat!", "the... cat – sat", (1, 1, 1)),
    "order": ("sat cat the", "the cat sat", (1, 1, 1)),
    "line breaks": ("the\ncat\n\nsat", "the cat sat", (1, 1, 1)),
    "too little": ("the cat", "the cat sat down", (1, 1 / 2, 2 / 3)),
    "too much": ("the cat sat down", "the cat", (1 / 2, 1, 2 / 3)),
    "both": ("a b c d", "c d e", (1 / 2, 2 / 3, 4 / 7)),
    "repeats count": ("a a a b", "a b b", (1 / 2, 2 / 3, 4 / 7)),
    "nothing in common": ("a b", "c d", (0, 0, 0)),
    "both empty": ("", "", (1, 1, 1)),
    "both without words": ("– !", "* \n", (1, 1, 1)),
    "text empty": ("", "a b", (0, 0, 0)),
    "gold empty": ("a b", "", (0, 0, 0)),
    "numbers and underscores": ("3 x_1", "x_1 3", (1, 1, 1)),
    "Chinese is one word between marks": ("中文，再见", "再见", (1 / 2, 1, 2 / 3)),
}


@pytest.mark.parametrize(("text", "gold", "expected"), WORDS.values(), ids=WORDS)
def test_word_scores(text: str, gold: str, expected: tuple[float, float, float]) -> None:
    scores = word_scores(text, gold)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx(expected)


# optional text

OPTIONAL = {
    "not in the text": ("a b", "a b", "x y", (1, 1, 1)),
    "kept": ("a b x y", "a b", "x y", (1, 1, 1)),
    "kept in part": ("a b x", "a b", "x y", (1, 1, 1)),
    "more often than there": ("a b x x", "a b", "x", (2 / 3, 1, 4 / 5)),
    "what is gold still counts": ("a", "a b", "b x", (1, 1 / 2, 2 / 3)),
    "beyond the gold": ("a a b", "a b", "a", (1, 1, 1)),
    "no other than optional text": ("x y", "", "x y z", (1, 1, 1)),
    "instead of the gold": ("x y", "a b", "x y", (0, 0, 0)),
    "case": ("a b X", "a b", "x", (1, 1, 1)),
    "other words stay wrong": ("a b z", "a b", "x y", (2 / 3, 1, 4 / 5)),
}


@pytest.mark.parametrize("measure", [word_scores, alignment_scores])
@pytest.mark.parametrize(("text", "gold", "optional", "expected"), OPTIONAL.values(), ids=OPTIONAL)
def test_optional_text_counts_neither_way(measure, text, gold, optional, expected) -> None:
    scores = measure(text, gold, optional)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx(expected)


# order

ALIGNED = {
    "equal": ("the cat sat", "the cat sat", (1, 1, 1)),
    "case and marks": ("THE cat, sat!", "the... cat – sat", (1, 1, 1)),
    "turned round": ("c b a", "a b c", (1 / 3, 1 / 3, 1 / 3)),
    "halves swapped": ("c d a b", "a b c d", (1 / 2, 1 / 2, 1 / 2)),
    "too much between": ("a x b y c", "a b c", (3 / 5, 1, 3 / 4)),
    "too little": ("a c", "a b c", (1, 2 / 3, 4 / 5)),
    "textbook": ("a b c b d a b", "b d c a b a", (4 / 7, 4 / 6, 8 / 13)),
    "repeats count once a place": ("a a a", "a", (1 / 3, 1, 1 / 2)),
    "nothing in common": ("a b", "c d", (0, 0, 0)),
    "both empty": ("", "–", (1, 1, 1)),
    "text empty": ("", "a b", (0, 0, 0)),
    "gold empty": ("a b", "", (0, 0, 0)),
    "Chinese by characters": ("再见中文", "中文再见", (1 / 2, 1 / 2, 1 / 2)),
}


@pytest.mark.parametrize(("text", "gold", "expected"), ALIGNED.values(), ids=ALIGNED)
def test_alignment_scores(text: str, gold: str, expected: tuple[float, float, float]) -> None:
    scores = alignment_scores(text, gold)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx(expected)


def test_very_long_texts_are_aligned_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MAX_TOKENS", 2)
    assert alignment_scores("a b c d", "a b c d") == WordScores(0.5, 0.5, 0.5)


# snippets

SNIPPETS = {
    "none": ("a b", [], [], (0, 0, 0, 0)),
    "found": ("It sails again from Monday.", ["sails again"], [], (1, 1, 0, 0)),
    "across lines": ("It sails\nagain", ["sails again"], [], (1, 1, 0, 0)),
    "quotes and dashes": ("He said: “It’s back”", ['said - "It\'s back"'], [], (1, 1, 0, 0)),
    "parts of words": ("Homeland", [], ["Home", "land"], (0, 0, 2, 2)),
    "case counts": ("home again", ["Home"], ["Again"], (1, 0, 1, 1)),
    "let in": ("Home Ferry returns", ["Ferry"], ["Home", "Login"], (1, 1, 2, 1)),
    "in a row": ("a x b", ["a b"], ["a b"], (1, 0, 1, 1)),
    "at the ends": ("first middle last", ["first", "last"], [], (2, 2, 0, 0)),
    "empty text": ("", ["a"], ["b"], (1, 0, 1, 1)),
    "Chinese": ("中文再见", ["文再"], ["文见"], (1, 1, 1, 1)),
}


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted", "expected"), SNIPPETS.values(), ids=SNIPPETS
)
def test_snippets(text, wanted, unwanted, expected) -> None:
    assert snippet_scores(text, wanted, unwanted) == Snippets(*expected)
