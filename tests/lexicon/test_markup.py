"""Tests of `lexicon/markup.py`."""

from __future__ import annotations

from htmlpages import measures_of

from crfclean.lexicon.markup import (
    MARKUP,
    group_bit,
    word_groups,
    word_prefixes,
)
from crfclean.model.markup import with_markup

WORDS = [(group, word) for group, words in MARKUP.items() for word in words.split()]


def test_words_are_found_in_names() -> None:
    html = "".join(f"<p class={word.lower()}>a</p>" for _, word in WORDS)
    table = with_markup(measures_of(html))
    for (group, word), node in zip(WORDS, table.node, strict=True):
        assert table.name_bits[node] & group_bit(group), (group, word)


def test_groups_of_a_word() -> None:
    assert word_groups()["banner"] == group_bit("header") | group_bit("ad")
    assert word_groups()["articlebody"] == group_bit("article") | group_bit("body")
    assert "articleBody" not in word_groups()
    assert [group_bit(group) for group in MARKUP] == [1 << place for place in range(len(MARKUP))]


def test_begins_of_words_are_shorter_than_the_words() -> None:
    assert {"p", "po", "pos", "post"} <= word_prefixes()  # of "posts", too
    assert "disqus" not in word_prefixes()
    assert "" not in word_prefixes()
