"""Blocks that are left out whatever the model says."""

import numpy as np
import pytest

from crfclean.taggers.decision import CERTAINLY_OTHER
from crfclean.taggers.learned import BlockFacts, decide
from crfclean.taggers.params import CutParams
from crfclean.taggers.sure_kinds import MOST_TEASERS, left_out
from crfclean.types import Bools, CoarseKind, Kind, Label

SURE_TEXT = np.array([0.0, 1.0, 0.0])


def out(kinds: list[int], words: list[float], kept: list[bool] | None = None) -> list[bool]:
    keep: Bools = np.array([True] * len(kinds) if kept is None else kept, bool)
    return left_out(np.array(kinds, int), np.array(words), keep).tolist()


def test_sure_kinds_are_left_out_of_a_page_of_text() -> None:
    assert out([0, Kind.PROMO, Kind.NOTICE, Kind.TEASER], [90, 4, 4, 4]) == [
        False,
        True,
        True,
        True,
    ]


@pytest.mark.parametrize("teaser_words", [10.0, 40.0])
def test_teasers_stay_where_they_are_much_of_what_is_kept(teaser_words: float) -> None:
    is_list = teaser_words / (60.0 + teaser_words) > MOST_TEASERS
    assert out([0, Kind.TEASER, Kind.PROMO], [60.0 - 5.0, teaser_words, 5.0]) == [
        *(False, not is_list),
        True,
    ]


def test_teasers_that_the_model_drops_make_no_list() -> None:
    assert out([0, Kind.TEASER, Kind.TEASER], [50.0, 5.0, 500.0], [True, True, False])[1]


def test_a_page_without_kept_blocks() -> None:
    assert out([Kind.TEASER], [5.0], [False]) == [True]
    assert out([], []) == []


def test_decision_leaves_sure_kinds_out_for_good() -> None:
    marginals = np.tile(SURE_TEXT, (3, 1))
    words = np.array([90.0, 5.0, 5.0])
    sure = np.array([0, Kind.PROMO, Kind.TEASER])
    best = np.full(3, Label.TEXT, np.int32)
    coarse = np.full(3, CoarseKind.BODY, np.int32)
    params = CutParams(keep=("body",))
    tags = decide(marginals, best, BlockFacts(words, coarse, sure=sure), params)
    assert tags.labels.tolist() == [Label.TEXT, Label.OTHER, Label.OTHER]
    without = decide(marginals, best, BlockFacts(words, coarse), params)
    assert without.labels.tolist() == [Label.TEXT] * 3
    assert tags.kept.tolist() == [True, False, False]
    assert CERTAINLY_OTHER[Label.OTHER] == 1


def test_decision_without_a_sequence() -> None:
    sure, words = np.array([0, 0, Kind.NOTICE]), np.array([90.0, 5.0, 5.0])
    facts = BlockFacts(words, np.full(3, CoarseKind.BODY, np.int32), sure=sure)
    params = CutParams(rule="threshold", threshold=0.5, keep=("body",))
    tags = decide(np.tile(SURE_TEXT, (3, 1)), np.zeros(0, np.int32), facts, params)
    assert tags.kept.tolist() == [True, True, False]
