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


def test_every_page_of_a_corpus_has_its_id(tmp_path: Path) -> None:
    (tmp_path / 'a "b".html').write_text("<p>It runs from Monday on, says the harbour master.</p>")
    params = BatchParams(KeepAll(), TextWriter("vert", Show(metadata=False)))
    list(clean_batch(jobs_of(str(tmp_path), str(tmp_path / "out"), "vert"), params))
    text = (tmp_path / "out" / 'a "b".vert').read_text()
    assert ET.fromstring(text).attrib == {"id": str(tmp_path / 'a "b".html')}
