"""Tests of `teach/train.py`: examples, folds of sites, and stacking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crfclean.model.columns import FEATURES
from crfclean.model.network_files import labels_to_bytes
from crfclean.model.networks import Network
from crfclean.products.teach import train as examples_module
from crfclean.products.teach.fit import TrainingPage, fit_network
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.network_params import NetworkParams
from crfclean.products.teach.train import (
    FEATURE_GROUPS,
    Example,
    first_pass_page,
    first_passes,
    fold_of,
    make_example,
    no_progress,
)
from crfclean.types import GoldError, Label, Page

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


def test_blocks_in_doubt_tell_nothing() -> None:
    doubtful = replace(gold_page(), optional="Advertisement")
    one = make_example(doubtful)
    assert one.certain.tolist() == [True, True, False]
    assert one.informative.tolist() == [False, True, False]
    assert first_pass_page(one, NetworkParams()).weights[[0, 2]].tolist() == [0.0, 0.0]


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


# out-of-fold probabilities

TINY = NetworkParams(first_units=4, second_units=3, epochs=1)
EMPTY = GoldPage("empty", Page("<p></p>"), "", "set", "empty")


@pytest.fixture(scope="module")
def examples(demo_gold: list[GoldPage]) -> list[Example]:
    """Two pages of each of six sites."""
    return [make_example(gold) for gold in demo_gold[::2]]


@pytest.fixture
def taught(monkeypatch: pytest.MonkeyPatch) -> list[list[TrainingPage]]:
    """The training pages of each network, in order of training."""
    caught: list[list[TrainingPage]] = []
    fit = fit_network

    def watched(names: Any, training_pages: Sequence[TrainingPage], *rest: Any) -> Network:
        caught.append(list(training_pages))
        return fit(names, training_pages, *rest)

    monkeypatch.setattr(examples_module, "fit_network", watched)
    return caught


def passes(examples: Sequence[Example], members: int = 1) -> tuple[Network, list[np.ndarray]]:
    return first_passes(examples, members, TINY, no_progress)


def of_one_site(examples: Sequence[Example]) -> list[Example]:
    return [replace(one, site="one.example") for one in examples]


def pages_of(training_pages: Sequence[TrainingPage], examples: Sequence[Example]) -> list[int]:
    """The indices of the examples of these training pages."""
    known = {id(one.columns): place for place, one in enumerate(examples)}
    return sorted(known[id(one.columns)] for one in training_pages)


def test_pages_are_judged_by_networks_that_do_not_know_their_site(
    examples: list[Example], taught: list[list[TrainingPage]]
) -> None:
    _, found = passes(examples)
    *folds, whole = [pages_of(training_pages, examples) for training_pages in taught]
    assert whole == list(range(len(examples))), "the last one learns from all"
    left_out = [set(whole) - set(learned) for learned in folds]
    assert sorted(place for fold in left_out for place in fold) == whole, "each page once"
    for fold, learned in zip(left_out, folds, strict=True):
        assert not {examples[place].site for place in fold} & {
            examples[place].site for place in learned
        }
    networks = [
        fit_network(tuple(FEATURES), one, TINY.design, (1,), FEATURE_GROUPS) for one in taught[:-1]
    ]
    for fold, network in zip(left_out, networks, strict=True):
        for place in fold:
            assert np.array_equal(found[place], network(examples[place].columns))


@pytest.mark.parametrize("places", [(0,), (1, 3), (0, 1, 5, 6, 7)])
def test_pages_without_blocks_are_left_out(
    examples: list[Example], taught: list[list[TrainingPage]], places: tuple[int, ...]
) -> None:
    """Also where the filled pages alone would fall into one fold by their place."""
    filled = of_one_site(examples)[:3]
    pages = list(filled)
    for place in places:
        pages.insert(place, make_example(EMPTY))
    network, found = passes(pages)
    alone, expected = passes(filled)
    assert labels_to_bytes(network) == labels_to_bytes(alone)
    assert [len(one) for one in found] == [len(one) for one in pages]
    kept = [one for one in found if len(one)]
    assert all(np.array_equal(one, other) for one, other in zip(kept, expected, strict=True))
    assert all(len(one.labels) for training_pages in taught for one in training_pages)
