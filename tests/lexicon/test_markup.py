"""Tests of `lexicon/markup.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from crfclean.core.words import pair_bits
from crfclean.lexicon.markup import (
    MARKUP,
    group_bit,
    word_groups,
    word_prefixes,
)
from crfclean.model.markup import MAX_NAME_CHARS, core_words

WORDS = [(group, word) for group, words in MARKUP.items() for word in words.split()]


def test_words_are_found_in_names() -> None:
    none = np.zeros(1, np.int64)
    for group, word in WORDS:
        classes: Any = {"class_number": none, "classes": [word.lower()]}
        ids: Any = {"id_number": none, "ids": [""]}
        _, bits = pair_bits(**classes, **ids, most=MAX_NAME_CHARS, words=core_words())
        assert bits[0] & group_bit(group), (group, word)


def test_groups_of_a_word() -> None:
    assert word_groups()["banner"] == group_bit("header") | group_bit("ad")
    assert word_groups()["articlebody"] == group_bit("article") | group_bit("body")
    assert "articleBody" not in word_groups()
    assert [group_bit(group) for group in MARKUP] == [1 << place for place in range(len(MARKUP))]


def test_begins_of_words_are_shorter_than_the_words() -> None:
    assert {"p", "po", "pos", "post"} <= word_prefixes()  # of "posts", too
    assert "disqus" not in word_prefixes()
    assert "" not in word_prefixes()
