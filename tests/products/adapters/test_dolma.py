"""Tests of `adapters/dolma.py` with a stand-in for dolma, which needs numpy 1."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from standins import stand_in

import crfclean

NAME = "moorland-gazette/sunday-bus-reprieve.html"


def test_bytes_and_text_are_linearized(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: dict[str, Any] = {}
    registry = SimpleNamespace(add=lambda name: lambda kind: kinds.setdefault(name, kind))
    base = type("BaseLinearizer", (), {})
    theirs = "dolma.warc.linearizers"
    stand_in(monkeypatch, theirs, BaseLinearizer=base, LinearizerRegistry=registry)
    monkeypatch.delitem(sys.modules, "crfclean.products.adapters.dolma", raising=False)
    import_module("crfclean.products.adapters.dolma")
    del sys.modules["crfclean.products.adapters.dolma"]
    data = (demo / NAME).read_bytes()
    text = crfclean.extract(data)
    assert text
    assert kinds["crfclean"]().linearize(data, "utf-8") == text
    assert kinds["crfclean"]().linearize(content=data.decode("utf-8")) == text
