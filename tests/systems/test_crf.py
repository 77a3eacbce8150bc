"""Tests of taggers: the contract that every tagger keeps, and what the CRF adds to it."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
import pytest
from taggerpages import PAGES, tag_page

from crfclean.core.labels import pooled
from crfclean.decision.rules import CutParams
from crfclean.model.columns import matrix
from crfclean.model.folder import load_bundle
from crfclean.page.blocks import split
from crfclean.systems.crf import CrfTagger, from_bundle
from crfclean.systems.load import load
from crfclean.systems.open_model import PARAMETER
from crfclean.types import Blocks, Label, Page, Tagger
from crfclean.types.choices import RULES

TAGGERS = {"model": "crf", "based": "crf", "perceptron": "mlp"}
"""The fixture with a model folder -> its kind of tagger."""


@pytest.fixture(params=TAGGERS)
def folder(request: pytest.FixtureRequest) -> Path:
    found: Path = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def any_tagger(folder: Path) -> Tagger:
    """The tagger of a folder, without a post-analysis: its labels are those of its rule."""
    return opened(folder)


@cache
def opened(folder: Path) -> Tagger:
    """The folders of the session's models do not change: one tagger serves many tests."""
    tagger = load(folder)
    return replace(tagger, post=None) if hasattr(tagger, "post") else tagger  # type: ignore[type-var]


def with_rule(tagger: Tagger, rule: str, threshold: float = 0.5, precision: float = 0.9) -> Tagger:
    params = CutParams(rule, threshold, precision=precision)
    changed: Tagger = tagger.with_cut(params)  # type: ignore[attr-defined]
    return changed


@cache
def blocks_of(name: str) -> Blocks:
    return split(Page(PAGES[name]))


# the contract


@pytest.mark.parametrize("rule", RULES)
def test_one_label_a_block(any_tagger: Tagger, rule: str) -> None:
    cut_tagger = with_rule(any_tagger, rule)
    for name in PAGES:
        blocks = blocks_of(name)
        tags = cut_tagger.tag(blocks)
        assert tags.labels.shape == (len(blocks),), name
        assert tags.marginals.shape == (len(blocks), 3), name
        assert set(tags.labels.tolist()) <= set(Label), name


def test_tagger_crosses_processes_by_its_folder(folder: Path) -> None:
    tagger = load(folder)
    tag_page(tagger, PAGES["article"])
    assert len(pickle.dumps(tagger)) < 1_000


# explanations


@pytest.mark.parametrize("most", [1, 3, 1_000])
def test_every_block_has_reasons(tagger: CrfTagger, demo_gold: list[Any], most: int) -> None:
    blocks = split(demo_gold[0].page)
    told = tagger.explain(blocks, most)
    assert len(told) == len(blocks)
    assert all(0 < len(reasons) <= most for reasons in told)
    for reasons in told:
        weights = [abs(reason.weight) for reason in reasons]
        assert weights == sorted(weights, reverse=True)


def test_reasons_add_up_to_the_scores(tagger: CrfTagger, demo_gold: list[Any]) -> None:
    blocks = split(demo_gold[0].page)
    columns = matrix(blocks)
    scores = tagger.scores(columns)
    likelier = tagger.predict(columns)[:, : Label.OTHER].argmax(1)
    sums = [sum(one.weight for one in told) for told in tagger.explain(blocks, 1_000)]
    rows = np.arange(len(blocks))
    assert sums == pytest.approx(scores[rows, likelier] - scores[:, Label.OTHER])


# the CRF


def crfsuite(tagger: CrfTagger, blocks: Blocks) -> np.ndarray:
    """The marginals of python-crfsuite itself."""
    encoder = tagger.bundle.encoder
    engine = pycrfsuite.Tagger()
    engine.open_inmemory(tagger.bundle.weights)
    attributes = encoder.encode(tagger.columns(blocks)[:, : len(encoder.names)])
    engine.set(pycrfsuite.ItemSequence(attributes))
    rows = [[engine.marginal(label.name, i) for label in Label] for i in range(len(blocks))]
    return np.array(rows)


