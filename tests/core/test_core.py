"""Tests of a missing core, and of counts."""

from __future__ import annotations

import random
import runpy
import sys

import pytest

from crfclean import core
from crfclean.page.chars import MARKS
from crfclean.page.measures import count_texts
from crfclean.types import CrfcleanError


def test_a_missing_core_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "crfclean.core.words", None)  # as if it were not there
    monkeypatch.delattr(core, "words")
    with pytest.raises(ImportError) as caught:
        runpy.run_path(core.__file__)
    assert isinstance(caught.value, CrfcleanError)
    message = str(caught.value)
    assert message.startswith("the compiled part of crfclean cannot be loaded (")
    assert "pip install --force-reinstall" in message
    assert "\n" not in message


def test_marks_and_characters_are_counted() -> None:
    texts = ("a, é; “b”\uff0c", "\U0001f600\uffff", "", "سبعة، ثمانية؛ تسعة", "3.5: no |$ ©")
    counts = count_texts(texts, ("a b\u2003 \U0001f600", ""))
    narrow = [[min(char, "\uffff") for char in text] for text in texts]
    assert counts.marks.reshape(len(MARKS), -1).tolist() == [
        [sum(char in chars for char in text) for text in narrow] for chars in MARKS
    ]
    assert counts.run_chars.tolist() == [3, 0]


PIECES = [*"1259 .:/-@wht年a", "3 May 2024", "10:30", "://", "www."]
CHANCE = random.Random(3)


@pytest.mark.parametrize("text", ["".join(CHANCE.choices(PIECES, k=at % 9)) for at in range(60)])
def test_what_a_text_may_have_does_not_depend_on_others(text: str) -> None:
    alone = count_texts((text,))
    among = count_texts(("www.a@b://1.2.24", text, "9"))
    for name in ("likely", "words", "by_class", "sizes"):
        first, other = (getattr(table, name) for table in (alone, among))
        assert first.tolist() == other[len(first) : 2 * len(first)].tolist()
    if text and not any(char.isdecimal() or char in "@:" for char in text):
        assert bool(alone.likely[0]) == ("www." in text)
