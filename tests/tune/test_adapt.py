"""Tests of `tune/adapt.py`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crfclean import Tagger
from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.folder import load_bundle
from crfclean.page.blocks import split
from crfclean.taggers.load import load
from crfclean.taggers.pooling import PARAMETER
from crfclean.train.crf import no_progress
from crfclean.tune.adapt import (
    WEIGHTS,
    adaptation,
    adapted,
    errors_of,
    tagger_of,
    weighted,
)
from crfclean.tune.pages import TunedPage, read_pages, scores
from crfclean.types import Label, ModelError


@pytest.fixture(scope="module")
def pages(demo_gold: list[GoldPage]) -> list[TunedPage]:
    return read_pages(demo_gold[:4], load())


def test_every_page_is_scored_by_a_model_that_has_not_seen_it(
    pages: list[TunedPage], networked: Path
) -> None:
    counted: list[str] = []
    new = adaptation(pages, str(networked), lambda stage, steps: counted.append(stage))
    assert new is not None
    assert len(new.f1) == len(pages) == len(counted)
    assert new.weight in WEIGHTS
    assert min(new.f1) > 0.5


def test_pages_of_several_sites_need_more_evidence(pages: list[TunedPage]) -> None:
    of_sites = [replace(page, site=site) for page, site in zip(pages, "aaab", strict=True)]
    assert errors_of(of_sites[:3]) < errors_of(of_sites)


def test_the_adapted_model_has_the_weight(pages: list[TunedPage], networked: Path) -> None:
    bundle = adapted(pages, str(networked), 0.5)
    assert bundle.parameters[PARAMETER] == 0.5
    alone: Tagger = tagger_of(weighted(bundle, 0.0))
    assert len(bundle.pages) >= len(pages)
    assert min(scores(pages, tagger_of(bundle))) > 0.5
    assert min(scores(pages, alone)) > 0.5


def test_pages_of_one_label_teach_no_model(pages: list[TunedPage], networked: Path) -> None:
    def all_text(page: TunedPage) -> TunedPage:
        texts = split(page.gold.page).texts
        labels = tuple((Label.TEXT, text) for text in texts)
        return replace(page, gold=replace(page.gold, labels=labels))

    assert adaptation([all_text(page) for page in pages], str(networked), no_progress) is None


def test_a_base_without_networks_is_refused(pages: list[TunedPage], model: Path) -> None:
    assert load_bundle(model).network is None
    with pytest.raises(ModelError, match="no networks"):
        adapted(pages, str(model), 0.0)
