"""Tests of `model/columns.py`: the columns of a model, the same in training and in tagging."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.model.columns import FEATURES, matrix, singles
from crfclean.model.first_pass import FIRST_PASS_NAMES, check_names, columns_of_table, frame
from crfclean.model.layers import Layer, by_logarithms
from crfclean.model.networks import Network
from crfclean.page.blocks import split
from crfclean.products.teach.fit import fit_network
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.network_params import NetworkParams
from crfclean.products.teach.train import Example, first_pass_page, make_example
from crfclean.types import Blocks, ModelError, Page

HTML = "<h1>Ferry returns</h1><p>It sails again from Monday on.</p><div><a href='/'>Home</a></div>"
SOME = ("words", "link_density", "chars")
TINY = NetworkParams(first_units=6, second_units=4, epochs=2)


@pytest.fixture(scope="module")
def examples(demo_gold: list[GoldPage]) -> list[Example]:
    return [make_example(gold) for gold in demo_gold[::4]]


@pytest.fixture(scope="module")
def network(examples: list[Example]) -> Network:
    """Networks over the whole table."""
    return fit_network(
        tuple(FEATURES), [first_pass_page(one, TINY) for one in examples], TINY.design
    )


def linear(*names: str) -> Network:
    """One layer: HEADER by the first feature, OTHER by the others' sum."""
    weights = np.zeros((len(names), 3), np.float32)
    weights[0, 0], weights[1:, 2] = 1.0, 1.0
    scaling = by_logarithms([np.random.default_rng(0).random((9, len(names)))])
    return Network(names, scaling, ((Layer(weights, np.zeros(3, np.float32), "linear"),),))


def page_of(html: str = HTML) -> Blocks:
    return split(Page(html))


def columns(page: Blocks, names: tuple[str, ...], network: Network) -> np.ndarray:
    """The columns of a page whose table has the features in another order."""
    known = tuple(FEATURES)[::-1]
    return columns_of_table(singles(page, known), known, frame(page), names, network)


# names


@pytest.mark.parametrize("name", ["colour", "pass[3]", "", "words[+1]"])
def test_unknown_name(name: str) -> None:
    with pytest.raises(ModelError, match="no feature"):
        check_names(["words", name])


# columns


def test_columns_stand_in_the_order_of_the_names() -> None:
    page, network = page_of(), linear("link_density", "words")
    names = ("pass", "words", "pass_page", "link_density", "pass[-1]")
    whole = dict(zip(FIRST_PASS_NAMES, columns(page, FIRST_PASS_NAMES, network).T, strict=True))
    whole |= dict(zip(SOME, matrix(page, SOME).T, strict=True))
    expected = np.column_stack([whole[name] for name in names])
    assert columns(page, names, network) == pytest.approx(expected, abs=1e-6)


# training and tagging


def test_tagging_sees_what_training_saw(
    demo_gold: list[GoldPage], examples: list[Example], network: Network
) -> None:
    known, names = tuple(FEATURES), (*FIRST_PASS_NAMES, *FEATURES)
    for gold, one in zip(demo_gold[::4], examples, strict=True):
        trained = columns_of_table(one.columns, known, one.frame, names, network)
        tagged = columns(split(gold.page), names, network)
        assert np.array_equal(trained.astype(np.float32), tagged.astype(np.float32)), gold.id
