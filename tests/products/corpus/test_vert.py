"""Tests of preverticals of many pages."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from doubles import KeepAll
from jobplans import jobs_of

from crfclean.document.page_text import TextWriter
from crfclean.document.parts import Show
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.engine import clean_batch

WRAPPED = (
    "The mill stood at the end of the lane where|the river turns, and nobody had heard its|"
    "wheel since the winter of the great flood."
)
PAGES = {
    "paragraphs": ("<h1>T</h1><p>a <b>b</b><br>c<p>d", "T\na b\nc\nd\n"),
    "poem": (
        "<p>Still waits the mill,<br>\nThe wheel is <i>still.</i></p>",
        "Still waits the mill,\nThe wheel is still.\n",
    ),
    "address in an item": ("<ul><li>1 Mill Lane<br>Ely</ul>", "- 1 Mill Lane\n  Ely\n"),
    "heading of two lines": ("<h1>a<br>b</h1>", "a b\n"),
    "wrapped prose": (WRAPPED.replace("|", "<br>"), WRAPPED.replace("|", " ") + "\n"),
    "nested lists": (
        "<ul><li>a<ol start=9><li>b<li>c</ol><li>d</ul>",
        "- a\n  9. b\n  10. c\n- d\n",
    ),
    "paragraphs in an item": ("<ol><li><p>a<p>b</ol>", "1. a\n   b\n"),
    "definitions": ("<dl><dt>a<dd>b<dd>c</dl>", "a\n  b\n  c\n"),
    "table": ("<table><tr><th>a<th>b<tr><td>c<br>d<td>e</table>", "a\tb\nc d\te\n"),
    "empty cells": ("<table><tr><th>a<th>b<tr><td><td>e</table>", "a\tb\n\te\n"),
    "lists in cells": (
        "<table><tr><th>a<th>b<tr><td>c<td><ul><li>d<li>e</ul></table>",
        "a\tb\nc\t- d - e\n",
    ),
    "code": ("<p>a</p><pre>\n  b\n\n\tc\n</pre>", "a\n  b\n\n\tc\n"),
    "code in an item": ("<ul><li>a<pre>b\nc</pre></ul>", "- a\n  b\n  c\n"),
    "tasks": ("<ul><li><input type=checkbox disabled> a</ul>", "- [ ] a\n"),
    "quote": ("<blockquote><p>a</blockquote>", "a\n"),
    "rule": ("<p>a<hr><p>b", "a\nb\n"),
    "figure": ("<figure><img src=a><figcaption>b</figcaption></figure>", "b\n"),
    "link": ("<p>a <a href=/b>c</a>", "a c\n"),
    "footnote": ("<p>a<sup><a href=#n>1</a></sup><ol><li id=n>b</ol>", "a1\n[1] b\n"),
    "nothing": ("", ""),
}


def test_every_page_of_a_corpus_has_its_id(tmp_path: Path) -> None:
    (tmp_path / 'a "b".html').write_text("<p>It runs from Monday on, says the harbour master.</p>")
    params = BatchParams(KeepAll(), TextWriter("vert", Show(metadata=False)))
    list(clean_batch(jobs_of(str(tmp_path), str(tmp_path / "out"), "vert"), params))
    text = (tmp_path / "out" / 'a "b".vert').read_text()
    assert ET.fromstring(text).attrib == {"id": str(tmp_path / 'a "b".html')}
