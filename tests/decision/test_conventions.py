"""Tests of conventions with the shipped model: what the documentation says of them is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from checkout import ROOT

import crfclean
from crfclean.decision.rules import KINDS_OF, CutChoice, CutParams, cut_as
from crfclean.gold.pages import GoldPage
from crfclean.taggers.capabilities import with_choice
from crfclean.taggers.load import load
from crfclean.types import CrfcleanError
from crfclean.types.choices import AUTO, CONVENTIONS

DOCS: Path = ROOT / "docs" / "clean.md"
SECTION = DOCS.read_text("utf-8").partition("## What belongs to a text")[2].partition("\n## ")[0]
PAGE = re.findall(r"^```html\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
ROWS = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", SECTION, re.MULTILINE)


def test_every_convention_is_documented() -> None:
    assert {name for name, _, _ in ROWS} == set(CONVENTIONS)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_the_table_of_the_docs_is_true(name: str) -> None:
    """The table has the first words of what each convention keeps of the made-up page below it."""
    (html,) = PAGE
    (kept,) = [kept for row, _, kept in ROWS if row == name]
    text = crfclean.clean(html, as_=name).text
    assert [line.split()[0] for line in text.splitlines()] == kept.split()


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
