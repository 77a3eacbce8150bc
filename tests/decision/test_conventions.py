"""Tests of conventions with the shipped model."""

from __future__ import annotations

import pytest

import crfclean
from crfclean.decision.rules import KINDS_OF, CutChoice, CutParams, cut_as
from crfclean.systems.load import load, with_choice
from crfclean.teach.gold import GoldPage
from crfclean.types import CrfcleanError
from crfclean.types.choices import AUTO


def test_auto_is_what_the_tagger_does() -> None:
    tagger = load()
    assert with_choice(tagger, CutChoice(AUTO)) is tagger
    assert tagger.cut == cut_as(CutParams(), AUTO)  # type: ignore[attr-defined]


def test_unknown_conventions_are_refused() -> None:
    for call in (crfclean.clean, crfclean.extract):
        with pytest.raises(CrfcleanError, match="no convention 'blog'; there are auto, article"):
            call("<p>a</p>", as_="blog")
    with pytest.raises(CrfcleanError, match=r"convention: .* not made by a cut"):
        with_choice(object(), CutChoice("body"))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", KINDS_OF)
def test_conventions_reach_a_whole_page(demo_gold: list[GoldPage], name: str) -> None:
    """A page that a convention leaves almost nothing of keeps its text, whatever kinds it is of."""
    for gold in demo_gold[::6]:
        document = crfclean.clean(gold.page.html, as_=name)
        kinds = {document.kinds[index].name.lower() for index in document.kept}
        assert document.kept
        assert kinds <= {*KINDS_OF[name], "post"} or name in ("thread", "everything")
