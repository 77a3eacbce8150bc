from __future__ import annotations

from doubles import KeepAll
from lxml import etree
from tei_schemas import simple_print, subset

from crfclean.document.tei import to_tei
from crfclean.pipeline import run
from crfclean.types import Page

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
