"""Decode bytes to a page: by byte order mark, header, declaration or guess."""

from __future__ import annotations

import codecs
import io
import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from crfclean.page.controls import visible
from crfclean.page.mhtml import is_mhtml, read_mhtml
from crfclean.types import CrfcleanError, Page, option
from crfclean.types.light import dataclass

MAX_BYTES = 64 * 2**20  # more is cut off: the table of elements would need gigabytes
HEAD_BYTES = 8_192  # declarations come early; a longer search is quadratic on hostile pages
GUESS_BYTES = 65_536  # that the statistical guess may read: it is slow
MAX_BAD_SHARE = 0.005  # a declared encoding that fails on more characters than this is wrong

GZIP_STEP = 2**20  # bytes unpacked at once
MIN_UTF8_EVIDENCE = 64  # bytes beyond ASCII: fewer may be valid UTF-8 by accident

_ASCII = bytes(range(128))
MULTIBYTE = frozenset(["gbk", "gb18030", "big5hkscs", "euc_jp", "iso2022_jp", "cp932", "cp949"])

_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 "
    "iso_8859-2:1987 l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 "
    "iso_8859-3:1988 l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 "
    "iso_8859-4:1988 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 "
    "iso_8859-5 iso_8859-5:1988",
    "iso8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 "
    "iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 "
    "iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    "iso8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 "
    "iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 "
    "iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 "
    "iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk "
    "gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 "
    "ksc5601 ksc_5601 windows-949",
    "utf-16-be": "unicodefffe utf-16be",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
}
WEB_ENCODINGS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}
"""Label of an encoding -> Python codec, for all labels of the WHATWG Encoding Standard.

But for `replacement` and `x-user-defined`, which give no text.
"""

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\0\0\xfe\xff", "utf-32be"),
    (b"\xff\xfe\0\0", "utf-32le"),
    (b"\xfe\xff", "utf-16be"),
    (b"\xff\xfe", "utf-16le"),
)
"""Byte order marks and their codecs, longer ones first."""

