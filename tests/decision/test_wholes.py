"""Tests of `decision/verdict.py`: what is one thing on a page is kept or left whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from decided import ARTICLE, decided, is_kept, knowing
from htmlpages import measures_of

from crfclean.decision.verdict import Choice, completed
from crfclean.types import Rule

PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "
BEFORE, AFTER = f"<p>First. {PROSE * 3}</p>", f"<p>Last. {PROSE * 3}</p>"


def listed(html: str, *texts: str) -> dict[str, Any]:
    """What is known of an article whose blocks with these texts surely belong to a list."""
    page = measures_of(html)
    has = [any(text in block for text in texts) for block in page.texts]
    return {**ARTICLE, "listed": np.where(has, 0.95, 0.02)}


# lists

ITEMS = ("eggs", "flour", "butter")
RECIPE = "<ul>" + "".join(f"<li>{item} from the village shop</li>" for item in ITEMS) + "</ul>"
COOK = f"<article><h1>Bread</h1>{BEFORE}{RECIPE}{AFTER}</article>"
UNSURE = {"": 0.95, **dict.fromkeys(ITEMS, 0.1)}


def test_a_list_between_kept_blocks_is_kept() -> None:
    made = decided(COOK, UNSURE, listed(COOK, *ITEMS))
    assert all(is_kept(made, item) for item in ITEMS)
    assert made.rule("eggs") == Rule.LIST
    assert made.probability("eggs") >= 0.5


LISTS_LEFT: dict[str, tuple[str, dict[str, float]]] = {
    "the model is sure that it is none": (COOK, {**UNSURE, **dict.fromkeys(ITEMS, 0.001)}),
    "nothing is kept after it": (COOK, {**UNSURE, "Last.": 0.001}),
    "nothing is kept before it": (COOK, {**UNSURE, "First.": 0.001, "Bread": 0.001}),
    "it is a menu": (COOK.replace("<ul>", "<ul class=menu>"), UNSURE),
    "it is related to the text": (COOK.replace("<ul>", "<ul class=related-posts>"), UNSURE),
}


@pytest.mark.parametrize(("html", "likely"), LISTS_LEFT.values(), ids=LISTS_LEFT)
def test_other_lists_are_left_as_they_are(html: str, likely: dict[str, float]) -> None:
    made = decided(html, likely, listed(html, *ITEMS))
    assert not any(is_kept(made, item) for item in ITEMS)
    assert made.rule("eggs") == Rule.NONE


def test_a_list_far_from_a_short_text_has_no_more_words_than_stand_by_it() -> None:
    """A report of a few lines, a long menu, then teasers of which the model keeps one."""
    items = "".join(f"<li>{item}. {PROSE}</li>" for item in ITEMS)
    html = f"<article>{BEFORE}<div>Menu. {PROSE * 4}</div><ul>{items}</ul></article>"
    likely = {"": 0.95, "Menu": 0.01, **dict.fromkeys(ITEMS, 0.1), "butter": 0.9}
    near = html.replace(PROSE * 4, PROSE)
    for page, kept in ((html, False), (near, True)):
        made = decided(page, likely, listed(page, *ITEMS))
        assert [is_kept(made, item) for item in ITEMS] == [kept, kept, True]


def test_what_is_no_list_by_the_model_of_kinds_is_left() -> None:
    assert not is_kept(decided(COOK, UNSURE, listed(COOK, "nothing")), "eggs")


def test_a_single_item_is_no_list() -> None:
    html = COOK.replace(RECIPE, "<ul><li>eggs from the village shop</li></ul>")
    assert not is_kept(decided(html, UNSURE, listed(html, "eggs")), "eggs")


def test_the_rule_of_precision_completes_nothing() -> None:
    assert not is_kept(decided(COOK, UNSURE, listed(COOK, *ITEMS), rule="precision"), "eggs")


# records

NAMES = ("Reed", "Vogel", "Moreau", "Nowak", "Silva")
"""Rulings of a court: a name, a number, a date."""


def rulings(names: tuple[str, ...] = NAMES) -> str:
    rows = "".join(
        f"<div class=row><p>{name} against the county of Norwick</p><p>No. {name} 1947</p></div>"
        for name in names
    )
    return f"<h1>Rulings</h1>{BEFORE}<div>{rows}</div>{AFTER}"


TORN = {"": 0.95, "No.": 0.3}


def test_a_record_is_kept_whole() -> None:
    made = decided(rulings(), TORN)
    assert all(is_kept(made, f"No. {name}") for name in NAMES)
    assert made.rule("No. Reed") == Rule.RECORD


def test_a_record_that_is_left_out_among_kept_ones_is_kept() -> None:
    made = decided(rulings((*NAMES, "Berg")), {"Berg": 0.2, **TORN})
    assert is_kept(made, "Berg against")
    assert is_kept(made, "No. Berg")


RECORDS_LEFT: dict[str, tuple[str, dict[str, float], dict[str, Any]]] = {
    "two are no list": (rulings(NAMES[:2]), TORN, ARTICLE),
    "of a forum": (rulings(), TORN, {"types": {"article": 0.1, "forum": 0.8}}),
    "most are left out": (rulings(), {"": 0.95, **dict.fromkeys(NAMES[1:], 0.03)}, ARTICLE),
    "surely left out": (rulings((*NAMES, "Berg")), {"Berg": 0.01, **TORN}, ARTICLE),
}


@pytest.mark.parametrize(("html", "likely", "known"), RECORDS_LEFT.values(), ids=RECORDS_LEFT)
def test_other_records_are_left_as_they_are(
    html: str, likely: dict[str, float], known: dict[str, Any]
) -> None:
    made = decided(html, likely, known, rule="threshold")
    last = "Berg" if "Berg" in html else NAMES[1]
    assert not is_kept(made, f"No. {last}")


# every choice


def choice_of(html: str, kept: np.ndarray[Any, np.dtype[np.bool_]], seed: int) -> Choice:
    page = measures_of(html)
    probability = np.random.default_rng(seed).random(len(page))
    return Choice(knowing(page, **listed(html, *ITEMS)), kept, probability)


def test_nothing_is_completed_where_nothing_is_kept() -> None:
    none = np.zeros(len(measures_of(COOK)), np.bool_)
    choice, rules = completed(choice_of(COOK, none, 0))
    assert not choice.kept.any()
    assert not rules.any()
