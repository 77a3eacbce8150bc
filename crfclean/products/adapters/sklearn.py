"""Clean pages in scikit-learn's pipelines, and learn to clean them (extra `sklearn`).

scikit-learn requires that `__init__` lists every parameter and sets it unchanged on the estimator.
In a pipeline, every step gets the target of the last one. So the step that cleans by a model is
another class than the estimator that learns from gold: it must not take classes for gold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from crfclean.decision.rules import CutParams, Kinds
from crfclean.model.folder import Bundle, save_bundle
from crfclean.page.blocks import SplitParams, split
from crfclean.pipeline import CleanOptions, run
from crfclean.products.adapters.adapter import page_of_value
from crfclean.products.corpus.many import run_many
from crfclean.products.teach.gold import GoldPage, labels_text
from crfclean.products.teach.metrics import word_scores
from crfclean.products.teach.train import TrainParams, train
from crfclean.systems.crf import from_bundle
from crfclean.types import CommentMode, Document, GoldError, Label, Tagger
from crfclean.types.choices import AUTO, Convention

__all__ = ["CrfCleaner", "CrfLearner"]

Gold: TypeAlias = str | Sequence[int]
"""A page's hand-cleaned text, or the number of a `Label` for each of its blocks."""

_Arrays: TypeAlias = npt.NDArray[np.object_]
_TRAIN, _CUT = TrainParams(), CutParams()
_Params = TypeVar("_Params", TrainParams, CutParams)


DOCUMENTS = "documents"
"""The output that is no format: the documents themselves."""


def _of_pages(tags: Any, *, requires_fit: bool) -> Any:
    """Tell scikit-learn that `X` is a list of pages, and no array of numbers."""
    tags.input_tags.one_d_array, tags.input_tags.two_d_array = True, False
    tags.input_tags.string = True
    tags.requires_fit = requires_fit
    return tags


class CrfCleaner(TransformerMixin, BaseEstimator):
    """Cleans pages by a model, as the first step of a pipeline; it learns nothing.

    `X` is a list of pages (str, bytes or `Page`). `model`, `as_` and the like are those of
    `crfclean.extract`. `output` is the name of an output format, or "documents" for `Document`s.
    `workers` is the number of processes.
    """

    def __init__(  # noqa: PLR0913
        self,
        *,
        model: str | Path | Tagger = "default",
        as_: Convention = AUTO,
        keep: Kinds | None = None,
        also: Kinds | None = None,
        without: Kinds | None = None,
        precision: float | None = None,
        threshold: float | None = None,
        within: str | None = None,
        drop: str | None = None,
        comments: CommentMode | None = None,
        output: str = "txt",
        workers: int = 1,
    ) -> None:
        self.model, self.as_, self.keep = model, as_, keep
        self.also, self.without = also, without
        self.precision, self.threshold = precision, threshold
        self.within, self.drop, self.comments = within, drop, comments
        self.output, self.workers = output, workers

    def fit(self, X: Sequence[object], y: object = None) -> CrfCleaner:  # noqa: ARG002, N803
        """Check the parameters, and learn nothing.

        Raises `CrfcleanError` for wrong parameters, `ModelError` for a bad model.
        """
        self._many([])
        return self

    def transform(self, X: Sequence[object]) -> _Arrays:  # noqa: N803
        """Clean each page: texts or documents, (pages,); a bad page gives an empty one."""
        return _ragged(list(self._many(X)))

    def _many(self, values: Sequence[object]) -> Iterator[Any]:
        options: Any = {name: getattr(self, name) for name in CleanOptions.__annotations__}
        form: Any = None if self.output == DOCUMENTS else self.output
        pages = map(page_of_value, values)
        return run_many(pages, self.model, self.workers, format=form, **options)

    def __sklearn_tags__(self) -> Any:
        return _of_pages(super().__sklearn_tags__(), requires_fit=False)


