"""Tests of `page/decode.py`."""

from __future__ import annotations

import codecs
import encodings.aliases
import gzip
import tracemalloc
from collections.abc import Callable

import pytest
import webencodings
from bs4.dammit import EncodingDetector
from hypothesis import example, given, settings
from hypothesis import strategies as st
from webencodings.labels import LABELS

from crfclean.page import decode as module
from crfclean.page import guess
from crfclean.page.decode import HEAD_BYTES, decode, decode_text
from crfclean.page.encodings import WEB_ENCODINGS
from crfclean.types import Page

STATUSES = {"ok", "empty", "binary", "not-html", "feed", "gzip-error", "mhtml-error"}
BOM_CODECS = {"utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"}
WITHOUT_TEXT = {
    *("csiso2022kr", "hz-gb-2312", "iso-2022-cn", "iso-2022-cn-ext", "iso-2022-kr"),
    *("replacement", "x-user-defined"),
}
PYTHON_ONLY = [
    *("rot13", "rot_13", "idna", "undefined", "utf-7", "utf7", "unicode_escape", "punycode"),
    *("raw_unicode_escape", "base64", "base64_codec", "hex", "bz2", "zlib", "uu", "quopri"),
    *("mbcs", "oem", "utf-8-sig", "utf-32", "utf_32", "cp437", "cp037", "palmos", "ptcp154"),
]
UNKNOWN = ["", " ", "none", "utf8mb4", "iso-8859-99", "x" * 500, "\u00fctf-8", "%22utf-8", "null"]

CZECH = "<p>Žluťoučký kůň úpěl ďábelské ódy.</p>"
GERMAN = "<p>Schöne Grüße</p>"
RUSSIAN = "<p>" + "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 20 + "</p>"
CHINESE = "<p>" + "中国的长城是世界上最伟大的建筑之一，每年有数百万游客前来参观。" * 20 + "</p>"


def declare(label: str) -> str:
    return f'<meta charset="{label}">'


def name_of(codec: str | None) -> str:
    return codecs.lookup(codec or "").name


