"""The core takes what is as long as its longest, and refuses or leaves out what is one longer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crfclean.core import words as core
from crfclean.core.read import Characters
from crfclean.model import markup as wording
from crfclean.page.measures import count_texts

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


def test_the_longest_name_of_class_and_id() -> None:
    words = core.Words(
        {"a" * 500 + "b" * 499: 2, "b" * 499: 1, "c": 4}, begins=frozenset({"a" * 500})
    )
    one = np.zeros(1, np.int64)
    given: dict[str, Any] = {"class_number": one, "id_number": one, "words": words}
    for second, expected in (("b" * 499, 3), ("b" * 498 + " c", 0), ("b" * 500, 3)):
        _, bits = core.pair_bits(**given, classes=["a" * 500], ids=[second], most=1_000)
        assert bits.tolist() == [expected]
    with pytest.raises(ValueError, match="texts"):
        core.pair_bits(**given, classes=["a"], ids=["b"], most=1_001)


@pytest.mark.parametrize(("length", "kinds"), [(31, 36), (32, 4)])
def test_the_longest_name_of_a_host(length: int, kinds: int) -> None:
    hosts = core.Words({"h" * 31: 0, "h" * 32: 0})
    given = wording._href_params() | {"hosts": hosts}
    assert core.href_bits([f"//{'h' * length}.com"], **given)[0] & 36 == kinds


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
    one, table = np.ones(1, int), count_texts((WIDE,))
    sizes: dict[str, Any] = {"sizes": one, "plain_sizes": one, "weights": np.ones(1)}
    words = core.Words({WIDE[0]: 1})
    alike = core.likeness(table, words=words, most_words=9_999, **sizes)
    assert alike.ravel().tolist() == pytest.approx([2 / 3, 0.0, 0.0])
    assert core.cover(table, texts).tolist() == [1.0]


def test_a_long_text_begins_with_no_phrase() -> None:
    params = wording._phrase_params() | {"most_words": 60.0, "most_kind_words": 12.0}
    groups, kinds, names = core.beginnings(count_texts(("Read more" + " x" * 18,)), **params)
    assert (kinds.tolist(), names.tolist()) == ([0], [False])
    assert groups.tolist() != [-1]


@pytest.mark.parametrize(
    ("code", "group"), [(0x1F12F, 5), (0x1F130, -1), (0x1F189, -1), (0x1F18A, 5)]
)
def test_circled_letters_are_no_marks_before_a_phrase(code: int, group: int) -> None:
    none = core.Phrases({})
    given = wording._phrase_params() | {"kind_phrases": none, "names": none}
    given |= {"phrases": core.Phrases({"share": 0}), "groups": np.array([5], np.int32)}
    groups, *_ = core.beginnings(count_texts((chr(code) + " share",)), **given)
    assert groups.tolist() == [group]
