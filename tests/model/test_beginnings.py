"""Tests of what blocks begin with, in `model/markup.py`."""

from __future__ import annotations

import sys

import pytest
from htmlpages import measures_of_texts

from crfclean.lexicon import lexicon
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.model.markup import with_markup
from crfclean.types import Kind

PHRASES = lexicon().block_phrases


def read(*texts: str) -> list[tuple[str, int, bool]]:
    """The group, the kind, and whether only networks are named, of some texts."""
    table = with_markup(measures_of_texts(*texts))
    names = ["" if group < 0 else PHRASE_GROUPS[group] for group in table.phrase.tolist()]
    return list(zip(names, table.phrase_kind.tolist(), table.networks.tolist(), strict=True))


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
    said = read("Subscribe now", "Read more", "Facebook", "Sand")
    assert [group for group, _, _ in said] == ["subscribe", "related", "share", ""]
    assert [kind for _, kind, _ in said] == [Kind.PROMO, 0, 0, 0]
    assert [networks for *_, networks in said] == [False, False, True, False]
    assert not read()


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
        ("comments" + " x" * 11, ("comments", 0, False)),
        ("comments" + " x" * 12, ("", 0, False)),
        ("facebook " * 15, ("", 0, True)),
        ("facebook " * 16, ("", 0, False)),
        ("we use cookies" + " x" * 57, ("", Kind.NOTICE, False)),
        ("we use cookies" + " x" * 58, ("", 0, False)),
        ("-" * 72 + "comments", ("comments", 0, False)),
        ("-" * 76 + "comments", ("", 0, False)),
        ("." * 192 + "facebook", ("", 0, True)),
        ("." * 193 + "facebook", ("", 0, False)),
    ],
)
def test_limits(text: str, expected: tuple[str, int, bool]) -> None:
    assert read(text) == [expected]
