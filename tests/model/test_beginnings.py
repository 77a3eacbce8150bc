"""Tests of what blocks begin with, in `model/markup.py`."""

from __future__ import annotations

import sys

import pytest

from crfclean.core import words
from crfclean.lexicon import lexicon
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.model.markup import (
    _MAX_KIND_WORDS,
    _MAX_NETWORKS_CHARS,
    _MAX_NETWORKS_WORDS,
    _MAX_PHRASE_CHARS,
    _MAX_PHRASE_WORDS,
    _phrase_params,
    beginnings,
)
from crfclean.page.blocks import split
from crfclean.page.measures import Measures, count_texts
from crfclean.types import Kind, Page

PHRASES = lexicon().block_phrases


def measures(*texts: str) -> Measures:
    return split(Page("".join(f"<p>{text}</p>" for text in texts)))


def read(*texts: str) -> list[tuple[str, int, bool]]:
    """The group, the kind, and whether only networks are named, of some texts."""
    rows = words.beginnings(count_texts(texts), **_phrase_params())
    names = ["" if group < 0 else PHRASE_GROUPS[group] for group in rows[0].tolist()]
    return list(zip(names, rows[1].tolist(), rows[2].tolist(), strict=True))


def group_of(text: str) -> str:
    return read(text)[0][0]


@pytest.mark.parametrize(
    "mark",
    [
        *("", "* ", "•", "»", "_", "①", "½ ", "😀 ", "→", "„", "…", "（", "\u3000", "™", "№"),
        *("\u00b7", "·", "⭐", "\u2028", "\u00ad"),
    ],
)
def test_marks_stand_before_phrases(mark: str) -> None:
    assert group_of(f"{mark}comments") == "comments"


@pytest.mark.parametrize("char", ["a", "é", "ж", "1", "٣", "漢", "\u0301", "\u203f", "ⓘ", "\ufe0f"])
def test_a_phrase_stands_after_no_word(char: str) -> None:
    """What combines with letters or joins them is part of a word, too."""
    assert group_of(f"{char} comments") == ""


def test_the_longest_phrase_of_a_kind_counts() -> None:
    texts = ("\u2022 subscribe now to read", "subscribe to our letter", "subscriber")
    assert [kind for _, kind, _ in read(*texts)] == [Kind.NOTICE, Kind.PROMO, 0]


def test_names_of_networks_and_nothing_else() -> None:
    assert read("| facebook_twitter ...")[0][2]
    others = ("", "...", "facebooks", "facebook and x", "on facebook", "x" * 999)
    assert not any(names for *_, names in read(*others))


def test_all_that_a_block_begins_with() -> None:
    page = measures("Subscribe now", "Read more", "Facebook", "Sand")
    said = beginnings(page)
    groups = [PHRASE_GROUPS[group] if group >= 0 else "" for group in said.groups.tolist()]
    assert groups == ["subscribe", "related", "share", ""]
    assert said.kinds.tolist() == [Kind.PROMO, 0, 0, 0]
    assert said.networks.tolist() == [False, False, True, False]
    assert [len(row) for row in beginnings(measures())] == [0, 0, 0]


def test_letters_are_the_same_in_lower_case() -> None:
    """All that changes in lower case, before and inside phrases and names."""
    codes = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    chars = [char for char in codes if char.lower() != char]
    for frame in ("{}", "{}comments", "{}facebook", "facebook{}", "Lin{}edIn", "\u00a9{}"):
        texts = [frame.format(char) for char in chars]
        assert read(*texts) == read(*(text.lower() for text in texts)), frame


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("comments" + " x" * (_MAX_PHRASE_WORDS - 1), ("comments", 0, False)),
        ("comments" + " x" * _MAX_PHRASE_WORDS, ("", 0, False)),
        ("facebook " * _MAX_NETWORKS_WORDS, ("", 0, True)),
        ("facebook " * (_MAX_NETWORKS_WORDS + 1), ("", 0, False)),
        ("we use cookies" + " x" * (_MAX_KIND_WORDS - 3), ("", Kind.NOTICE, False)),
        ("we use cookies" + " x" * (_MAX_KIND_WORDS - 2), ("", 0, False)),
        ("-" * (_MAX_PHRASE_CHARS - 8) + "comments", ("comments", 0, False)),
        ("-" * (_MAX_PHRASE_CHARS - 4) + "comments", ("", 0, False)),
        ("." * (_MAX_NETWORKS_CHARS - 8) + "facebook", ("", 0, True)),
        ("." * (_MAX_NETWORKS_CHARS - 7) + "facebook", ("", 0, False)),
    ],
)
def test_limits(text: str, expected: tuple[str, int, bool]) -> None:
    assert read(text) == [expected]
