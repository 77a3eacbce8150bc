"""Repeat the experiments of Sido (2017, chapter 6) on fields of forum posts.

Run `python -m eval.forums.fields --data DIR`.

Macro F1 over NICK, DATE, COMM, NORM on held-out sites, as in the paper: fields stand in their own
group of elements, so that the classifier alone is measured. Separability without NORM (6.1) and
with it (6.2), threshold (6.7), correction (6.9), and the chain (a
CRF over the fields in order) in place of maximum entropy.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pycrfsuite

from crfclean.page.blocks import split
from crfclean.products.forum.choose import LabelledGroup, corrected_by_template
from crfclean.products.forum.fields import FIELD_LABELS, NORM, ForumFields
from crfclean.products.forum.model import ForumModel, Linear
from crfclean.products.forum.outline import outline
from crfclean.products.teach.train import fold_of
from eval.forums.steps import macro_f1
from eval.forums.training import (
    UNKNOWN,
    ForumExample,
    ForumParams,
    fit_fields,
    forum_example,
    read_posts,
)
from eval.lib.corpora import SKIPPED, data_parser
from eval.lib.record import environment, record

SET = "web-forum-52-dev"
FOLDS = 3
NONE = Linear(np.zeros(1), np.ones(1), np.zeros(1))
Table = npt.NDArray[np.int64]
Classifier = Callable[[Sequence[ForumExample]], Callable[[ForumFields], npt.NDArray[np.float64]]]


def by_entropy(params: ForumParams) -> Classifier:
    """Maximum entropy with these parameters."""

    def train(lessons: Sequence[ForumExample]) -> Callable[[ForumFields], npt.NDArray[np.float64]]:
        return ForumModel(NONE, NONE, fit_fields(lessons, params)).label

    return train


def by_chain(lessons: Sequence[ForumExample]) -> Callable[[ForumFields], npt.NDArray[np.float64]]:
    """A linear-chain CRF over the fields in order, with the same attributes and parameters."""
    trainer = pycrfsuite.Trainer(verbose=False)
    params = ForumParams()
    options = {"c1": params.l1, "c2": params.l2, "feature.minfreq": params.threshold}
    trainer.set_params({**options, "max_iterations": params.iterations})
    for page in lessons:
        pairs = [
            (list(row), FIELD_LABELS[label])
            for row, label in zip(page.fields.attributes, page.labels.tolist(), strict=True)
            if label != UNKNOWN
        ]
        rows, labels = zip(*pairs, strict=True)
        trainer.append(pycrfsuite.ItemSequence(list(rows)), list(labels))
    tagger = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "weights"))
        trainer.train(path)
        tagger.open_inmemory(Path(path).read_bytes())

    def label(page_fields: ForumFields) -> npt.NDArray[np.float64]:
        tagger.set(pycrfsuite.ItemSequence([list(row) for row in page_fields.attributes]))
        places = range(len(page_fields))
        return np.array([[tagger.marginal(name, at) for name in FIELD_LABELS] for at in places])

    return label


def tables(lessons: Sequence[ForumExample], train: Classifier) -> tuple[Table, Table]:
    """Confusion matrices of held-out sites: by the classifier alone, and corrected by site."""
    alone, right = np.zeros((4, 4), np.int64), np.zeros((4, 4), np.int64)
    for fold in range(FOLDS):
        label = train([page for page in lessons if fold_of(page.site, FOLDS) != fold])
        held = [page for page in lessons if fold_of(page.site, FOLDS) == fold]
        for site in sorted({page.site for page in held}):
            site_pages = [page for page in held if page.site == site]
            labelled = [
                LabelledGroup("", page.fields, label(page.fields), 0.0) for page in site_pages
            ]
            for page, uncorrected, site_own in zip(
                site_pages, labelled, corrected_by_template(labelled), strict=True
            ):
                labelled_fields = page.labels != UNKNOWN
                for table, probabilities in ((alone, uncorrected.probabilities), (right, site_own)):
                    np.add.at(
                        table,
                        (page.labels[labelled_fields], probabilities[labelled_fields].argmax(1)),
                        1,
                    )
    return alone, right


def without_norm(lessons: Sequence[ForumExample]) -> list[ForumExample]:
    """The lessons with the annotated fields alone."""
    return [
        replace(page, labels=np.where(page.labels == NORM, UNKNOWN, page.labels))
        for page in lessons
    ]


def runs_of(
    lessons: Sequence[ForumExample],
) -> dict[str, tuple[Sequence[ForumExample], Classifier]]:
    """Name of each experiment -> its lessons and what learns from them."""
    params = ForumParams(iterations=50)
    plain = by_entropy(params)
    runs: dict[str, tuple[Sequence[ForumExample], Classifier]] = {
        "all (6.2)": (lessons, plain),
        "without NORM (6.1)": (without_norm(lessons), plain),
        "chain": (lessons, by_chain),
    }
    for threshold in (0, 10, 30, 60):
        classifier = by_entropy(replace(params, threshold=threshold))
        runs[f"threshold {threshold} (6.7)"] = (lessons, classifier)
    return runs


def result_of(lessons: Sequence[ForumExample], train: Classifier) -> dict[str, Any]:
    """What is recorded of an experiment."""
    start = time.process_time()
    alone, right = tables(lessons, train)
    return {
        "macro_f1": round(macro_f1(alone), 4),
        "corrected": round(macro_f1(right), 4),
        "seconds": round(time.process_time() - start, 1),
        "matrix": alone.tolist(),
    }


def main() -> None:
    args = data_parser(__doc__).parse_args()
    path = Path(args.data, f"{SET}.jsonl.xz")
    if not path.is_file():
        raise SystemExit(SKIPPED)
    examples = (
        forum_example(page.site, outline(split(page.page)), page.posts) for page in read_posts(path)
    )
    lessons = [example for example in examples if example is not None]
    results = {}
    for name, (run_lessons, train) in runs_of(lessons).items():
        results[name] = result = result_of(run_lessons, train)
        score = f"{result['macro_f1']:.4f}  corrected (6.9) {result['corrected']:.4f}"
        print(f"{name:26} {score}  {result['seconds']} s", flush=True)
    fields_of = list(chain.from_iterable(page_lesson.labels.tolist() for page_lesson in lessons))
    counts = {name: fields_of.count(at) for at, name in enumerate(FIELD_LABELS)}
    about = {"fields": counts, "folds": FOLDS, **environment()}
    record("forums/fields", {"runs": results, **about})


if __name__ == "__main__":
    main()
