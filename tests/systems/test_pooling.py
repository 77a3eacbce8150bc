"""Tests of the pool of two opinions: the CRF's and that of the first pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crfclean.core.labels import pooled
from crfclean.model.folder import load_bundle
from crfclean.page.blocks import split
from crfclean.systems.crf import PARAMETER, CrfTagger, from_bundle
from crfclean.teach.gold import GoldPage
from crfclean.teach.train import TrainParams

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


def test_taggers_pool_as_their_manifest_says(networked: Path, demo_gold: list[GoldPage]) -> None:
    tagger = from_bundle(networked, load_bundle(networked))
    assert tagger.network_weight == TrainParams().first_pass
    page = split(demo_gold[0].page)
    chain, network = (with_weight(tagger, weight).marginals(page) for weight in (0.0, 1.0))
    expected = pooled(chain, others=network, weight=tagger.network_weight)
    assert tagger.marginals(page) == pytest.approx(expected, abs=1e-5)
    assert tagger.predict(tagger.columns(page)) == pytest.approx(expected, abs=1e-5)
    assert not np.allclose(chain, network)
