"""Decode the bytes of a page, by what it declares or by a guess."""

from __future__ import annotations

import codecs
import io
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from crfclean.io import read_toml
from crfclean.page.chars import visible
from crfclean.page.mhtml import is_mhtml, read_mhtml
from crfclean.types import Page

if TYPE_CHECKING:
    pass

# the encodings of the web: their names and labels, and the Python codecs that decode them

MULTIBYTE = frozenset(["gbk", "gb18030", "big5hkscs", "euc_jp", "iso2022_jp", "cp932", "cp949"])
"""Python codecs that read some characters from two bytes or more."""

_LABELS: Mapping[str, str] = read_toml(Path(__file__).with_name("encodings.toml"))
"""Python codec -> its labels in the WHATWG Encoding Standard, the name of the encoding first."""

WEB_ENCODINGS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}
"""Label of an encoding -> Python codec."""


def web_name(codec: str) -> str:
    """Return the web's name of the encoding that a Python codec decodes.

    >>> web_name("cp1251"), web_name("big5hkscs"), web_name("utf-32le")
    ('windows-1251', 'big5', 'utf-32le')
    """
    return _LABELS.get(codec, codec).split()[0]


MAX_BYTES = 64 * 2**20  # the rest is cut off: the table of elements would need gigabytes
HEAD_BYTES = 8_192  # declarations come early; a longer search is quadratic on hostile pages
MAX_BAD_SHARE = 0.005  # a declared encoding that fails on more characters is wrong

GZIP_STEP = 2**20  # bytes unpacked at a time
MIN_UTF8_EVIDENCE = 64  # bytes beyond ASCII: fewer may be valid UTF-8 by accident

_ASCII = bytes(range(128))
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\0\0\xfe\xff", "utf-32be"),
    (b"\xff\xfe\0\0", "utf-32le"),
    (b"\xfe\xff", "utf-16be"),
    (b"\xff\xfe", "utf-16le"),
)
"""Byte order marks and their codecs, longer ones first."""

_UNMARKED = (
    (re.compile(rb"(?:[ \t\r\n]\0)*<\0[!?a-zA-Z]\0"), "utf-16le"),
    (re.compile(rb"(?:\0[ \t\r\n])*\0<\0[!?a-zA-Z]"), "utf-16be"),
)
"""Beginnings of pages in UTF-16 without a byte order mark, and their codecs."""

_GZIP = b"\x1f\x8b"
_MAGIC = (
    *("%PDF", "%!PS", "{\\rtf", "\xd0\xcf\x11\xe0", "PK\3\4", "PK\5\6"),
    *("\x89PNG", "GIF8", "\xff\xd8\xff", "II*\0", "MM\0*", "RIFF", "OggS", "ID3", "wOFF", "wOF2"),
    *("\x1f\x8b", "BZh", "\xfd7zXZ", "\x28\xb5\x2f\xfd", "7z\xbc\xaf", "Rar!"),
    *("PAR1", "ARROW1", "ORC", "Obj\1", "SQLite format 3", "\x7fELF", "\x89HDF", "\x93NUMPY"),
)
"""The first characters, read as Latin-1, of documents, media, archives and tables of data."""

_CONTROLS = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f]")
"""Control characters but those of white space and ESC, which ISO-2022-JP has."""

MAX_CONTROLS = 0.05  # of the first characters; 0.002 on the worst of 6,660 pages, 0.1 if random
FEW_CONTROLS = 8  # in a page as short as a line
# one that does not end hides the rest; `<!-->` is a whole one
_HTML_COMMENT = r"<!--(?:-?>|.*?(?:--!?>|\Z))"
_COMMENT = re.compile(_HTML_COMMENT.encode(), re.DOTALL)
_DECLARATION = re.compile(
    rb"""\A\s*+<\?xml[^>]{0,200}?encoding\s*+=\s*+["']([\w.:-]+)|"""
    rb"""<meta[\s/][^>]{0,1000}?charset\s*+=\s*+["']?\s*+([\w.:-]+)""",
    re.IGNORECASE | re.ASCII,
)
_FILLED = re.compile(r"[^\ufeff\0 \t\r\n\f]")
_MARKUP = re.compile(r"<(?:[a-zA-Z][a-zA-Z0-9-]*[\s/>]|!doctype|!--|\?xml)", re.IGNORECASE)
_FIRST_TAG = re.compile(rf"{_HTML_COMMENT}|<([a-z][^\s/>]*)", re.IGNORECASE | re.DOTALL)
_DATA_FORMATS = frozenset(["rdf", "urlset", "sitemapindex", "svg", "opml"])
_FEEDS = frozenset(["rss", "feed"])
_RDF_FEED = re.compile(r"purl\.org/rss/|my\.netscape\.com/rdf/|<channel[\s>]", re.IGNORECASE)
_JSON_FEED = re.compile(r'"version"\s*:\s*"https?:\\?/\\?/(?:www\.)?jsonfeed\.org\\?/version')
_JSON_START = re.compile(r"[\ufeff\s]*(?:\[\s*)?\{\s*\"")
WARC_START = r"\s{0,8}WARC/\d\.\d\s*\n"
_QUOTE = re.compile(r"\\.|(\")", re.DOTALL)


