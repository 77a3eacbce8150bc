"""Tests of `page/having.py`."""

from __future__ import annotations

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


@pytest.mark.parametrize("with_core", [True, False])
@pytest.mark.parametrize(
    ("names", "nodes"),
    [(("lang", "xml:lang"), [0, 3]), (("id",), [3]), (("class", "id"), [2, 3]), (("role",), [])],
)
def test_elements_with_attributes(
    monkeypatch: pytest.MonkeyPatch, with_core: bool, names: tuple[str, ...], nodes: list[int]
) -> None:
    if not with_core:
        monkeypatch.setattr(native, "CORE", None)
    assert having(ATTRIBUTES, names) == nodes
    assert having((), names) == []