class CrfLearner(TransformerMixin, BaseEstimator):
    """A CRF that learns to clean pages; `X` is a list of pages (str, bytes or `Page`).

    The parameters are those of `TrainParams` and `CutParams` of the same names. Split by site
    (`GroupKFold`): pages of one site are very similar.
    """

    def __init__(  # noqa: PLR0913
        self,
        *,
        algorithm: str = _TRAIN.algorithm,
        l1: float = _TRAIN.l1,
        l2: float = _TRAIN.l2,
        iterations: int = _TRAIN.iterations,
        min_freq: float = _TRAIN.min_freq,
        bins: int = _TRAIN.bins,
        reach: int = _TRAIN.reach,
        networks: int = _TRAIN.networks,
        first_pass: float = _TRAIN.first_pass,
        base: str = _TRAIN.base,
        elements: tuple[str, ...] = _TRAIN.elements,
        features: tuple[str, ...] = _TRAIN.features,
        rule: str = _CUT.rule,
        threshold: float = _CUT.threshold,
        precision: float = _CUT.precision,
        convention: str = _CUT.convention,
        keep: tuple[str, ...] = _CUT.keep,
        also: tuple[str, ...] = _CUT.also,
        without: tuple[str, ...] = _CUT.without,
        within: str = _CUT.within,
        drop: str = _CUT.drop,
    ) -> None:
        self.algorithm, self.l1, self.l2 = algorithm, l1, l2
        self.iterations, self.min_freq = iterations, min_freq
        self.bins, self.reach, self.networks, self.base = bins, reach, networks, base
        self.first_pass, self.elements, self.features = first_pass, elements, features
        self.rule, self.threshold = rule, threshold
        self.precision, self.convention, self.keep = precision, convention, keep
        self.also, self.without = also, without
        self.within, self.drop = within, drop

    def fit(self, X: Sequence[object], y: Sequence[Gold]) -> CrfLearner:  # noqa: N803
        """Train on pages and their gold.

        Raises `GoldError` if gold does not fit its page, `CrfcleanError` if there is nothing to
        learn from.
        """
        self.bundle_: Bundle = train(self._gold(X, y), self._params(_TRAIN), self._params(_CUT))
        return self

    def predict(self, X: Sequence[object]) -> _Arrays:  # noqa: N803
        """Return the labels of each page's blocks: an array of arrays (n,) of `Label` numbers."""
        return _ragged([document.tags.labels for document in self.documents(X)])

    def predict_marginals(self, X: Sequence[object]) -> _Arrays:  # noqa: N803
        """Return the probabilities of each page's blocks: an array of arrays (n, 3), by `Label`."""
        return _ragged([document.tags.marginals for document in self.documents(X)])

    def transform(self, X: Sequence[object]) -> _Arrays:  # noqa: N803
        """Return the text of each page, (pages,)."""
        return _ragged([document.text for document in self.documents(X)])

    def documents(self, X: Sequence[object]) -> list[Document]:  # noqa: N803
        """Clean each page by the current cut parameters; a bad page gives an empty document."""
        check_is_fitted(self)
        tagger = from_bundle(Path("fitted"), self.bundle_).with_cut(self._params(_CUT))
        return [run(page_of_value(page), tagger, carried=False) for page in X]

    def score(self, X: Sequence[object], y: Sequence[Gold]) -> float:  # noqa: N803
        """Mean F1 on words of the pages' texts, 0..1."""
        pairs = zip(self.documents(X), self._gold(X, y), strict=True)
        return float(np.mean([word_scores(page.text, gold.text).f1 for page, gold in pairs]))

    def save(self, folder: str | Path) -> None:
        """Write the model as a folder, for `crfclean.load` and `crfclean clean --model`."""
        check_is_fitted(self)
        save_bundle(self.bundle_, Path(folder))

    def __sklearn_tags__(self) -> Any:
        return _of_pages(super().__sklearn_tags__(), requires_fit=True)

    def _params(self, defaults: _Params) -> _Params:
        names = [field.name for field in fields(defaults) if hasattr(self, field.name)]
        values: dict[str, Any] = {name: getattr(self, name) for name in names}
        tuples: dict[str, Any] = {
            name: tuple(value) for name, value in values.items() if isinstance(value, list)
        }
        return replace(defaults, **{**values, **tuples})

    def _gold(self, pages: Sequence[object], golds: Sequence[Gold]) -> list[GoldPage]:
        if len(pages) != len(golds):
            raise GoldError(f"{len(pages)} pages, but gold for {len(golds)}")
        params = SplitParams(tuple(self.elements))
        rows = enumerate(zip(pages, golds, strict=True))
        return [_gold_page(f"page {at}", page, gold, params) for at, (page, gold) in rows]


def _gold_page(name: str, value: object, gold: Gold, params: SplitParams) -> GoldPage:
    """Make a page with gold, which is its text, or a label for each of its blocks."""
    page = page_of_value(value)
    if isinstance(gold, str):
        return GoldPage(name, page, gold, "sklearn", name)
    texts = split(page, params).texts
    if len(gold) != len(texts):
        raise GoldError(f"{name}: {len(gold)} labels, but the page has {len(texts)} blocks")
    try:
        labels = tuple((Label(int(label)), text) for label, text in zip(gold, texts, strict=True))
    except (ValueError, TypeError) as error:
        raise GoldError(f"{name}: {error}; labels are the numbers of {list(Label)}") from error
    return GoldPage(name, page, labels_text(labels), "sklearn", name, labels=labels)


def _ragged(values: Sequence[Any]) -> _Arrays:
    """Put texts, or arrays of any lengths, into an array that scikit-learn can index and join."""
    ragged = np.empty(len(values), np.object_)
    for row, value in enumerate(values):
        ragged[row] = value
    return ragged
