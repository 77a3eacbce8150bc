"""Annotated pages -> a `Bundle`: features, labels, CRFsuite's training."""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pycrfsuite

from crfclean.features import first_pass as firstpass
from crfclean.features.columns import of_table
from crfclean.features.table import FEATURES
from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.binning import MAX_BINS, MAX_REACH, Encoder, fit_edges, windows_for
from crfclean.modelfiles.folder import Bundle, find_model, load_bundle
from crfclean.nn.mlp import Network
from crfclean.nn.network_params import NetworkParams
from crfclean.taggers.crfsuite_file import read_crfsuite
from crfclean.taggers.params import CutParams
from crfclean.train.examples import Example, example
from crfclean.train.params import ALGORITHMS, TrainParams
from crfclean.train.stacking import first_passes
from crfclean.types import CrfcleanError, Ints, Label, ModelError, check_bounds

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
"""The features that a block is also told of its neighbours."""

_REGULARISED = {"lbfgs": ("c1", "c2"), "l2sgd": ("c2",)}


Progress = Callable[[str, int], None]
"""Told (what, how many more) while training goes on: ("page", 1), ("iteration", 1)."""


def no_progress(what: str, more: int) -> None:
    """Say nothing."""


def train(
    pages: Iterable[GoldPage],
    params: TrainParams = TrainParams(),
    cut: CutParams = CutParams(),
    network: NetworkParams = NetworkParams(),
    progress: Progress = no_progress,
) -> Bundle:
    """Train a CRF on annotated pages; equal pages and parameters give equal bytes.

    Raises `CrfcleanError` where the pages hold no block, or only one label.
    """
    examples, sets = [], Counter[str]()
    for gold in pages:
        examples.append(example(gold, params.elements))
        sets[gold.source] += 1
        progress("page", 1)
    return replace(
        fit(examples, params, cut, network, progress),
        sets=[{"name": name, "pages": count} for name, count in sets.items()],
    )


def fit(
    examples: Sequence[Example],
    params: TrainParams = TrainParams(),
    cut: CutParams = CutParams(),
    network: NetworkParams = NetworkParams(),
    progress: Progress = no_progress,
) -> Bundle:
    """Examples -> a `Bundle`; see `train`.

    With networks, the CRF sees what they say of a page when they have not learned from its site.
    Raises `CrfcleanError`, or `ModelError` for a base without networks.
    """
    check_params(params)
    check_examples(examples)
    seen = _evidence(examples, params, network, progress)
    edges, common = fit_edges(np.concatenate(seen.columns).astype(np.float32), params.bins)
    encoder = Encoder(seen.names, edges, common, windows_for(seen.names, seen.wide, params.reach))
    labels = [one.labels for one in examples]
    weights = _crfsuite(seen.columns, labels, encoder, params, progress)
    told = _told(params, network)
    return Bundle("crf", encoder, weights, seen.network, params.elements, told, asdict(cut))


