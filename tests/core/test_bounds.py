"""The core takes what is as long as its longest, and refuses or leaves out what is one longer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crfclean.core.native import CORE
from crfclean.core.read import Characters
from crfclean.model import markup as wording

WIDE = "\U00020000" * 999 + "\U00010400"  # four bytes a character, each or all of them a token


def test_the_longest_word_of_a_vocabulary() -> None:
    words = CORE.Vocabulary({"a" * 64: 1, "b": 1 << 62}, 63, "", "")
    title = np.frombuffer(words.of_title("a" * 64 + " " + "a" * 65 + " b"), np.float64)
    assert title.tolist() == [1.0, *[0.0] * 61, 1.0, 3.0]
    for bits, groups in (
        ({"a" * 65: 1}, 1),
        ({"": 1}, 1),
        ({"a": 2}, 1),
        ({"a": -1}, 63),
        ({}, 64),
    ):
        with pytest.raises(ValueError, match="Vocabulary"):
            CORE.Vocabulary(bits, groups, "", "")


def test_the_longest_name_of_class_and_id() -> None:
    words = CORE.Words({"a" * 500 + "b" * 499: 2, "b" * 499: 1, "c": 4}, frozenset({"a" * 500}))
    one = np.zeros(1, np.int64)
    given: dict[str, Any] = {"class_number": one, "id_number": one, "words": words}
    for second, expected in (("b" * 499, 3), ("b" * 498 + " c", 0), ("b" * 500, 3)):
        _, bits = CORE.pair_bits(**given, classes=["a" * 500], ids=[second], most=1_000)
        assert np.frombuffer(bits, np.int64).tolist() == [expected]
    with pytest.raises(ValueError, match="texts"):
        CORE.pair_bits(**given, classes=["a"], ids=["b"], most=1_001)


@pytest.mark.parametrize(("length", "kinds"), [(31, 36), (32, 4)])
def test_the_longest_name_of_a_host(length: int, kinds: int) -> None:
    hosts = CORE.Words({"h" * 31: 0, "h" * 32: 0}, frozenset())
    given = wording._href_params() | {"hosts": hosts, "hrefs": [f"//{'h' * length}.com"]}
    assert CORE.href_bits(**given)[0] & 36 == kinds


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
    tokens = CORE.tokens((WIDE, "\u0130" * 1_000, WIDE[-1] * 1_000))
    assert [len(some) for some in tokens] == [1_000, 1_000, 1]
    one = np.ones(1, int)
    sizes = {"sizes": one, "plain_sizes": one, "weights": np.ones(1)}
    words = CORE.Words({WIDE[0]: 1}, frozenset())
    alike = CORE.likeness(texts=(WIDE,), asked=b"\1", words=words, **sizes)
    assert np.frombuffer(alike, np.float64).tolist() == pytest.approx([2 / 3, 0.0, 0.0])
    assert np.frombuffer(CORE.cover((WIDE,), tokens), np.float64).tolist() == [1.0]


def test_a_long_text_begins_with_no_phrase() -> None:
    params = wording._phrase_params() | {"most_words": 60.0, "most_kind_words": 12.0}
    given = {"texts": ("Read more",), "words": np.full(1, 20.0)}
    groups, kinds, names = CORE.beginnings(**(params | given))
    assert (kinds, names) == (bytes(4), b"\0")
    assert groups != b"\xff" * 4


@pytest.mark.parametrize(
    ("code", "group"), [(0x1F12F, 5), (0x1F130, -1), (0x1F189, -1), (0x1F18A, 5)]
)
def test_circled_letters_are_no_marks_before_a_phrase(code: int, group: int) -> None:
    none = CORE.Phrases([])
    given = wording._phrase_params() | {"kind_phrases": none, "names": none}
    given |= {"phrases": CORE.Phrases([("share", 0)]), "groups": np.array([5], np.int32)}
    groups, *_ = CORE.beginnings(**given, texts=(chr(code) + " share",), words=np.ones(1))
    assert np.frombuffer(groups, np.int32).tolist() == [group]
