"""The compiled core refuses arguments that do not belong together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crfclean.core import native
from crfclean.features import markup, wording
from crfclean.page.chars import CLOSERS, COMMAS, char_bits, core_tables

TABLE = bytes(65536)


def test_marks_and_characters_are_counted() -> None:
    texts = ("a, é; “b”\uff0c", "\U0001f600\uffff", "", "سبعة، ثمانية؛ تسعة", "3.5: no")
    runs = ("a b\u2003 \U0001f600", "")
    sets = (COMMAS, CLOSERS, "é", "\uffff")
    given = (texts, runs, *core_tables(), char_bits(sets))
    *_, marks, solid = native.CORE.counts(*given, len(sets))
    narrow = [[min(char, "\uffff") for char in text] for text in texts]
    assert np.frombuffer(marks, np.float64).reshape(4, -1).tolist() == [
        [sum(char in chars for char in text) for text in narrow] for chars in sets
    ]
    assert np.frombuffer(solid, np.float64).tolist() == [3, 0]
    for count in (0, 9):
        with pytest.raises(ValueError, match="sets"):
            native.CORE.counts(*given, count)


HREF_PARAMS: tuple[Any, ...] = wording._href_params()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("counts", ((), (), b"", b"", b"", 1)),
        ("counts", (("a", 1), (), TABLE, TABLE, TABLE, 1)),
        ("counts", (("a",), ("a", 1), TABLE, TABLE, TABLE, 1)),
        ("counts", (("a",), (), TABLE, TABLE, b"a", 1)),
        ("counts", (("a",), (), TABLE, TABLE, TABLE)),
        ("counts", ()),
        ("pair_bits", (bytes(8), ["a"], bytes(8), ["a"], 1, {})),
        ("href_bits", ((), *HREF_PARAMS)),
        ("href_bits", (["a"], {}, *HREF_PARAMS[1:])),
        ("href_bits", ([1], *HREF_PARAMS)),
        ("href_bits", (["a"], *HREF_PARAMS[:2], (1,), *HREF_PARAMS[3:])),
        ("pair_bits", (bytes(8), ["a"], bytes(8), [1], 1, markup.core_words())),
        ("traces", ("a",)),
        ("likeness", (("a",), b"1", {}, bytes(8), bytes(8), bytes(8))),
        ("zones", ((),)),
        ("zones", ([],)),
        ("tokens", (["a"],)),
        ("tokens", (("a", 1),)),
        ("cover", (("a",), ("a",))),
        ("cover", ((1,), [["a"]])),
        ("cover", (("a",), ["a"])),
        ("cover", (("a",), [[1]])),
        ("nearest", ("a", bytes(4))),
        ("steps", (b"1",)),
        ("bins", ([1.0], bytes(8), bytes(8))),
        ("Words", ({"a": 1}, ["a"])),
        ("Words", ({1: 1}, frozenset())),
        ("Words", ({"a": "b"}, frozenset())),
        ("Phrases", ([("a", "b")],)),
        ("Phrases", (["a"],)),
        ("columns", ((), b"", bytearray(), 4)),
        ("columns", ([], b"", bytearray(), 4)),
        ("columns", ((), b"", b"", 4)),
        ("marginals", (bytes(24),)),
    ],
)
def test_wrong_calls_raise(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        getattr(native.CORE, name)(*arguments)


def test_wrong_arrays_are_refused() -> None:
    bounds, mask = np.array([0, 9], np.int32), np.zeros(2, np.bool_)
    two = np.zeros(2, np.int64)
    for call in (
        lambda: native.CORE.nearest(mask, bounds),
        lambda: native.CORE.steps(two, two + 5, two, bounds * 0 - 1, bounds * 0, 1, 1, 31),
        lambda: native.CORE.steps(two, two, two, bounds * 0 - 1, bounds, 1, 1, 31),
        lambda: native.CORE.steps(two, two, two, bounds, bounds * 0, 1, 1, 31),
        lambda: native.CORE.steps(two, two, two, bounds * 0 - 1, bounds * 0, 65, 1, 31),
        lambda: native.CORE.pair_bits(two, ["a"], two + 1, ["a"], 9, markup.core_words()),
        lambda: native.CORE.pair_bits(two, ["a"], two, ["a"], 1_001, markup.core_words()),
        lambda: native.CORE.likeness(("a",), b"12", markup.core_words(), *[bytes(8)] * 3),
        lambda: native.CORE.likeness(("a",), b"1", markup.core_words(), *[bytes(512)] * 3),
        lambda: native.CORE.likeness(("a",), b"1", markup.core_words(), two[:1], two, two),
        lambda: native.CORE.bins(np.zeros(2, np.float32), np.zeros(1), np.array([1, 3])),
    ):
        with pytest.raises(ValueError, match=": "):
            call()
