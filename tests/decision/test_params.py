"""Tests of `decision/rules.py`: what belongs to a text, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from crfclean.decision.rules import EVERYTHING_FROM, KINDS_OF, CutParams, cut_as
from crfclean.types import CrfcleanError
from crfclean.types.choices import AUTO, CONVENTIONS, KIND_WORDS

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "rule": ({"rule": "best"}, "no rule 'best'; there are expected_f1, threshold"),
    "threshold below 0": ({"threshold": -0.1}, "threshold -0.1 is below 0, or not finite"),
    "no number": ({"threshold": float("nan")}, "threshold nan"),
    "precision above 1": ({"precision": 1.1}, r"precision 1.1 is not in 0\.\.1"),
    "no precision": ({"precision": float("nan")}, r"precision nan is not in 0\.\.1"),
    "convention": ({"convention": "news"}, "no convention 'news'; there are auto, article"),
    "kinds beside it": ({"convention": "body", "keep": ("title",)}, "exclude each other"),
    "kind to keep": ({"keep": ("title", "titles")}, "keep: no kind 'titles'; there are body"),
    "kind in capitals": ({"keep": ("TITLE",)}, "keep: no kind 'TITLE'"),
    "coarse kind": ({"also": ("headers",)}, "also: no kind 'headers'; there are paragraph"),
    "threads": ({"without": ("threads",)}, "without: no kind 'threads'"),
    "both": ({"also": ("note", "lead"), "without": ("lead",)}, "both name 'lead'"),
}


@pytest.mark.parametrize(("values", "message"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_meaning_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(CrfcleanError, match=message):
        CutParams(**values)


def test_every_convention_is_of_kinds() -> None:
    assert {AUTO, *KINDS_OF} == set(CONVENTIONS)
    assert {kind for kinds in KINDS_OF.values() for kind in kinds} <= set(KIND_WORDS)
    assert all(len(set(kinds)) == len(kinds) for kinds in KINDS_OF.values())


def test_notes_and_formulas_belong_to_every_text() -> None:
    """A new form of text was once left out of all conventions but one."""
    for name, kinds in KINDS_OF.items():
        assert {"paragraph", "list", "table", "code", "formula", "quote", "note"} <= {*kinds}, name


@pytest.mark.parametrize("name", CONVENTIONS)
def test_a_convention_takes_the_place_of_a_choice(name: str) -> None:
    own = CutParams("precision", 0.3, 0.8, keep=("title",), also=("lead",), without=("byline",))
    made = cut_as(own, name)
    assert (made.convention, made.keep, made.precision) == (name, (), 0.8)
    assert (made.also, made.without) == (("lead",), ("byline",))
    generous = ("threshold", EVERYTHING_FROM) if name == "everything" else ("precision", 0.3)
    assert (made.rule, made.threshold) == generous
