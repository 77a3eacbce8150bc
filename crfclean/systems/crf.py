"""Label blocks with a linear-chain CRF: its weights, its inference, its reasons."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from crfclean.core.labels import Chain
from crfclean.decision.ends import SHIPPED_ENDS as ENDS
from crfclean.decision.evidence import SHIPPED, Evidence
from crfclean.decision.rules import KIND_LISTS, CutParams
from crfclean.decision.verdict import decide, with_rules
from crfclean.io import canonical, digest
from crfclean.model.columns import (
    COLUMNS,
    FIRST_PASS_NAMES,
    added_names,
    filled,
    first_pass_of,
    matrix,
    single_rows,
)
from crfclean.model.encoder import View
from crfclean.model.folder import (
    MANIFEST,
    MOST_WEIGHT,
    Bundle,
    find_model,
    fingerprints,
    fingerprints_of,
    load_bundle,
    naming,
    reading,
)
from crfclean.model.network_files import labels_to_bytes
from crfclean.model.pagetype import PAGE_MODEL
from crfclean.page.blocks import as_blocks
from crfclean.systems.load import elements_of
from crfclean.types import (
    Blocks,
    CrfcleanError,
    Floats,
    Ints,
    Label,
    ModelError,
    Page,
    Reason,
    Tags,
)

# the weight of the first pass, with whose probabilities those of the CRF are pooled
#
# The networks of the first pass judge each block by itself; the CRF adds the sequence, and what
# they say of neighbours, of elements around the block, and of similar blocks. On kinds of pages
# that are not in the training data, the two make different errors.

PARAMETER = "first_pass"
"""Name of the weight in a manifest's parameters."""


def network_weight(parameters: Mapping[str, Any], names: Sequence[str]) -> float:
    """Return the weight of the networks (0..1), 0 for a model without columns of a network.

    Raises `ModelError` for a weight out of bounds.
    """
    weight = parameters.get(PARAMETER, 0.0)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
        raise ModelError(f"{PARAMETER} is {weight!r}, but the weight is a number from 0 to 1")
    return float(weight) if set(FIRST_PASS_NAMES) <= set(names) else 0.0


# functions for taggers of every kind of model


def fingerprint_of(bundle: Bundle, params: CutParams) -> str:
    """16 hexadecimal digits of a model and its decision rule; raises `ModelError`."""
    network = b"" if bundle.network is None else labels_to_bytes(bundle.network)
    parts = {"kind": bundle.kind, "elements": bundle.elements, "cut": params}
    parts |= {PARAMETER: weight} if (weight := bundle.parameters.get(PARAMETER)) else {}
    if added := added_names(bundle.encoder.names):
        parts["packages"] = fingerprints_of(added)
    content = canonical(parts | {"encoder": bundle.encoder})
    return digest(bundle.weights, network, content, evidence_fingerprint())


PRESENCE = Path(__file__).with_name("weights.json")
"""The weights by which a page that is only a form or a notice is emptied."""


@cache
def evidence_fingerprint() -> str:
    """Return 16 hexadecimal digits of the evidence besides a model; raises `ModelError`.

    All weights that decide what is kept have a part: a run is resumed by the same ones only.
    """
    from crfclean.model.kinds import KIND_MODEL  # most pages need no model of kinds

    with reading(SHIPPED):
        files = [find_model(name) / MANIFEST for name in (PAGE_MODEL, KIND_MODEL)]
        weights = (SHIPPED, ENDS, PRESENCE, *files)
        return digest(*(path.read_bytes() for path in weights), *fingerprints("kinds").values())


def params_of(folder: Path, bundle: Bundle) -> CutParams:
    """The decision rule in a manifest; raises `ModelError`."""
    try:
        values = {**bundle.cut}
        lists = (*KIND_LISTS, "names")  # those of JSON
        values |= {name: tuple(values.get(name, ())) for name in lists}
        return CutParams(**values)
    except (TypeError, CrfcleanError) as error:
        raise ModelError(f"{folder}: unknown parameter of the cut: {error}") from error


