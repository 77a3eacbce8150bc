"""Tests of `citations/cite.py` and what a citation is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from doubles import KeepAll, KeepLong
from lxml import etree

from crfclean.citations import blocks, cite, sentences
from crfclean.document.sentences import sentence_spans
from crfclean.page.chars import visible
from crfclean.pipeline import run
from crfclean.types import CrfcleanError, Document, Page

HTML = """<html><body><nav>Home News</nav>
<h1>The ferry sails again today</h1>
<p>It <b>sails</b> at noon. Nobody knew that before.</p>
<p>Advert</p>
<p>From Monday on it<br>sails twice a day.</p></body></html>"""


@pytest.fixture(scope="module")
def document() -> Document:
    return run(Page(HTML, "https://example.org/1"), KeepLong())


def test_a_span_has_its_place(document: Document) -> None:
    start = document.text.index("sails at noon")
    citation = cite(document, start, start + len("sails at noon"))
    (block,) = citation.blocks
    assert citation.text == "sails at noon"
    assert block.xpath == "/html[1]/body[1]/p[1]"
    assert document.blocks.texts[block.index][block.start : block.end] == "sails at noon"
    assert [tuple(piece) for piece in block.place] == [("b[1]", 0, 5), (".", 2, 8)]
    assert citation.url == "https://example.org/1#:~:text=sails%20at%20noon"
    assert citation.is_unique
    assert citation.similarity == 1.0


def test_a_span_may_go_over_blocks(document: Document) -> None:
    start, end = document.text.index("Nobody"), document.text.index("Monday")
    citation = cite(document, start, end)
    assert citation.text == "Nobody knew that before.\nFrom "
    assert (citation.start, citation.end) == (start, end)
    assert [block.xpath for block in citation.blocks] == [
        "/html[1]/body[1]/p[1]",
        "/html[1]/body[1]/p[3]",
    ]
    assert citation.url.endswith("#:~:text=Nobody%20knew%20that%20before,From")


@pytest.mark.parametrize(("start", "end"), [(0, 0), (3, 2), (-1, 4), (0, 10_000), (27, 28)])
def test_a_span_that_is_not_there_is_refused(document: Document, start: int, end: int) -> None:
    with pytest.raises(CrfcleanError, match=f"no characters {start} to {end}"):
        cite(document, start, end)


def test_sentences_and_blocks_are_those_of_the_text(document: Document) -> None:
    for citations in (sentences(document), blocks(document)):
        for citation in citations:
            assert document.text[citation.start : citation.end] == citation.text
    assert [citation.text for citation in sentences(document)] == [
        "The ferry sails again today",
        "It sails at noon.",
        "Nobody knew that before.",
        "From Monday on it\nsails twice a day.",
    ]
    assert "\n".join(citation.text for citation in blocks(document)) == document.text


CODE = """<h1>How the ferry is called</h1><pre>
  def call(ferry):
      return ferry.sails()
</pre><p>It sails at noon. Nobody knew.</p>"""


def test_code_is_cited_as_it_stands() -> None:
    document = run(Page(CODE), KeepAll())
    for citation in (*sentences(document), *blocks(document)):
        assert document.text[citation.start : citation.end] == citation.text
    assert blocks(document)[1].text == "def call(ferry):\n      return ferry.sails()"
    start = document.text.index("return ferry")
    citation = cite(document, start, start + len("return ferry"))
    assert (citation.text, citation.start) == ("return ferry", start)
    (block,) = citation.blocks
    text = document.blocks.texts[block.index]
    assert text[block.start : block.end] == "return ferry"


def test_raised_numbers_and_feet_of_tables_are_cited_as_they_stand() -> None:
    page = (
        "<table><tfoot><tr><td>Sum<td>30<tbody><tr><td>a<td>10<tr><td>b<td>20</table>"
        "<p>So many<sup><a href=#n>1</a></sup> came, 10<sup>5</sup> in all.</p>"
    )
    document = run(Page(page), KeepAll())
    text = document.text
    assert text.endswith("Sum\n30\nSo many[1] came, 10^5 in all.")
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            if words := text[start:end].strip("[]^ \n"):
                begin = text.index(words, start)
                cited = cite(document, begin, begin + len(words))
                assert (cited.text, cited.start) == (words, begin)
    assert [each.text for each in blocks(document)][-1] == "So many[1] came, 10^5 in all."


def test_places_lead_back_to_the_page(demo: Path) -> None:
    html = (demo / "moorland-gazette" / "sunday-bus-reprieve.html").read_text("utf-8")
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    tree: Any = etree.fromstring(html.encode(), parser).getroottree()
    citations = sentences(run(Page(html), KeepAll()))
    assert len(citations) > 50
    for citation in citations:
        (block,) = citation.blocks
        (element,) = tree.xpath(block.xpath)
        words = ""
        for piece in block.place:
            text = "".join(visible("".join(element.xpath(f"{piece.path}/text()"))).split())
            words += text[piece.start : piece.end]
        assert words == "".join(citation.text.split())


# sentences

CASES = {
    "plain": ["It rained.", "It rained again!", "Did it?", "Yes…", "No"],
    "quotes": ["“Rain?” she asked.", "“No.”", "He left (at last).", "See No. 5 there."],
    "numbers": ["It cost 3.50 pounds.", "The 10.40 left at 10.45.", "None came."],
    "abbreviations": ["Dr. Lee met Mr. Roe, e.g. in Rome.", "They talked, etc. as before."],
    "initials": ["J. R. Roe of the U.S. Army spoke.", "Nobody listened."],
    "ordinals": ["Am 3. Mai fuhr sie ab.", "Es regnete."],
    "days": ["He left on May 3.", "It rained."],
    "lower case": ["He works at example.org. it is new."],
    "Czech": ["Hráli 2. května na hřišti č. 5.", "Vyhráli."],
    "Chinese": ["今天下雨。", "明天呢？", "「晴。」", "好"],
    "Hindi": ["बारिश हुई।", "वह गया।"],
    "Arabic": ["هل أمطرت؟", "نعم."],
}


@pytest.mark.parametrize("name", CASES)
def test_sentences_end_at_their_marks(name: str) -> None:
    text = ("" if name == "Chinese" else " ").join(CASES[name])  # its marks need no white space
    assert [text[start:end] for start, end in sentence_spans(text)] == CASES[name]
