"""Tests of `corpus/metadata_writer.py`: what a page states, as a file and as a row."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from crfclean.metadata import read
from crfclean.metadata.values import metadata_dict
from crfclean.pipeline import clean
from crfclean.products.corpus.metadata_writer import MetadataPageWriter
from crfclean.systems.load import named
from crfclean.types import Document
from crfclean.types.choices import METADATA_FORMATS

PAGE = "<title>Ferry in the ice</title><h1>Ferry in the ice</h1><p>The ferry stays. " * 2
FACTS = {"id": "7", "date": "2026", "message": "", "model": "m"}


@pytest.fixture
def stating() -> Document:
    return clean(PAGE, "https://example.org/a", named("expert"))


@pytest.mark.parametrize("form", METADATA_FORMATS)
def test_a_page_is_written_by_its_format(stating: Document, form: str) -> None:
    text = MetadataPageWriter(form).write(stating)
    assert "Ferry in the ice" in text


def test_a_row_has_the_id_first_and_what_the_page_says(stating: Document) -> None:
    cut = replace(stating, truncated="length")
    row = json.loads(MetadataPageWriter().row(cut, FACTS))
    said = json.loads(json.dumps(metadata_dict(read(stating))))
    assert list(row)[:2] == ["id", "url"]
    assert {key: row[key] for key in said} == said
    assert {key: row[key] for key in FACTS} == FACTS
    assert (row["url"], row["status"], row["truncated"]) == (
        "https://example.org/a",
        "ok",
        "length",
    )
