"""Tests of `lexicon/markup.py`."""

from __future__ import annotations

import re

import pytest
import regex

from crfclean.features.marks import name_bits
from crfclean.lexicon.markup import MARKUP, PHRASES, TAGS, group_bit, word_begins, word_groups

WORDS = [(group, word) for group, words in MARKUP.items() for word in words.split()]


@pytest.mark.parametrize(("group", "word"), WORDS)
def test_words_are_found_in_names(group: str, word: str) -> None:
    assert name_bits([word.lower()])[0] & group_bit(group)


def test_groups_of_a_word() -> None:
    assert word_groups()["banner"] == group_bit("header") | group_bit("ad")
    assert word_groups()["articlebody"] == group_bit("article") | group_bit("body")
    assert "articleBody" not in word_groups()
    assert [group_bit(group) for group in MARKUP] == [1 << place for place in range(len(MARKUP))]


def test_begins_of_words_are_shorter_than_the_words() -> None:
    assert {"p", "po", "pos", "post"} <= word_begins()  # of "posts", too
    assert "disqus" not in word_begins()
    assert "" not in word_begins()


def test_phrases_are_lower_case_and_patterns() -> None:
    for phrases in PHRASES.values():
        assert phrases == phrases.lower()
        assert all(phrases.split("|"))
        regex.compile(phrases)


def test_phrases_are_plain_but_for_two() -> None:
    found = [one for phrases in PHRASES.values() for one in phrases.split("|")]
    assert [one for one in found if re.search(r"[][(){}*+?^$.\\]", one)] == ["fot\\.", "page \\d"]
    assert [one for one in found if not one[0].isalpha()] == ["©"]
    assert min(len(one) for one in found if one != "©") == 2


@pytest.mark.parametrize("group", TAGS)
def test_tags_are_elements_or_attributes_with_a_word(group: str) -> None:
    for one in TAGS[group]:
        assert re.fullmatch(r"[a-z]+|(role|itemprop|itemtype|rel)=[a-z]+", one)


def test_names_of_groups_are_names_of_columns() -> None:
    for name in (*MARKUP, *TAGS, *PHRASES):
        assert re.fullmatch(r"[a-z_]+", name)
