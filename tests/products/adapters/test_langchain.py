"""Tests of `adapters/langchain.py` with LangChain's own loaders and blobs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("langchain_core", reason="pip install 'crfclean[langchain]'")

from langchain_core.documents import Document
from langchain_core.documents.base import Blob

import crfclean
from crfclean.products.adapters.langchain import CrfcleanBlobParser, CrfcleanTransformer


@pytest.fixture
def file(demo: Path) -> Path:
    return next(iter(sorted(demo.rglob("*.html"))))


def test_a_file_becomes_a_document(file: Path, model: Path) -> None:
    (document,) = CrfcleanBlobParser(model).lazy_parse(Blob.from_path(file))
    cleaned = crfclean.clean(file.read_bytes(), model=model)
    assert document.page_content == cleaned.text
    assert document.metadata == {
        "source": str(file),
        "title": cleaned.blocks.title,
        "status": "ok",
        "score": round(cleaned.score, 4),
        "truncated": "",
        "model": model.name,
    }


def test_the_page_tells_its_encoding_not_the_blob(model: Path) -> None:
    page = "<meta charset=windows-1251><p>" + "Паром снова ходит через реку каждый день. " * 9
    blob = Blob.from_data(page.encode("cp1251"), encoding="utf-8")
    (document,) = CrfcleanBlobParser(model).lazy_parse(blob)
    assert "Паром" in document.page_content


def test_documents_are_transformed_in_their_order(file: Path, model: Path) -> None:
    html = file.read_text("utf-8")
    given = [
        Document(page_content=html, metadata={"source": "a", "rank": 1}, id="first"),
        Document(page_content="", metadata={"source": "b"}, id="second"),
    ]
    first, second = CrfcleanTransformer(model).transform_documents(given)
    assert first.page_content == crfclean.clean(html, model=model).text
    assert (first.id, first.metadata["rank"], first.metadata["status"]) == ("first", 1, "ok")
    assert (second.id, second.page_content) == ("second", "")
    assert second.metadata["status"] == "empty"
    assert given[0].page_content == html, "the documents that came in are as they were"
