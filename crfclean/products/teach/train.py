"""Train a CRF or a perceptron on annotated pages."""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pycrfsuite

from crfclean.decision.rules import CutParams
from crfclean.model.coarse_kinds import coarse_kinds
from crfclean.model.columns import FEATURES, GROUPS, singles
from crfclean.model.encoder import MAX_BINS, MAX_REACH, Encoder, fit_edges, windows_for
from crfclean.model.first_pass import (
    FIRST_PASS_NAMES,
    Frame,
    check_added,
    columns_of_table,
    first_pass_columns,
    frame,
)
from crfclean.model.folder import Bundle, find_model, load_bundle
from crfclean.model.inputs import NEIGHBOUR_STEPS, TEXTTRACTOR, input_names, with_neighbours
from crfclean.model.network_files import scores_to_bytes
from crfclean.model.networks import Network
from crfclean.model.page_digests import page_digest
from crfclean.page.blocks import SplitParams, split
from crfclean.products.teach.fit import TrainingPage, block_weights, fit_network
from crfclean.products.teach.gold import GoldPage, gold_labels
from crfclean.products.teach.network_params import RECIPES, NetworkParams, Recipe
from crfclean.systems.crfsuite_file import read_crfsuite
from crfclean.systems.open_model import PARAMETER
from crfclean.types import (
    Bools,
    CoarseKind,
    CrfcleanError,
    Floats,
    Ints,
    Label,
    ModelError,
    check_bounds,
    option,
)

ALGORITHMS = ("lbfgs", "l2sgd")


@dataclass(frozen=True, slots=True)
class TrainParams:
    """Parameters for training a CRF; cross-validation chose the defaults.

    `algorithm` is one of `ALGORITHMS` of CRFsuite, `l1` (L-BFGS only) and `l2` its regularisation;
    attributes that are rarer than `min_freq` are ignored. A feature has `bins` quantile bins, and a
    block sees `reach` neighbours on each side. `first_pass` is the weight of the networks beside
    the CRF. The CRF also learns from `features`, which other packages have (see
    docs/extending.md). The command line has an option for each field with a help text.
    """

    algorithm: str = "lbfgs"
    l1: float = 0.0
    l2: float = 3.0
    iterations: int = option(200, "most passes of the training")
    min_freq: float = 0.0
    bins: int = 8
    reach: int = 2
    held_out: float = option(0.2, "share of pages, by site, for the scores; 0: none")
    networks: int = option(0, "networks of the first pass, from 200 pages; 0: only the CRF")
    first_pass: float = 0.75
    base: str = option("", "adapt this model: keep its networks, train a new CRF")
    elements: tuple[str, ...] = option(
        (), "read only the text of these HTML elements, e.g. h1,p,li"
    )
    features: tuple[str, ...] = option(
        (), "also learn from these features of other installed packages"
    )


# examples: the data of an annotated page for training, without its HTML


@dataclass(frozen=True, slots=True)
class Example:
    """One page ready for training.

    `columns` (n, features) are those of the whole table or of the requested features, in single
    precision; `labels` are (n,). `certain` (n,) is False for blocks in doubt, which train nothing.
    `informative` (n,) is also False for main headings: their labels depend on the convention of the
    annotation, not on the page.
    """

    columns: npt.NDArray[np.float32]
    labels: Ints
    frame: Frame
    certain: Bools
    informative: Bools
    site: str = ""

    def __len__(self) -> int:
        return len(self.labels)


def make_example(
    gold: GoldPage, elements: tuple[str, ...] = (), names: Sequence[str] | None = None
) -> Example:
    """The example of an annotated page, with columns of `names`, or of the whole table.

    Raises `GoldError` if a label file does not match the page.
    """
    blocks = split(gold.page, SplitParams(elements))
    labels, certain = gold_labels(gold, blocks)
    informative = certain & (coarse_kinds(blocks) != CoarseKind.TITLE)
    return Example(singles(blocks, names), labels, frame(blocks), certain, informative, gold.site)


Progress = Callable[[str, int], None]
"""Called during training with a unit and how many of it are done: ("page", 1)."""


def no_progress(unit: str, count: int) -> None:
    """Ignore progress."""


def fold_of(site: str, folds: int) -> int:
    """Return the fold of a site by a digest of its name, the same on every machine.

    >>> [fold_of(site, 5) for site in ("a.org", "b.org", "c.org")]
    [0, 3, 2]
    """
    return int(hashlib.sha256(site.encode()).hexdigest(), 16) % folds


