"""Annotated pages of forums -> a `ForumModel`.

The fields' weights are CRFsuite's: chains of one field each are a maximum-entropy classifier
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

from crfclean.forum.bodies import FEATURES, LESS, MORE, Candidate, candidates, table
from crfclean.forum.choose import TAUGHT, labelled
from crfclean.forum.fields import LABELS, Fields, fields
from crfclean.forum.group_evidence import EVIDENCE, evidence
from crfclean.forum.model import ForumModel, Linear
from crfclean.forum.outline import Outline
from crfclean.forum.pairing import UNKNOWN, GoldPost, field_labels, fit_of
from crfclean.forum.records import records
from crfclean.nn.layers import softmax
from crfclean.taggers.crfsuite_file import read_crfsuite
from crfclean.train.examples import fold_of
from crfclean.train.params import ForumParams
from crfclean.types import CrfcleanError, Floats, Ints


@dataclass(frozen=True)
class Lesson:
    """What is learned from a page: its groups with their fit, and the best group's fields."""

    site: str
    page: Outline
    groups: tuple[Candidate, ...]
    fits: Floats
    fields: Fields
    labels: Ints


def lesson(site: str, page: Outline, posts: Sequence[GoldPost]) -> Lesson | None:
    """Prepare an annotated page; None where no group of its elements holds any of the posts."""
    found = candidates(page)
    limit = 4 * len(posts) + 4
    fits = np.array(
        [
            fit_of([page.text(node) for node in one.nodes], posts)
            if len(one.nodes) <= limit
            else 0.0
            for one in found
        ]
    )
    if not len(fits) or not fits.max() > 0:
        return None
    best = found[int(fits.argmax())]
    mine = fields(records(page, np.array(best.nodes)))
    return Lesson(site, page, tuple(found), fits, mine, field_labels(mine, posts))


def learn(lessons: Sequence[Lesson], params: ForumParams = ForumParams()) -> ForumModel:
    """Train on prepared pages; equal ones give equal models. Raises `CrfcleanError` for none."""
    if not lessons:
        raise CrfcleanError("no page with posts to learn from")
    bodies = fit_ranking(
        [table(one.groups) for one in lessons],
        [one.fits for one in lessons],
        params.decay,
        signs=np.array([float(name in MORE) - float(name in LESS) for name in FEATURES]),
    )
    groups = _group_ranking(lessons, bodies, params)
    return ForumModel(bodies, groups, fit_fields(lessons, params))


def _group_ranking(lessons: Sequence[Lesson], bodies: Linear, params: ForumParams) -> Linear:
    """What labelled fields say for a group, by models that have not seen the page's site."""
    values, offsets, fits = [], [], []
    for fold in range(params.inner):
        others = [one for one in lessons if fold_of(one.site, params.inner) != fold]
        held = [one for one in lessons if fold_of(one.site, params.inner) == fold]
        if not others or not held:
            continue
        blank = Linear(np.zeros(7), np.ones(7), np.zeros(7))
        model = ForumModel(bodies, blank, fit_fields(others, params))
        for one in held:
            first = bodies.scores(table(one.groups))
            best = np.argsort(-first, kind="stable")[:TAUGHT]
            told = [evidence(*labelled(one.page, one.groups[place], model)) for place in best]
            values.append(np.array(told))
            offsets.append(first[best])
            fits.append(one.fits[best])
    if not values:
        return Linear(np.zeros(len(EVIDENCE)), np.ones(len(EVIDENCE)), np.zeros(len(EVIDENCE)))
    return fit_ranking(values, fits, params.decay, offsets)


SHARPNESS, STEPS, RATE = 30.0, 600, 0.05


def fit_ranking(
    values: Sequence[Floats],
    fits: Sequence[Floats],
    decay: float,
    offsets: Sequence[Floats] | None = None,
    signs: Floats | None = None,
) -> Linear:
    """Weights under which each page's best-fitting row (n, k) has the highest score.

    `offsets` are scores that the rows have already; `signs` (k,) are 1 for weights that must not
    be negative, -1 for those that must not be positive, else 0. Gradient descent by Adam (Kingma,
    Ba 2015).
    """
    everything = np.concatenate(values)
    mean, scale = everything.mean(0), everything.std(0) + 1e-3
    pages = [np.clip((page - mean) / scale, -4.0, 4.0) for page in values]
    wanted = [softmax(SHARPNESS * fit) for fit in fits]
    given = offsets or [np.zeros(len(page)) for page in pages]
    weights: Floats = np.zeros(len(mean))
    first: Floats = np.zeros(len(mean))
    second: Floats = np.zeros(len(mean))
    for step in range(1, STEPS + 1):
        slope = decay * weights
        for page, target, offset in zip(pages, wanted, given, strict=True):
            slope = slope + page.T @ (softmax(page @ weights + offset) - target) / len(pages)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        rate = RATE * (1.0 - step / (STEPS + 1))
        weights = weights - rate * (first / (1 - 0.9**step)) / (
            np.sqrt(second / (1 - 0.999**step)) + 1e-8
        )
        if signs is not None:
            weights = np.where(weights * signs < 0, 0.0, weights)
    return Linear(mean, scale, weights)


def _shared(lessons: Sequence[Lesson]) -> set[str]:
    """The attributes of two sites or more: what one site alone has are its users' names."""
    sites: dict[str, set[str]] = {}
    for one in lessons:
        for name in set(chain.from_iterable(one.fields.attributes)):
            sites.setdefault(name, set()).add(one.site)
    least = min(2, len({one.site for one in lessons}))
    return {name for name, where in sites.items() if len(where) >= least}


def fit_fields(lessons: Sequence[Lesson], params: ForumParams) -> dict[str, tuple[float, ...]]:
    """The maximum-entropy classifier of fields: attribute -> its weight for each label."""
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
    shared = _shared(lessons)
    for one in lessons:
        for attributes, label in zip(one.fields.attributes, one.labels.tolist(), strict=True):
            if label != UNKNOWN:
                known = [name for name in attributes if name in shared]
                trainer.append(pycrfsuite.ItemSequence([known]), [LABELS[label]])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "weights")
        try:
            trainer.train(str(path))
            weights = read_crfsuite(path.read_bytes())
        except (TypeError, RuntimeError, OSError) as error:  # its own error class is broken
            raise CrfcleanError(f"CRFsuite failed to train: {error}") from error
    order = [weights.labels.index(name) if name in weights.labels else -1 for name in LABELS]
    return {
        name: tuple(float(row[place]) if place >= 0 else 0.0 for place in order)
        for name, row in weights.state.items()
    }