@pytest.fixture
def no_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be guessed."""
    monkeypatch.setattr(guess, "guess_codec", lambda _: pytest.fail("it guesses"))


def guessed(html: str, codec: str) -> Page:
    """A page whose encoding was guessed."""
    return Page(html, None, codec, encoding_guessed=True)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """A page may have 100 bytes."""
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    return 100


# Labels


def test_labels_are_those_of_the_web() -> None:
    assert set(WEB_ENCODINGS) == set(LABELS) - WITHOUT_TEXT


@pytest.mark.parametrize("label", sorted(WEB_ENCODINGS))
def test_label_means_the_codec_of_the_web(label: str) -> None:
    expected = webencodings.lookup(label)
    assert expected is not None
    # the standard's decoder of GBK is that of GB 18030
    name = "gb18030" if expected.name == "gbk" else expected.codec_info.name
    assert name_of(WEB_ENCODINGS[label]) == name


@pytest.mark.parametrize("codec", sorted(set(WEB_ENCODINGS.values())))
def test_codec_never_raises_on_bytes(codec: str) -> None:
    text = bytes(range(256)).decode(codec, "replace")
    assert 64 < len(text) <= 256


@pytest.mark.parametrize("codec", sorted(module.MULTIBYTE))
def test_multibyte_codecs_are_known(codec: str) -> None:
    assert name_of(codec) == codec
    assert len("語".encode(codec)) > 1


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


WRITTEN = {
    "utf-8": CZECH,
    "iso-8859-1": GERMAN,
    "windows-1252": "<p>“Quotes” – 5 €</p>",
    "iso-8859-2": CZECH,
    "iso-8859-7": "<p>Καλημέρα κόσμε</p>",
    "iso-8859-15": "<p>5 € sœur</p>",
    "koi8-r": RUSSIAN,
    "windows-1251": RUSSIAN,
    "cp866": RUSSIAN,
    "windows-1256": "<p>مرحبا بالعالم</p>",
    "windows-874": "<p>สวัสดีชาวโลก</p>",
    "gb2312": CHINESE,
    "gbk": CHINESE,
    "gb18030": CHINESE,
    "big5": "<p>中文網頁的編碼</p>",
    "shift_jis": "<p>日本語の文字コード ｶﾀｶﾅ</p>",
    "euc-jp": "<p>日本語の文字コード</p>",
    "iso-2022-jp": "<p>日本語の文字コード</p>",
    "euc-kr": "<p>한국어 문서의 부호화</p>",
}


@pytest.mark.parametrize("label", WRITTEN)
def test_page_in_its_declared_encoding(label: str) -> None:
    html = declare(label) + WRITTEN[label]
    page = decode(html.encode(WEB_ENCODINGS[label]))
    assert page == Page(html, None, WEB_ENCODINGS[label])


@pytest.mark.parametrize(
    ("label", "text"),
    [("gbk", "什么"), ("gb2312", "之为"), ("euc-jp", "予了"), ("big5", "伎价")],
)
def test_short_multibyte_text_that_is_valid_utf_8(label: str, text: str) -> None:
    raw = (declare(label) + f"<p>{text}</p>").encode(WEB_ENCODINGS[label])
    assert raw.decode("utf-8") != raw.decode(WEB_ENCODINGS[label])
    assert decode(raw).html.endswith(f"<p>{text}</p>")


@pytest.mark.parametrize("filler", [100, 1_900, 3_000, 7_000])
@pytest.mark.usefixtures("no_guess")
def test_declaration_anywhere_in_the_head(filler: int) -> None:
    html = f"<!--{'x' * filler}-->{declare('koi8-r')}<p>Привет</p>"
    assert decode(html.encode("koi8-r")) == Page(html, None, "koi8-r")


def test_declaration_behind_the_head_is_not_looked_for() -> None:
    html = f"<!--{'x' * HEAD_BYTES}-->{declare('windows-1252')}{RUSSIAN}"
    assert decode(html.encode("koi8-r")) == guessed(html, "koi8-r")


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


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\0\0\xfe\xff"])
@pytest.mark.parametrize("rest", [b"", b"a"])
def test_hardly_more_than_a_mark_is_no_page(mark: bytes, rest: bytes) -> None:
    page = decode(mark + rest)
    assert page.html == ""
    assert page.status != "ok"


# Declarations that are wrong


@pytest.mark.parametrize("label", ["utf-16", "utf-16le", "utf-16be", "unicode", "ucs-2"])
def test_utf_16_declared_in_ascii_is_not_utf_16(label: str) -> None:
    html = declare(label) + CZECH
    assert decode(html.encode()) == Page(html, None, "utf-8")


@pytest.mark.parametrize("label", ["utf-16", "utf-16be"])
def test_utf_16_declared_in_single_bytes_is_not_utf_16(label: str) -> None:
    html = declare(label) + GERMAN
    assert decode(html.encode("cp1252")) == guessed(html, "cp1252")


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


@pytest.mark.parametrize("label", ["utf-8", "unicode-1-1-utf-8", "UTF8"])
def test_single_bytes_declared_as_utf_8(label: str) -> None:
    html = declare(label) + GERMAN
    assert decode(html.encode("cp1252")) == guessed(html, "cp1252")


@pytest.mark.parametrize("label", ["gb2312", "big5", "shift_jis", "euc-jp", "euc-kr"])
def test_declaration_that_fails_is_not_the_guess(label: str) -> None:
    html = declare(label) + RUSSIAN
    assert decode(html.encode("cp1251")) == guessed(html, "cp1251")


def test_one_bad_byte_does_not_refute_a_declaration() -> None:
    raw = declare("utf-8").encode() + CHINESE.encode() + b"\xff"
    assert decode(raw) == Page(declare("utf-8") + CHINESE + "\ufffd", None, "utf-8")


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


@pytest.mark.parametrize("head", ["", declare("iso-8859-1")])
def test_replacement_characters_in_valid_utf_8(head: str) -> None:
    html = head + "<p>Žluťoučký k\ufffdň</p>"
    assert decode(html.encode()) == Page(html, None, "utf-8")


# Names that only Python knows


def refused(label: str) -> Page:
    page = decode((declare(label) + GERMAN).encode())
    assert page.encoding == "utf-8"
    return page


@pytest.mark.parametrize("label", PYTHON_ONLY + UNKNOWN)
def test_names_of_python_are_no_labels(label: str) -> None:
    assert refused(label).html == declare(label) + GERMAN


def test_no_alias_of_python_is_used() -> None:
    aliases = encodings.aliases.aliases
    names = ({*aliases, *aliases.values()}) - set(WEB_ENCODINGS)
    assert len(names) > 100
    for name in names:
        assert refused(name).status == "ok"


@pytest.mark.parametrize("label", PYTHON_ONLY)
def test_names_of_python_are_no_guess(label: str) -> None:
    html = declare(label) + GERMAN
    assert decode(html.encode("cp1252")) == guessed(html, "cp1252")


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


PACKED = gzip.compress(CHINESE.encode(), mtime=0)


@pytest.mark.parametrize(
    "data",
    [
        *(PACKED[:size] for size in (2, 3, 10, 11)),
        PACKED[:2] + b"\xff" + PACKED[3:],
    ],
    ids=["2", "3", "10", "11", "head"],
)
def test_gzip_that_gives_nothing_is_named(data: bytes) -> None:
    assert decode(data, "u") == Page("", "u", None, "gzip-error")


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


@pytest.mark.parametrize("size", [0.5, 0.9])
def test_gzip_cut_short_is_kept_as_far_as_it_goes(size: float) -> None:
    lines = "".join(f"<p>Line {number} of the page.</p>" for number in range(200_000))
    packed = gzip.compress(lines.encode())
    page = decode(packed[: int(len(packed) * size)])
    assert page.truncated == "gzip"
    assert page.html
    assert lines.startswith(page.html)


def test_gzip_in_gzip_is_binary() -> None:
    assert decode(gzip.compress(PACKED)).status == "binary"


def test_gzip_of_nothing_is_empty() -> None:
    assert decode(gzip.compress(b"")).status == "empty"


def test_gzip_bomb_is_cut(small: int) -> None:
    page = decode(gzip.compress(b"<p>" + b"a" * 1_000_000))
    assert page == Page("<p>" + "a" * (small - 3), None, "utf-8", "ok", "bytes")


def test_gzip_bomb_takes_little_memory(small: int) -> None:
    bomb = gzip.compress(b"<p>" + b"a" * 20_000_000)
    tracemalloc.start()
    try:
        page = decode(bomb)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(page.html) == small
    assert peak < 5_000_000


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


@pytest.mark.parametrize("head", ["", declare("utf-8"), declare("iso-8859-1")])
@pytest.mark.parametrize("shift", range(4))
@pytest.mark.usefixtures("small", "no_guess")
def test_cut_inside_a_character_changes_no_other(head: str, shift: int) -> None:
    html = head + "<p>" + "a" * shift + "語" * 100
    page = decode(html.encode())
    assert page.encoding == "utf-8"
    assert html.startswith(page.html.rstrip("\ufffd"))
    assert page.html.rstrip("\ufffd").endswith("語")


@pytest.mark.parametrize("data", [b"%PDF" + b" " * 200, b" " * 200, b"plain" * 100])
@pytest.mark.usefixtures("small")
def test_cut_is_told_of_what_is_no_page(data: bytes) -> None:
    page = decode(data)
    assert page.status != "ok"
    assert page.truncated == "bytes"


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
    ("<p>text</p>".encode("utf-16-le"), "binary"),
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


@pytest.mark.parametrize(("count", "status"), [(1, "ok"), (8, "ok"), (9, "binary")])
def test_a_few_zero_bytes_are_no_binary(count: int, status: str) -> None:
    assert decode(b"<p>x" + b"\0" * count).status == status
    assert decode(b"<p>x" + b" " * 1_024 + b"\0" * count).status == "ok"


def test_text_is_not_decoded_again() -> None:
    html = declare("koi8-r") + CZECH
    assert decode(html, "u") == Page(html, "u", None)


@pytest.mark.parametrize(
    ("html", "status"), [("", "empty"), ("\ufeff \n", "empty"), ("x", "not-html")]
)
def test_text_that_is_no_page(html: str, status: str) -> None:
    assert decode(html) == Page("", None, None, status)


def test_decode_text_reads_what_is_no_html() -> None:
    assert decode_text("příliš".encode()) == ("příliš", "utf-8", False)
    assert decode_text(b"") == ("", "utf-8", False)


# Hostile pages

REPEATED = [
    *("<!--", "<meta ", "<meta charset=", "charset=", "<", "<?xml ", "encoding='", "encoding=''"),
    *(" ", "<a", "</", "<![CDATA[", "<meta charset='", "=", '"', "&#", "<!", "< meta"),
]


@pytest.mark.parametrize("piece", REPEATED)
@pytest.mark.parametrize("start", ["", "<?", "<meta ", "<"])
def test_hostile_heads_are_read_to_the_end(start: str, piece: str) -> None:
    html = start + piece * 20_000 + "<p>Grüße</p>"
    assert decode(html.encode()) == Page(html, None, "utf-8")
    assert decode(html.encode("cp1252")) == guessed(html, "cp1252")


STARTS = [b"", b"\x1f\x8b\x08\0", b"<p>", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf<a>", b"<?xml "]
STARTS += [declare(label).encode() for label in ("utf-8", "utf-16", "gbk", "iso-2022-jp", "rot13")]


@settings(max_examples=150, deadline=None, database=None, derandomize=True)
@given(st.sampled_from(STARTS), st.binary(max_size=200))
@example(b"\0\0\xfe\xff", b"\xff" * 8)
@example(b"\xff\xfe\0\0", b"\xff" * 7)
def test_random_bytes_never_raise(start: bytes, rest: bytes) -> None:
    page = decode(start + rest, "u")
    assert page.status in STATUSES
    assert page.url == "u"
    assert bool(page.html) == (page.status == "ok")
    assert page.encoding in {None, *BOM_CODECS, *WEB_ENCODINGS.values()}


@settings(max_examples=100, deadline=None, database=None, derandomize=True)
@given(st.binary(max_size=200))
def test_random_gzip_never_raises(rest: bytes) -> None:
    assert decode(gzip.compress(b"<p>" + rest)).status in ("ok", "binary")


@settings(max_examples=150, deadline=None, database=None, derandomize=True)
@given(st.text(st.characters(exclude_categories=()), max_size=80))
def test_random_text_never_raises(text: str) -> None:
    assert decode(f"<p>{text}") == Page(f"<p>{text}")
    assert decode(text).status in STATUSES


@settings(max_examples=150, deadline=None, database=None, derandomize=True)
@given(st.text(max_size=80))
def test_utf_8_survives(text: str) -> None:
    html = f"{declare('utf-8')}<p>{text}"
    page = decode(html.encode())
    assert page.status == ("binary" if html[:1024].count("\0") > 8 else "ok")
    assert page.html == (html if page.status == "ok" else "")


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


def test_header_may_say_utf_16() -> None:
    page = decode("<p>words".encode("utf-16-le"), charset="utf-16le")
    assert (page.status, page.html) == ("ok", "<p>words")
    assert decode("<p>words".encode("utf-16-le")).status != "ok"


def test_byte_order_mark_comes_before_the_header() -> None:
    assert decode_text(b"\xef\xbb\xbf\xc5\x82", "iso-8859-2")[0] == "ł"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_limit_cuts_what_is_above_it(pack: Callable[[bytes], bytes]) -> None:
    page = decode(pack(b"<p>" + b"x" * 97), max_bytes=50)
    assert (len(page.html), page.truncated, page.status) == (50, "bytes", "ok")
    page = decode(pack(b"<p>" + b"x" * 97), max_bytes=100)
    assert (len(page.html), page.truncated) == (100, "")


def test_limit_cuts_text_as_well() -> None:
    page = decode("<p>" + "x" * 97, max_bytes=50)
    assert (len(page.html), page.truncated) == (50, "bytes")


@given(
    mark=st.sampled_from([mark for mark, _ in module._MARKS]),
    rest=st.one_of(st.binary(max_size=4), st.sampled_from([b"\0\0", b"\0\0a", b"a\0", b"\0a"])),
)
def test_byte_order_marks_are_those_of_beautiful_soup(mark: bytes, rest: bytes) -> None:
    for data in (mark + rest, mark[:-1] + rest, rest):
        body, codec = EncodingDetector.strip_byte_order_mark(data)
        assert module._without_mark(data) == (body, codec or "")