# stacking: the networks of a first pass, and their out-of-fold probabilities
#
# Stacked generalisation (Wolpert 1992): the CRF must learn from probabilities that are as
# unreliable as on new pages. So the probabilities of each page come from networks that
# were trained on the sites of other folds.

FOLDS = 4
FEATURE_GROUPS = np.repeat(np.arange(len(GROUPS)), [len(group) for group in GROUPS.values()])
"""The group of each feature, by its place, shape (features,)."""


def first_passes(
    examples: Sequence[Example],
    members: int,
    params: NetworkParams,
    progress: Progress,
) -> tuple[Network, list[Floats]]:
    """Train a network of `members` members; also return out-of-fold probabilities (n, 3).

    Raises `CrfcleanError` for fewer than two pages with blocks.
    """
    filled = [index for index, example in enumerate(examples) if len(example)]
    if len(filled) < 2:
        raise CrfcleanError("networks need two pages with blocks to train on, or more")
    pages = {index: first_pass_page(examples[index], params) for index in filled}
    folds = dict(zip(filled, _folds([examples[index].site for index in filled]), strict=True))

    def fit_pages(indices: Sequence[int]) -> Network:
        training = [pages[index] for index in indices]
        network = fit_network(
            tuple(FEATURES), training, params.design, range(1, members + 1), FEATURE_GROUPS
        )
        progress("network", members)
        return network

    marginals: list[Floats] = [np.zeros((0, len(Label)))] * len(examples)
    for fold in sorted(set(folds.values())):
        network = fit_pages([index for index in filled if folds[index] != fold])
        for index in filled:
            if folds[index] == fold:
                marginals[index] = network(examples[index].columns)
    return fit_pages(filled), marginals


def first_pass_page(example: Example, params: NetworkParams) -> TrainingPage:
    """Return the network's training data from an example."""
    weights = block_weights(example.frame.words, params.evenness) * example.informative
    return TrainingPage(example.columns, example.labels, weights)


def _folds(sites: Sequence[str]) -> list[int]:
    """Return the fold of each page by its site, or by its index if one fold has all sites."""
    folds = [fold_of("first pass of " + site, FOLDS) for site in sites]
    return folds if len(set(folds)) > 1 else [index % FOLDS for index in range(len(sites))]


# train a CRF on annotated pages with CRFsuite

__all__ = ["TrainParams", "train"]

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
    return Learner(params, cut, network).train(pages, progress)


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
    del parameters["features"]  # the manifest lists the features of all columns
    # without networks of its own, a model's probabilities are those of the CRF alone
    parameters |= asdict(network) if params.networks else {PARAMETER: 0.0}
    return Bundle(
        *("crf", encoder, weights, evidence.network, params.elements, parameters, asdict(cut))
    )


@dataclass(frozen=True, slots=True)
class TrainingColumns:
    """Training data of the CRF: the columns (n, features) of each page.

    Columns in `wide` are also read from neighbours.
    """

    names: tuple[str, ...]
    wide: tuple[str, ...]
    columns: Sequence[npt.NDArray[np.floating]]
    network: Network | None = None


def _evidence(
    examples: Sequence[Example], params: TrainParams, network: NetworkParams, progress: Progress
) -> TrainingColumns:
    added = params.features
    if params.base:
        return _from_base(examples, find_network(params.base), added)
    if not params.networks:
        table = [example.columns for example in examples]
        return TrainingColumns((*FEATURES, *added), (*NEIGHBOUR_FEATURES, *added), table)
    ours = [
        replace(example, columns=np.ascontiguousarray(example.columns[:, : len(FEATURES)]))
        for example in examples
    ]
    first, passes = first_passes(ours, params.networks, network, progress)
    columns = [
        np.hstack(
            [first_pass_columns(example.frame, marginals), example.columns[:, len(FEATURES) :]]
        )
        for example, marginals in zip(examples, passes, strict=True)
    ]
    return TrainingColumns((*FIRST_PASS_NAMES, *added), ("pass_heading", *added), columns, first)


