"""Tests of `taggers/decision.py`."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError, fields
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.taggers.decision import (
    PRECISION_TARGETS,
    best_expected_f,
    by_convention,
    cut,
    expected_f1,
    expected_target,
    flatten,
    labels_by_convention,
    log_odds,
    most_at_precision,
)
from crfclean.taggers.learned import BlockFacts, decide
from crfclean.taggers.params import CutParams
from crfclean.types import CoarseKind, CrfcleanError, Floats, Label
from crfclean.types.choices import COARSE_WORDS, RULES

PROPERTY = settings(max_examples=200, deadline=None, database=None, derandomize=True)
HEADER, TEXT, OTHER = Label.HEADER, Label.TEXT, Label.OTHER
PLAIN = CutParams("expected_f1", flatten=1.0)

PROBABILITY = st.integers(0, 20).map(lambda number: number / 20)
WORDS = st.integers(0, 12).map(float)


def ratio(keep: list[bool], probability: list[float], words: list[float]) -> float:
    """Ratio of the expectations: 2 * right / (taken + right on the page)."""
    rows = list(zip(keep, probability, words, strict=True))
    page = sum(chance * size for _, chance, size in rows)
    right = sum(chance * size for kept, chance, size in rows if kept)
    taken = sum(size for kept, _, size in rows if kept)
    return 2 * right / (taken + page) if page else 0.0


def best(probability: list[float], words: list[float]) -> list[bool]:
    return best_expected_f(np.array(probability), np.array(words)).tolist()


def marginals(*kept: float) -> Floats:
    """Rows of TEXT against OTHER alone."""
    return np.array([[0.0, chance, 1.0 - chance] for chance in kept]).reshape(-1, 3)


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


BLOCKS = st.lists(st.tuples(PROBABILITY, WORDS), min_size=1, max_size=9)
PAIRS = BLOCKS.map(lambda rows: ([row[0] for row in rows], [row[1] for row in rows]))


@PROPERTY
@given(PAIRS)
def test_best_cut_is_that_of_all_prefixes(pair: tuple[list[float], list[float]]) -> None:
    probability, words = pair
    order = sorted(range(len(words)), key=lambda place: -probability[place])
    prefixes = [
        [place in order[:count] for place in range(len(words))] for count in range(len(words) + 1)
    ]
    found = ratio(best(probability, words), probability, words)
    assert found == pytest.approx(max(ratio(one, probability, words) for one in prefixes))


@settings(parent=PROPERTY, max_examples=60)
@given(PAIRS)
def test_no_other_choice_is_better(pair: tuple[list[float], list[float]]) -> None:
    probability, words = pair
    choices = product([False, True], repeat=len(words))
    most = max(ratio(list(choice), probability, words) for choice in choices)
    assert ratio(best(probability, words), probability, words) == pytest.approx(most)


@PROPERTY
@given(PAIRS)
def test_no_block_left_out_is_likelier_than_one_kept(
    pair: tuple[list[float], list[float]],
) -> None:
    probability, words = pair
    keep = best(probability, words)
    kept = [chance for chance, one in zip(probability, keep, strict=True) if one]
    left = [chance for chance, one in zip(probability, keep, strict=True) if not one]
    assert min(kept, default=1.0) >= max(left, default=0.0) or not kept
    assert any(keep) == any(chance * size > 0 for chance, size in zip(*pair, strict=True))


def test_ties_go_to_the_shorter_cut() -> None:
    assert best([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]) == [True, False, False]
    # 2 * 1 / (1 + 1.5) = 0.8 = 2 * 1.5 / (2.25 + 1.5): an exact tie
    assert best([1.0, 0.4], [1.0, 1.25]) == [True, False]


@PROPERTY
@given(PAIRS)
def test_best_cut_is_repeatable(pair: tuple[list[float], list[float]]) -> None:
    before = np.array(pair[0]), np.array(pair[1])
    first, again = best_expected_f(*before), best_expected_f(*before)
    assert first.dtype == np.bool_
    assert first.tolist() == again.tolist()
    assert (before[0].tolist(), before[1].tolist()) == pair


@PROPERTY
@given(PAIRS, st.integers(2, 50))
def test_unit_of_words_does_not_matter(pair: tuple[list[float], list[float]], factor: int) -> None:
    probability, words = pair
    scaled = [size * factor for size in words]
    first = ratio(best(probability, words), probability, words)
    assert ratio(best(probability, scaled), probability, words) == pytest.approx(first)


# The most at a precision


def most(probability: list[float], words: list[float], precision: float) -> list[bool]:
    return most_at_precision(np.array(probability), np.array(words), precision).tolist()


def precision_of(keep: list[bool], probability: list[float], words: list[float]) -> float:
    """Expected precision of what is kept, 1 where it has no words."""
    rows = [row[1:] for row in zip(keep, probability, words, strict=True) if row[0]]
    taken = sum(size for _, size in rows)
    return sum(chance * size for chance, size in rows) / taken if taken else 1.0


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


LEAST = st.integers(1, 19).map(lambda number: (2 * number + 1) / 40 + 1e-6)


@PROPERTY
@given(PAIRS, LEAST)
def test_most_at_a_precision_is_the_longest_prefix(
    pair: tuple[list[float], list[float]], precision: float
) -> None:
    probability, words = pair
    keep = most(probability, words, precision)
    order = sorted(range(len(words)), key=lambda place: -probability[place])
    prefixes = [
        [place in order[:count] for place in range(len(words))]
        for count in range(1, len(words) + 1)
        if words[order[count - 1]]
    ]
    fit = [one for one in prefixes if precision_of(one, probability, words) >= precision]
    assert keep == (fit[-1] if fit else [False] * len(words))


@PROPERTY
@given(PAIRS, LEAST, LEAST)
def test_more_precision_keeps_less(
    pair: tuple[list[float], list[float]], one: float, other: float
) -> None:
    low, high = (most(*pair, precision) for precision in sorted([one, other]))
    assert all(first >= second for first, second in zip(low, high, strict=True))


def test_precision_is_taken_from_the_parameters() -> None:
    table, words = marginals(1.0, 0.7, 0.1), np.array([10.0, 10.0, 10.0])
    found = {
        precision: (cut(table, words, CutParams("precision", precision=precision)) != OTHER).sum()
        for precision in (0.0, 0.5, 0.6, 0.7, 0.85, 0.9, 1.0)
    }
    assert list(found.values()) == [3, 3, 2, 2, 1, 1, 1]
    assert cut(table, words, CutParams("precision")).tolist() == [TEXT, OTHER, OTHER]


def test_targets_are_those_that_were_fitted(root: Path) -> None:
    """The table of the code is that of the result, as far as collections reach a precision."""
    result = json.loads((root / "eval/results/accuracy/precision.json").read_text("utf-8"))
    fitted = {float(asked): target for asked, target in result["targets"].items()}
    assert fitted.pop(0.99) > 0.999  # none reaches it
    assert {asked: expected_target(asked) for asked in fitted} == pytest.approx(fitted)
    assert {asked for asked, _ in PRECISION_TARGETS} - {0.0} <= fitted.keys()


@pytest.mark.parametrize("collection", ["wcxb-dev", "fundus-dev", "daniel-dev", "dragnet-dev"])
def test_held_out_collections_have_the_precision(root: Path, collection: str) -> None:
    result = json.loads((root / "eval/results/accuracy/precision.json").read_text("utf-8"))
    rows = {row["asked"]: row for row in result["rows"] if row["set"] == collection}
    for asked in (0.8, 0.9, 0.95):
        assert rows[asked]["precision"] >= asked
    assert rows[0.99]["without"] == 1.0
    assert rows[0.9]["before_precision"] < 0.91


@given(st.floats(0, 1), st.floats(0, 1))
def test_targets_rise_and_are_never_lower_than_asked(one: float, other: float) -> None:
    low, high = sorted([one, other])
    assert expected_target(low) <= expected_target(high)
    assert low <= expected_target(low) + 1e-9 <= 1 + 1e-9


def test_a_high_precision_needs_certainty() -> None:
    assert expected_target(0.95) < expected_target(0.951) == expected_target(1.0) == 1.0


@pytest.mark.parametrize(
    ("rule", "probability", "refusal"),
    [
        ("precision", 0.9, "below-precision"),
        ("precision", 0.99, ""),
        ("threshold", 0.9, ""),
    ],
)
def test_tags_without_the_precision_say_so(rule: str, probability: float, refusal: str) -> None:
    table, words, kinds = marginals(probability), np.array([10.0]), np.array([CoarseKind.BODY])
    params = CutParams(rule, threshold=0.95, precision=0.9)
    tags = decide(table, np.zeros(1, np.int32), BlockFacts(words, kinds), params)
    assert tags.refusal == refusal
    assert tags.kept.any() == (probability == 0.99)


@pytest.mark.parametrize("precision", [-0.1, 1.1, float("nan"), float("inf")])
def test_precision_is_a_share(precision: float) -> None:
    with pytest.raises(CrfcleanError, match=r"precision .* is not in 0\.\.1"):
        CutParams(precision=precision)


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


KEPT = st.lists(st.tuples(st.floats(0, 1), WORDS, st.booleans()), max_size=30)


@PROPERTY
@given(KEPT)
def test_expected_f1_is_a_share(rows: list[tuple[float, float, bool]]) -> None:
    probability, words, keep = ([row[place] for row in rows] for place in range(3))
    found = expected_f1(np.array(probability), np.array(words), np.array(keep, np.bool_))
    assert 0 <= found <= 1
    assert found == pytest.approx(ratio(keep, probability, words))


# Flattening

INSIDE = st.floats(0.001, 0.999)


@pytest.mark.parametrize(
    ("probability", "factor", "expected"),
    [
        (0.5, 0.7, 0.5),
        (0.5, 3.0, 0.5),
        (0.8, 0.5, 2 / 3),  # odds 4 -> 2
        (0.2, 0.5, 1 / 3),
        (0.8, 2.0, 16 / 17),
        (0.9, 0.0, 0.5),
    ],
)
def test_flatten(probability: float, factor: float, expected: float) -> None:
    assert flatten(np.array([probability]), factor).tolist() == pytest.approx([expected])


@PROPERTY
@given(st.lists(st.floats(0, 1), max_size=8))
def test_flatten_by_one_is_the_identity(probability: list[float]) -> None:
    assert flatten(np.array(probability), 1.0) == pytest.approx(probability, abs=2e-9)


@PROPERTY
@given(INSIDE, INSIDE, st.floats(0.1, 3))
def test_flatten_keeps_the_order(first: float, second: float, factor: float) -> None:
    low, high = flatten(np.array(sorted([first, second])), factor).tolist()
    assert low <= high
    assert 0 < low <= high < 1


@PROPERTY
@given(INSIDE, st.floats(0.1, 0.9))
def test_flatten_draws_to_the_middle(probability: float, factor: float) -> None:
    flat = float(flatten(np.array([probability]), factor)[0])
    assert abs(flat - 0.5) <= abs(probability - 0.5) + 1e-12
    assert flat == pytest.approx(1 - float(flatten(np.array([1 - probability]), factor)[0]))


@pytest.mark.parametrize("probability", [-1e-16, 0.0, 1.0, 1.0 + 1e-12])
@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0])
def test_flatten_is_finite_at_the_ends(probability: float, factor: float) -> None:
    flat = float(flatten(np.array([probability]), factor)[0])
    assert 0 <= flat <= 1
    assert abs(flat - round(probability)) < 1e-4


# Labels


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (0.0, [TEXT, TEXT, TEXT, TEXT]),
        (0.25, [OTHER, TEXT, TEXT, TEXT]),
        (0.5, [OTHER, OTHER, TEXT, TEXT]),
        (0.51, [OTHER, OTHER, OTHER, TEXT]),
        (1.0, [OTHER, OTHER, OTHER, TEXT]),
        (1.1, [OTHER, OTHER, OTHER, OTHER]),
    ],
)
def test_threshold_is_inclusive(threshold: float, expected: list[Label]) -> None:
    params = CutParams("threshold", threshold)
    assert cut(marginals(0.0, 0.25, 0.5, 1.0), np.ones(4), params).tolist() == expected


def test_threshold_does_not_look_at_words() -> None:
    params = CutParams("threshold", 0.5)
    words = np.array([0.0, 1e6, 0.0])
    assert cut(marginals(0.6, 0.4, 0.5), words, params).tolist() == [TEXT, OTHER, TEXT]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([0.6, 0.3, 0.1], HEADER),
        ([0.3, 0.6, 0.1], TEXT),
        ([0.45, 0.45, 0.1], TEXT),
        ([0.3, 0.2, 0.5], HEADER),
        ([0.2, 0.2, 0.6], OTHER),
        ([0.0, 0.0, 1.0], OTHER),
    ],
)
def test_kept_blocks_are_header_or_text(row: list[float], expected: Label) -> None:
    params = CutParams("threshold", 0.5)
    assert cut(np.array([row]), np.ones(1), params).tolist() == [expected]


def test_labels_of_the_best_cut() -> None:
    table = np.array([[0.9, 0.0, 0.1], [0.1, 0.8, 0.1], [0.0, 0.1, 0.9]])
    assert cut(table, np.array([2.0, 30.0, 10.0]), PLAIN).tolist() == [HEADER, TEXT, OTHER]


@PROPERTY
@given(PAIRS)
def test_best_cut_decides_what_is_kept(pair: tuple[list[float], list[float]]) -> None:
    probability, words = pair
    labels = cut(marginals(*probability), np.array(words), PLAIN)
    smooth = flatten(np.array(probability), 1.0)
    assert (labels != OTHER).tolist() == best_expected_f(smooth, np.array(words)).tolist()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("count", [0, 1, 4])
def test_a_label_for_every_block(rule: str, count: int) -> None:
    labels = cut(np.full((count, 3), 1 / 3), np.ones(count), CutParams(rule))
    assert labels.shape == (count,)
    assert labels.dtype == np.int32


def test_flattening_makes_the_cut_more_generous() -> None:
    table, words = marginals(0.95, 0.1), np.array([10.0, 10.0])
    assert cut(table, words, CutParams(flatten=1.0)).tolist() == [TEXT, OTHER]
    assert cut(table, words, CutParams(flatten=0.1)).tolist() == [TEXT, TEXT]


@pytest.mark.parametrize("factor", [0.5, 0.7, 1.0])
@pytest.mark.parametrize("count", [1, 2, 50])
def test_nothing_is_kept_of_a_page_that_is_surely_other(factor: float, count: int) -> None:
    table = marginals(*[0.0] * count)
    assert set(cut(table, np.full(count, 9.0), CutParams(flatten=factor)).tolist()) == {OTHER}


def test_parameters() -> None:
    params = CutParams()
    assert (params.rule, params.threshold, params.flatten) == ("expected_f1", 0.5, 1.0)
    assert params.precision == 0.9
    assert all(one.metadata["help"] for one in fields(CutParams))
    assert params.rule in RULES
    with pytest.raises(FrozenInstanceError):
        params.threshold = 0.1  # type: ignore[misc]


# Conventions

ONE_OF_EACH = np.array(list(CoarseKind), np.int32)
SURE = np.array([[0.1, 0.6, 0.3], [0.2, 0.2, 0.6], *[[0.0, 0.8, 0.2]] * 4])


def test_kinds_that_may_be_kept() -> None:
    assert COARSE_WORDS == (
        "body",
        "title",
        "headers",
        "captions",
        "bylines",
        "comments",
        "threads",
        "auto",
    )
    assert list(CoarseKind) == list(range(len(COARSE_WORDS[:-2])))


def test_no_convention_changes_nothing() -> None:
    labels = np.array([1, 2, 0, 1, 2, 1], np.int32)
    assert by_convention(SURE, ONE_OF_EACH, ()) is SURE
    assert labels_by_convention(labels, ONE_OF_EACH, ()) is labels


@pytest.mark.parametrize("name", COARSE_WORDS)
def test_unlisted_kinds_are_left_out(name: str) -> None:
    found = by_convention(SURE, ONE_OF_EACH, (name,))
    labels = labels_by_convention(np.full(6, TEXT, np.int32), ONE_OF_EACH, (name,))
    listed = {"threads": "comments"}.get(name, name)
    for place, kind in enumerate(COARSE_WORDS[:-2]):
        out = kind not in {"body", listed} and name != "auto"
        assert (labels[place] == OTHER) == out, kind
        if out:
            assert found[place].tolist() == [0, 0, 1], kind
        elif kind != "title":
            assert found[place].tolist() == SURE[place].tolist(), kind


@pytest.mark.parametrize(
    ("keep", "surest"),
    [(("title",), 0.3), (("title", "captions"), 0.2), (COARSE_WORDS, 0.2)],
)
def test_title_is_as_sure_as_the_surest_block_that_is_left(
    keep: tuple[str, ...], surest: float
) -> None:
    found = by_convention(SURE, ONE_OF_EACH, keep)
    assert found[1].tolist() == pytest.approx([1 - surest, 0, surest])


def test_title_may_be_the_surest_itself() -> None:
    table = np.array([[0.2, 0.7, 0.1], [0.0, 0.5, 0.5]])
    found = by_convention(table, np.array([CoarseKind.TITLE, CoarseKind.BODY]), ("title",))
    assert found.tolist() == [[0.9, 0.0, 0.1], [0.0, 0.5, 0.5]]


def test_conventions_leave_the_models_marginals_alone() -> None:
    before = SURE.copy()
    by_convention(SURE, ONE_OF_EACH, ("title",))
    assert SURE.tolist() == before.tolist()


def test_labels_of_titles_follow_the_rest() -> None:
    kinds = np.array([CoarseKind.TITLE, CoarseKind.BODY, CoarseKind.COMMENTS])
    cases = {
        (OTHER, TEXT, OTHER): [HEADER, TEXT, OTHER],
        (TEXT, OTHER, OTHER): [HEADER, OTHER, OTHER],
        (OTHER, OTHER, OTHER): [OTHER, OTHER, OTHER],
        (OTHER, OTHER, TEXT): [OTHER, OTHER, OTHER],  # a comment alone is no text
    }
    for labels, expected in cases.items():
        found = labels_by_convention(np.array(labels, np.int32), kinds, ("title",))
        assert found.tolist() == expected
        assert found.dtype == np.int32


@pytest.mark.parametrize("keep", [("title",), COARSE_WORDS, ("body",)])
def test_conventions_of_no_block(keep: tuple[str, ...]) -> None:
    nothing = np.zeros(0, np.int32)
    assert by_convention(np.zeros((0, 3)), nothing, keep).shape == (0, 3)
    assert labels_by_convention(nothing, nothing, keep).shape == (0,)


@pytest.mark.parametrize("rule", RULES[:3])
@pytest.mark.parametrize("limit", [0.0, 0.5, 0.9])
def test_a_listed_title_is_kept_wherever_anything_is(rule: str, limit: float) -> None:
    params = CutParams(rule, limit, precision=limit, keep=("title",))
    for body in (0.0, 0.1, 0.5, 0.89, 0.95, 1.0):
        table = by_convention(marginals(0.0, body, 0.3), np.array([1, 0, 0]), params.keep)
        labels = cut(table, np.array([3.0, 20.0, 9.0]), params)
        assert (labels[0] == HEADER) == bool((labels[1:] != OTHER).any()), body


@pytest.mark.parametrize("wrong", ["titles", "", "TITLE", "text"])
def test_unknown_kinds_are_refused(wrong: str) -> None:
    with pytest.raises(CrfcleanError, match=f"keep: no kind '{wrong}'; there are body, title"):
        CutParams(keep=("title", wrong))


@pytest.mark.parametrize("probability", [0.0, 1e-9, 0.3, 0.5, 1.0])
def test_log_odds_are_finite_and_rise(probability: float) -> None:
    odds = float(log_odds(np.array(probability)))
    assert math.isfinite(odds)
    assert (odds > 0) == (probability > 0.5)
    if 0.1 < probability < 0.9:
        assert 1 / (1 + math.exp(-odds)) == pytest.approx(probability)
