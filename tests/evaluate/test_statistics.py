"""Tests of `evaluate/statistics.py`: means, intervals and paired differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.evaluate.block_metrics import BlockKind, BlockScores
from crfclean.evaluate.metrics import Snippets, WordScores
from crfclean.evaluate.runner import PageScore
from crfclean.evaluate.statistics import (
    ALL,
    BY,
    Difference,
    Row,
    differences,
    exact_ends,
    f1_interval,
    groups,
    interval,
    means_by_group,
    total_confusion,
    total_counts,
    total_snippets,
)
from crfclean.types import Label

# tables


def page_score(source: str, f1: float, **fields: object) -> PageScore:
    words = WordScores(f1 / 2, f1 / 4, f1)
    return replace(PageScore("p", source, source, "", 10, f1 / 10, words), **fields)  # type: ignore[arg-type]


def test_table_has_means_by_source_and_over_pages() -> None:
    pages = [
        page_score("b", 1.0, distance=4),
        page_score("a", 0.2, distance=0),
        page_score("b", 0.6, distance=8),
    ]
    assert means_by_group(pages) == [
        Row("a", 1, 0.0, pytest.approx(0.02), 0.1, 0.05, 0.2),
        Row("b", 2, 6.0, pytest.approx(0.08), 0.4, 0.2, 0.8),
        Row(ALL, 3, 4.0, pytest.approx(0.06), pytest.approx(0.3), pytest.approx(0.15), 0.6),
    ]


def test_table_by_another_key() -> None:
    pages = [page_score("a", 1.0, kind="forum"), page_score("b", 0.0, kind="forum")]
    assert [(row.source, row.pages) for row in means_by_group(pages, lambda page: page.kind)] == [
        ("forum", 2),
        (ALL, 2),
    ]


H, T, O = Label  # noqa: E741


def blocks(
    gold: list[int], labels: list[int], kind: BlockKind = BlockKind.PARAGRAPH
) -> BlockScores:
    kinds = np.full(len(gold), kind, np.int32)
    return BlockScores(np.array(gold), np.array(labels), kinds, np.ones(len(gold)))


BLOCKS = [
    page_score("a", 1.0, blocks=blocks([H, T, O], [H, O, T])),
    page_score("a", 1.0),
    page_score("a", 1.0, blocks=blocks([T, T], [T, T], BlockKind.LIST_ITEM)),
]


def test_total_confusion_adds_what_there_is() -> None:
    assert total_confusion(BLOCKS).tolist() == [[1, 0, 0], [0, 2, 1], [0, 1, 0]]
    assert total_confusion([]).tolist() == [[0, 0, 0]] * 3


def test_total_counts_adds_what_there_is() -> None:
    counts = total_counts(BLOCKS)
    assert counts[BlockKind.PARAGRAPH].tolist() == [1, 1, 1]
    assert counts[BlockKind.LIST_ITEM].tolist() == [2, 0, 0]
    assert counts.sum() == 5
    assert not total_counts([]).any()


def test_exact_ends() -> None:
    assert exact_ends(BLOCKS) == (1.0, 0.5)
    assert exact_ends([]) == exact_ends(BLOCKS[1:2]) == (1.0, 1.0)


def test_total_snippets() -> None:
    pages = [page_score("a", 1.0, snippets=Snippets(3, 2, 5, 4)), page_score("b", 1.0)]
    assert total_snippets(pages * 2) == Snippets(6, 4, 10, 8)
    assert total_snippets([]) == Snippets()


# intervals

HALVES = np.array([0.0] * 20 + [1.0] * 20)
APART = [str(number) for number in range(40)]


def width(values: np.ndarray, groups: list[str]) -> float:
    low, high = interval(values, groups)
    return high - low


def test_interval_contains_the_mean() -> None:
    low, high = interval(HALVES, APART)
    assert 0.25 < low < 0.5 < high < 0.75


def test_interval_is_the_same_every_time() -> None:
    values = np.random.default_rng(3).random(40)
    assert interval(values, APART) == interval(values, APART)
    assert interval(values, APART, seed=2) != interval(values, APART, seed=3)


def test_interval_is_near_that_of_the_normal_distribution() -> None:
    values = np.random.default_rng(5).normal(0.5, 0.1, 400)
    low, high = interval(values, [str(number) for number in range(400)])
    half = 1.96 * values.std() / 20
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=half / 5)


def test_fewer_groups_make_a_wider_interval() -> None:
    widths = [width(HALVES, [str(place // size) for place in range(40)]) for size in (1, 4, 10)]
    assert widths[0] < widths[1] < widths[2]


def test_one_group_has_no_width() -> None:
    assert interval(HALVES, ["a"] * 40) == (0.5, 0.5)
    assert interval(np.full(6, 0.25), list("abcabc")) == (0.25, 0.25)


def test_groups_weigh_by_their_pages() -> None:
    values = np.array([1.0] * 180 + [0.0] * 20)
    groups = [f"large {place // 9}" for place in range(180)]
    low, high = interval(values, groups + [f"small {place}" for place in range(20)])
    assert 0.8 < low < 0.9 < high < 0.97


def test_groups_are_drawn_whole() -> None:
    low, high = interval(np.array([1.0] * 9 + [0.0]), ["a"] * 9 + ["b"])
    assert (low, high) == (0.0, 1.0)
    low, high = interval(np.array([1.0, 0.0, 1.0, 0.0]), ["a", "a", "b", "b"])
    assert (low, high) == (0.5, 0.5)


def test_f1_interval_resamples_sites() -> None:
    pages = [page_score("a", 0.2), page_score("a", 0.4), page_score("b", 0.9)]
    assert f1_interval(pages) == interval(np.array([0.2, 0.4, 0.9]), ["a", "a", "b"])


# groups and differences

MIXED = [
    page_score("n", 0.9, kind="article", lang="en"),
    page_score("b", 0.5, kind="forum"),
    page_score("n", 0.7, kind="article", lang="cs"),
]
GROUPS = {
    "source": {"b": [1], "n": [0, 2], ALL: [0, 1, 2]},
    "kind": {"article": [0, 2], "forum": [1], ALL: [0, 1, 2]},
    "lang": {"?": [1], "cs": [2], "en": [0], ALL: [0, 1, 2]},
}


@pytest.mark.parametrize("by", GROUPS)
def test_groups(by: str) -> None:
    found = groups(MIXED, BY[by])
    assert found == GROUPS[by]
    assert list(found) == list(GROUPS[by])


def test_every_group_is_tested() -> None:
    assert list(BY) == list(GROUPS)
    assert groups(MIXED) == GROUPS["source"]


def test_differences_are_paired() -> None:
    theirs = [
        replace(page, words=WordScores(0, 0, f1))
        for page, f1 in zip(MIXED, (0.8, 0.6, 0.7), strict=True)
    ]
    b, n, everything = differences(MIXED, theirs)
    assert (b.group, b.pages, b.mean) == ("b", 1, pytest.approx(-0.1))
    assert (n.group, n.pages, n.sites, n.mean) == ("n", 2, 1, pytest.approx(0.05))
    assert (n.low, n.high) == pytest.approx((0.05, 0.05))  # one site
    assert (everything.group, everything.mean) == (ALL, pytest.approx(0))
    assert (everything.low, everything.high) == pytest.approx((-0.1, 0.05))


def test_differences_by_kind() -> None:
    assert differences(MIXED, MIXED, BY["kind"])[1] == Difference("forum", 1, 1, 0.0, 0.0, 0.0)


def test_differences_need_the_same_pages() -> None:
    with pytest.raises(ValueError, match="shorter"):
        differences(MIXED, MIXED[:2])


SHARES = st.floats(0, 1)


@settings(database=None, deadline=None)
@given(rows=st.lists(st.tuples(st.sampled_from("abc"), SHARES, SHARES), min_size=1, max_size=12))
def test_differences_change_sign_with_their_sides(rows: list[tuple[str, float, float]]) -> None:
    ours = [page_score(site, f1) for site, f1, _ in rows]
    theirs = [page_score(site, f1) for site, _, f1 in rows]
    one, two = differences(ours, theirs)[-1], differences(theirs, ours)[-1]
    assert one.mean == pytest.approx(-two.mean)
    assert (one.low, one.high) == pytest.approx((-two.high, -two.low))
    assert one.low - 1e-9 <= one.mean <= one.high + 1e-9