def decode(
    data: bytes | str,
    url: str | None = None,
    charset: str = "",
    max_bytes: int | None = None,
) -> Page:
    """Turn the bytes (gzipped or not) or the text of a page into a `Page`; never raises on them.

    A web archive (MHTML) gives the page in it, with its URL unless `url` is given. Data that is not
    text or not HTML gives a page with empty `html` and a `status` that says why. `charset` is that
    of the HTTP header. Bytes (or characters of a text) beyond `max_bytes`, by default `MAX_BYTES`,
    are cut off. Raises `TypeError` for anything except bytes and text.
    """
    if not isinstance(data, bytes | str):
        raise TypeError(f"a page is str, bytes or crfclean.Page, not {type(data).__name__}")
    limit = MAX_BYTES if max_bytes is None else max_bytes
    url = visible(url) if url else url
    if isinstance(data, str):
        if is_mhtml(data):
            return decode(data.encode("utf-8", "replace"), url, charset, limit)
        return _page_of(data[:limit], url, None, "bytes" if len(data) > limit else "")
    raw, truncated = _gunzip(data, limit) if data[:2] == _GZIP else (data, "")
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
    text, encoding, guessed = decode_text(raw, charset)
    page = _page_of(text, url, encoding, truncated)
    return replace(page, encoding_guessed=guessed and page.encoding is not None)


def decode_text(raw: bytes, charset: str = "") -> tuple[str, str, bool]:
    """Decode bytes; return the text, the Python codec, and whether the codec was guessed.

    The codec is the first of: that of the byte order mark; UTF-8 if the bytes are valid; that of
    `charset` (from the HTTP header) or of the declaration, unless it contradicts the bytes; that
    of `guess_codec`. See `_candidates` for cases in which UTF-8 comes later.
    """
    body, mark = without_mark(raw)
    if mark:
        return body.decode(mark, "replace"), mark, len(body) == len(raw)
    codec = WEB_ENCODINGS.get(_declared(raw[:HEAD_BYTES]), "")
    declared = "utf-8" if codec.startswith("utf-16") else codec  # the declaration was read as ASCII
    for codec, tolerance in _candidates(_codec(charset), declared, raw):
        text = _decode(raw, codec)
        if _bad_chars(text, codec, raw) <= tolerance * len(text):
            return text, codec, False

    guess = guess_codec(raw)
    return _decode(raw, guess), guess, True


def without_mark(raw: bytes) -> tuple[bytes, str]:
    """Return the bytes after a byte order mark, and its codec, "" without a mark.

    After a mark of UTF-16 there must be a character other than NUL: FF FE 00 00 is UTF-32. The
    first tag of a page in UTF-16 is enough, too.
    """
    character = len(raw) >= 4 and raw[2:4] != b"\0\0"
    for mark, codec in _MARKS:
        if raw.startswith(mark) and (character or len(mark) > 2):
            return raw[len(mark) :], codec
    return raw, next((codec for start, codec in _UNMARKED if start.match(raw)), "")


def _decode(raw: bytes, codec: str) -> str:
    """Decode bytes; a character that their end cuts in two is dropped."""
    return codecs.getincrementaldecoder(codec)("replace").decode(raw)


def _declared(head: bytes) -> str:
    """Return the label of the first declaration outside comments, in lower case, or ""."""
    match = _DECLARATION.search(_COMMENT.sub(b"", head))
    return (match.group(1) or match.group(2)).decode("ascii").lower() if match else ""


def _bad_chars(text: str, codec: str, raw: bytes) -> int:
    """Count the replacement characters that decoding added, not those already in the bytes."""
    count = text.count("\ufffd")
    return count - raw.count(b"\xef\xbf\xbd") if count and codec == "utf-8" else count


def _codec(charset: str) -> str:
    """Return the codec of a label as HTTP headers spell it, "" if the web has no such encoding.

    >>> _codec(" 'ISO-8859-1'")
    'cp1252'
    """
    return WEB_ENCODINGS.get(charset.strip(" \t\"'").lower(), "")


