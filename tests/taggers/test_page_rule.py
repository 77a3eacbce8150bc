"""The decision on a page by the core is that of Python, to the last bit."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from crfclean.core import native
from crfclean.taggers.decision import Choice
from crfclean.taggers.page_rule import RuleInputs, choice_by_name, decided, for_core, without
from crfclean.taggers.params import CutParams
from crfclean.types import Bools, CoarseKind, Floats, Ints, Kind, Label, Tags
from eval.lib.cores import by_both

needs_core = pytest.mark.skipif(native.CORE is None, reason="the core was not built")
BEST = np.zeros(0, np.int32)
KINDS = np.array([0, 0, 0, Kind.NOTICE, Kind.PROMO, Kind.TEASER])


def flags(rng: np.random.Generator, count: int, share: float) -> Bools:
    chosen: Bools = rng.random(count) < share
    return chosen


def marginals_of(rng: np.random.Generator, count: int) -> Floats:
    """Probabilities (n, 3), some of them certain."""
    rows: Floats = rng.dirichlet([rng.choice([0.1, 0.5, 3.0])] * 3, count)
    certain = flags(rng, count, 0.2)
    rows[certain] = np.eye(3)[rng.integers(0, 3, int(certain.sum()))]
    return rows


def inputs_of(rng: np.random.Generator, count: int) -> RuleInputs:
    """What may be known of blocks, or some of it."""
    words = rng.integers(0, 60, count) / 2.0 * flags(rng, count, rng.choice([0.0, 0.7, 1.0]))
    bounds = np.sort(rng.integers(0, count + 1, 6))
    tables = np.searchsorted(bounds, np.arange(count), side="right").astype(np.int64) - 2
    choice = Choice(flags(rng, count, 0.3), np.arange(count) == rng.integers(0, count + 3))
    sure = rng.choice(KINDS if rng.random() < 0.7 else KINDS[:1], count)
    parts: tuple[Any, ...] = (choice if count else None, tables, sure, flags(rng, count, 0.1))
    return for_core(
        RuleInputs(CutParams(), words, *(part if rng.random() < 0.7 else None for part in parts))
    )


def parts_of(tags: Tags) -> list[Any]:
    arrays = (tags.labels, tags.marginals, tags.sure)
    values = [None if array is None else array.tolist() for array in arrays]
    types = [None if array is None else (array.dtype, array.flags.writeable) for array in arrays]
    return [*values, *types, tags.score, tags.refusal]


@needs_core
@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 9, 40, 130, 300])
def test_tags_are_equal(count: int) -> None:
    rng = np.random.default_rng(count)
    for _ in range(60):
        rows, inputs = marginals_of(rng, count), inputs_of(rng, count)
        for others in (None, flags(rng, count, 0.3)):
            by_core, expected = by_both(partial(decided, rows, BEST, inputs, others))
            assert parts_of(by_core) == parts_of(expected)


@needs_core
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_left_to_python(number: float) -> None:
    rows = np.array([[0.2, 0.3, 0.5], [0.1, 0.2, number]])
    inputs = RuleInputs(CutParams(), np.array([5.0, 9.0]))
    both = by_both(partial(decided, rows, BEST, inputs))
    assert both[0].labels.tolist() == both[1].labels.tolist()


@needs_core
def test_other_sizes_are_refused() -> None:
    rows, words, bounds = np.zeros((2, 3)), np.ones(2), np.ones(5)
    listed = np.array([Kind.TEASER], np.int32)
    fits = (rows, words, b"", b"", b"", b"", b"", b"", listed, bounds)
    assert native.CORE.decided(*fits)
    for place, wrong in ((0, rows[:1]), (1, words[:1]), (4, b"\0"), (7, np.zeros(3)), (9, words)):
        with pytest.raises(ValueError, match="other sizes"):
            native.CORE.decided(*fits[:place], wrong, *fits[place + 1 :])
    with pytest.raises(TypeError):
        native.CORE.decided(*fits[:9])


def test_what_changes_nothing_gives_the_same_array() -> None:
    rows, best = np.array([[0.1, 0.7, 0.2]]), np.ones(1, np.int32)
    for rule in ("expected_f1", "threshold", "viterbi"):
        tags = decided(rows, best, RuleInputs(CutParams(rule), np.array([3.0])))
        assert tags.marginals is rows
        assert tags.sure is None


def test_others_are_certain() -> None:
    rows, best = np.array([[0.1, 0.7, 0.2], [0.0, 1.0, 0.0]]), np.ones(2, np.int32)
    others = np.array([True, False])
    changed, labels = without(rows, best, others)
    assert changed.tolist() == [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    assert labels.tolist() == [Label.OTHER, Label.TEXT]
    inputs = RuleInputs(CutParams("viterbi"), np.array([3.0, 4.0]))
    assert decided(rows, best, inputs, others).labels.tolist() == labels.tolist()


def test_a_choice_by_name() -> None:
    coarse: Ints = np.array([CoarseKind.BODY, CoarseKind.BYLINES, CoarseKind.TITLE], np.int32)
    also, excluded = np.array([False, True, False]), np.array([True, False, True])
    params = CutParams(keep=("body", "title"))
    choice = choice_by_name(coarse, None, params, also, excluded)
    assert choice is not None
    assert choice.barred.tolist() == [True, False, True]
    assert choice.titles.tolist() == [False] * 3
    assert choice_by_name(coarse, None, CutParams(), None, None) is None
    assert choice_by_name(coarse[:0], None, params, None, None) is None
    alone = choice_by_name(coarse, None, CutParams(), None, excluded)
    assert alone is not None
    assert alone.barred.tolist() == excluded.tolist()
