"""Train a CRF on annotated pages with CRFsuite."""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pycrfsuite

from crfclean.decision.rules import CutParams
from crfclean.features.columns import FIRST_PASS_NAMES, columns_of_table, first_pass_columns
from crfclean.features.table import FEATURES
from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.binning import MAX_BINS, MAX_REACH, Encoder, fit_edges, windows_for
from crfclean.modelfiles.folder import Bundle, find_model, load_bundle
from crfclean.nn.mlp import Network
from crfclean.nn.params import NetworkParams
from crfclean.taggers.crf import read_crfsuite
from crfclean.taggers.learned import PARAMETER
from crfclean.train.examples import (
    Example,
    Progress,
    first_passes,
    lessons_of,
    no_progress,
)
from crfclean.train.params import ALGORITHMS, TrainParams
from crfclean.types import Bools, CrfcleanError, Label, ModelError, check_bounds

__all__ = ["train"]

NEIGHBOUR_FEATURES: tuple[str, ...] = (
    "link_density",
    "words",
    "ends_sentence",
    "container_p",
    "div_group_rank",
    "sentence_length",
    "in_list",
    "container_heading",
    "punct_share",
    "capitalised_share",
    "links",
    "container_li",
    "is_repeat",
    "begins_sentence",
    "white_share",
    "page_share",
)
"""Features that a block also reads from its neighbours."""

_REGULARISED = {"lbfgs": ("c1", "c2"), "l2sgd": ("c2",)}


def train(
    pages: Iterable[GoldPage],
    params: TrainParams = TrainParams(),
    cut: CutParams = CutParams(),
    network: NetworkParams = NetworkParams(),
    progress: Progress = no_progress,
) -> Bundle:
    """Train a CRF on annotated pages; equal pages and parameters give equal bytes.

    Raises `CrfcleanError` if the pages hold no block, or only one label.
    """
    examples, about = lessons_of(pages, params.elements, progress)
    bundle = replace(fit(examples, params, cut, network, progress), **about)
    return replace(bundle, pages=bundle.pages | pages_of_base(params.base))


