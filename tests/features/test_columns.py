"""Tests of `features/columns.py`: the columns of a model, the same in training and in tagging."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crfclean.features.columns import (
    FIRST_PASS_NAMES,
    SECOND_PASS_NAMES,
    Passes,
    check_names,
    columns,
    columns_of_table,
    first_pass_columns,
    joined_inputs,
)
from crfclean.features.table import FEATURES, matrix
from crfclean.gold.pages import GoldPage
from crfclean.nn.fit import fit_network
from crfclean.nn.layers import Layer, by_logarithms
from crfclean.nn.mlp import Network
from crfclean.nn.params import NetworkParams
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.train.examples import Example, first_pass_page, make_example
from crfclean.types import ModelError, Page

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


def page_of(html: str = HTML) -> Measures:
    return split(Page(html))


# names


@pytest.mark.parametrize("name", ["colour", "pass[3]", "", "words[+1]"])
def test_unknown_name(name: str) -> None:
    with pytest.raises(ModelError, match="no feature"):
        check_names(["words", name])


# columns


def test_columns_stand_in_the_order_of_the_names() -> None:
    page, network = page_of(), linear("link_density", "words")
    names = ("pass", "words", "pass_page", "link_density", "pass[-1]")
    whole = dict(
        zip(FIRST_PASS_NAMES, columns(page, FIRST_PASS_NAMES, Passes(network)).T, strict=True)
    )
    whole |= dict(zip(SOME, matrix(page, SOME).T, strict=True))
    expected = np.column_stack([whole[name] for name in names])
    assert columns(page, names, Passes(network)) == pytest.approx(expected, abs=1e-6)


# training and tagging


def test_tagging_sees_what_training_saw(
    demo_gold: list[GoldPage], examples: list[Example], network: Network
) -> None:
    known, names = tuple(FEATURES), (*FIRST_PASS_NAMES, *FEATURES)
    for gold, one in zip(demo_gold[::4], examples, strict=True):
        trained = columns_of_table(one.columns, known, one.frame, names, Passes(network))
        tagged = columns(split(gold.page), names, Passes(network))
        assert np.array_equal(trained.astype(np.float32), tagged.astype(np.float32)), gold.id


# a second pass


@pytest.fixture(scope="module")
def passes(examples: list[Example], network: Network) -> Passes:
    """The networks above, and a second one over the table and what they say."""
    pages = [
        replace(
            first_pass_page(one, TINY),
            columns=joined_inputs(one.columns, first_pass_columns(one.frame, network(one.columns))),
        )
        for one in examples
    ]
    return Passes(network, fit_network((*FEATURES, *FIRST_PASS_NAMES), pages, TINY.design))


def test_a_second_pass_reads_the_table_and_the_first(
    passes: Passes, examples: list[Example]
) -> None:
    known, names = tuple(FEATURES), (*FIRST_PASS_NAMES, *SECOND_PASS_NAMES)
    assert passes.first is not None
    assert passes.second is not None
    for one in examples:
        first = first_pass_columns(one.frame, passes.first(one.columns))
        expected = passes.second(np.concatenate([one.columns, first.astype(np.float32)], axis=1))
        made = columns_of_table(one.columns, known, one.frame, names, passes)
        assert made[:, : len(FIRST_PASS_NAMES)].tolist() == first.tolist()
        assert made[:, len(FIRST_PASS_NAMES) :].tolist() == expected.tolist()
        assert not np.allclose(expected, passes.first(one.columns))


def test_a_second_pass_sees_in_tagging_what_it_saw_in_training(
    demo_gold: list[GoldPage], examples: list[Example], passes: Passes
) -> None:
    known, names = tuple(FEATURES), (*FIRST_PASS_NAMES, *SECOND_PASS_NAMES)
    for gold, one in zip(demo_gold[::4], examples, strict=True):
        trained = columns_of_table(one.columns, known, one.frame, names, passes)
        tagged = columns(split(gold.page), names, passes)
        assert np.array_equal(trained, tagged), gold.id


def test_columns_of_a_second_pass_need_its_network(network: Network) -> None:
    with pytest.raises(ModelError, match="second pass"):
        columns(page_of(), SECOND_PASS_NAMES, Passes(network))
