"""The core takes what is as long as its longest, and refuses or leaves out what is one longer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crfclean.core.native import CORE
from crfclean.features import wording
from crfclean.page.chars import core_tables

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
    for second, expected in (("b" * 499, 3), ("b" * 498 + " c", 0), ("b" * 500, 3)):
        _, bits = CORE.pair_bits(one, ["a" * 500], one, [second], 1_000, words)
        assert np.frombuffer(bits, np.int64).tolist() == [expected]
    with pytest.raises(ValueError, match="texts"):
        CORE.pair_bits(one, ["a"], one, ["b"], 1_001, words)


@pytest.mark.parametrize(("length", "kinds"), [(31, 36), (32, 4)])
def test_the_longest_name_of_a_host(length: int, kinds: int) -> None:
    words, _, *rest = wording._href_params()
    hosts = CORE.Words({"h" * 31: 0, "h" * 32: 0}, frozenset())
    assert CORE.href_bits([f"//{'h' * length}.com"], words, hosts, *rest)[0] & 36 == kinds


@pytest.mark.parametrize(("place", "most"), [(0, 7), (5, 8)])
def test_classes_and_sets_of_characters(place: int, most: int) -> None:
    for number, fits in ((most, True), (most + 1, False)):
        classes, flags = core_tables()
        given: list[Any] = [("a" * 1_000,), ("a",), classes, flags, bytes([255]) * 65_536, 8]
        if place:
            given[5] = number
        else:
            given[2] = bytes([number]) * 65_536
        if fits:
            assert len(CORE.counts(*given)[0]) == 32
        else:
            with pytest.raises(ValueError, match="classes"):
                CORE.counts(*given)


def test_texts_of_the_widest_characters() -> None:
    tokens = CORE.tokens((WIDE, "\u0130" * 1_000, WIDE[-1] * 1_000))
    assert [len(some) for some in tokens] == [1_000, 1_000, 1]
    words, one = CORE.Words({WIDE[0]: 1}, frozenset()), np.ones(1)
    alike = CORE.likeness((WIDE,), b"\1", words, one.astype(int), one.astype(int), one)
    assert np.frombuffer(alike, np.float64).tolist() == pytest.approx([2 / 3, 0.0, 0.0])
    assert np.frombuffer(CORE.cover((WIDE,), tokens), np.float64).tolist() == [1.0]


def test_names_of_attributes_are_texts() -> None:
    with pytest.raises(TypeError, match="name"):
        CORE.attributes(({"a": "b"},), (1,))


def test_a_long_text_begins_with_no_phrase() -> None:
    *params, _ = wording._phrase_params()
    params.append((60.0, 12.0, 15.0))
    groups, kinds, names = CORE.beginnings(("Read more",), np.full(1, 20.0), *params)
    assert (kinds, names) == (bytes(4), b"\0")
    assert groups != b"\xff" * 4


@pytest.mark.parametrize(
    "name", [b"mathtex.cgi", b"mimetex.cgi", b"katex", b"x tex", b"cht=tx", b"\\frac{x}"]
)
def test_traces_of_formulas(name: bytes) -> None:
    assert CORE.traces(b"<img src=/" + name + b"?") & 2
    assert not CORE.traces(b"<img src=/" + name.replace(b"x", b"y").replace(b"{", b"(") + b"?") & 2


@pytest.mark.parametrize(
    ("code", "group"), [(0x1F12F, 5), (0x1F130, -1), (0x1F189, -1), (0x1F18A, 5)]
)
def test_circled_letters_are_no_marks_before_a_phrase(code: int, group: int) -> None:
    first, none = CORE.Phrases([("share", 0)]), CORE.Phrases([])
    most = ((80, 200), (12.0, 60.0, 15.0))
    given = ((first, np.array([5], np.int32), 3), (none, " "), none, *most)
    groups, *_ = CORE.beginnings((chr(code) + " share",), np.ones(1), *given)
    assert np.frombuffer(groups, np.int32).tolist() == [group]


@pytest.mark.parametrize(("reference", "bit"), [(b"&#65;", 0), (b"&#27;", 1), (b"&#x1b;", 1)])
def test_traces_of_controls(reference: bytes, bit: int) -> None:
    assert CORE.traces(b"a " + reference) & 1 == bit
