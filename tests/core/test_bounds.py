"""The core takes what is as long as its longest, and refuses or leaves out what is one longer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from htmlpages import measures_of, measures_of_texts, worded_with

from crfclean.core import words as core
from crfclean.core.read import Characters
from crfclean.model import markup

WIDE = "\U00020000" * 999 + "\U00010400"  # four bytes a character, each or all of them a token


def test_the_longest_word_of_a_vocabulary() -> None:
    words = core.Vocabulary(bits={"a" * 64: 1, "b": 1 << 62}, groups=63, marks="", counted="")
    title = words.of_title("a" * 64 + " " + "a" * 65 + " b")
    assert title.tolist() == [1.0, *[0.0] * 61, 1.0, 3.0]
    for bits, groups in (
        ({"a" * 65: 1}, 1),
        ({"": 1}, 1),
        ({"a": 2}, 1),
        ({"a": -1}, 63),
        ({}, 64),
    ):
        with pytest.raises(ValueError, match="Vocabulary"):
            core.Vocabulary(bits=bits, groups=groups, marks="", counted="")


@pytest.mark.parametrize(("length", "kinds"), [(31, 36), (32, 4)])
def test_the_longest_name_of_a_host(length: int, kinds: int) -> None:
    page = measures_of(f"<p><a href='//{'h' * length}.com'>a</a></p>")
    assert worded_with(page, hosts=("h" * 31, "h" * 32)).link_bits[0] & 36 == kinds


@pytest.mark.parametrize(
    ("name", "fits", "over"), [("classes", 7, 8), ("sets", 6, 7), ("sets", 6, 5)]
)
def test_classes_and_sets_of_characters(name: str, fits: int, over: int) -> None:
    given: dict[str, Any] = {
        **dict.fromkeys(
            ("terminators", "closers", "ideographic_ends", "blanks", "without_width"), "."
        ),
        "classes": bytes(65_536),
        "sets": ("a",) * 6,
    }
    for number in (fits, over):
        value = bytes([number]) * 65_536 if name == "classes" else ("a",) * number
        if number == fits:
            assert Characters(**(given | {name: value}))
        else:
            with pytest.raises(ValueError, match="Characters"):
                Characters(**(given | {name: value}))
    for wrong in (
        {"classes": b"\0"},
        {"classes": None},
        {"sets": (1,) * 6},
        {"blanks": 1},
        {"a": 1},
    ):
        with pytest.raises((TypeError, ValueError)):
            Characters(**(given | wrong))


def test_texts_of_the_widest_characters() -> None:
    texts = (WIDE, "\u0130" * 1_000, WIDE[-1] * 1_000)
    assert [len(tokens) for tokens in core.tokens(texts)] == [1_000, 1_000, 1]
    table = measures_of_texts(WIDE[900:], "b").table
    given: dict[str, Any] = {"titles": (WIDE[:2],), "weights": (1.0,), "declared": np.zeros(9)}
    markup.wording().read(table, descriptions=(WIDE,), bodies=("", *texts), **given)
    assert table.title_likeness.tolist() == pytest.approx([2 / 3, 0.0])
    assert table.description_cover.tolist() == table.body_cover.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("code", "group"), [(0x1F12F, 5), (0x1F130, -1), (0x1F189, -1), (0x1F18A, 5)]
)
def test_circled_letters_are_no_marks_before_a_phrase(code: int, group: int) -> None:
    others: dict[str, Any] = {"kind_phrases": (), "networks": ()}
    page = measures_of_texts(chr(code) + " share")
    assert worded_with(page, phrases=(("share", 5),), **others).phrase.tolist() == [group]
