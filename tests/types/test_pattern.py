"""Tests of regular expressions that are compiled when they are first used."""

from __future__ import annotations

import copy
import re

import pytest

from crfclean.types import pattern
from crfclean.types.pattern import METHODS, LatePattern


def test_the_methods_of_an_expression() -> None:
    late, compiled = (
        LatePattern("(?P<day>\\d)(,?)", re.ASCII),
        re.compile("(?P<day>\\d)(,?)", re.ASCII),
    )
    text = "1, 2, ٣ and 4"
    for method in ("search", "match", "fullmatch"):
        assert str(getattr(late, method)(text)) == str(getattr(compiled, method)(text))
    assert [late.split(text), late.findall(text)] == [compiled.split(text), compiled.findall(text)]
    assert [str(match) for match in late.finditer(text)] == [
        str(match) for match in compiled.finditer(text)
    ]
    assert late.sub("<\\1>", text) == compiled.sub("<\\1>", text)
    assert late.subn("", text, 1) == compiled.subn("", text, 1)
    assert (late.flags, late.groups, late.pattern) == (compiled.flags, 2, compiled.pattern)
    assert late.groupindex == {"day": 1}
    assert LatePattern(b"[a-z]+").search(b"12 ab").group() == b"ab"


def test_it_is_compiled_once_and_late(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile
    monkeypatch.setattr(
        pattern.re, "compile", lambda *call: compiled.append(str(call)) or real(*call)
    )
    late = LatePattern("rain")
    assert compiled == []
    assert [bool(late.search(text)) for text in ("rain", "snow", "train")] == [True, False, True]
    assert late.sub("snow", "rain") == "snow"
    assert compiled == ["('rain', 0)"]
    assert set(METHODS) <= set(vars(late))


def test_unknown_attributes() -> None:
    late = LatePattern("rain")
    with pytest.raises(AttributeError):
        late.scan  # noqa: B018
    assert copy.copy(late).search("rain")


def test_wrong_expressions_fail_when_they_are_used() -> None:
    with pytest.raises(re.error):
        LatePattern("(").search("")
