"""Guess the encoding of bytes that declare none and are not UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from crfclean.page.encodings import MULTIBYTE, WEB_ENCODINGS

SAMPLE_BYTES = 32_768  # that the library reads; with 100,000 it is right on the same pages
SCAN_BYTES = 2**20  # in which the sample is looked for: a tag in two bytes takes 0.1 s
MAX_BAD_SHARE = 0.01  # bad characters for each byte beyond ASCII: more refute a guess
KOREAN_SHARE = 0.8  # Hangul among the characters beyond ASCII; Chinese read as Korean has 0.65

LATIN_SHARE = 0.01  # letters beyond ASCII of all letters; Polish has 0.07
OTHER_SHARE = 0.03  # the same in other scripts: a text may be mostly English

LONE_LETTER = b"\xe1 "
"""A letter of every single-byte encoding (á, б, α), but half a character of every multi-byte one.

In front of a text it keeps the library from multi-byte encodings. Without it Russian that begins
with "Для скорой помощи" is Big5, with a confidence of 1.
"""

_ASCII = bytes(range(128))
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_PIECE = re.compile(rb"[^<]+")
_INSIDE_WORDS = re.compile(r"(?<=[A-Za-z])[^\W\d_A-Za-z]|[^\W\d_A-Za-z](?=[a-z])")
_SIDE_BY_SIDE = re.compile(r"[^\W\d_a-zA-Z]{3}")
_LATIN = frozenset(["cp1250", "iso8859-2", "cp1254", "cp1257", "iso8859-13", "iso8859-15"])
_OTHER_SCRIPTS = MULTIBYTE | frozenset(
    "cp1251 koi8-r koi8-u iso8859-5 cp866 cp1253 iso8859-7 cp1255 iso8859-8 cp1256 iso8859-6 "
    "cp874 cp1258".split()
)
"""Codecs that a guess may name; nobody writes pages in the others without declaring it.

windows-1258 (Vietnamese) writes its many accents as letters of their own.
"""

_SKIPPED = (b"script", b"style")
_HANGUL = re.compile("[가-힣]")
_WIDER = {"uhc": "cp949"}
"""Names of the library that are no labels of the web, and their codecs."""


def guess_codec(raw: bytes) -> str:
    """The Python codec that the bytes of a page are probably in; windows-1252 without a clue.

    faust-cchardet guesses from the text outside tags. It may name a multi-byte encoding that the
    bytes contradict: then the multi-byte encodings that fit are tried, then single bytes.
    """
    text = _sample(raw)
    codec = _detected(text)
    if codec in MULTIBYTE and not _fits(_decoded(text, codec), text):
        codec = next((name for name in _TRIED if _TRIED[name](text)), "")
    if not codec:
        codec = _detected(LONE_LETTER + text)
    return codec if codec and _is_likely(_decoded(text, codec), codec) else "cp1252"


def _is_likely(text: str, codec: str) -> bool:
    """Whether a text that was read with a guessed codec has the letters that speak for it.

    Without this the library reads English with curly quotes and a pound sign as Polish, and one
    English page in ten is wrong. In the Latin alphabet two different letters must stand inside
    words, in other scripts three letters side by side.
    """
    letters = sum(map(str.isalpha, text))
    if codec in _LATIN:
        inside = list(filter(str.islower, _INSIDE_WORDS.findall(text)))
        return len(set(inside)) > 1 and len(inside) >= LATIN_SHARE * letters
    beyond = sum(char.isalpha() and not char.isascii() for char in text)
    likely = codec in _OTHER_SCRIPTS and beyond >= OTHER_SHARE * letters
    return likely and _SIDE_BY_SIDE.search(text) is not None


def _sample(raw: bytes) -> bytes:
    """The pieces of text outside tags that have bytes beyond ASCII, up to `SAMPLE_BYTES`."""
    beyond = _BEYOND_ASCII.search(raw)
    first = beyond.start() if beyond else 0
    pieces, size = [], 0
    start = max(0, raw.rfind(b"<", 0, first))
    for text in _texts(raw[start : start + SCAN_BYTES]):
        pieces.append(text)
        size += len(text)
        if size >= SAMPLE_BYTES:
            break
    return (b" ".join(pieces) or raw[first:])[:SAMPLE_BYTES]


def _texts(raw: bytes) -> Iterator[bytes]:
    """What stands behind each tag if it has bytes beyond ASCII, in page order."""
    for match in _PIECE.finditer(raw):
        tag, end, text = match.group().partition(b">")
        text = text if end else tag
        if not text.isascii() and not tag[:6].lower().startswith(_SKIPPED):
            yield text


def _detected(text: bytes) -> str:
    """The codec of the encoding that the library names, "" for none and those not of the web."""
    from bs4.dammit import EncodingDetector  # which asks faust-cchardet where a text says nothing

    name = next(iter(EncodingDetector(text).encodings), "").lower()
    codec = WEB_ENCODINGS.get(name) or _WIDER.get(name, "")
    return "" if codec.startswith("utf") else codec


def _decoded(text: bytes, codec: str) -> str:
    """The text; a character that the end of the bytes cuts in two is dropped."""
    return codecs.getincrementaldecoder(codec)("replace").decode(text)


def _fits(decoded: str, text: bytes) -> bool:
    """Whether few characters are bad, measured by the bytes beyond ASCII."""
    return decoded.count("\ufffd") <= MAX_BAD_SHARE * len(text.translate(None, _ASCII))


def _is_korean(text: bytes) -> bool:
    decoded = _decoded(text, "cp949")
    beyond = sum(not char.isascii() for char in decoded)
    return _fits(decoded, text) and len(_HANGUL.findall(decoded)) >= KOREAN_SHARE * beyond


def _is_chinese(text: bytes) -> bool:
    return _fits(_decoded(text, "gb18030"), text)


_TRIED = {"cp949": _is_korean, "gb18030": _is_chinese}
"""Multi-byte codecs that are tried where another one was guessed, and whether they fit.

GBK takes the bytes of nearly all Korean text, too.
"""
