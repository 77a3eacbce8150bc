"""Tests of `eval/models/fingerprints.py`: crfclean's fingerprints are those of its features."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from crfclean.model import columns, feature_prints
from crfclean.model import page_features as pagetype
from crfclean.model.columns import matrix
from crfclean.model.first_pass import COLUMN_NAMES
from crfclean.model.inputs import texttractor
from crfclean.products.forum import body_features as forum_model
from crfclean.products.forum import evidence, fields
from crfclean.types import Blocks, Floats
from eval.models import fingerprints

KINDS = ("blocks", "kinds", "pagetype", "forum", "metadata")
SHIPPED = {kind: feature_prints.fingerprints(kind) for kind in KINDS}


def changed() -> list[str]:
    """The features whose values are not those of the fingerprints."""
    now = fingerprints.fingerprints()
    assert list(now) == list(SHIPPED)
    assert [list(now[kind]) for kind in KINDS] == [list(SHIPPED[kind]) for kind in KINDS]
    return [name for kind in KINDS for name in now[kind] if now[kind][name] != SHIPPED[kind][name]]


def test_fingerprints_are_those_of_the_code() -> None:
    """Whoever changes features runs `eval.models.fingerprints`, and trains what reads them."""
    assert changed() == []
    assert SHIPPED["blocks"].keys() == COLUMN_NAMES


def longer_words(page: Blocks, names: Sequence[str] | None = None) -> Floats:
    of_words = np.array([name == "word_length" for name in names or columns.FEATURES])
    return matrix(page, names) * np.where(of_words, 1.001, 1.0)


def half_the_place(page: Blocks) -> dict[str, Floats]:
    values = texttractor(page)
    return values | {"place": values["place"] / 2}


CHANGES: dict[str, tuple[Any, str, Any]] = {
    "word_length": (fingerprints, "matrix", longer_words),
    "place": (columns, "texttractor", half_the_place),
    "prices, price_share": (pagetype, "_CURRENCIES", "$"),
    "all_dated, all_authored": (forum_model, "_MOST", 0.1),
    "nick, date": (evidence, "INNER", 0.9),
    "field's text": (fields, "_MAX_GRAM_CHARS", 3),
    "field's elements": (fields, "profile_pattern", lambda: re.compile("skates")),
}
"""Features -> what changes these, and no others."""


@pytest.mark.parametrize("names", CHANGES)
def test_a_changed_feature_is_noticed(names: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*CHANGES[names])
    pagetype._vocabulary.cache_clear()
    try:
        assert ", ".join(changed()) == names
    finally:
        pagetype._vocabulary.cache_clear()
