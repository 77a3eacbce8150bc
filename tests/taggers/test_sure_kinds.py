"""Blocks that are left out whatever the model says."""

from dataclasses import replace

import numpy as np
import pytest

from crfclean.page.blocks import split
from crfclean.page.latest import measured
from crfclean.page.measures import Measures
from crfclean.taggers import learned, sure_kinds
from crfclean.taggers.capabilities import Decides, Explains, fingerprint, need
from crfclean.taggers.decision import CERTAINLY_OTHER
from crfclean.taggers.learned import BlockFacts, decide
from crfclean.taggers.load import by_name, load
from crfclean.taggers.page_reasons import SURE_PREFIX
from crfclean.taggers.params import CutParams
from crfclean.taggers.post import corrected, with_post
from crfclean.taggers.postanalysis import PostParams
from crfclean.taggers.sure_kinds import MOST_LISTED, is_list_of, left_out, sure_kinds_of
from crfclean.types import Bools, CoarseKind, Kind, Label, Page, Tagger, Tags

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
    is_list = teaser_words / (60.0 + teaser_words) > MOST_LISTED
    assert out([0, Kind.TEASER, Kind.PROMO], [60.0 - 5.0, teaser_words, 5.0]) == [
        *(False, not is_list),
        True,
    ]


@pytest.mark.parametrize("kind", [Kind.TEASER, Kind.PROMO])
@pytest.mark.parametrize(("listed", "stays"), [(20.0, False), (30.0, True)])
def test_a_page_of_teasers_or_offers_keeps_them(kind: Kind, listed: float, stays: bool) -> None:  # noqa: FBT001
    assert out([0, kind], [80.0, listed]) == [False, not stays]
    kinds, words, kept = np.array([0, kind]), np.array([80.0, listed]), np.array([True, True])
    assert is_list_of(kind, kinds, words, kept) is stays


def test_notices_never_stay() -> None:
    assert out([0, Kind.NOTICE], [10.0, 90.0]) == [False, True]


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


PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "
NOTICE = "This content is hosted by a third party; to show it, you must accept its cookies."
PAGE = (
    f"<html><title>Ferry</title><main><h1>Ferry</h1><p>{PROSE * 3}</p>"
    f"<p>{NOTICE}</p><p>{PROSE * 4}</p><p>{PROSE * 3}</p></main></html>"
)


@pytest.mark.parametrize("tagger", [load(), by_name("mlp"), with_post(load(), True)])
def test_what_is_sure_is_explained(tagger: Tagger) -> None:
    blocks = split(Page(PAGE))
    notice = blocks.texts.index(NOTICE)
    assert sure_kinds_of(measured(blocks)).tolist() == [
        Kind.NOTICE if block == notice else 0 for block in range(len(blocks))
    ]
    tags = tagger.tag(blocks)
    assert tags.sure is not None
    assert np.flatnonzero(tags.sure).tolist() == [notice]
    explained = need(tagger, Explains).explain(blocks)
    names = [[reason.feature for reason in reasons] for reasons in explained]
    assert [SURE_PREFIX + "notice" in block for block in names] == tags.sure.tolist()


def test_no_post_analysis_brings_it_back() -> None:
    """Between good blocks an uncertain one is taken for text."""
    page = Measures(split(Page(PAGE)))
    notice = page.texts.index(NOTICE)
    labels = np.full(len(page), Label.TEXT, np.int32)
    labels[notice] = Label.OTHER
    marginals = np.tile(SURE_TEXT, (len(page), 1))
    marginals[notice] = (0.0, 0.5, 0.5)
    tags = Tags(labels, marginals, 0.9)
    assert corrected(page, tags, PostParams()).tags.kept[notice]
    sure = np.arange(len(page)) == notice
    assert not corrected(page, replace(tags, sure=sure), PostParams()).tags.kept[notice]


def test_the_fingerprint_knows_the_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    tagger = load()
    listed = need(tagger, Decides).with_cut(CutParams(keep=("title", "paragraph")))
    before = fingerprint(replace(tagger)), fingerprint(replace(listed))  # type: ignore[type-var]
    monkeypatch.setattr(sure_kinds, "MOST_LISTED", 0.3)
    assert fingerprint(replace(tagger)) != before[0]  # type: ignore[type-var]
    assert fingerprint(replace(listed)) == before[1], "these kinds say themselves what stays"  # type: ignore[type-var]
    monkeypatch.undo()
    monkeypatch.setattr(learned, "article_fingerprint", lambda: "0" * 16)
    assert fingerprint(replace(tagger)) != before[0]  # type: ignore[type-var]
