"""Label blocks by a linear-chain CRF over the table of features.

python-crfsuite trains the model; its weights are read from CRFsuite's file once and applied to
whole pages as arrays, since passing a page to CRFsuite as strings costs more than everything else
together. `tests/taggers/test_crf.py` compares the results with python-crfsuite's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.core.native import CORE
from crfclean.decision.evidence import Evidence
from crfclean.decision.params import CutParams
from crfclean.decision.verdict import decide, with_rules
from crfclean.features import columns as evidence
from crfclean.features.table import matrix
from crfclean.modelfiles.binning import View
from crfclean.modelfiles.folder import Bundle
from crfclean.page.measures import Measures, measured
from crfclean.taggers.chain import marginals, viterbi
from crfclean.taggers.crfsuite_file import Weights, read_crfsuite
from crfclean.taggers.learned import fingerprint_of, naming, params_of, reopen
from crfclean.taggers.pooling import last_pass, network_weight, pooled
from crfclean.types import Blocks, Floats, Ints, Label, ModelError, Reason, Tags


@dataclass(frozen=True)
class CrfTagger:
    """A model folder and its decision rule; pickles carry nothing else."""

    folder: Path
    cut: CutParams
    bundle: Bundle = field(repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return reopen, (from_bundle, self.folder, self.cut)

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

    def with_cut(self, params: CutParams) -> CrfTagger:
        """The same model with another decision rule."""
        return replace(self, cut=params)

    def tag(self, blocks: Blocks) -> Tags:
        """Labels, marginals and score of a page's blocks."""
        page = measured(blocks)
        return decide(Evidence(page), *self.judge(page), self.cut)

    def marginals(self, blocks: Blocks) -> Floats:
        """Marginals of a page's blocks, (n, 3)."""
        return self.judge(measured(blocks))[0]

    def decide(self, blocks: Blocks, marginals: Floats) -> Tags:
        """Tags by the decision rule from marginals (n, 3)."""
        best = marginals.argmax(1).astype(np.int32)
        return decide(Evidence(measured(blocks)), marginals, best, self.cut)

    def judge(self, page: Measures) -> tuple[Floats, Ints]:
        """Marginals (n, 3) of a page, and Viterbi's labels (n,) if the decision rule uses them."""
        columns = self.columns(page)
        scores = self.scores(columns)
        by_sequence = self.cut.rule == "viterbi"
        best = viterbi(scores, self.transitions) if by_sequence else np.zeros(0, np.int32)
        return self._pooled(columns, scores), best

    def columns(self, page: Measures) -> Floats:
        """The model's columns of a page, (n, features)."""
        return evidence.columns(page, self.bundle.columns, self.bundle.passes)

    def predict(self, columns: Floats) -> tuple[Floats, Ints]:
        """Marginals (n, 3) and Viterbi's labels (n,) from feature columns (n, features)."""
        scores = self.scores(columns)
        return self._pooled(columns, scores), viterbi(scores, self.transitions)

    def _pooled(self, columns: Floats, scores: Floats) -> Floats:
        """Marginals (n, 3), pooled with those of the networks as the model says."""
        of_chain = marginals(scores, self.transitions)
        if not self.network_weight:
            return of_chain
        return pooled(of_chain, last_pass(columns, self.bundle.columns), self.network_weight)

    @cached_property
    def network_weight(self) -> float:
        """The weight of the networks in the probabilities (0..1)."""
        with naming(self.folder):
            return network_weight(self.bundle.parameters, self.bundle.columns)

    def scores(self, columns: Floats) -> Floats:
        """Emission scores: sums of the weights of each block's attributes by label, (n, 3)."""
        count = len(columns)
        if not count:
            return np.zeros((0, len(Label)))
        bins = self._bins(columns)
        by_core = CORE.scores(bins, bins.shape[1], self._barred, self._core_views)
        return np.frombuffer(by_core, np.float64).reshape(count, -1)

    def _bins(self, columns: Floats) -> Ints:
        """Bins of the columns that the CRF reads, which stand in front (n, features)."""
        encoder = self.bundle.encoder
        return encoder.bins(columns[:, : len(encoder.names)])

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """For each block, the features that weigh most for or against keeping it.

        A feature's weight is that of its bin for the likelier of HEADER and TEXT, minus that for
        OTHER; a feature's most frequent bin weighs 0. The CRF's reasons are followed by as many of
        the first-pass network, if there is one, weighted by their parts in its log-odds; a second
        network reads what these two read, and its own are not shown. In front stands the rule that
        changed the block's probability after the model, if any did.
        """
        page = measured(blocks)
        columns = self.columns(page)
        probabilities, best = self.predict(columns)
        likelier = probabilities[:, : Label.OTHER].argmax(1)
        chain = self._reasons(columns, likelier, most) if len(blocks) else []
        network = self.bundle.network
        if network is not None and len(blocks):
            first = network.reasons(matrix(page, network.names), most)
            chain = [reasons + others for reasons, others in zip(chain, first, strict=True)]
        return with_rules(decide(Evidence(page), probabilities, best, self.cut), chain)

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
        """The names of k features of blocks and their neighbours, values (n, k), weights (n, k).

        A weight is that of the likelier label minus that of OTHER; NaN where there is no neighbour.
        """
        count, names, values, weights = len(columns), list[str](), list[Floats](), list[Floats]()
        bins = self._bins(columns)
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
        """The `Label` of each of the weights' labels, in their order."""
        try:
            return [Label[name] for name in self._weights.labels]
        except KeyError as error:
            raise ModelError(f"{self.folder}: the weights have a label {error}") from error

    @cached_property
    def _barred(self) -> Floats:
        """0 for the labels that the model knows, -inf for the others, shape (3,)."""
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
        return [(view, self._table(view)) for view in self.bundle.encoder.views]

    @cached_property
    def _core_views(self) -> tuple[tuple[int, Ints, Floats], ...]:
        """The same for the compiled core."""
        return tuple(
            (view.distance, view.features.astype(np.int64), np.ascontiguousarray(table))
            for view, table in self._tables
        )

    def _table(self, view: View) -> Floats:
        table = np.zeros((len(Label), *view.names.shape))
        for (feature, value_bin), name in np.ndenumerate(view.names):
            if name in self._weights.state:
                table[self._labels, feature, value_bin] = self._weights.state[name]
        return table


def _pick(table: Floats, bins: Ints) -> Floats:
    """Pick from weights (3, features, bins) those of bins (..., features), (3, ..., features).

    Each label's weights are contiguous: summing them is ten times as fast as in the other order.
    """
    labels, features, width = table.shape
    indices = bins + np.arange(features) * width
    picked: Floats = table.reshape(labels, -1).take(indices, axis=1)
    return picked


def from_bundle(folder: Path, bundle: Bundle) -> CrfTagger:
    """A tagger with the decision rule in its manifest; raises `ModelError`."""
    tagger = CrfTagger(folder, params_of(folder, bundle), bundle)
    _ = tagger.network_weight  # a bad one is refused here, not at the first page
    return tagger
