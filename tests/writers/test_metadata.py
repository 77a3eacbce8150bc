"""Tests of `writers/page_writers.py`."""

from __future__ import annotations

import json

import pytest

from crfclean.metadata import language, read
from crfclean.metadata.values import as_dict
from crfclean.pipeline import clean
from crfclean.taggers.load import named
from crfclean.types import Document
from crfclean.types.choices import METADATA_FORMATS
from crfclean.writers.formats import write
from crfclean.writers.page_writers import MetadataPageWriter

PAGE = "<title>Ferry in the ice</title><h1>Ferry in the ice</h1><p>The ferry stays. " * 2
FACTS = {"id": "7", "date": "2026", "message": "", "model": "m", "truncated": "length"}


@pytest.fixture
def document() -> Document:
    return clean(PAGE, "https://example.org/a", named("expert"))


@pytest.mark.parametrize("form", METADATA_FORMATS)
def test_a_page_is_written_by_its_format(document: Document, form: str) -> None:
    text = MetadataPageWriter(form).write(document)
    assert "Ferry in the ice" in text


def test_a_row_has_the_id_first_and_what_the_page_says(document: Document) -> None:
    row = json.loads(MetadataPageWriter().row(document, FACTS))
    said = json.loads(json.dumps(as_dict(read(document))))
    assert list(row)[:2] == ["id", "url"]
    assert {key: row[key] for key in said} == said
    assert {key: row[key] for key in FACTS} == FACTS
    assert (row["url"], row["status"]) == ("https://example.org/a", "ok")


def test_the_library_that_took_part_is_named(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From Python as from the command line, and only where it is asked for."""
    monkeypatch.setattr(language, "open_identifier", lambda: "py3langid 9.9")
    monkeypatch.setattr(language, "_identifier", lambda: None)
    monkeypatch.setattr(language, "_probabilities", lambda *_: {"vo": 1.0})
    asked = MetadataPageWriter(identify_language=True)
    for text in (
        asked.write(document),
        asked.row(document, FACTS),
        write(document, "json", identify_language=True),
    ):
        fields = json.loads(text)
        assert fields["with"] == ["py3langid 9.9"] == asked.options["with"]
        assert fields.get("metadata", fields)["language"]["text"] == "vo"
    for text in (MetadataPageWriter().write(document), write(document, "json")):
        assert "with" not in json.loads(text)
    assert "vo" in write(document, "tei", identify_language=True)
    assert "vo" in write(document, "md", identify_language=True, front_matter=True)
