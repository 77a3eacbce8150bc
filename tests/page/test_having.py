"""Tests of `page/having.py`."""

from __future__ import annotations

from typing import Any

import pytest

from crfclean.core import native
from crfclean.page.having import having

ATTRIBUTES: tuple[dict[str, str], ...] = (
    {"lang": ""},
    {},
    {"class": "lang"},
    {"id": "a", "xml:lang": "en"},
    {"LANG": "en"},
)


@pytest.mark.parametrize("core", [native.CORE, None])
@pytest.mark.parametrize(
    ("names", "nodes"),
    [(("lang", "xml:lang"), [0, 3]), (("id",), [3]), (("class", "id"), [2, 3]), (("role",), [])],
)
def test_elements_with_attributes(
    monkeypatch: pytest.MonkeyPatch, core: Any, names: tuple[str, ...], nodes: list[int]
) -> None:
    monkeypatch.setattr(native, "CORE", core)
    assert having(ATTRIBUTES, names) == nodes
    assert having((), names) == []