@dataclass(frozen=True)
class OpenModel:
    """A model folder, its decision rule and its content; a pickle has only the first two."""

    folder: Path
    cut: CutParams
    bundle: Bundle = field(repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (type(self), self.folder, self.cut)

    @property
    def name(self) -> str:
        """The model's kind."""
        return self.bundle.kind

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that the model's blocks are restricted to; empty: no restriction."""
        return self.bundle.elements

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the model and its decision rule."""
        return fingerprint_of(self.bundle, self.cut)

    @cached_property
    def automatic(self) -> Self:
        """The same model without what a caller keeps."""
        return self if self.cut == self.cut.automatic else self.with_cut(self.cut.automatic)

    def with_cut(self, params: CutParams) -> Self:
        """The same model with another decision rule; what was made of its weights is shared."""
        other = replace(self, cut=params)
        own = {"fingerprint", "automatic", *(each.name for each in fields(self))}
        vars(other).update({name: made for name, made in vars(self).items() if name not in own})
        return other

    def decide(self, blocks: Blocks, marginals: Floats) -> Tags:
        """Tags by the decision rule from marginals (n, 3)."""
        return decide(Evidence(blocks), marginals, self.cut)


def _reopened(kind: type[OpenModel], folder: Path, params: CutParams) -> OpenModel:
    return kind(folder, params, load_bundle(folder))


# read the weights in a CRFsuite model file as arrays
#
# The format is that of CRFsuite 0.12 (Okazaki 2007; `crf1d_model.c` and `cqdb.c`): a header of
# twelve little-endian words, a chunk of features (kind, source, target, weight), and two constant
# quark databases that name the labels and the attributes.

_HEADER = struct.Struct("<4sI4s9I")
_CQDB = struct.Struct("<4s5I")
_FEATURE = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_STATE, _TRANSITION = 0, 1
_CHUNK = 12  # bytes of a chunk's header: its name, size and number of entries

_Names = tuple[str, ...]


class Weights(NamedTuple):
    """The weights of a CRF: `state[attribute]` by label, (L,), `transitions` of steps, (L, L)."""

    labels: tuple[str, ...]
    state: Mapping[str, Floats]
    transitions: Floats


def read_crfsuite(data: bytes) -> Weights:
    """Parse a model file; raises `ModelError` if it is damaged or of another format."""
    try:
        magic, size, kind, _, _, labels, attributes, *offsets = _HEADER.unpack_from(data)
        if magic != b"lCRF" or kind != b"FOMC" or size > len(data):
            raise ModelError("no first-order CRF of CRFsuite, or cut short")
        if labels * attributes > len(data):
            raise ModelError("damaged CRFsuite model: more weights than fit into it")
        names = _names(data, offsets[1], labels)
        keys = _names(data, offsets[2], attributes)
        count = struct.unpack_from("<4sII", data, offsets[0])[2]
        features = np.frombuffer(data, _FEATURE, count, offsets[0] + _CHUNK)
        return _weights(names, keys, features)
    except (struct.error, ValueError, IndexError) as error:
        raise ModelError(f"damaged CRFsuite model: {error}") from error


def _weights(names: _Names, keys: _Names, features: npt.NDArray[np.void]) -> Weights:
    if not (np.abs(features["weight"]) <= MOST_WEIGHT).all():
        raise ModelError("damaged CRFsuite model: a weight is no number, or too large")
    state = np.zeros((len(keys), len(names)))
    transitions = np.zeros((len(names), len(names)))
    for kind, table in ((_STATE, state), (_TRANSITION, transitions)):
        entries = features[features["kind"] == kind]
        table[entries["source"], entries["target"]] = entries["weight"]
    return Weights(names, dict(zip(keys, state, strict=True)), transitions)


def _names(data: bytes, offset: int, count: int) -> _Names:
    *_, entries, backward = _CQDB.unpack_from(data, offset)
    if entries < count:
        raise ModelError("damaged CRFsuite model: names are missing")
    offsets = np.frombuffer(data, "<u4", count, offset + backward)
    names, room = list[str](), len(data)
    for relative in offsets.tolist():
        start = offset + relative  # of a record: its number, the text's length with the NUL, text
        _, length = struct.unpack_from("<II", data, start)
        names.append(data[start + 8 : start + 7 + length].decode("utf-8"))
        room -= len(names[-1])
        if room < 0:
            raise ModelError("damaged CRFsuite model: its names overlap")
    return tuple(names)


# label blocks by a linear-chain CRF over the table of features
#
# python-crfsuite trains the model. Its weights are read from CRFsuite's file once, and applied to
# whole pages as arrays: to pass a page to CRFsuite as strings takes longer than all other steps
# together. `tests/systems/test_crf.py` compares the results with python-crfsuite's.


@dataclass(frozen=True)
class CrfTagger(OpenModel):
    """A CRF over the table of features, pooled with the networks whose output it reads."""

    def tag(self, blocks: Blocks | Page | bytes | str) -> Tags:
        """Labels, marginals and score of a page's blocks."""
        blocks = as_blocks(blocks, elements_of(self))
        return self.decide(blocks, self.marginals(blocks))

    def marginals(self, blocks: Blocks) -> Floats:
        """Marginals of a page's blocks, (n, 3)."""
        return self.label(blocks)[1]

    def label(self, page: Blocks) -> tuple[Floats, Floats]:
        """Compute the model's columns of a page (n, features), and its marginals (n, 3)."""
        return self.chain.label(single_rows(page, self._table_names), filled(page))

    def columns(self, page: Blocks) -> Floats:
        """The model's columns of a page, (n, features)."""
        return self.label(page)[0]

    def predict(self, columns: Floats) -> Floats:
        """Compute marginals (n, 3) from columns (n, features), pooled with the networks' ones."""
        return self.chain.predict(columns)

    def scores(self, columns: Floats) -> Floats:
        """Compute emission scores: sums of the weights of each block's attributes, (n, 3)."""
        return self.chain.scores(columns)

    @cached_property
    def _table_names(self) -> tuple[str, ...]:
        """The table's features among the columns and the network's inputs, in the table's order.

        Features of other packages come last.
        """
        network = self.bundle.network
        needed = {*self.bundle.encoder.names, *(() if network is None else network.names)}
        ours = tuple(name for name in COLUMNS if name in needed)
        return (*ours, *added_names(self.bundle.encoder.names))

    @cached_property
    def chain(self) -> Chain:
        """The compiled model; made once."""
        names = self.bundle.encoder.names
        views = [(view.distance, view.features, table) for view, table in self._tables]
        passes = tuple(
            names.index(name) if name in names else 0 for name in ("pass", "pass_heading")
        )
        first = first_pass_of(self._table_names, names, self.bundle.network)
        return Chain(
            first,
            edges=self.bundle.encoder.edges,
            views=views,
            barred=self._barred,
            transitions=self.transitions,
            weight=self.network_weight,
            passes=passes,
        )

    @cached_property
    def network_weight(self) -> float:
        """The weight of the networks in the probabilities (0..1)."""
        with naming(self.folder):
            return network_weight(self.bundle.parameters, self.bundle.encoder.names)

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """For each block, the features that weigh most for or against keeping it.

        The weight of a feature is the weight of its bin for the likelier of HEADER and TEXT, minus
        that for OTHER; the most frequent bin of a feature weighs 0. The reasons of the CRF come
        first, then as many of the network, weighted by their parts in its log-odds. If a rule
        changed the block's probability after the model, it comes before all reasons.
        """
        columns, probabilities = self.label(blocks)
        likelier = probabilities[:, : Label.OTHER].argmax(1)
        chain = self._reasons(columns, likelier, most) if len(blocks) else []
        network = self.bundle.network
        if network is not None and len(blocks):
            first = network.reasons(matrix(blocks, network.names), most)
            chain = [reasons + others for reasons, others in zip(chain, first, strict=True)]
        return with_rules(self.decide(blocks, probabilities), chain)

    def _reasons(self, columns: Floats, likelier: Ints, most: int) -> list[list[Reason]]:
        """The `most` reasons of the chain for each block, the weightiest first, then by name."""
        names, values, weights = self._weighed(columns, likelier)
        by_name = np.argsort(np.array(names, object), kind="stable")
        heavy = np.argsort(-np.abs(weights[:, by_name]), axis=1, kind="stable")[:, :most]
        chosen = by_name[heavy]
        rows = zip(
            chosen.tolist(),
            np.take_along_axis(values, chosen, 1).tolist(),
            np.take_along_axis(weights, chosen, 1).tolist(),
            strict=True,
        )
        return [
            [Reason(names[i], v, w) for i, v, w in zip(*row, strict=True) if not isnan(w)]
            for row in rows
        ]

    def _weighed(self, columns: Floats, likelier: Ints) -> tuple[list[str], Floats, Floats]:
        """Return the names of k features of blocks and neighbours, values (n, k), weights (n, k).

        A weight is the score of the likelier label minus the score of OTHER, NaN without neighbour.
        """
        count, names, values, weights = len(columns), list[str](), list[Floats](), list[Floats]()
        bins = self.bundle.encoder.bins(columns)
        for view, table in self._tables:
            mark = f"[{view.distance:+d}]" if view.distance else ""
            names += [self.bundle.encoder.names[feature] + mark for feature in view.features]
            neighbours = np.arange(count) + view.distance
            there = (neighbours >= 0) & (neighbours < count)
            near = neighbours.clip(0, count - 1)
            picked = _pick(table, bins[:, view.features])
            difference = picked[likelier, near] - picked[Label.OTHER, near]
            weights.append(np.where(there[:, None], difference, np.nan))
            values.append(columns[near][:, view.features])
        return names, np.hstack(values), np.hstack(weights)

    @cached_property
    def _weights(self) -> Weights:
        with naming(self.folder):
            return read_crfsuite(self.bundle.weights)

    @cached_property
    def _labels(self) -> list[int]:
        try:
            return [Label[name] for name in self._weights.labels]
        except KeyError as error:
            raise ModelError(f"{self.folder}: the weights have a label {error}") from error

    @cached_property
    def _barred(self) -> Floats:
        """The scores to start from: 0 for labels of the model, -inf for others, shape (3,)."""
        barred = np.full(len(Label), -np.inf)
        barred[self._labels] = 0.0
        return barred

    @cached_property
    def transitions(self) -> Floats:
        """Weights of the steps from the row's label to the column's, shape (3, 3)."""
        transitions = np.zeros((len(Label), len(Label)))
        transitions[np.ix_(self._labels, self._labels)] = self._weights.transitions
        return transitions

    @cached_property
    def _tables(self) -> list[tuple[View, Floats]]:
        """Every view with its weights, shape (3, features, bins)."""
        tables = []
        for view in self.bundle.encoder.views:
            table = np.zeros((len(Label), *view.names.shape))
            for (feature, value_bin), name in np.ndenumerate(view.names):
                if name in self._weights.state:
                    table[self._labels, feature, value_bin] = self._weights.state[name]
            tables.append((view, table))
        return tables


def _pick(table: Floats, bins: Ints) -> Floats:
    """Pick the weights (3, ..., features) of some bins (..., features) from (3, features, bins).

    The weights of a label are contiguous: their sums take a tenth of the time of the other order.
    """
    labels, features, width = table.shape
    indices = bins + np.arange(features) * width
    picked: Floats = table.reshape(labels, -1).take(indices, axis=1)
    return picked


def from_bundle(folder: Path, bundle: Bundle) -> CrfTagger:
    """Return a tagger with the decision rule in its manifest; raises `ModelError`."""
    tagger = CrfTagger(folder, params_of(folder, bundle), bundle)
    _ = tagger.network_weight  # a bad one is refused here, not at the first page
    return tagger
