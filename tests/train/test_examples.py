"""Tests of `train/examples.py`: what training needs of a page, and the folds of sites."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from crfclean.features.table import FEATURES, matrix
from crfclean.features.zones import coarse_kinds
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.train.examples import fold_of, make_example
from crfclean.types import CoarseKind, GoldError, Label, Page

HTML = "<h1>Ferry returns</h1><p>It sails again from Monday.</p><div>Advertisement</div>"
GOLD = "Ferry returns\nIt sails again from Monday."


def gold_page(html: str = HTML, text: str = GOLD, site: str = "s") -> GoldPage:
    return GoldPage("p", Page(html), text, "set", site)


def test_example_has_a_row_a_block() -> None:
    one = make_example(gold_page())
    assert one.columns.shape == (3, len(FEATURES))
    assert one.labels.tolist() == [Label.HEADER, Label.TEXT, Label.OTHER]
    assert one.columns[:, list(FEATURES).index("words")].tolist() == [2, 5, 1]


def test_labels_of_all_blocks_serve_some_elements_by_their_text() -> None:
    labels = ((Label.HEADER, "Ferry returns"), (Label.TEXT, GOLD.splitlines()[1]))
    gold = replace(gold_page(), labels=(*labels, (Label.OTHER, "Advertisement")))
    assert make_example(gold).labels.tolist() == [Label.HEADER, Label.TEXT, Label.OTHER]
    assert make_example(gold, ("p", "div")).labels.tolist() == [Label.TEXT, Label.OTHER]


def test_example_needs_labels_that_fit() -> None:
    wrong = replace(gold_page(), labels=((Label.TEXT, "another text"),))
    with pytest.raises(GoldError, match="line 1"):
        make_example(wrong)


def test_columns_are_those_of_the_whole_table_in_single_precision(
    demo_gold: list[GoldPage],
) -> None:
    for gold in demo_gold[::8]:
        one = make_example(gold)
        assert one.columns.dtype == np.float32
        expected = matrix(split(gold.page)).astype(np.float32)
        assert np.array_equal(one.columns, expected)
        assert len(one) == len(one.labels) == len(one.informative) == len(one.frame.words)
        assert one.site == gold.site


def test_main_headings_tell_nothing(demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold:
        found = coarse_kinds(split(gold.page))
        assert make_example(gold).informative.tolist() == (found != CoarseKind.TITLE).tolist()
        assert (found == CoarseKind.TITLE).sum() <= 1
    assert not all(make_example(gold).informative.all() for gold in demo_gold)


# folds


def test_folds_depend_on_the_name_alone() -> None:
    names = [f"site-{number}.example" for number in range(1_000)]
    folds = [fold_of(name, 5) for name in names]
    assert folds == [fold_of(name, 5) for name in names]
    counts = Counter(folds)
    assert set(counts) == set(range(5))
    assert all(150 < count < 250 for count in counts.values())
    assert fold_of("", 3) in range(3)
    assert fold_of("any", 1) == 0
