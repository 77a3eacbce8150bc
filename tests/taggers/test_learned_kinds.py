"""Tests of `taggers/learned_kinds.py`."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.taggers import learned_kinds
from crfclean.taggers.learned_kinds import (
    DOUBTED,
    chosen,
    kind_model_fingerprint,
    kind_probabilities,
)
from crfclean.types import Kind, Page

TEXT = "The river rose again this morning, and nobody in the village slept well. " * 3


def judged(evidence: Kind, **shares: float) -> Kind:
    """The kind of a block with these probabilities."""
    probabilities = np.zeros((1, len(Kind)))
    for name, share in shares.items():
        probabilities[0, Kind[name.upper()]] = share
    return Kind(chosen(np.array([evidence], np.int32), probabilities)[0])


@pytest.mark.parametrize(
    ("evidence", "shares", "expected"),
    [
        (Kind.LIST, {"list": DOUBTED, "teaser": 1 - DOUBTED}, Kind.LIST),  # not doubted enough
        (Kind.LIST, {"list": DOUBTED - 0.01, "teaser": 0.6}, Kind.TEASER),
        (Kind.PARAGRAPH, {"byline": 1.0}, Kind.BYLINE),
        (Kind.TITLE, {"navigation": 1.0}, Kind.TITLE),  # a page has one
        (Kind.HEADING, {"title": 0.9, "teaser": 0.1}, Kind.TEASER),  # and no other
        (Kind.CODE, {"paragraph": 1.0}, Kind.CODE),
        (Kind.FORMULA, {"paragraph": 1.0}, Kind.FORMULA),
        (Kind.QUOTE, {"paragraph": 1.0}, Kind.QUOTE),
        (Kind.LIST, {"quote": 0.8, "comment": 0.2}, Kind.COMMENT),
    ],
)
def test_the_model_replaces_doubted_evidence(
    evidence: Kind, shares: dict[str, float], expected: Kind
) -> None:
    assert judged(evidence, **shares) == expected


def test_formulas_are_certain() -> None:
    html = f"<p>{TEXT}<math display=block><mi>Q</mi><mo>=</mo><mi>A</mi></math><p>{TEXT}"
    page = Measures(split(Page(html)))
    probabilities = kind_probabilities(page)
    assert probabilities[1, Kind.FORMULA] == 1.0
    assert probabilities[0, Kind.PARAGRAPH] > 0.8
    assert learned_kinds.learned_kinds(page).tolist() == [
        *(Kind.PARAGRAPH, Kind.FORMULA, Kind.PARAGRAPH)
    ]


def test_the_fingerprint_hangs_on_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    before = kind_model_fingerprint()
    assert len(before) == 16
    monkeypatch.setattr(learned_kinds, "DOUBTED", 0.25)
    assert kind_model_fingerprint() != before