def first_pass_of(tagger: CrfTagger, columns: np.ndarray) -> np.ndarray:
    """The probabilities of the first pass, whose weight in the pool is 1."""
    parameters = {**tagger.bundle.parameters, PARAMETER: 1.0}
    bundle = replace(tagger.bundle, parameters=parameters)
    return CrfTagger(tagger.folder, tagger.cut, bundle).predict(columns)


@pytest.mark.parametrize("whose", ["trained", "shipped"])
def test_marginals_are_those_of_crfsuite(
    tagger: CrfTagger, demo_gold: list[Any], whose: str
) -> None:
    compared = load("default") if whose == "shipped" else tagger
    assert isinstance(compared, CrfTagger)
    for gold in demo_gold:
        blocks = split(gold.page)
        expected = crfsuite(compared, blocks)
        columns = compared.columns(blocks)
        found = compared.predict(columns)
        if weight := compared.network_weight:
            expected = pooled(expected, others=first_pass_of(compared, columns), weight=weight)
        assert found == pytest.approx(expected, abs=1e-5 if weight else 1e-9), gold.id


# networks


@pytest.fixture(scope="module", params=["networked", "based"])
def over_networks(request: pytest.FixtureRequest) -> CrfTagger:
    opened = load(request.getfixturevalue(request.param))
    assert isinstance(opened, CrfTagger)
    assert opened.bundle.network is not None
    return opened


def test_networks_decide_with_the_crf(over_networks: CrfTagger, demo_gold: list[Any]) -> None:
    """The same CRF over networks that take text for the rest says another thing."""
    network = over_networks.bundle.network
    assert network is not None
    turned = tuple(
        (*layers, last._replace(weights=last.weights[:, [0, 2, 1]], bias=last.bias[[0, 2, 1]]))
        for *layers, last in network.members
    )
    bundle = replace(over_networks.bundle, network=replace(network, members=turned))
    other = CrfTagger(over_networks.folder, over_networks.cut, bundle)
    blocks = split(demo_gold[0].page)
    assert not np.allclose(over_networks.tag(blocks).marginals, other.tag(blocks).marginals)


# the pool of two opinions: the CRF's and that of the first pass

CHAIN = np.array([[0.0, 0.9, 0.1], [0.2, 0.2, 0.6], [1 / 3, 1 / 3, 1 / 3]])
OPINION = np.array([[0.1, 0.1, 0.8], [0.2, 0.2, 0.6], [0.0, 0.75, 0.25]])


def test_a_pool_lies_between_its_opinions() -> None:
    both = pooled(CHAIN, others=OPINION, weight=0.5)
    assert both.sum(1) == pytest.approx(1.0)
    assert both[1] == pytest.approx(CHAIN[1])  # where they agree
    assert both[2, 1] / both[2, 2] == pytest.approx(3**0.5)  # the root of the product of the odds
    assert 0.1 < both[0, 2] < 0.8


def test_certain_opinions_are_pooled_without_dividing_by_nothing() -> None:
    certain = np.eye(3)
    both = pooled(certain, others=certain[::-1], weight=0.5)
    assert np.isfinite(both).all()
    assert both[0, 0] == pytest.approx(both[0, 2])
    assert pooled(np.zeros((0, 3)), others=np.zeros((0, 3)), weight=0.5).shape == (0, 3)


def with_weight(tagger: CrfTagger, weight: float) -> CrfTagger:
    bundle = replace(tagger.bundle, parameters={**tagger.bundle.parameters, PARAMETER: weight})
    return CrfTagger(tagger.folder, tagger.cut, bundle)


def test_taggers_pool_as_their_manifest_says(networked: Path, demo_gold: list[Any]) -> None:
    tagger = from_bundle(networked, load_bundle(networked))
    assert tagger.network_weight == tagger.bundle.parameters["first_pass"]
    page = split(demo_gold[0].page)
    chain, network = (with_weight(tagger, weight).marginals(page) for weight in (0.0, 1.0))
    expected = pooled(chain, others=network, weight=tagger.network_weight)
    assert tagger.marginals(page) == pytest.approx(expected, abs=1e-5)
    assert tagger.predict(tagger.columns(page)) == pytest.approx(expected, abs=1e-5)
    assert not np.allclose(chain, network)
