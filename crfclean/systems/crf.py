"""Label blocks by a linear-chain CRF over the table of features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isnan
from pathlib import Path

import numpy as np

from crfclean.core.labels import Chain
from crfclean.decision.verdict import with_rules
from crfclean.model.columns import COLUMNS, filled, matrix, single_rows
from crfclean.model.encoder import View
from crfclean.model.first_pass import added_names, first_pass_of
from crfclean.model.folder import Bundle, naming
from crfclean.page.blocks import as_blocks
from crfclean.systems.capabilities import elements_of
from crfclean.systems.crfsuite_file import CrfWeights, read_crfsuite
from crfclean.systems.open_model import OpenModel, network_weight, params_of
from crfclean.types import (
    Blocks,
    Floats,
    Ints,
    Label,
    ModelError,
    Page,
    Reason,
    Tags,
)


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
    def _weights(self) -> CrfWeights:
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