def fit(
    examples: Sequence[Example],
    params: TrainParams = TrainParams(),
    cut: CutParams = CutParams(),
    network: NetworkParams = NetworkParams(),
    progress: Progress = no_progress,
) -> Bundle:
    """Train a CRF on examples, as in `train`.

    With networks, the CRF learns from their out-of-fold probabilities, by site.
    Raises `CrfcleanError`, or `ModelError` for a base without networks.
    """
    check_params(params)
    check_examples(examples)
    evidence = _evidence(examples, params, network, progress)
    names = evidence.names
    edges, common = fit_edges(np.concatenate(evidence.columns).astype(np.float32), params.bins)
    encoder = Encoder(names, edges, common, windows_for(names, evidence.wide, params.reach))
    weights = _crfsuite(evidence.columns, examples, encoder, params, progress)
    parameters = asdict(params) | {"base": Path(params.base).name}
    # without networks of its own, a model's probabilities are those of the CRF alone
    parameters |= asdict(network) if params.networks else {PARAMETER: 0.0}
    return Bundle(
        *("crf", encoder, weights, evidence.network, params.elements, parameters, asdict(cut))
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """Training data of the CRF: the columns (n, features) of each page.

    Columns in `wide` are also read from neighbours.
    """

    names: tuple[str, ...]
    wide: tuple[str, ...]
    columns: Sequence[npt.NDArray[np.floating]]
    network: Network | None = None


def _evidence(
    examples: Sequence[Example], params: TrainParams, network: NetworkParams, progress: Progress
) -> Evidence:
    if params.base:
        return _from_base(examples, find_network(params.base))
    if not params.networks:
        table = [example.columns for example in examples]
        return Evidence(tuple(FEATURES), NEIGHBOUR_FEATURES, table)
    first, passes = first_passes(examples, params.networks, network, progress)
    pairs = zip(examples, passes, strict=True)
    columns = [first_pass_columns(example.frame, marginals) for example, marginals in pairs]
    return Evidence(FIRST_PASS_NAMES, ("pass_heading",), columns, first)


def _from_base(examples: Sequence[Example], network: Network) -> Evidence:
    """Compute the table's features, and first-pass columns by another model's networks.

    Stacking is not needed, because these networks have not seen the pages.
    """
    table_names = tuple(FEATURES)
    names = (*FIRST_PASS_NAMES, *table_names)
    columns = [
        columns_of_table(example.columns, table_names, example.frame, names, network)
        for example in examples
    ]
    return Evidence(names, NEIGHBOUR_FEATURES, columns, network)


def find_network(model: str) -> Network:
    """Load the networks of a model; raises `ModelError` if it has none."""
    folder = find_model(model)
    network = load_bundle(folder).network
    if network is None:
        raise ModelError(f"{folder}: has no networks to start from")
    return network


def pages_of_base(model: str) -> frozenset[bytes]:
    """Return digests of the training pages of a base's networks; raises `ModelError`."""
    return load_bundle(find_model(model)).pages if model else frozenset()


_BOUNDS = {
    "l1": (0.0, math.inf),
    "l2": (0.0, math.inf),
    "iterations": (1, math.inf),
    "min_freq": (0.0, math.inf),
    "bins": (1, MAX_BINS),
    "reach": (0, MAX_REACH),
    "held_out": (0.0, 1.0),
    "networks": (0, 100),
    PARAMETER: (0, 1),
}


def check_params(params: TrainParams) -> None:
    """Raise `CrfcleanError` for parameters out of bounds, or that exclude each other."""
    check_bounds(params, _BOUNDS)
    if params.base and params.networks:
        raise CrfcleanError("networks of its own and those of a base exclude each other")


def check_examples(examples: Sequence[Example]) -> None:
    """Raise `CrfcleanError` if there is no block to learn from, or only one label."""
    if not any(example.certain.any() for example in examples):
        raise CrfcleanError("no block to train on: the pages are empty")
    labels = np.unique(np.concatenate([example.labels[example.certain] for example in examples]))
    if len(labels) < 2:
        raise CrfcleanError(f"every block is {Label(labels[0]).name}: nothing to learn")


class _Trainer(pycrfsuite.BaseTrainer):
    """CRFsuite's trainer, which reports its iterations."""

    progress: Progress = staticmethod(no_progress)

    def message(self, text: str) -> None:
        if text.startswith("***** "):
            self.progress("iteration", 1)


def _crfsuite(
    columns: Sequence[npt.NDArray[np.floating]],
    examples: Sequence[Example],
    encoder: Encoder,
    params: TrainParams,
    progress: Progress,
) -> bytes:
    """Train, and return CRFsuite's model file; raises `CrfcleanError`."""
    trainer = _Trainer()
    trainer.progress = progress
    _set_parameters(trainer, params)
    names = list(Label.__members__)
    for page, example in zip(columns, examples, strict=True):
        attributes, gold = encoder.encode(page), [names[label] for label in example.labels]
        for run in _runs(example.certain):
            trainer.append(pycrfsuite.ItemSequence(attributes[run]), gold[run])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "weights")
        try:
            # CRFsuite shuffles the pages by the C library's `rand`
            ctypes.CDLL("ucrtbase" if os.name == "nt" else None).srand(1)
            trainer.train(str(path))
            weights = path.read_bytes()
        except (TypeError, RuntimeError, OSError) as error:  # CRFsuite's own error class is broken
            raise CrfcleanError(f"CRFsuite failed to train: {error}") from error
    if not weights:
        raise CrfcleanError("CRFsuite failed to train: it wrote an empty model")
    learned = list(read_crfsuite(weights).state.values())
    if not learned or not np.isfinite(learned).all():
        raise CrfcleanError("CRFsuite failed to train: no weights, or none that are numbers")
    return weights


def _runs(certain: Bools) -> list[slice]:
    """Return the runs of blocks without doubt: a sequence ends where a block trains nothing."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], certain, [False]])))
    return [slice(*pair) for pair in ends.reshape(-1, 2).tolist()]


def _set_parameters(trainer: _Trainer, params: TrainParams) -> None:
    if params.algorithm not in ALGORITHMS:
        raise CrfcleanError(f"no algorithm {params.algorithm!r}; there are {', '.join(ALGORITHMS)}")
    values = {"c1": params.l1, "c2": params.l2}
    trainer.select(params.algorithm)
    trainer.set("max_iterations", str(params.iterations))
    trainer.set("feature.minfreq", str(params.min_freq))
    for name in _REGULARISED[params.algorithm]:
        trainer.set(name, str(values[name]))


def split_sites(pages: Sequence[GoldPage], share: float) -> tuple[list[GoldPage], list[GoldPage]]:
    """Split pages into training and held-out ones by site, repeatably.

    Sites are held out in the order of a digest of their names, up to this share of the pages. At
    least one site is on each side. Pages of a single site are split by page.
    """
    by_page = len({gold.site for gold in pages}) < 2
    keys = [gold.id if by_page else gold.site for gold in pages]
    order = sorted(set(keys), key=lambda key: hashlib.sha256(key.encode()).hexdigest())
    counts = Counter(keys)
    held: set[str] = set()
    taken = 0
    for key in order[:-1] if share > 0 else ():
        if not held or taken + counts[key] <= share * len(pages):
            held.add(key)
            taken += counts[key]
    training = [gold for gold, key in zip(pages, keys, strict=True) if key not in held]
    return training, [gold for gold, key in zip(pages, keys, strict=True) if key in held]
