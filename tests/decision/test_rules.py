"""Tests of `decision/rules.py`, `choosing.py` and `sums.pyx`: parameters, rules, levels."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from htmlpages import measures_of

from crfclean.decision.borders import highest_score
from crfclean.decision.choosing import (
    BALANCED,
    LEVELS,
    PRECISION_TARGETS,
    choose_blocks,
    expected_target,
    most_at_precision,
)
from crfclean.decision.expected import expected_f1
from crfclean.decision.rules import EVERYTHING_FROM, KINDS_OF, CutParams, cut_as
from crfclean.decision.sums import (
    add_spans,
    best_expected_f,
    copied_blocks,
    expected_scores,
    gaps_between,
    score_inputs,
    smoothed_odds,
    torn_lists,
    torn_records,
)
from crfclean.decision.verdict import levels
from crfclean.document.json import to_dict
from crfclean.document.parts import Show
from crfclean.page.blocks import split
from crfclean.pipeline import run
from crfclean.systems.comments import with_comments
from crfclean.systems.load import load
from crfclean.types import CrfcleanError, Document, Label, Page, Rule, Tags
from crfclean.types.choices import AUTO, BARRING, CONVENTIONS, KIND_WORDS


def best(probability: list[float], words: list[float]) -> list[bool]:
    return list(map(bool, best_expected_f(np.array(probability), np.array(words))))


# The best cut


@pytest.mark.parametrize(
    ("probability", "words", "expected"),
    [
        ([], [], []),
        ([0.0], [10.0], [False]),
        ([0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [False] * 3),
        ([0.5, 0.9], [0.0, 0.0], [False, False]),
        ([1.0], [5.0], [True]),
        ([0.1], [5.0], [True]),
        ([1.0, 0.0], [5.0, 5.0], [True, False]),
        ([0.0, 1.0], [5.0, 5.0], [False, True]),
        ([0.9, 0.8, 0.1], [10.0, 10.0, 10.0], [True, True, False]),
        # S = 14.5: 2 * 10 / (10 + 14.5) = 0.82 < 2 * 14.5 / (19 + 14.5) = 0.87
        ([1.0, 0.5], [10.0, 9.0], [True, True]),
        # S = 13: 2 * 10 / (10 + 13) = 0.87 > 2 * 13 / (20 + 13) = 0.79
        ([1.0, 0.3], [10.0, 10.0], [True, False]),
        ([0.2, 0.9, 0.2], [1.0, 50.0, 1.0], [False, True, False]),
        ([0.9, 0.9, 0.0], [3.0, 0.0, 3.0], [True, False, False]),
        ([0.8, 0.9, 0.0], [3.0, 0.0, 3.0], [True, True, False]),
    ],
)
def test_best_cut(probability: list[float], words: list[float], expected: list[bool]) -> None:
    assert best(probability, words) == expected


def test_ties_go_to_the_shorter_cut() -> None:
    assert best([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]) == [True, False, False]
    # 2 * 1 / (1 + 1.5) = 0.8 = 2 * 1.5 / (2.25 + 1.5): an exact tie
    assert best([1.0, 0.4], [1.0, 1.25]) == [True, False]


# The most at a precision


def most(probability: list[float], words: list[float], precision: float) -> list[bool]:
    return list(map(bool, most_at_precision(np.array(probability), np.array(words), precision)))


@pytest.mark.parametrize(
    ("probability", "words", "precision", "expected"),
    [
        ([], [], 0.9, []),
        ([0.95], [5.0], 0.9, [True]),
        ([0.85], [5.0], 0.9, [False]),
        ([0.9], [5.0], 0.9, [True]),
        ([0.9] * 5, [3.0, 7.0, 0.5, 11.0, 1.0], 0.9, [True] * 5),
        ([0.0], [5.0], 0.0, [True]),
        ([0.0], [5.0], 0.01, [False]),
        ([1.0, 1.0 - 1e-9], [5.0, 5.0], 1.0, [True, False]),
        ([0.0, 0.0], [5.0, 2.0], 0.9, [False, False]),
        # 10 / 10, then 18 / 20 = 0.9, then 18.4 / 20.5 = 0.898
        ([0.8, 1.0, 0.8], [10.0, 10.0, 0.5], 0.9, [True, True, False]),
        ([0.8, 1.0], [10.5, 10.0], 0.9, [False, True]),
        # 50 / 50, then 50.2 / 51 = 0.98: a few unsure words are outweighed
        ([0.2, 1.0], [1.0, 50.0], 0.9, [True, True]),
        # the likeliest block is too unsure, so that all are
        ([0.8, 0.7, 0.6], [1.0, 50.0, 9.0], 0.9, [False] * 3),
    ],
)
def test_most_at_a_precision(
    *, probability: list[float], words: list[float], precision: float, expected: list[bool]
) -> None:
    assert most(probability, words, precision) == expected


@pytest.mark.parametrize(
    ("probability", "words", "expected"),
    [
        ([0.99, 0.95], [0.0, 0.0], [False, False]),
        ([0.1, 0.0], [0.0, 5.0], [False, False]),
        ([0.95, 0.1], [10.0, 0.0], [True, False]),
        ([0.1, 0.95, 0.94], [0.0, 10.0, 0.0], [False, True, False]),
        ([0.99, 0.1, 0.95], [0.0, 0.0, 10.0], [True, False, True]),
        ([0.99, 0.85], [0.0, 10.0], [False, False]),
        ([1.0, 0.5, 0.4], [50.0, 0.0, 1.0], [True, True, True]),
    ],
)
def test_blocks_without_words_follow_those_with(
    probability: list[float], words: list[float], expected: list[bool]
) -> None:
    with np.errstate(all="raise"):
        assert most(probability, words, 0.9) == expected


def test_targets_are_those_that_were_fitted(root: Path) -> None:
    """The table of the code is that of the result, as far as collections reach a precision."""
    result = json.loads((root / "eval/results/accuracy/precision.json").read_text("utf-8"))
    fitted = {float(asked): target for asked, target in result["targets"].items()}
    assert {asked: expected_target(asked) for asked in fitted} == pytest.approx(fitted)
    assert {asked for asked, _ in PRECISION_TARGETS} - {0.0} <= fitted.keys()


# The score


@pytest.mark.parametrize(
    ("probability", "words", "keep", "expected"),
    [
        ([], [], [], 0.0),
        ([0.9], [5.0], [False], 0.0),
        ([0.9], [0.0], [True], 0.0),
        ([0.0], [5.0], [True], 0.0),
        ([1.0], [5.0], [True], 1.0),
        ([1.0, 0.0], [5.0, 9.0], [True, False], 1.0),
        ([1.0, 1.0], [5.0, 5.0], [True, False], 2 * 5 / (5 + 10)),
        ([1.0, 0.0], [5.0, 5.0], [True, True], 2 * 5 / (10 + 5)),
        ([0.9, 0.5, 0.2], [10.0, 4.0, 5.0], [True, True, False], 2 * 11 / (14 + 12)),
        ([0.9, 0.5, 0.2], [10.0, 4.0, 5.0], [False, False, True], 2 * 1 / (5 + 12)),
    ],
)
def test_expected_f1(
    *, probability: list[float], words: list[float], keep: list[bool], expected: float
) -> None:
    with np.errstate(all="raise"):
        found = expected_f1(np.array(probability), np.array(words), np.array(keep, np.bool_))
    assert type(found) is float
    assert found == pytest.approx(expected)


# The rules


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (0.0, [True, True, True, True]),
        (0.25, [False, True, True, True]),
        (0.51, [False, False, False, True]),
        (1.0, [False, False, False, True]),
        (1.1, [False, False, False, False]),
    ],
)
def test_threshold_is_inclusive(threshold: float, expected: list[bool]) -> None:
    probability, words = np.array([0.0, 0.25, 0.5, 1.0]), np.array([0.0, 1e6, 0.0, 1.0])
    assert choose_blocks(probability, words, CutParams("threshold", threshold)).tolist() == expected


# what belongs to a text, and what is refused

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


OF_TEXTS = {
    "article": "title lead heading paragraph list table code formula quote note",
    "body": "lead heading paragraph list table code formula quote note",
    "page": "title lead heading paragraph list table code formula quote note caption byline",
    "thread": "comment paragraph list table code formula quote note",
    "everything": (
        "title lead heading paragraph list table code formula quote note caption byline comment"
    ),
}
"""Convention -> the kinds that belong to its text: no kind joins or leaves unseen."""


def test_what_each_convention_keeps() -> None:
    assert {name: {*kinds} for name, kinds in KINDS_OF.items()} == {
        name: {*kinds.split()} for name, kinds in OF_TEXTS.items()
    }
    assert (AUTO, *OF_TEXTS) == CONVENTIONS


def test_which_conventions_have_titles_and_comments() -> None:
    made = {name: CutParams(convention=name) for name in CONVENTIONS}
    has_title = [name for name in CONVENTIONS if made[name].forces_titles]
    assert has_title == [AUTO, "article", "page", "everything"]
    has_comments = [name for name in CONVENTIONS if made[name].asks_for_comments]
    assert has_comments == ["thread", "everything"]
    assert tuple(name for name in CONVENTIONS if made[name].bars_comments) == BARRING
    assert BARRING == ("article", "body", "page")


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


# levels: a strict and a generous text around the balanced one

NAMES = list(LEVELS)
SENTENCE = "The ferry stayed in its harbour, and nobody on the island could buy bread."


def document(*probabilities: float, header: bool = False) -> Document:
    """A page of paragraphs of one length with these probabilities; half or more is kept."""
    blocks = split(Page("".join(f"<p>{SENTENCE} {at}</p>" for at in range(len(probabilities)))))
    text = np.array(probabilities)
    marginals = np.column_stack([text * header, text * (not header), 1 - text])
    labels = np.where(text >= 0.5, Label.HEADER if header else Label.TEXT, Label.OTHER)
    return Document(None, blocks, Tags(labels.astype(np.int32), marginals, 0.5))


def kept(at_level: Document) -> list[int]:
    return at_level.kept


def test_each_text_is_part_of_the_next() -> None:
    by_name = levels(document(0.99, 0.6, 0.35, 0.02))
    assert {name: kept(by_name[name]) for name in NAMES} == {
        "strict": [0],
        "balanced": [0, 1],
        "generous": [0, 1, 2],
    }


COMMENTS = (
    f"<title>Ferry</title><main><h1>Ferry</h1><p>{SENTENCE * 5}</p><p>{SENTENCE * 4}</p></main>"
    f'<section class="comments" id="comments"><h3>2 comments</h3>'
    f'<div class="comment">{SENTENCE * 3}</div><div class="comment">{SENTENCE * 2}</div></section>'
)


@pytest.mark.parametrize("mode", ["", "drop", "separate"])
def test_comments_come_back_at_no_level(mode: str) -> None:
    tagger = load()
    page = run(Page(COMMENTS), tagger)
    page = with_comments(page, tagger, mode) if mode else page
    assert len(page.text) > 0
    for one in levels(page).values():
        assert SENTENCE * 3 not in one.text.splitlines()


def test_rows_have_them_if_asked(demo_gold: list[Any]) -> None:
    page = run(demo_gold[0].page, load())
    assert "levels" not in to_dict(page)
    row = to_dict(page, Show(levels=True, metadata=False))
    assert list(row["levels"]) == NAMES
    assert row["levels"][BALANCED]["text"] == row["text"]
    lines = [one["text"].splitlines() for one in row["levels"].values()]
    assert len(lines[0]) <= len(lines[1]) <= len(lines[2])
    assert json.loads(json.dumps(row["levels"])) == row["levels"]


# the compiled sums refuse arrays that do not belong together, and hold at the edges

ONES = np.ones(3)
KEPT = np.array([True, False, True])
NONE = np.zeros(3, np.int32)
TABLE = measures_of("<p>a</p><ul><li>a</li></ul><p>a</p>").table


def never(start: int, end: int) -> bool:
    raise AssertionError((start, end))


@pytest.mark.parametrize("place", range(3))
def test_arrays_of_other_lengths(place: int) -> None:
    arguments: list[Any] = [KEPT, ONES, NONE, never]
    arguments[place] = arguments[place][:2]
    with pytest.raises(ValueError, match="different lengths"):
        torn_lists(TABLE, *arguments)
    if place < 2:
        with pytest.raises(ValueError, match="different lengths"):
            torn_records(TABLE, *arguments[:2])


SHORT = {name: array[:2] for name, array in (("kept", KEPT), ("ones", ONES), ("none", NONE))}
TEXTS = np.arange(3)
OTHER_LENGTHS: list[tuple[Callable[..., Any], list[Any]]] = [
    (expected_scores, [ONES, ONES, SHORT["kept"]]),
    (expected_scores, [SHORT["ones"], ONES, KEPT]),
    (score_inputs, [TABLE, KEPT, ONES, SHORT["kept"]]),
    (score_inputs, [TABLE, SHORT["kept"], ONES, KEPT]),
    (score_inputs, [TABLE, KEPT, SHORT["ones"], KEPT]),
    (gaps_between, [TABLE, SHORT["kept"], ONES, True]),
    (gaps_between, [TABLE, KEPT, SHORT["ones"], True]),
    (copied_blocks, [TABLE, TEXTS[:2], TEXTS, ONES]),
    (copied_blocks, [TABLE, TEXTS, TEXTS[:2], ONES]),
    (copied_blocks, [TABLE, TEXTS, TEXTS, SHORT["ones"]]),
    (copied_blocks, [TABLE, TEXTS + 100, TEXTS, ONES]),
    (copied_blocks, [TABLE, TEXTS, TEXTS - 1, ONES]),
    (copied_blocks, [TABLE, TEXTS - 2, TEXTS, ONES]),
    (add_spans, [[], 1, NONE, SHORT["kept"].copy(), ONES.copy(), NONE.astype(np.int8)]),
    (add_spans, [[], 1, NONE, KEPT.copy(), SHORT["ones"].copy(), NONE.astype(np.int8)]),
    (add_spans, [[], 1, NONE, KEPT.copy(), ONES.copy(), NONE[:2].astype(np.int8)]),
    (highest_score, [np.zeros((1, 2)), np.zeros(6), 3]),
    (highest_score, [np.zeros((1, 4)), np.zeros(7), 3]),
]


@pytest.mark.parametrize(("function", "given"), OTHER_LENGTHS)
def test_sums_refuse_arrays_of_other_lengths(
    function: Callable[..., Any], given: list[Any]
) -> None:
    with pytest.raises(ValueError, match=r"different lengths|another page|other inputs"):
        function(*given)


@pytest.mark.parametrize(("share", "odds"), [(0.0, -4.615), (0.5, 0.0), (1.0, 4.615)])
def test_odds_of_a_share_are_finite(share: float, odds: float) -> None:
    assert smoothed_odds(share) == pytest.approx(odds, abs=0.001)


def test_spans_end_at_the_page() -> None:
    kept, likely, rules = KEPT.copy(), ONES / 2, np.zeros(3, np.int8)
    add_spans([(-9, 99, 0.7)], Rule.LIST, NONE, kept, likely, rules)
    assert kept.all()
    assert (likely.tolist(), rules.tolist()) == ([0.5, 0.7, 0.5], [0, 4, 0])


def test_wrong_types() -> None:
    with pytest.raises(ValueError, match="different lengths"):
        best_expected_f(None, ONES)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        torn_lists(None, KEPT, ONES, NONE, never)  # type: ignore[arg-type]


def test_probabilities_in_single_precision_are_taken() -> None:
    likely = np.array([0.9, 0.1, 0.8])
    alike = best_expected_f(likely.astype(np.float32), np.array([5, 5, 5]))
    assert alike.tolist() == best_expected_f(likely, ONES * 5).tolist() == [True, False, True]


def test_nothing_to_keep() -> None:
    assert best_expected_f(np.zeros(0), np.zeros(0)).tolist() == []
    assert best_expected_f(np.zeros(3), ONES).tolist() == [False] * 3
    assert torn_lists(TABLE, ~KEPT & KEPT, ONES, NONE, never) == []


def test_a_list_is_asked_for_last() -> None:
    """Of the runs between kept blocks none with links, without words, or longer than the text."""
    words = [9, 4, 4, 9, 4, 4, 9, 50, 50, 9]
    kept = np.array(words) == 9
    texts = ["a " * count if at > 2 else f"<a>{'a ' * count}</a>" for at, count in enumerate(words)]
    table = measures_of(
        "".join(
            f"<p>{text}" if count == 9 else f"<ul><li>{text}</ul>"
            for count, text in zip(words, texts, strict=True)
        )
    ).table
    asked: list[tuple[int, int]] = []

    def is_list(start: int, end: int) -> bool:
        asked.append((start, end))
        return True

    none = np.zeros(10, np.int32)
    assert torn_lists(table, kept, np.full(10, 0.5), none, is_list) == [4, 5]
    assert asked == [(4, 6)]
    assert torn_lists(table, kept, np.full(10, 0.01), none, never) == []
    assert torn_lists(table, kept, np.full(10, 0.5), none + 1, never) == []
