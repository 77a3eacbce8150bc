"""Tests of `adapters/adapter.py`: any value gives a document; names travel, weights do not."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from doubles import KeepAll
from hostile import HOSTILE

import crfclean
from crfclean.pipeline import run
from crfclean.products.adapters.adapter import Cleaner, page_of_value, paragraphs_of, text_of
from crfclean.types import Page
from crfclean.types.choices import CONVENTIONS


@pytest.mark.parametrize("name", HOSTILE)
def test_any_value_gives_a_document(model: Path, name: str) -> None:
    document = Cleaner(model).clean(HOSTILE[name], name)
    assert isinstance(document.text, str)
    assert 0 <= document.score <= 1
    assert document.url == name


def test_bytes_of_every_sort_are_read() -> None:
    pages = [kind(b"<p>Hello") for kind in (bytes, bytearray, memoryview)]
    assert len({page_of_value(page).html for page in pages}) == 1


def test_it_cleans_as_the_library_does(model: Path, demo: Path) -> None:
    html = next(demo.rglob("*.html")).read_bytes()
    assert Cleaner(model).clean(html).text == crfclean.clean(html, model=model).text


def test_the_convention_is_applied(model: Path, demo: Path) -> None:
    html = next(demo.rglob("*.html")).read_bytes()
    body = Cleaner(model, keep=("body",)).clean(html).text
    assert 0 < len(body) < len(Cleaner(model).clean(html).text)
    for name in CONVENTIONS:
        text = Cleaner(model, as_=name).clean(html).text
        assert text == crfclean.clean(html, model=model, as_=name).text


def test_it_travels_without_its_weights(model: Path, demo: Path) -> None:
    html = next(demo.rglob("*.html")).read_bytes()
    cleaner = Cleaner(model, keep=("body", "title"))
    text = cleaner.clean(html).text
    sent = pickle.dumps(cleaner)
    assert len(sent) < 1_000
    back = pickle.loads(sent)
    assert back == cleaner
    page = Cleaner(model, as_="page")
    assert pickle.loads(pickle.dumps(page)) == page
    assert back.clean(html).text == text


def test_a_paragraph_may_have_lines() -> None:
    poem = "Still waits the mill beside the road,\nStill turns the wheel below its load."
    html = f"<h1>The mill</h1><p>{poem.replace(chr(10), '<br>')}</p>"
    document = run(Page(html), KeepAll())
    assert paragraphs_of(document) == ["The mill", poem]
    assert text_of(document) == f"The mill\n{poem}"
