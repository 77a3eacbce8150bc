"""Tests of `lexicon/markup.py`."""

from __future__ import annotations

import re

import numpy as np
import pytest

from crfclean.core.native import CORE
from crfclean.lexicon.markup import (
    KIND_MARKUP,
    MARKUP,
    POST_MARKUP,
    TAGS,
    group_bit,
    word_groups,
    word_prefixes,
)
from crfclean.model.markup import MAX_NAME_CHARS, core_words

WORDS = [(group, word) for group, words in MARKUP.items() for word in words.split()]


@pytest.mark.parametrize(("group", "word"), WORDS)
def test_words_are_found_in_names(group: str, word: str) -> None:
    classes = {"class_number": np.zeros(1, np.int64), "classes": [word.lower()]}
    ids = {"id_number": np.zeros(1, np.int64), "ids": [""]}
    _, bits = CORE.pair_bits(**classes, **ids, most=MAX_NAME_CHARS, words=core_words())
    assert np.frombuffer(bits, np.int64)[0] & group_bit(group)


def test_groups_of_a_word() -> None:
    assert word_groups()["banner"] == group_bit("header") | group_bit("ad")
    assert word_groups()["articlebody"] == group_bit("article") | group_bit("body")
    assert "articleBody" not in word_groups()
    assert [group_bit(group) for group in MARKUP] == [1 << place for place in range(len(MARKUP))]


def test_begins_of_words_are_shorter_than_the_words() -> None:
    assert {"p", "po", "pos", "post"} <= word_prefixes()  # of "posts", too
    assert "disqus" not in word_prefixes()
    assert "" not in word_prefixes()


@pytest.mark.parametrize("table", [MARKUP, KIND_MARKUP, POST_MARKUP])
def test_groups_hold_words_of_letters(table: dict[str, str]) -> None:
    for group, words in table.items():
        assert all(re.fullmatch("[A-Za-z]+", word) for word in words.split()), group


@pytest.mark.parametrize("group", TAGS)
def test_tags_are_elements_or_attributes_with_a_word(group: str) -> None:
    for one in TAGS[group]:
        assert re.fullmatch(r"[a-z]+|(role|itemprop|itemtype|rel)=[a-z]+", one)


def test_names_of_groups_are_names_of_columns() -> None:
    for name in (*MARKUP, *TAGS):
        assert re.fullmatch(r"[a-z_]+", name)