def _candidates(header: str, declared: str, raw: bytes) -> list[tuple[str, float]]:
    """Return codecs in order of trust, each with the share of bad characters that it may have.

    Valid UTF-8 is read as UTF-8, with two exceptions. A short multi-byte text may be valid by
    accident, such as two Chinese words in GBK. ASCII text in UTF-16 is valid UTF-8, so a header
    that says UTF-16 comes first.
    """
    named = [(codec, MAX_BAD_SHARE) for codec in dict.fromkeys([header, declared]) if codec]
    utf_8 = [("utf-8", 0.0)]
    first = named[0][0] if named else ""
    short = first in MULTIBYTE and len(raw.translate(None, _ASCII)) < MIN_UTF8_EVIDENCE
    return named + utf_8 if short or first.startswith("utf-16") else utf_8 + named


def unpacked_size(data: bytes, limit: int) -> int:
    """Return the size of a page's bytes, unpacked if they are gzipped, or about `limit` if larger.

    Damaged data, and data of several members, count as `limit`: their size would take too long.
    """
    if data[:2] != _GZIP:
        return len(data)
    stream = zlib.decompressobj(wbits=31)
    try:
        size = len(stream.decompress(data, limit))
    except zlib.error:
        return limit
    return max(size, limit if stream.unused_data else len(data))


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
    """Return whether data begins with a magic number, or has early NULs and is no UTF-16 or -32."""
    if without_mark(raw[:HEAD_BYTES])[1][:6] in ("utf-16", "utf-32"):
        return False
    return is_binary(raw[:64].decode("latin-1")) or raw[:1024].count(b"\0") > FEW_CONTROLS


def is_binary(text: str) -> bool:
    r"""Return whether decoded data is no text: by its magic number, or its control characters.

    >>> is_binary("PAR1 <p>Rain"), is_binary("<p>\1\2</p>"), is_binary("\1\2\3\4<p>" * 9)
    (True, False, True)
    """
    head = text[:HEAD_BYTES]
    few = max(FEW_CONTROLS, MAX_CONTROLS * len(head))
    return head.startswith(_MAGIC) or len(_CONTROLS.findall(head)) > few


def _page_of(text: str, url: str | None, encoding: str | None, truncated: str) -> Page:
    if len(text) > MAX_BYTES:
        text, truncated = text[:MAX_BYTES], "bytes"
    if not _FILLED.search(text):  # `strip` would copy the page
        return Page("", url, encoding, "empty", truncated)
    if is_binary(text):
        return Page("", url, None, "binary", truncated)
    status = _kind(text)
    return Page(text if status == "ok" else "", url, encoding, status, truncated)


def _kind(text: str) -> str:
    """Return the status of a text: "ok" for HTML, "feed", or "not-html".

    >>> _kind("<p>Rain."), _kind("<ns0:feed xmlns:ns0='x'>"), _kind("<svg>"), _kind("Rain.")
    ('ok', 'feed', 'not-html', 'not-html')
    """
    if re.match(WARC_START, text):  # its records may have HTML
        return "not-html"
    if _JSON_START.match(text):
        if _JSON_FEED.search(text):
            return "feed"
        if _is_json(text):
            return "not-html"
    tags = (match.group(1) for match in _FIRST_TAG.finditer(text, 0, HEAD_BYTES))
    name = next((tag for tag in tags if tag), "html").lower().rpartition(":")[2]
    if name in _FEEDS or (name == "rdf" and _RDF_FEED.search(text, 0, HEAD_BYTES)):
        return "feed"
    return "ok" if name not in _DATA_FORMATS and _MARKUP.search(text) else "not-html"


def _is_json(text: str) -> bool:
    """Return whether a text that begins as JSON has its first tag, if any, inside a string.

    >>> _is_json('{"page": "<p>Rain"}'), _is_json('{"error": 1}<html>')
    (True, False)
    """
    tag = _MARKUP.search(text, 0, HEAD_BYTES)
    return tag is None or _QUOTE.findall(text, 0, tag.start()).count('"') % 2 == 1


# guess the encoding of bytes without a declaration that are not UTF-8

SAMPLE_BYTES = 32_768  # for the library; with 100,000 it is right on the same pages
SCAN_BYTES = 2**20  # searched for the sample: if every second byte is a tag, it takes 0.1 s
MAX_BAD_GUESS_SHARE = 0.01  # bad characters per byte beyond ASCII; more refute a guess
KOREAN_SHARE = 0.8  # Hangul among the characters beyond ASCII; Chinese read as Korean has 0.65

LATIN_SHARE = 0.01  # letters beyond ASCII of all letters; Polish has 0.07
OTHER_SHARE = 0.03  # the same for other scripts: a text may be mostly English

