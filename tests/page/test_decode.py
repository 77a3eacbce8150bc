"""Tests of `page/decode.py`."""

from __future__ import annotations

import codecs
import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import webencodings
from webencodings.labels import LABELS

from crfclean.page import decode as module
from crfclean.page.decode import WEB_ENCODINGS, decode, decode_text
from crfclean.page.page_names import HTML_SUFFIXES, is_page, stem
from crfclean.types import Page

WITHOUT_TEXT = {
    *("csiso2022kr", "hz-gb-2312", "iso-2022-cn", "iso-2022-cn-ext", "iso-2022-kr"),
    *("replacement", "x-user-defined"),
}

CZECH = "<p>Žluťoučký kůň úpěl ďábelské ódy.</p>"
GERMAN = "<p>Schöne Grüße</p>"
RUSSIAN = "<p>" + "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 20 + "</p>"
CHINESE = "<p>" + "中国的长城是世界上最伟大的建筑之一，每年有数百万游客前来参观。" * 20 + "</p>"


def declare(label: str) -> str:
    return f'<meta charset="{label}">'


def name_of(codec: str | None) -> str:
    return codecs.lookup(codec or "").name


# Labels


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """A page may have 100 bytes."""
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    return 100


def test_labels_are_those_of_the_web() -> None:
    assert set(WEB_ENCODINGS) == set(LABELS) - WITHOUT_TEXT


def test_label_means_the_codec_of_the_web() -> None:
    for label, ours in WEB_ENCODINGS.items():
        expected = webencodings.lookup(label)
        assert expected is not None
        # the standard's decoder of GBK is that of GB 18030
        name = "gb18030" if expected.name == "gbk" else expected.codec_info.name
        assert name_of(ours) == name, label


# Declarations that are right

DECLARATIONS = [
    '<meta charset="windows-1250">',
    "<meta charset='windows-1250'/>",
    "<META CHARSET=Windows-1250>",
    '<meta charset=" WINDOWS-1250 ">',
    '<meta name="x"><meta\ncharset\n=\nwindows-1250 >',
    '<meta http-equiv="Content-Type" content="text/html; charset=windows-1250">',
    "<meta content='text/html;charset=cp1250' http-equiv=content-type>",
    "<html><head><title>x</title><meta charset=x-cp1250></head>",
    '<?xml version="1.0" encoding="windows-1250"?><html>',
    "<?xml version='1.0' encoding='windows-1250' ?>\n<!DOCTYPE html>",
]


@pytest.mark.parametrize("head", DECLARATIONS)
def test_declaration_is_obeyed(head: str) -> None:
    html = head + CZECH
    assert decode(html.encode("cp1250"), "u") == Page(html, "u", "cp1250")


@pytest.mark.parametrize(
    ("label", "text"),
    [("gbk", "什么"), ("gb2312", "之为"), ("euc-jp", "予了"), ("big5", "伎价")],
)
def test_short_multibyte_text_that_is_valid_utf_8(label: str, text: str) -> None:
    raw = (declare(label) + f"<p>{text}</p>").encode(WEB_ENCODINGS[label])
    assert raw.decode("utf-8") != raw.decode(WEB_ENCODINGS[label])
    assert decode(raw).html.endswith(f"<p>{text}</p>")


# Byte order marks


@pytest.mark.parametrize("declared", ["", declare("koi8-r"), declare("utf-8")])
@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_byte_order_mark_wins(mark: bytes, codec: str, declared: str) -> None:
    html = declared + CZECH
    page = decode(mark + html.encode(codec))
    assert (page.html, page.status) == (html, "ok")
    assert name_of(page.encoding) == codec


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_half_a_unit_after_a_byte_order_mark_is_replaced(codec: str) -> None:
    raw = f"\ufeff{CZECH}".encode(codec)
    assert decode(raw + b"\xdc").html == CZECH + "\ufffd"


# Declarations that are wrong


@pytest.mark.parametrize(
    "label", ["iso-8859-1", "windows-1252", "ascii", "windows-1251", "koi8-r", "latin2"]
)
@pytest.mark.parametrize("text", [GERMAN, CZECH, RUSSIAN, CHINESE])
def test_utf_8_declared_as_single_bytes(label: str, text: str) -> None:
    html = declare(label) + text
    assert decode(html.encode()) == Page(html, None, "utf-8")


@pytest.mark.parametrize("label", ["gb2312", "big5", "shift_jis", "euc-jp", "euc-kr"])
@pytest.mark.parametrize("text", [RUSSIAN, CHINESE], ids=["russian", "chinese"])
def test_long_utf_8_declared_as_multibyte(label: str, text: str) -> None:
    html = declare(label) + text
    assert decode(html.encode()).html == html


