"""Tests of `tune/pages.py`."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean import Page
from crfclean.page.blocks import split
from crfclean.page.measures import measured
from crfclean.tune.pages import chosen, undecided, verdict, verdicts, votes_of
from crfclean.types import Kind, Label

SENTENCE = "The river rose by two metres in a single night. "
PAGE = (
    f"<article><h1>River rises</h1><p>{SENTENCE}</p><h2>What next</h2><p>{SENTENCE}</p></article>"
)


def test_pages_vote_by_share_of_words() -> None:
    page = measured(split(Page(PAGE)))
    labels = np.array([Label.OTHER, Label.TEXT, Label.HEADER, Label.TEXT], np.int32)
    likely = np.tile([0.0, 0.9, 0.1], (4, 1))
    assert votes_of(page, likely, labels) == {Kind.TITLE: 0.0, Kind.HEADING: 1.0}


def test_unlikely_blocks_that_are_no_text_say_nothing() -> None:
    page = measured(split(Page(PAGE)))
    labels = np.array([Label.OTHER, Label.TEXT, Label.HEADER, Label.TEXT], np.int32)
    unlikely = np.tile([0.0, 0.01, 0.99], (4, 1))
    assert votes_of(page, unlikely, labels) == {Kind.TITLE: 0.0, Kind.HEADING: 1.0}


@pytest.mark.parametrize(
    ("kind", "shares", "is_in"),
    [
        (Kind.LEAD, [1.0], None),
        (Kind.LEAD, [1.0, 1.0], None),
        (Kind.LEAD, [1.0, 1.0, 1.0], True),
        (Kind.LEAD, [1.0, 1.0, 0.4], True),
        (Kind.LEAD, [1.0, 1.0, 0.0], None),
        (Kind.CAPTION, [0.0, 0.0], None),
        (Kind.CAPTION, [0.0, 0.0, 0.0], False),
        (Kind.CAPTION, [0.0, 0.0, 0.0, 1.0], None),
        (Kind.CAPTION, [1.0, 1.0, 1.0, 0.0], None),
        (Kind.CAPTION, [0.0, 0.0, 0.0, 0.0, 1.0], False),
        (Kind.TABLE, [0.0, 0.0, 0.0], None),
        (Kind.TABLE, [0.0, 0.0, 0.0, 0.0], False),
    ],
)
def test_a_verdict_needs_pages_that_agree(
    kind: Kind, shares: list[float], *, is_in: bool | None
) -> None:
    said = verdict(kind, shares)
    assert said.is_in is is_in
    assert (said.pages, said.kept) == (len(shares), pytest.approx(np.mean(shares)))


def test_kinds_are_chosen_by_verdicts() -> None:
    page = {Kind.TITLE: 1.0, Kind.LEAD: 1.0, Kind.CAPTION: 0.0, Kind.BYLINE: 0.5}
    said = verdicts([page, page, page, {Kind.COMMENT: 0.0}])
    assert list(said) == [Kind.TITLE, Kind.LEAD, Kind.CAPTION, Kind.BYLINE, Kind.COMMENT]
    assert chosen(said) == (("lead",), ("caption",))
    assert chosen(verdicts([{Kind.TITLE: 0.0}] * 3)) == ((), ("title",))
    assert chosen(verdicts([])) == ((), ())
    assert chosen(undecided(said)) == ((), ())
    assert [of_kind.kept for of_kind in undecided(said).values()] == [1.0, 1.0, 0.0, 0.5, 0.0]