def _from_base(
    examples: Sequence[Example], network: Network, added: tuple[str, ...]
) -> TrainingColumns:
    """Compute the table's features, and first-pass columns by another model's networks.

    Stacking is not needed, because these networks have not seen the pages.
    """
    table_names = (*FEATURES, *added)
    names = (*FIRST_PASS_NAMES, *table_names)
    columns = [
        columns_of_table(example.columns, table_names, example.frame, names, network)
        for example in examples
    ]
    return TrainingColumns(names, (*NEIGHBOUR_FEATURES, *added), columns, network)


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
    check_added(params.features)
    if params.base and params.networks:
        raise CrfcleanError("networks of its own and those of a base exclude each other")


class NothingToLearnError(CrfcleanError):
    """The pages have no block to learn from, or only one label."""


def check_examples(examples: Sequence[Example]) -> None:
    """Raise `NothingToLearnError` if there is no block to learn from, or only one label."""
    if not any(example.certain.any() for example in examples):
        raise NothingToLearnError("no block to train on: the pages are empty")
    labels = np.unique(np.concatenate([example.labels[example.certain] for example in examples]))
    if len(labels) < 2:
        name = Label(labels[0]).name
        raise NothingToLearnError(
            f"every labelled block is {name}: nothing to learn; label others, too"
        )


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


# train a multilayer perceptron on annotated pages

MLP_FEATURES = tuple(TEXTTRACTOR)
INPUTS = input_names(MLP_FEATURES)
CUT = CutParams("threshold")
"""A block is good from a score of 0.5 on; `PostParams.almost` is the limit for almost good."""


def fit_mlp(
    examples: Sequence[Example],
    recipe: Recipe = RECIPES["tuned"],
    cut: CutParams = CUT,
    elements: tuple[str, ...] = (),
) -> Bundle:
    """Train a perceptron on examples with the columns `MLP_FEATURES`, as in `Learner.train`."""
    check_examples(examples)
    pages = [perceptron_page(example, recipe) for example in examples if len(example)]
    network = fit_network(INPUTS, pages, recipe.design, (recipe.seed,))
    count = len(MLP_FEATURES)
    encoder = Encoder(MLP_FEATURES, ((),) * count, (0,) * count, (NEIGHBOUR_STEPS,) * count)
    return Bundle(
        "mlp",
        encoder,
        scores_to_bytes(network),
        elements=elements,
        parameters=asdict(recipe),
        cut=asdict(cut),
    )


def perceptron_page(example: Example, recipe: Recipe) -> TrainingPage:
    """Return the perceptron's training data from an example; main headings have no weight."""
    weights = block_weights(example.frame.words, recipe.evenness) * example.informative
    good = (example.labels != Label.OTHER).astype(np.int32)
    return TrainingPage(with_neighbours(example.columns), good, weights)


@dataclass(frozen=True)
class Learner:
    """How a model is trained: a CRF, or a perceptron by a `recipe`.

    Of `params`, a perceptron takes only the elements.
    """

    params: TrainParams = field(default_factory=TrainParams)
    cut: CutParams = field(default_factory=CutParams)
    network: NetworkParams = field(default_factory=NetworkParams)
    recipe: Recipe | None = None

    @property
    def names(self) -> tuple[str, ...] | None:
        """The columns that the examples need; None: all features of crfclean."""
        if self.recipe is not None:
            return MLP_FEATURES
        return (*FEATURES, *self.params.features) if self.params.features else None

    def fit(self, examples: Sequence[Example], progress: Progress = no_progress) -> Bundle:
        """Train on examples; raises `CrfcleanError`."""
        if self.recipe is None:
            return fit(examples, self.params, self.cut, self.network, progress)
        return fit_mlp(examples, self.recipe, self.cut, self.params.elements)

    def train(self, gold: Iterable[GoldPage], progress: Progress = no_progress) -> Bundle:
        """Train on annotated pages; equal pages and parameters give equal bytes.

        Raises `CrfcleanError` if the pages hold no block, or only one label.
        """
        check_params(self.params)
        examples, sets, digests = list[Example](), Counter[str](), set[bytes]()
        for page in gold:
            examples.append(make_example(page, self.params.elements, self.names))
            sets[page.source] += 1
            digests.add(page_digest(page.page.html))
            progress("page", 1)
        named = [{"name": name, "pages": count} for name, count in sets.items()]
        bundle = self.fit(examples, progress)
        pages = frozenset(digests) | pages_of_base(self.params.base)
        return replace(bundle, sets=named, pages=pages)