LONE_LETTER = b"\xe1 "
"""A letter of every single-byte encoding (á, б, α), but half a character of every multi-byte one.

Before a text, it keeps the library from guessing multi-byte encodings. Without it, Russian that
begins with "Для скорой помощи" is Big5, with a confidence of 1.
"""

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_PIECE = re.compile(rb"[^<]+")
_INSIDE_WORDS = re.compile(r"(?<=[A-Za-z])[^\W\d_A-Za-z]|[^\W\d_A-Za-z](?=[a-z])")
_SIDE_BY_SIDE = re.compile(r"[^\W\d_a-zA-Z]{3}")
_LATIN = frozenset(["cp1250", "iso8859-2", "cp1254", "cp1257", "iso8859-13", "iso8859-15"])
_OTHER_SCRIPTS = MULTIBYTE | frozenset(
    "cp1251 koi8-r koi8-u iso8859-5 cp866 cp1253 iso8859-7 cp1255 iso8859-8 cp1256 iso8859-6 "
    "cp874 cp1258".split()
)
"""Codecs that a guess may name; pages in other encodings declare them.

windows-1258 (Vietnamese) writes its many accents as separate letters.
"""

_SKIPPED = (b"script", b"style")
_HANGUL = "[가-힣]"
_WIDER = {"uhc": "cp949"}
"""Names of encodings in the library that are no web labels -> their codecs."""


def guess_codec(raw: bytes) -> str:
    """Guess the Python codec of a page's bytes; windows-1252 without a clue.

    faust-cchardet guesses from the text outside tags. If the bytes contradict its multi-byte
    encoding, the multi-byte encodings that fit are tried, then single-byte encodings.
    """
    text = _sample(raw)
    codec = _detected(text)
    if codec in MULTIBYTE and not _fits(_decode(text, codec), text):
        codec = next((name for name in _TRIED if _TRIED[name](text)), "")
    if not codec:
        codec = _detected(LONE_LETTER + text)
    return codec if codec and _is_likely(_decode(text, codec), codec) else "cp1252"


def _is_likely(text: str, codec: str) -> bool:
    """Return whether a text read with a guessed codec has letters that confirm the guess.

    Without this check, the library reads English with curly quotes and a pound sign as Polish, and
    one English page in ten is wrong. In the Latin alphabet, two different letters must stand inside
    words; in other scripts, three letters side by side.
    """
    letters = sum(map(str.isalpha, text))
    if codec in _LATIN:
        inside = list(filter(str.islower, _INSIDE_WORDS.findall(text)))
        return len(set(inside)) > 1 and len(inside) >= LATIN_SHARE * letters
    beyond = sum(char.isalpha() and not char.isascii() for char in text)
    likely = codec in _OTHER_SCRIPTS and beyond >= OTHER_SHARE * letters
    return likely and _SIDE_BY_SIDE.search(text) is not None


def _sample(raw: bytes) -> bytes:
    """Return the pieces of text outside tags with bytes beyond ASCII, up to `SAMPLE_BYTES`."""
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
    """Yield the texts that follow tags and have bytes beyond ASCII, in page order."""
    for match in _PIECE.finditer(raw):
        tag, end, text = match.group().partition(b">")
        text = text if end else tag
        if not text.isascii() and not tag[:6].lower().startswith(_SKIPPED):
            yield text


def _detected(text: bytes) -> str:
    """Return the codec of the encoding that the library names, "" for none or a non-web one."""
    from bs4.dammit import EncodingDetector  # it asks faust-cchardet

    name = next(iter(EncodingDetector(text).encodings), "").lower()
    codec = WEB_ENCODINGS.get(name) or _WIDER.get(name, "")
    return "" if codec.startswith("utf") else codec


def _fits(decoded: str, text: bytes) -> bool:
    """Return whether few characters are bad, measured by the bytes beyond ASCII."""
    return decoded.count("\ufffd") <= MAX_BAD_GUESS_SHARE * len(text.translate(None, _ASCII))


def _is_korean(text: bytes) -> bool:
    decoded = _decode(text, "cp949")
    beyond = sum(not char.isascii() for char in decoded)
    return _fits(decoded, text) and len(re.findall(_HANGUL, decoded)) >= KOREAN_SHARE * beyond


_TRIED: Mapping[str, Callable[[bytes], bool]] = {
    "cp949": _is_korean,
    "gb18030": lambda text: _fits(_decode(text, "gb18030"), text),
}
"""Multi-byte codecs to try after a wrong guess -> the test whether they fit, in this order.

The bytes of nearly all Korean text are valid GBK, too.
"""
