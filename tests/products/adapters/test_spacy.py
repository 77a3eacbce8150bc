"""Tests of `adapters/spacy.py` in blank pipelines, which need no model of spaCy."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("spacy", reason="pip install 'crfclean[spacy]'")

import spacy
from spacy.language import Language
from spacy.tokens import Doc

import crfclean
from crfclean.products.adapters.spacy import BLOCKS, make_doc
from crfclean.products.teach.gold import GoldPage
from crfclean.types import CrfcleanError, ModelError

PAGE = """
    <title>Rain</title><nav><a href=/>Home</a> <a href=/n>News</a></nav>
    <h1>Rain in the north</h1>
    <p>It rained in the north for three days, and the rivers rose. The roads are closed.</p>
    <p>Trains run again from Monday, the company said on Friday evening.</p>
"""


@pytest.fixture(scope="module")
def nlp() -> Language:
    """A pipeline that reads HTML: the component is found by its entry point."""
    made = spacy.blank("en")
    made.add_pipe("crfclean", first=True)
    made.add_pipe("sentencizer")
    return made


def test_a_pipeline_reads_html(nlp: Language) -> None:
    doc = nlp(PAGE)
    assert doc.text == crfclean.extract(PAGE)
    assert [span.label_ for span in doc.spans[BLOCKS]] == ["TITLE", "PARAGRAPH", "PARAGRAPH"]
    assert [span.text for span in doc.spans[BLOCKS]] == doc.text.split("\n")
    title = doc.spans[BLOCKS][0]
    assert title.id_ == "/html[1]/body[1]/h1[1]"
    assert title._.crfclean["label"] == "HEADER"
    assert doc._.crfclean["status"] == "ok"
    assert [sentence.text.strip() for sentence in doc.sents][:2] == [
        "Rain in the north",
        "It rained in the north for three days, and the rivers rose.",
    ]


def test_a_document_becomes_a_doc(demo_gold: list[GoldPage]) -> None:
    plain = spacy.blank("en")
    for gold in demo_gold:
        document = crfclean.clean(gold.page)
        doc = make_doc(plain, document)
        assert (doc.text, doc._.crfclean["url"]) == (document.text, document.url)
        assert "\n".join(span.text for span in doc.spans[BLOCKS]) == doc.text
        assert len(doc.spans[BLOCKS]) == len(document.kept)


@pytest.mark.parametrize("html", ["", "<p>", "no page \ud800", "<p>a\ud800b c d</p>" * 40])
def test_bad_pages_are_docs(nlp: Language, html: str) -> None:
    doc = nlp(html.encode("utf-8", "replace").decode())
    assert isinstance(doc, Doc)
    assert make_doc(nlp, crfclean.clean(html)).has_extension("crfclean")


def test_pipelines_and_docs_are_saved(nlp: Language, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "nlp")
    opened = spacy.load(tmp_path / "nlp")
    (doc,) = opened.pipe([PAGE])
    again = Doc(opened.vocab).from_bytes(doc.to_bytes())
    assert again.spans[BLOCKS][0]._.crfclean == doc.spans[BLOCKS][0]._.crfclean
    assert again._.crfclean == doc._.crfclean
    assert again.spans[BLOCKS][0].id_ == "/html[1]/body[1]/h1[1]"


def test_the_parameters_are_those_of_all_adapters() -> None:
    body = spacy.blank("en")
    body.add_pipe("crfclean", config={"as_": "body"})
    assert body(PAGE).text == crfclean.extract(PAGE, as_="body")
    with pytest.raises(ModelError, match="no shipped model"):
        spacy.blank("en").add_pipe("crfclean", config={"model": "odd"})
    with pytest.raises(CrfcleanError, match="no kind 'odd'"):
        spacy.blank("en").add_pipe("crfclean", config={"keep": ["odd"]})
