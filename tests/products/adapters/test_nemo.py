"""Tests of `adapters/nemo.py` with NeMo Curator's abstract class, read without the rest of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from standins import sources, stand_in

import crfclean

BASE = "nemo_curator.stages.text.download.html_extractors"
NAME = "moorland-gazette/sunday-bus-reprieve.html"
STOP_WORDS = frozenset(["the", "and"])


@pytest.fixture
def nemo(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The adapter, imported over the package's own class."""
    sources(monkeypatch, BASE)
    algorithm = import_module(f"{BASE}.base").HTMLExtractorAlgorithm
    stand_in(monkeypatch, BASE, HTMLExtractorAlgorithm=algorithm)
    monkeypatch.delitem(sys.modules, "crfclean.products.adapters.nemo", raising=False)
    yield import_module("crfclean.products.adapters.nemo")
    sys.modules.pop("crfclean.products.adapters.nemo", None)


def test_paragraphs_are_those_of_the_text(nemo: Any, demo: Path, model: Path) -> None:
    html = (demo / NAME).read_text("utf-8")
    paragraphs = nemo.CrfcleanAlgorithm(str(model)).extract_text(html, STOP_WORDS, "ENGLISH")
    assert len(paragraphs) > 3
    assert "\n".join(paragraphs) == crfclean.extract(html, model=model)
    assert all(paragraph.strip() for paragraph in paragraphs)
