"""Tests of `decision/rules.py`: what belongs to a text, and what is refused."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from crfclean.decision.rules import EVERYTHING_FROM, KINDS_OF, CutParams, cut_as
from crfclean.types import CoarseKind, CrfcleanError
from crfclean.types.choices import AUTO, COARSE_WORDS, CONVENTIONS, KIND_WORDS, RULES


def test_parameters() -> None:
    params = CutParams()
    assert (params.rule, params.threshold, params.precision) == ("expected_f1", 0.5, 0.9)
    assert params.rule in RULES
    assert (params.convention, params.keep, params.also, params.without) == ("", (), (), ())
    with pytest.raises(FrozenInstanceError):
        params.threshold = 0.1  # type: ignore[misc]


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


@pytest.mark.parametrize("word", [*COARSE_WORDS, *KIND_WORDS])
def test_every_kind_may_be_kept(word: str) -> None:
    assert CutParams(keep=(word,)).keep == (word,)


def test_every_convention_is_of_kinds() -> None:
    assert {AUTO, *KINDS_OF} == set(CONVENTIONS)
    assert {kind for kinds in KINDS_OF.values() for kind in kinds} <= set(KIND_WORDS)
    assert all(len(set(kinds)) == len(kinds) for kinds in KINDS_OF.values())


def test_notes_and_formulas_belong_to_every_text() -> None:
    """A new form of text was once left out of all conventions but one."""
    for name, kinds in KINDS_OF.items():
        assert {"paragraph", "list", "table", "code", "formula", "quote", "note"} <= {*kinds}, name


COMMENTS: dict[str, tuple[dict[str, Any], bool, bool]] = {
    "nothing": ({}, False, False),
    "auto": ({"convention": "auto"}, False, False),
    "article": ({"convention": "article"}, False, True),
    "body": ({"convention": "body"}, False, True),
    "page": ({"convention": "page"}, False, True),
    "thread": ({"convention": "thread"}, True, False),
    "everything": ({"convention": "everything"}, True, False),
    "listed": ({"keep": ("body", "comments")}, True, False),
    "listed by kind": ({"keep": ("paragraph", "comment")}, True, False),
    "of threads": ({"keep": ("body", "threads")}, False, False),
    "posts": ({"keep": ("paragraph", "post")}, False, False),
    "of all pages": ({"keep": ("threads", "comments")}, True, False),
    "not listed": ({"keep": ("body", "title")}, False, True),
    "also": ({"convention": "article", "also": ("comment",)}, True, False),
    "posts, too": ({"convention": "article", "also": ("post",)}, False, False),
    "without": ({"without": ("comment",)}, False, False),
}
"""Parameters, whether comments belong to all texts, whether to none; else to those of threads."""


@pytest.mark.parametrize(("values", "asks", "bars"), COMMENTS.values(), ids=COMMENTS)
def test_whether_comments_belong_to_a_text(
    *, values: dict[str, Any], asks: bool, bars: bool
) -> None:
    params = CutParams(**values)
    assert (params.asks_for_comments, params.bars_comments) == (asks, bars)


TITLES: dict[str, tuple[dict[str, Any], bool]] = {
    "nothing": ({}, False),
    "auto": ({"convention": "auto"}, True),
    "article": ({"convention": "article"}, True),
    "body": ({"convention": "body"}, False),
    "thread": ({"convention": "thread"}, False),
    "listed": ({"keep": ("title", "paragraph")}, True),
    "headings": ({"keep": ("heading",)}, False),
}


@pytest.mark.parametrize(("values", "forces"), TITLES.values(), ids=TITLES)
def test_whether_the_main_heading_belongs_to_it(*, values: dict[str, Any], forces: bool) -> None:
    assert CutParams(**values).forces_titles == forces


def test_kinds_that_models_know() -> None:
    assert not CutParams(keep=("body", "threads")).by_kinds
    assert CutParams(keep=("body", "lead")).by_kinds
    assert tuple(kind.name.lower() for kind in CoarseKind) == COARSE_WORDS[:-1]


@pytest.mark.parametrize("name", CONVENTIONS)
def test_a_convention_takes_the_place_of_a_choice(name: str) -> None:
    own = CutParams("precision", 0.3, 0.8, keep=("title",), also=("lead",), without=("byline",))
    made = cut_as(own, name)
    assert (made.convention, made.keep, made.precision) == (name, (), 0.8)
    assert (made.also, made.without) == (("lead",), ("byline",))
    generous = ("threshold", EVERYTHING_FROM) if name == "everything" else ("precision", 0.3)
    assert (made.rule, made.threshold) == generous