def _told(params: TrainParams, network: NetworkParams) -> dict[str, Any]:
    """The parameters for the manifest; of a base, its name without the way to it."""
    told = asdict(params) | {"base": Path(params.base).name}
    return told | asdict(network) if params.networks else told


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the CRF learns from: columns (n, features) of each page, those with neighbours."""

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
        columns = [one.columns for one in examples]
        return Evidence(tuple(FEATURES), NEIGHBOUR_FEATURES, columns)
    first, passes = first_passes(examples, params.networks, network, progress)
    pairs = zip(examples, passes, strict=True)
    made = [firstpass.columns(one.frame, found) for one, found in pairs]
    return Evidence(firstpass.NAMES, ("pass_heading",), made, first)


def _from_base(examples: Sequence[Example], network: Network) -> Evidence:
    """The table's features, and what another model's networks say: they have not seen the pages."""
    known = tuple(FEATURES)
    names = (*firstpass.NAMES, *known)
    made = [of_table(one.columns, known, one.frame, names, network) for one in examples]
    return Evidence(names, NEIGHBOUR_FEATURES, made, network)


def find_network(model: str) -> Network:
    """The networks of a model; raises `ModelError` where it has none."""
    folder = find_model(model)
    network = load_bundle(folder).network
    if network is None:
        raise ModelError(f"{folder}: has no networks to start from")
    return network


_BOUNDS = {
    "l1": (0.0, math.inf),
    "l2": (0.0, math.inf),
    "iterations": (1, math.inf),
    "min_freq": (0.0, math.inf),
    "bins": (1, MAX_BINS),
    "reach": (0, MAX_REACH),
    "held_out": (0.0, 1.0),
    "networks": (0, 100),
}


def check_params(params: TrainParams) -> None:
    """Raise `CrfcleanError` for parameters out of bounds, or that exclude each other."""
    check_bounds(params, _BOUNDS)
    if params.base and params.networks:
        raise CrfcleanError("networks of its own and those of a base exclude each other")


def check_examples(examples: Sequence[Example]) -> None:
    """Raise `CrfcleanError` where there is no block to learn from, or only one label."""
    if not any(len(one.labels) for one in examples):
        raise CrfcleanError("no block to train on: the pages are empty")
    labels = np.unique(np.concatenate([one.labels for one in examples]))
    if len(labels) < 2:
        raise CrfcleanError(f"every block is {Label(labels[0]).name}: nothing to learn")


class _Trainer(pycrfsuite.BaseTrainer):
    """CRFsuite's trainer, telling its iterations."""

    progress: Progress = staticmethod(no_progress)

    def message(self, text: str) -> None:
        if text.startswith("***** "):
            self.progress("iteration", 1)


def _crfsuite(
    columns: Sequence[npt.NDArray[np.floating]],
    labels: Sequence[Ints],
    encoder: Encoder,
    params: TrainParams,
    progress: Progress,
) -> bytes:
    """Train; gives the bytes of CRFsuite's model file. Raises `CrfcleanError`."""
    trainer = _Trainer()
    trainer.progress = progress
    _set_parameters(trainer, params)
    names = list(Label.__members__)
    for page, wanted in zip(columns, labels, strict=True):
        if len(wanted):
            sequence = pycrfsuite.ItemSequence(encoder.encode(page))
            trainer.append(sequence, [names[label] for label in wanted])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "weights")
        try:
            _seed()
            trainer.train(str(path))
            weights = path.read_bytes()
        except (TypeError, RuntimeError, OSError) as error:  # its own error class is broken
            raise CrfcleanError(f"CRFsuite failed to train: {error}") from error
    if not weights:
        raise CrfcleanError("CRFsuite failed to train: it wrote an empty model")
    learned = list(read_crfsuite(weights).state.values())
    if not learned or not np.isfinite(learned).all():
        raise CrfcleanError("CRFsuite failed to train: no weights, or none that are numbers")
    return weights


def _seed() -> None:
    """Begin the C library's `rand` anew: CRFsuite shuffles the pages by it."""
    ctypes.CDLL("ucrtbase" if os.name == "nt" else None).srand(1)


def _set_parameters(trainer: _Trainer, params: TrainParams) -> None:
    if params.algorithm not in ALGORITHMS:
        raise CrfcleanError(f"no algorithm {params.algorithm!r}; there are {', '.join(ALGORITHMS)}")
    values = {"c1": params.l1, "c2": params.l2}
    trainer.select(params.algorithm)
    trainer.set("max_iterations", str(params.iterations))
    trainer.set("feature.minfreq", str(params.min_freq))
    for name in _REGULARISED.get(params.algorithm, ()):
        trainer.set(name, str(values[name]))


def split_sites(pages: Sequence[GoldPage], share: float) -> tuple[list[GoldPage], list[GoldPage]]:
    """Part pages into training and held-out ones by site, the same way every time.

    Sites are taken in the order of a digest of their names until a share of the pages is held
    out; at least one site stays on each side. Of a single site, pages are parted instead.
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