@pytest.mark.parametrize(
    ("chars", "bad", "codec"),
    [(1_000, 5, "utf-8"), (1_000, 6, "cp1252"), (2_000, 10, "utf-8"), (2_000, 11, "cp1252")],
)
def test_bad_bytes_refute_a_declaration_above_half_a_percent(
    chars: int, bad: int, codec: str
) -> None:
    text = (declare("utf-8") + "<p>Tea. ").ljust(chars - bad, "x")
    raw = text.encode() + b"\xff" * bad
    bad_text = {"utf-8": "\ufffd", "cp1252": "ÿ"}[codec] * bad
    assert decode_text(raw) == (text + bad_text, codec, codec != "utf-8")


# gzip


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(CZECH.encode()),
        gzip.compress(CZECH.encode()[:9]) + gzip.compress(CZECH.encode()[9:]),
        gzip.compress(b"") + gzip.compress(CZECH.encode()),
        gzip.compress(CZECH.encode()) + b"\0" * 100,
    ],
    ids=["one", "two members", "empty member", "padded"],
)
def test_gzip_is_unpacked(data: bytes) -> None:
    assert decode(data, "u") == Page(CZECH, "u", "utf-8")


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(CHINESE.encode()) + b"junk junk junk",
        gzip.compress(CHINESE.encode()) + b"\x1f\x8bjunk",
        gzip.compress(CHINESE.encode()) + gzip.compress(b"more")[:6],
    ],
    ids=["junk", "broken member", "cut member"],
)
def test_what_stands_before_the_damage_is_kept(data: bytes) -> None:
    assert decode(data, "u") == Page(CHINESE, "u", "utf-8", truncated="gzip")


def test_gzip_bomb_is_cut(small: int) -> None:
    page = decode(gzip.compress(b"<p>" + b"a" * 1_000_000))
    assert page == Page("<p>" + "a" * (small - 3), None, "utf-8", "ok", "bytes")


# Sizes


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bytes.decode])
@pytest.mark.parametrize(
    ("size", "kept", "truncated"),
    [(99, 99, ""), (100, 100, ""), (101, 100, "bytes"), (5_000, 100, "bytes")],
)
@pytest.mark.usefixtures("small")
def test_pages_are_cut_at_a_size(
    pack: Callable[[bytes], bytes | str], size: int, kept: int, truncated: str
) -> None:
    page = decode(pack(b"<p>" + b"a" * (size - 3)))
    assert (len(page.html), page.truncated, page.status) == (kept, truncated, "ok")


# What is no page

NO_PAGES = [
    (b"", "empty"),
    (b" \t\r\n\f ", "empty"),
    (b"\0\0", "empty"),
    (codecs.BOM_UTF8 + b"\n", "empty"),
    (b"%PDF-1.7 <html><p>x</p>", "binary"),
    (b"\x89PNG\r\n\x1a\n", "binary"),
    (b"GIF89a<p>x</p>", "binary"),
    (b"\xff\xd8\xff\xe0", "binary"),
    (b"PK\x03\x04", "binary"),
    (b"\x7fELF", "binary"),
    (b"<p>" + b"\0" * 20, "binary"),
    (b"<p>" + b"\1" * 9, "binary"),
    (b"PAR1\x15\4<p>text</p>", "binary"),
    (b"SQLite format 3\0<p>text</p>", "binary"),
    (b"%!PS-Adobe-3.0 <p>text</p>", "binary"),
    (b"{\\rtf1 <p>text</p>}", "binary"),
    (b"ID3\3<p>text</p>", "binary"),
    (b"BZh91AY<p>text</p>", "binary"),
    (gzip.compress(b"\x89PNG\r\n<p>text</p>", mtime=0), "binary"),
    (random.Random(1).randbytes(100_000), "binary"),
    (b"Just some words.", "not-html"),
    (b"if a < b and c > d: e <- f; 1<2; <3", "not-html"),
    (b"jane <jane@example.org> wrote", "not-html"),
    (b'{"key": [1, 2, "three"]}', "not-html"),
    (b'<rss version="2.0"><channel><title>x</title></channel></rss>', "feed"),
    (b'<?xml version="1.0"?>\n<!-- feed --><rss version="2.0">', "feed"),
    (b'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">', "feed"),
    (b'<ns0:feed xmlns:ns0="http://www.w3.org/2005/Atom"><ns0:entry/></ns0:feed>', "feed"),
    (b'<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="x"><item>x</item></rdf:RDF>', "feed"),
    (b'<rdf:RDF xmlns:rdf="x"><channel><title>x</title></channel></rdf:RDF>', "feed"),
    (b'{"version": "https://jsonfeed.org/version/1.1", "items": []}', "feed"),
    (b'\n{"items": ["<p>x</p>"], "version":"https:\\/\\/jsonfeed.org\\/version\\/1"}', "feed"),
    (b'{"version": "1.0", "html": "x"}', "not-html"),
    (b'{"a": "\\"", "content": "<p>Rain.</p>"}\n', "not-html"),
    (b'[{"content": "<p>Rain.</p>"}]', "not-html"),
    (b'<rdf:RDF xmlns:rdf="x">', "not-html"),
    (b'<?xml version="1.0"?><urlset xmlns="x"><url><loc>u</loc></url></urlset>', "not-html"),
    (b'<sitemapindex xmlns="x"><sitemap></sitemap></sitemapindex>', "not-html"),
    (b'<svg xmlns="http://www.w3.org/2000/svg"><text>x</text></svg>', "not-html"),
    (b'<opml version="2.0"><body></body></opml>', "not-html"),
]


