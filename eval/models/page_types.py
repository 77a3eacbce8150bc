"""Train a model of page types by logistic regression, and write its folder.

Every page is used twice, with its address and without; the two regressions share no weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from crfclean.model.feature_prints import fingerprints
from crfclean.model.json_model import write_plain
from crfclean.model.layers import softmax
from crfclean.model.page_features import figure_names, of_address, page_row
from crfclean.model.pagetype import PAGE_MODEL, PageModel, logs
from crfclean.page.blocks import split
from crfclean.products.teach.gold import GoldPage
from crfclean.types import CrfcleanError, Floats, check_bounds, option
from eval.lib.weights import numbers

_LEAST_DEVIATION = 0.03  # keeps figures that hardly vary from large inputs
MOST_TYPES = 100
_COUNT_FROM = 1.5  # figures with larger values are counts, not shares


@dataclass(frozen=True, slots=True)
class PageParams:
    """Parameters of the training. Raises `CrfcleanError` for a parameter out of bounds."""

    l2: float = option(0.03, "weight of the squares of all weights, a page")
    steps: int = option(300, "steps of the descent")

    def __post_init__(self) -> None:
        check_bounds(self, {"l2": (1e-6, 1e3), "steps": (1, 100_000)})


@dataclass(frozen=True)
class TypedPage:
    """The figures of a page (figures,), its type, its site, its weight in training."""

    row: Floats
    kind: str
    site: str
    weight: float = 1.0


def typed_pages(pages: Iterable[GoldPage]) -> list[TypedPage]:
    """The figures of all pages that have a type and are not empty."""
    typed = []
    for gold in pages:
        measures = split(gold.page)
        if gold.kind and len(measures):
            typed.append(TypedPage(page_row(measures, gold.page.url), gold.kind, gold.site))
    return typed


def train_page_type(pages: Sequence[TypedPage], params: PageParams = PageParams()) -> PageModel:
    """Train a model of the types that pages have; the same pages give the same model.

    Raises `CrfcleanError` for pages of fewer than two types, or more than `MOST_TYPES`.
    """
    types = tuple(sorted({page.kind for page in pages}))
    if not 2 <= len(types) <= MOST_TYPES:
        raise CrfcleanError(f"pages of 2 to {MOST_TYPES} types are needed, not of {len(types)}")
    names = figure_names()
    rows = np.array([page.row for page in pages])
    log = rows.max(axis=0) > _COUNT_FROM
    mean = logs(rows, log).mean(axis=0)
    deviation = np.maximum(logs(rows, log).std(axis=0), _LEAST_DEVIATION)
    zeros = np.zeros((2, len(names), len(types)))
    model = PageModel(names, types, log, mean, deviation, zeros, zeros[:, 0])
    truth = np.eye(len(types))[[types.index(page.kind) for page in pages]]
    both = [model.inputs(without_address(rows, names)), model.inputs(rows)]
    shares = np.array([page.weight for page in pages])
    shares /= shares.sum()
    weights, bias = zip(*(_descend(inputs, truth, shares, params) for inputs in both), strict=True)
    about = {"parameters": asdict(params)}
    return replace(model, weights=np.array(weights), bias=np.array(bias), about=about)


def without_address(rows: Floats, names: Sequence[str]) -> Floats:
    """Figures (n, figures) of the same pages as if they had no address."""
    rows = rows.copy()
    blank = of_address(None)
    rows[:, [names.index(name) for name in blank]] = list(blank.values())
    return rows


def _descend(
    inputs: Floats, truth: Floats, shares: Floats, params: PageParams
) -> tuple[Floats, Floats]:
    """Minimise cross-entropy with an L2 penalty by Nesterov's accelerated gradient descent.

    `inputs` (n, figures), `truth` (n, types), `shares` (n,) the weights of pages, which sum to 1.
    Returns weights (figures, types) and bias (types,).
    The step size is the inverse of a bound on the curvature, half the largest eigenvalue of the
    inputs' second moments (Böhning 1992).
    """
    wide = np.column_stack([inputs, np.ones(len(inputs))])
    moments = (wide * shares[:, None]).T @ wide
    curvature = 0.5 * float(np.linalg.eigvalsh(moments)[-1]) + params.l2
    penalty = np.full((wide.shape[1], 1), params.l2)
    penalty[-1] = 0.0  # the bias is free
    current: Floats = np.zeros((wide.shape[1], truth.shape[1]))
    ahead = current
    for step in range(params.steps):
        error = (softmax(wide @ ahead) - truth) * shares[:, None]
        following = ahead - (wide.T @ error + penalty * ahead) / curvature
        ahead = following + step / (step + 3.0) * (following - current)
        current = following
    return current[:-1], current[-1]


def save_page_model(model: PageModel, folder: Path) -> None:
    """Write a model folder; equal models give equal bytes. Raises `ModelError`."""
    weights = {
        "log": [int(is_count) for is_count in model.log],
        **{
            name: numbers(getattr(model, name)) for name in ("mean", "deviation", "weights", "bias")
        },
    }
    prints = fingerprints(PAGE_MODEL)
    entries = {
        "types": list(model.types),
        "features": {name: prints.get(name, "") for name in model.names},
    }
    write_plain(folder, PAGE_MODEL, entries, weights, model.about)
