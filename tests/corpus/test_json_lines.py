"""Tests of `corpus/json_lines.py`: the compiled core against Python's own reader."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from crfclean.core.native import CORE
from crfclean.corpus.json_lines import read_line

STRINGS = (
    "",
    "<p>The ferry sails.</p>",
    'line\nend\ttab\r\b\f"quote" and \\ and / and \x00',
    "café – 船 – 🚢 – \u2028",
    "\ud83d alone \ude00 \ude00\ud83d",
    "12345678" * 5,
    "x" * 7 + '"' + "y" * 8 + "\\" + "z" * 9,
)
LINES: dict[str, bytes] = {
    "fields of all kinds": b' { "a" : 1 , "b":-2.5e3,"c":true,"d":null ,"e":[1,{"x":"]}\\""}]}\r\n',
    "a mark": b'\xef\xbb\xbf{"a": "b"}\n',
    "a key twice": b'{"a": 1, "b": 2, "a": 3}',
    "pairs and lone surrogates": b'{"a": "\\ud83d\\ude00 \\ud83d \\ude00 \\ud83d\\ud83d\\ude00"}',
    "all escapes": b'{"a": "\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u0000\\uFFFF"}',
    "an escaped key": b'{"\\u0061": 1}',
    "no number that JSON has, but Python": b'{"a": NaN, "b": -Infinity}',
    "a large number": b'{"a": ' + b"9" * 100 + b"}",
    "no fields": b"{}",
    "deep": b'{"a": ' + b"[" * 200 + b"]" * 200 + b"}",
    "no object": b'["a", 1]',
    "a text": b'"text"',
}
WRONG: dict[str, bytes] = {
    "empty": b"",
    "no end": b'{"a": "b"',
    "no end of a text": b'{"a": "b',
    "no end of an escape": b'{"a": "b\\',
    "no end of a code": b'{"a": "\\u12',
    "no end of a pair": b'{"a": "\\ud83d\\u',
    "no end of an array": b'{"a": ["b\\',
    "no code": b'{"a": "\\u12x4"}',
    "no low surrogate": b'{"a": "\\ud83d\\uxxxx"}',
    "no escape": b'{"a": "\\x"}',
    "a control": b'{"a": "b\x01c"}',
    "a line end in a text": b'{"a": "12345678\n12345678"}',
    "a comma too many": b'{"a": 1,}',
    "no colon": b'{"a" 1}',
    "no key": b"{1: 2}",
    "no value": b'{"a": }',
    "two values": b'{"a": 1 2}',
    "more behind it": b'{"a": 1} x',
    "two objects": b'{"a": 1}{"a": 1}',
    "brackets that do not match": b'{"a": [1}]}',
    "no UTF-8": b'{"a": "\xff"}',
    "an encoded surrogate": b'{"a": "\xed\xa0\x80"}',
    "an encoded surrogate beside a lone one": b'{"a": "\xed\xa0\x80\\ud83d"}',
    "no UTF-8 in a number": b'{"a": 1\xff}',
    "a number that is too large": b'{"a": ' + b"9" * 5_000 + b"}",
    "too deep": b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a NUL": b'{"a": 1\0}',
}


def by_python(line: bytes) -> Any:
    return json.loads(line.decode("utf-8-sig"))


def outcome(read: Any, line: bytes) -> str:
    """The value, or the error with its message."""
    try:
        return repr(read(line))
    except (ValueError, RecursionError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_lines_are_read_as_by_python(line: bytes) -> None:
    assert repr(read_line(line)) == repr(by_python(line))


@pytest.mark.parametrize("line", WRONG.values(), ids=WRONG)
def test_what_is_no_json_is_the_same_error(line: bytes) -> None:
    error = outcome(by_python, line)
    assert "Error: " in error
    assert outcome(read_line, line) == error


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("text", STRINGS)
def test_texts_at_every_place(text: str, ascii_only: bool) -> None:  # noqa: FBT001
    for before in range(10):
        row = {"x" * before: text, "html": text * 3}
        line = json.dumps(row, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        assert outcome(read_line, line) == outcome(by_python, line)


def test_lines_with_bytes_that_were_changed() -> None:
    chance = random.Random(7)
    sound = [*LINES.values(), *(json.dumps({"a": text, "b": [text]}).encode() for text in STRINGS)]
    for _ in range(20_000):
        line = bytearray(chance.choice(sound))
        for _ in range(chance.randrange(3)):
            place = chance.randrange(len(line) + 1)
            line[place : place + chance.randrange(2)] = chance.choices(
                b'"\\{}[]:,u\0\xe9\n0a ', k=1
            )
        data = bytes(line)
        assert outcome(read_line, data) == outcome(by_python, data)


@pytest.mark.skipif(CORE is None, reason="the core is not built")
def test_plain_lines_are_read_by_the_core() -> None:
    calls: list[str] = []
    fields = CORE.json_fields(b'{"html": "<p>\\n", "id": 7, "n": {"a": []}}', calls.append)
    assert fields == {"html": "<p>\n", "id": None, "n": None}
    assert calls == ["7", '{"a": []}']
    assert CORE.json_fields(b"[]", calls.append) is None


@pytest.mark.skipif(CORE is None, reason="the core is not built")
def test_other_errors_are_not_hidden() -> None:
    def fail(text: str) -> object:
        raise OSError(text)

    with pytest.raises(OSError, match="17"):
        CORE.json_fields(b'{"id": 17}', fail)
    with pytest.raises(TypeError):
        CORE.json_fields("a text", fail)