@pytest.mark.parametrize(("data", "status"), NO_PAGES)
def test_what_is_no_page_says_why(data: bytes, status: str) -> None:
    page = decode(data, "u")
    assert (page.html, page.url, page.status, page.truncated) == ("", "u", status, "")


@pytest.mark.parametrize(
    "codec", ["utf-16-le", "utf-16-be", "cp1251", "koi8-r", "shift_jis", "euc_jp", "iso2022_jp"]
)
def test_no_page_is_binary_for_its_encoding(codec: str) -> None:
    for start in ("\n <!DOCTYPE html>", " <html>", "<p>"):
        page = decode(start.encode(codec) + RUSSIAN.encode(codec))
        assert page.status == "ok"
        if codec.startswith("utf-16"):
            assert (RUSSIAN in page.html, page.encoding_guessed) == (True, True)


def test_data_as_text_is_binary_too() -> None:
    data = random.Random(2).randbytes(9_000) + b"<p>"
    for text in (data.decode("latin-1"), data.decode("utf-8", "replace"), "%PDF-1.7 <p>x</p>"):
        page = decode(text)
        assert (page.status, page.html, page.encoding) == ("binary", "", None)
    assert not decode(data).encoding_guessed


@pytest.mark.parametrize(
    "html",
    [
        "<p>x",
        "text <b>bold</b> text",
        "<P>x</P>",
        "<br/>x",
        "<!DOCTYPE html>",
        "<!-- a comment --> text",
        "<!-- <rss> --><p>x</p>",
        "<p>A feed has <code>&lt;rss></code> or <code>jsonfeed.org/version</code></p>",
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>x</body></html>',
        "<html><body><svg></svg></body></html>",
        "<div>\0x</div>",
    ],
)
def test_fragments_are_pages(html: str) -> None:
    assert decode(html.encode()) == Page(html, None, "utf-8")
    assert decode(html) == Page(html, None, None)


@pytest.mark.parametrize(
    ("html", "status"), [("", "empty"), ("\ufeff \n", "empty"), ("x", "not-html")]
)
def test_text_that_is_no_page(html: str, status: str) -> None:
    assert decode(html) == Page("", None, None, status)


# Hostile pages


# the HTTP header, and the limit


HEADERS = {
    "header alone": ("łódź".encode("iso-8859-2"), "ISO-8859-2", "łódź"),
    "in quotes": ("łódź".encode("iso-8859-2"), ' "iso-8859-2"', "łódź"),
    "unknown": ("łódź".encode(), "x-unknown", "łódź"),
    "a codec that is none of the web's": (b"text", "rot13", "text"),
    "contradicted by the bytes": ("łódź".encode(), "ascii", "łódź"),
    "before the declaration": (
        '<meta charset="windows-1251">łódź'.encode("iso-8859-2"),
        "iso-8859-2",
        '<meta charset="windows-1251">łódź',
    ),
    "UTF-16 without a mark": ("<p>words".encode("utf-16-le"), "utf-16le", "<p>words"),
}


@pytest.mark.parametrize(("raw", "charset", "text"), HEADERS.values(), ids=HEADERS)
def test_charset_of_the_header(raw: bytes, charset: str, text: str) -> None:
    assert decode_text(raw, charset)[0] == text


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_limit_cuts_what_is_above_it(
    monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(module, "GZIP_STEP", 50)
    page = decode(pack(b"<p>" + b"x" * 97), max_bytes=50)
    assert (len(page.html), page.truncated, page.status) == (50, "bytes", "ok")
    page = decode(pack(b"<p>" + b"x" * 97), max_bytes=100)
    assert (len(page.html), page.truncated) == (100, "")


# names of files


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x.html", "x"),
        ("x.y.htm", "x.y"),
        ("x.xhtml.gz", "x"),
        ("x.html.gz", "x"),
        ("x.txt", "x"),
        ("x", "x"),
        ("x.gz", "x"),
    ],
)
def test_stem(name: str, expected: str) -> None:
    assert stem(Path("folder", name)) == expected


def test_pages_are_known_by_their_names() -> None:
    assert all(is_page(f"X{suffix.upper()}") for suffix in HTML_SUFFIXES)
    assert not any(map(is_page, ["x.html.xz", "html", "x.txt", ""]))
