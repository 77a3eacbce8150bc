"""Tests of `evaluate/result.py`: means, intervals and paired differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.evaluate.metrics import WordScores
from crfclean.evaluate.result import (
    ALL,
    BY,
    Row,
    differences,
    groups,
    interval,
    means_by_group,
)
from crfclean.evaluate.runner import PageScore

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


# intervals


def test_interval_is_near_that_of_the_normal_distribution() -> None:
    values = np.random.default_rng(5).normal(0.5, 0.1, 400)
    low, high = interval(values, [str(number) for number in range(400)])
    half = 1.96 * values.std() / 20
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=half / 5)


def test_groups_are_drawn_whole() -> None:
    low, high = interval(np.array([1.0] * 9 + [0.0]), ["a"] * 9 + ["b"])
    assert (low, high) == (0.0, 1.0)
    low, high = interval(np.array([1.0, 0.0, 1.0, 0.0]), ["a", "a", "b", "b"])
    assert (low, high) == (0.5, 0.5)


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
