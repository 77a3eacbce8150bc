"""Tests of `adapters/sklearn.py` with scikit-learn's own tools: checks, pipelines, clone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="pip install 'crfclean[sklearn]'")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import crfclean
from crfclean.decision.rules import CutParams
from crfclean.page.blocks import split
from crfclean.products.adapters.sklearn import CrfCleaner, CrfLearner
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.train import TrainParams, train
from crfclean.types import CrfcleanError, Document, GoldError, Label, ModelError, Page

FAST: dict[str, Any] = {"l2": 30.0, "iterations": 20}


@pytest.fixture(scope="module")
def pages(demo_gold: list[GoldPage]) -> list[Page]:
    return [gold.page for gold in demo_gold[:12]]


@pytest.fixture(scope="module")
def golds(demo_gold: list[GoldPage]) -> list[str]:
    return [gold.text for gold in demo_gold[:12]]


@pytest.fixture(scope="module")
def fitted(pages: list[Page], golds: list[str]) -> CrfLearner:
    return CrfLearner(**FAST).fit(pages, golds)


def texts(model: CrfLearner, pages: list[Page]) -> list[str]:
    return [document.text for document in model.documents(pages)]


def test_it_learns_what_train_learns(
    pages: list[Page], golds: list[str], fitted: CrfLearner
) -> None:
    annotated = [
        GoldPage(str(at), page, text, "sklearn", str(at))
        for at, (page, text) in enumerate(zip(pages, golds, strict=True))
    ]
    assert fitted.bundle_.weights == train(annotated, TrainParams(**FAST)).weights


def test_it_predicts_labels_marginals_and_texts(pages: list[Page], fitted: CrfLearner) -> None:
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


def test_it_scores_texts_and_labels(
    pages: list[Page], golds: list[str], fitted: CrfLearner
) -> None:
    assert 0.9 < fitted.score(pages, golds) <= 1
    labels: Any = fitted.predict(pages)
    assert fitted.score(pages, labels) == 1


def test_parameters_are_those_of_the_library() -> None:
    told = CrfLearner().get_params()
    defaults = {**TrainParams.__dataclass_fields__, **CutParams.__dataclass_fields__}
    assert set(told) == set(defaults) - {"held_out", "names"}  # learnt by `tune`, not chosen
    assert all(defaults[name].default == value for name, value in told.items())


def test_it_is_cloned_and_changed(fitted: CrfLearner) -> None:
    copy = clone(fitted).set_params(rule="threshold", threshold=0.9)
    assert not hasattr(copy, "bundle_")
    assert (copy.l2, copy.threshold) == (30.0, 0.9)
    assert "threshold=0.9" in repr(copy)


def test_the_model_leaves_as_a_folder(
    pages: list[Page], fitted: CrfLearner, tmp_path: Path
) -> None:
    fitted.save(tmp_path / "model")
    tagger = crfclean.load(tmp_path / "model")
    found = [document.text for document in crfclean.run_many(pages, tagger)]
    assert found == texts(fitted, pages)


def test_bad_calls_raise(pages: list[Page], golds: list[str]) -> None:
    with pytest.raises(NotFittedError):
        CrfLearner().predict(pages)
    with pytest.raises(GoldError, match="12 pages, but gold for 11"):
        CrfLearner().fit(pages, golds[:-1])
    with pytest.raises(GoldError, match="page 0: 1 labels, but the page has"):
        CrfLearner().fit(pages[:1], [[1]])
    with pytest.raises(GoldError, match="page 0: 9 is not a valid Label"):
        CrfLearner().fit(["<p>Hello</p>"], [[9]])
    with pytest.raises(CrfcleanError, match="no rule"):
        CrfLearner(**FAST, rule="odd").fit(pages, golds)
    with pytest.raises(CrfcleanError, match="nothing to learn"):
        CrfLearner().fit(pages[:1], [""])


# the first step of a pipeline


def classes(pages: list[Page]) -> list[str]:
    return [str(page.url or len(page.html) % 2) for page in pages]


def test_it_is_the_first_step_of_a_pipeline(pages: list[Page]) -> None:
    """Every step gets the classes, which are no gold texts."""
    model = make_pipeline(CrfCleaner(), TfidfVectorizer(), LogisticRegression())
    model.fit(pages, classes(pages))
    assert len(model.predict(pages)) == len(pages)
    raw = [page.html.encode() for page in pages]
    assert list(model[0].transform(raw)) == [crfclean.extract(page) for page in raw]


def test_the_step_takes_what_extract_takes(pages: list[Page]) -> None:
    step = CrfCleaner(as_="body", output="md", workers=2)
    expected = [crfclean.extract(page, as_="body", format="md") for page in pages]
    assert list(step.fit_transform(pages)) == expected
    assert CrfCleaner(model="links").transform(["", None, 7]).tolist() == ["", "", ""]
    (document,) = CrfCleaner(output="documents").transform(pages[:1])
    assert isinstance(document, Document)
    with pytest.raises(CrfcleanError, match="no format 'odd'"):
        CrfCleaner(output="odd").fit(pages)
    with pytest.raises(ModelError, match="no shipped model"):
        CrfCleaner(model="odd").fit(pages)


def test_a_trained_learner_is_a_frozen_step(pages: list[Page], fitted: CrfLearner) -> None:
    model = make_pipeline(FrozenEstimator(fitted), TfidfVectorizer(), LogisticRegression())
    model.fit(pages, classes(pages))
    assert list(model[0].transform(pages)) == texts(fitted, pages)


# scikit-learn's own checks

CHECKS = """
    estimator_repr no_attributes_set_in_init estimator_tags_renamed valid_tag_types mixin_order
    do_not_raise_errors_in_init_or_set_params parameters_default_constructible
    get_params_invariance set_params estimators_unfitted
""".split()
"""The checks of `check_estimator` that need no data. All others fit arrays of numbers, as they do
with scikit-learn's own steps that read texts: a page is no row of numbers."""


@pytest.mark.parametrize("kind", [CrfCleaner, CrfLearner])
def test_scikit_learn_checks_what_applies(kind: type) -> None:
    with pytest.warns(SkipTestWarning, match="requires input"):
        done = estimator_checks.check_estimator(kind())
    assert {result["status"] for result in done} == {"passed"}
    for name in CHECKS:
        getattr(estimator_checks, f"check_{name}")(kind.__name__, kind())
