"""Tests of `adapters/sklearn.py` with scikit-learn's own tools: clone, searches, folds by site."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="pip install 'crfclean[sklearn]'")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import crfclean
from crfclean.decision.rules import CutParams
from crfclean.page.blocks import split
from crfclean.products.adapters.sklearn import CrfCleaner
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.train import TrainParams, train
from crfclean.types import CrfcleanError, GoldError, Label, Page

FAST = {"l2": 30.0, "iterations": 20}


@pytest.fixture(scope="module")
def pages(demo_gold: list[GoldPage]) -> list[Page]:
    return [gold.page for gold in demo_gold[:12]]


@pytest.fixture(scope="module")
def golds(demo_gold: list[GoldPage]) -> list[str]:
    return [gold.text for gold in demo_gold[:12]]


@pytest.fixture(scope="module")
def fitted(pages, golds) -> CrfCleaner:
    return CrfCleaner(**FAST).fit(pages, golds)


def texts(model: CrfCleaner, pages: list[object]) -> list[str]:
    return [document.text for document in model.documents(pages)]


def test_it_learns_what_train_learns(pages, golds, fitted: CrfCleaner) -> None:
    annotated = [
        GoldPage(str(at), page, text, "sklearn", str(at))
        for at, (page, text) in enumerate(zip(pages, golds, strict=True))
    ]
    assert fitted.bundle_.weights == train(annotated, TrainParams(**FAST)).weights


def test_it_predicts_labels_marginals_and_texts(pages, fitted: CrfCleaner) -> None:
    labels, marginals = fitted.predict(pages), fitted.predict_marginals(pages)
    blocks = [split(page) for page in pages]
    assert [len(one) for one in labels] == [len(one) for one in blocks]
    assert [one.shape for one in marginals] == [(len(one), 3) for one in blocks]
    assert all(np.allclose(one.sum(axis=1), 1) for one in marginals)
    text = "\n".join(
        block
        for block, label in zip(blocks[0].texts, labels[0], strict=True)
        if label != Label.OTHER
    )
    assert texts(fitted, pages)[0] == text


def test_it_scores_texts_and_labels(pages, golds, fitted: CrfCleaner) -> None:
    assert 0.9 < fitted.score(pages, golds) <= 1
    assert fitted.score(pages, fitted.predict(pages)) == 1


def test_parameters_are_those_of_the_library() -> None:
    told = CrfCleaner().get_params()
    defaults = {**TrainParams.__dataclass_fields__, **CutParams.__dataclass_fields__}
    assert set(told) == set(defaults) - {"held_out", "names"}  # learnt by `tune`, not chosen
    assert all(defaults[name].default == value for name, value in told.items())


def test_it_is_cloned_and_changed(fitted: CrfCleaner) -> None:
    copy = clone(fitted).set_params(rule="threshold", threshold=0.9)
    assert not hasattr(copy, "bundle_")
    assert (copy.l2, copy.threshold) == (30.0, 0.9)
    assert "threshold=0.9" in repr(copy)


def test_the_model_leaves_as_a_folder(pages, fitted: CrfCleaner, tmp_path: Path) -> None:
    fitted.save(tmp_path / "model")
    tagger = crfclean.load(tmp_path / "model")
    found = [document.text for document in crfclean.run_many(pages, tagger)]
    assert found == texts(fitted, pages)


def test_bad_calls_raise(pages, golds) -> None:
    with pytest.raises(NotFittedError):
        CrfCleaner().predict(pages)
    with pytest.raises(GoldError, match="12 pages, but gold for 11"):
        CrfCleaner().fit(pages, golds[:-1])
    with pytest.raises(GoldError, match="page 0: 1 labels, but the page has"):
        CrfCleaner().fit(pages[:1], [[1]])
    with pytest.raises(GoldError, match="page 0: 9 is not a valid Label"):
        CrfCleaner().fit(["<p>Hello</p>"], [[9]])
    with pytest.raises(CrfcleanError, match="no rule"):
        CrfCleaner(**FAST, rule="odd").fit(pages, golds)
    with pytest.raises(CrfcleanError, match="nothing to learn"):
        CrfCleaner().fit(pages[:1], [""])
