"""Tests of `teach/metrics.py`: every score against values worked out by hand."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.page.align import tokens
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


TEXTS = st.lists(st.sampled_from("a b c dd ee".split()), max_size=8).map(" ".join)


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


@pytest.mark.parametrize("measure", [word_scores, alignment_scores])
@settings(database=None, deadline=None)
@given(text=TEXTS, gold=TEXTS, optional=TEXTS)
def test_optional_text_never_harms_and_never_adds_recall(measure, text, gold, optional) -> None:
    without, free = measure(text, gold), measure(text, gold, optional)
    assert without.f1 <= free.f1 <= 1
    assert without.precision <= free.precision <= 1
    assert without.recall == free.recall or not gold.split()


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


def subsequence(first: list[str], second: list[str]) -> int:
    """Length of the longest common subsequence, by the textbook's table."""
    row = [0] * (len(second) + 1)
    for one in first:
        before = row
        row = [0]
        for place, other in enumerate(second):
            longer = before[place] + 1 if one == other else max(before[place + 1], row[-1])
            row.append(longer)
    return row[-1]


LONGER = st.lists(st.sampled_from("a b c dd ee ff".split()), max_size=20).map(" ".join)


@settings(database=None, deadline=None)
@given(text=LONGER, gold=LONGER)
def test_alignment_is_the_longest_common_subsequence(text: str, gold: str) -> None:
    ours, theirs = tokens(text), tokens(gold)
    found = alignment_scores(text, gold)
    common = subsequence(ours, theirs)
    assert round(found.precision * len(ours)) == (common if ours else 0)
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    assert common >= sum(block.size for block in matcher.get_matching_blocks())
    assert found.f1 <= word_scores(text, gold).f1


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
