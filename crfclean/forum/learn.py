"""Training of a forum model on annotated pages.

CRFsuite fits the weights of the fields: chains of length one are a maximum-entropy classifier
(Berger et al. 1996). The two rankings maximise the likelihood of the best groups of each page
(listwise softmax: Cao et al. 2007).
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import pycrfsuite

from crfclean.forum.bodies import (
    BODY_FEATURES,
    LOWERING,
    RAISING,
    BodyGroup,
    body_groups,
    feature_rows,
)
from crfclean.forum.choose import MAX_TRAINED, label_group
from crfclean.forum.gold import UNKNOWN, GoldPost, field_labels, fit_of
from crfclean.forum.model import ForumModel, Linear
from crfclean.forum.outline import Outline
from crfclean.forum.records import EVIDENCE, LABELS, ForumFields, evidence, fields, records
from crfclean.nn.layers import softmax
from crfclean.taggers.crf import read_crfsuite
from crfclean.train.examples import fold_of
from crfclean.train.params import ForumParams
from crfclean.types import CrfcleanError, Floats, Ints


@dataclass(frozen=True)
class ForumExample:
    """A page to train on: its groups with their fit, and the labelled fields of the best group."""

    site: str
    page: Outline
    groups: tuple[BodyGroup, ...]
    fits: Floats
    fields: ForumFields
    labels: Ints


def forum_example(site: str, page: Outline, posts: Sequence[GoldPost]) -> ForumExample | None:
    """Prepare an annotated page; None if none of its groups holds a post."""
    groups = body_groups(page)
    limit = 4 * len(posts) + 4
    fits = np.array(
        [
            fit_of([page.text(node) for node in group.nodes], posts)
            if len(group.nodes) <= limit
            else 0.0
            for group in groups
        ]
    )
    if not len(fits) or not fits.max() > 0:
        return None
    best = groups[int(fits.argmax())]
    page_fields = fields(records(page, np.array(best.nodes)))
    return ForumExample(
        site, page, tuple(groups), fits, page_fields, field_labels(page_fields, posts)
    )


def learn(examples: Sequence[ForumExample], params: ForumParams = ForumParams()) -> ForumModel:
    """Train on prepared pages, deterministically; raises `CrfcleanError` if there are none."""
    if not examples:
        raise CrfcleanError("no page with posts to learn from")
    bodies = fit_ranking(
        [feature_rows(example.groups) for example in examples],
        [example.fits for example in examples],
        params.decay,
        signs=np.array(
            [float(name in RAISING) - float(name in LOWERING) for name in BODY_FEATURES]
        ),
    )
    groups = _group_ranking(examples, bodies, params)
    return ForumModel(bodies, groups, fit_fields(examples, params))


def _group_ranking(examples: Sequence[ForumExample], bodies: Linear, params: ForumParams) -> Linear:
    """Fit the weights of `EVIDENCE` on out-of-fold labels: folds are by site."""
    values, offsets, fits = [], [], []
    for fold in range(params.inner):
        others = [example for example in examples if fold_of(example.site, params.inner) != fold]
        held = [example for example in examples if fold_of(example.site, params.inner) == fold]
        if not others or not held:
            continue
        blank = Linear(np.zeros(7), np.ones(7), np.zeros(7))
        model = ForumModel(bodies, blank, fit_fields(others, params))
        for example in held:
            scores = bodies.scores(feature_rows(example.groups))
            best = np.argsort(-scores, kind="stable")[:MAX_TRAINED]
            rows = [
                evidence(*label_group(example.page, example.groups[place], model)) for place in best
            ]
            values.append(np.array(rows))
            offsets.append(scores[best])
            fits.append(example.fits[best])
    if not values:
        return Linear(np.zeros(len(EVIDENCE)), np.ones(len(EVIDENCE)), np.zeros(len(EVIDENCE)))
    return fit_ranking(values, fits, params.decay, offsets)


_SHARPNESS, _STEPS, _RATE = 30.0, 600, 0.05


def fit_ranking(
    values: Sequence[Floats],
    fits: Sequence[Floats],
    decay: float,
    offsets: Sequence[Floats] | None = None,
    signs: Floats | None = None,
) -> Linear:
    """Fit weights that give each page's best-fitting row (n, k) the highest score.

    `offsets` are added to the scores; `signs` (k,) are 1 for weights that must not be negative, -1
    for those that must not be positive, else 0. Gradient descent by Adam (Kingma, Ba 2015).
    """
    all_rows = np.concatenate(values)
    mean, scale = all_rows.mean(0), all_rows.std(0) + 1e-3
    pages = [np.clip((page - mean) / scale, -4.0, 4.0) for page in values]
    targets = [softmax(_SHARPNESS * fit) for fit in fits]
    row_offsets = offsets or [np.zeros(len(page)) for page in pages]
    weights: Floats = np.zeros(len(mean))
    first: Floats = np.zeros(len(mean))
    second: Floats = np.zeros(len(mean))
    for step in range(1, _STEPS + 1):
        slope = decay * weights
        for page, target, offset in zip(pages, targets, row_offsets, strict=True):
            slope = slope + page.T @ (softmax(page @ weights + offset) - target) / len(pages)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        rate = _RATE * (1.0 - step / (_STEPS + 1))
        weights = weights - rate * (first / (1 - 0.9**step)) / (
            np.sqrt(second / (1 - 0.999**step)) + 1e-8
        )
        if signs is not None:
            weights = np.where(weights * signs < 0, 0.0, weights)
    return Linear(mean, scale, weights)


def _shared(examples: Sequence[ForumExample]) -> set[str]:
    """Attributes that two or more sites have; others are mostly names of one site's users."""
    sites: dict[str, set[str]] = {}
    for example in examples:
        for name in set(chain.from_iterable(example.fields.attributes)):
            sites.setdefault(name, set()).add(example.site)
    least = min(2, len({example.site for example in examples}))
    return {name for name, names_sites in sites.items() if len(names_sites) >= least}


def fit_fields(
    examples: Sequence[ForumExample], params: ForumParams
) -> dict[str, tuple[float, ...]]:
    """Fit the maximum-entropy classifier of fields; return each attribute's weights by label."""
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.select("lbfgs")
    trainer.set_params(
        {
            "c1": params.l1,
            "c2": params.l2,
            "feature.minfreq": params.threshold,
            "max_iterations": params.iterations,
        }
    )
    shared = _shared(examples)
    for example in examples:
        for attributes, label in zip(
            example.fields.attributes, example.labels.tolist(), strict=True
        ):
            if label != UNKNOWN:
                kept = [name for name in attributes if name in shared]
                trainer.append(pycrfsuite.ItemSequence([kept]), [LABELS[label]])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "weights")
        try:
            trainer.train(str(path))
            weights = read_crfsuite(path.read_bytes())
        except (TypeError, RuntimeError, OSError) as error:  # its own class is broken
            raise CrfcleanError(f"CRFsuite failed to train: {error}") from error
    order = [weights.labels.index(name) if name in weights.labels else -1 for name in LABELS]
    return {
        name: tuple(float(row[place]) if place >= 0 else 0.0 for place in order)
        for name, row in weights.state.items()
    }