_MAGIC = (b"%PDF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"\x7fELF")
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_DECLARATION = re.compile(
    rb"""\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)|"""
    rb"""<meta[\s/][^>]{0,1000}?charset\s*=\s*["']?\s*([\w.:-]+)""",
    re.IGNORECASE | re.ASCII,
)
_FILLED = re.compile(r"[^\ufeff\0 \t\r\n\f]")
_MARKUP = re.compile(r"<(?:[a-zA-Z][a-zA-Z0-9-]*[\s/>]|!doctype|!--|\?xml)", re.IGNORECASE)
_FIRST_TAG = re.compile(r"<!--.*?-->|<([a-z][^\s/>]*)", re.IGNORECASE | re.DOTALL)
_DATA_FORMATS = frozenset(["rss", "feed", "rdf:rdf", "urlset", "sitemapindex", "svg", "opml"])


@dataclass(frozen=True, slots=True)
class DecodeParams:
    """How bytes become text where nothing says it."""

    guess_encoding: bool = option(
        False, "let charset-normalizer guess encodings that are not declared (extra guess)"
    )


def decode(
    data: bytes | str,
    url: str | None = None,
    charset: str = "",
    max_bytes: int | None = None,
    params: DecodeParams = DecodeParams(),
) -> Page:
    """Turn a page's bytes (gzipped or not) or its text into a `Page`; never raises on any.

    Of a web archive (MHTML) the page is taken, with the URL that it came from unless `url` names
    one. Data that is not text or not HTML gives a page with empty `html` and a `status` that says
    why. `charset` is that of the HTTP header. Bytes (of a text: characters) beyond `max_bytes`, by
    default `MAX_BYTES`, are cut off. Raises `CrfcleanError` for params whose extra is missing, and
    `TypeError` for anything but bytes and text.
    """
    if not isinstance(data, bytes | str):
        raise TypeError(f"a page is str, bytes or crfclean.Page, not {type(data).__name__}")
    limit = MAX_BYTES if max_bytes is None else max_bytes
    url = visible(url) if url else url
    if isinstance(data, str):
        if is_mhtml(data):
            return decode(data.encode("utf-8", "replace"), url, charset, limit, params)
        return _page(data[:limit], url, None, "bytes" if len(data) > limit else "")
    raw, truncated = _gunzip(data, limit) if data[:2] == b"\x1f\x8b" else (data, "")
    if truncated and not raw:
        return Page("", url, None, "gzip-error")
    truncated = "bytes" if len(raw) > limit else truncated
    raw = raw[:limit]
    if is_mhtml(raw):
        archived = read_mhtml(raw)
        if archived is None:
            return Page("", url, None, "mhtml-error", truncated)
        raw, charset = archived.html, archived.charset or charset
        url = url or archived.url or None
    if _is_binary(raw) and not _codec(charset).startswith("utf-16"):
        return Page("", url, None, "binary", truncated)
    text, encoding = decode_text(raw, charset, params)
    return _page(text, url, encoding, truncated)


def decode_text(
    raw: bytes, charset: str = "", params: DecodeParams = DecodeParams()
) -> tuple[str, str]:
    """Decode bytes to the text and the Python codec that was used.

    The codec is, in this order, that of the byte order mark; UTF-8 if the bytes are valid; that of
    `charset` (from the HTTP header) or of the declaration, unless it contradicts the bytes; the
    guess of charset-normalizer if `params` want it; windows-1252. See `_candidates` for where
    UTF-8 comes later.
    """
    body, mark = _without_mark(raw)
    if mark:
        return body.decode(mark, "replace"), mark
    label = _declared(raw[:HEAD_BYTES])
    codec = WEB_ENCODINGS.get(label, "")
    declared = "utf-8" if codec.startswith("utf-16") else codec  # it was read as ASCII
    for codec, tolerance in _candidates(_codec(charset), declared, raw):
        text = _decode(raw, codec)
        if _bad_chars(text, codec, raw) <= tolerance * len(text):
            return text, codec
    guess = _guess(raw, label, params)
    return _decode(raw, guess), guess


def _without_mark(raw: bytes) -> tuple[bytes, str]:
    """The bytes after a byte order mark and the codec that it names, "" without one.

    After a mark of UTF-16 there must be a character other than NUL: FF FE 00 00 is UTF-32.
    """
    character = len(raw) >= 4 and raw[2:4] != b"\0\0"
    for mark, codec in _MARKS:
        if raw.startswith(mark) and (character or len(mark) > 2):
            return raw[len(mark) :], codec
    return raw, ""


def _decode(raw: bytes, codec: str) -> str:
    """Decode; a character that the end of the bytes cuts in two is dropped."""
    return codecs.getincrementaldecoder(codec)("replace").decode(raw)


def _declared(head: bytes) -> str:
    """The label of the first declaration outside comments, in lower case, or ""."""
    match = _DECLARATION.search(_COMMENT.sub(b"", head))
    return (match.group(1) or match.group(2)).decode("ascii").lower() if match else ""


def _bad_chars(text: str, codec: str, raw: bytes) -> int:
    """Replacement characters that decoding added, without those that are in the bytes."""
    count = text.count("\ufffd")
    return count - raw.count(b"\xef\xbf\xbd") if count and codec == "utf-8" else count


def _codec(charset: str) -> str:
    """The codec of a label as HTTP headers spell it, "" if the web has no such encoding.

    >>> _codec(" 'ISO-8859-1'")
    'cp1252'
    """
    return WEB_ENCODINGS.get(charset.strip(" \t\"'").lower(), "")


def _candidates(header: str, declared: str, raw: bytes) -> list[tuple[str, float]]:
    """Codecs in the order of trust, each with the share of bad characters that it may have.

    Bytes that are valid UTF-8 are taken for UTF-8, except in short multi-byte text (two Chinese
    words in GBK may be valid by accident), and where the header says UTF-16: ASCII text in UTF-16
    is valid UTF-8.
    """
    named = [(codec, MAX_BAD_SHARE) for codec in dict.fromkeys([header, declared]) if codec]
    utf_8 = [("utf-8", 0.0)]
    first = named[0][0] if named else ""
    short = first in MULTIBYTE and len(raw.translate(None, _ASCII)) < MIN_UTF8_EVIDENCE
    return named + utf_8 if short or first.startswith("utf-16") else utf_8 + named


def detector() -> tuple[Callable[[bytes], Mapping[str, Any]], str]:
    """The library that guesses, and its name and version; raises `CrfcleanError` without it."""
    try:
        import charset_normalizer
    except ImportError as error:
        raise CrfcleanError(
            "charset-normalizer is missing: pip install 'crfclean[guess]'"
        ) from error
    return charset_normalizer.detect, f"charset-normalizer {charset_normalizer.__version__}"


def _guess(raw: bytes, refuted: str, params: DecodeParams) -> str:
    from bs4.dammit import EncodingDetector

    head, excluded = raw[:GUESS_BYTES], ["utf-8", refuted] if refuted else ["utf-8"]
    guessed = detector()[0](head)["encoding"] if params.guess_encoding else None
    found = EncodingDetector(head, is_html=True, exclude_encodings=excluded)
    found.chardet_encoding = guessed or "utf-8"  # else whatever library is installed would guess
    guesses = (WEB_ENCODINGS.get(name) for name in found.encodings)
    return next((codec for codec in guesses if codec and not codec.startswith("utf")), "cp1252")


def _gunzip(data: bytes, limit: int) -> tuple[bytes, str]:
    """Unpack at most `limit` bytes (and one more, to see that there are more).

    The bytes before any damage are kept, with "gzip" as the reason of the cut.
    """
    import gzip

    parts: list[bytes] = []
    size = 0
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        while size <= limit:
            try:
                part = stream.read1(min(GZIP_STEP, limit + 1 - size))
            except (OSError, EOFError, zlib.error):
                return b"".join(parts), "gzip"
            if not part:
                break
            parts.append(part)
            size += len(part)
    return b"".join(parts), ""


def _is_binary(raw: bytes) -> bool:
    """Whether data begins with a known magic number, or has NULs early and no byte order mark."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") or raw[:4] == b"\0\0\xfe\xff":
        return False
    return raw.startswith(_MAGIC) or raw[:1024].count(b"\0") > 8


def _page(text: str, url: str | None, encoding: str | None, truncated: str) -> Page:
    if len(text) > MAX_BYTES:
        text, truncated = text[:MAX_BYTES], "bytes"
    if not _FILLED.search(text):  # `strip` would copy the page
        return Page("", url, encoding, "empty", truncated)
    if not _is_html(text):
        return Page("", url, encoding, "not-html", truncated)
    return Page(text, url, encoding, "ok", truncated)


def _is_html(text: str) -> bool:
    """Whether there is a tag, and the first one is not that of a known data format."""
    if not _MARKUP.search(text):
        return False
    tags = (match.group(1) for match in _FIRST_TAG.finditer(text, 0, HEAD_BYTES))
    first = next((tag for tag in tags if tag), "html")
    return first.lower() not in _DATA_FORMATS
