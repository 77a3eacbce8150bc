"""`Blocks` -> `Tags` by a linear-chain CRF (python-crfsuite) over the table of features."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite

from crfclean.bundle import Bundle, load
from crfclean.cut import CutParams, cut
from crfclean.encode import Attributes
from crfclean.features import matrix
from crfclean.measures import Measures
from crfclean.types import Blocks, Floats, Ints, Label, ModelError, Reason, Tags


@dataclass(frozen=True)
class CrfTagger:
    """A model folder and how its probabilities are cut; pickled, it carries nothing else."""

    folder: Path
    cut: CutParams
    bundle: Bundle = field(repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (self.folder, self.cut)

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that the model's blocks were restricted to; empty: none."""
        return self.bundle.elements

    def with_cut(self, params: CutParams) -> CrfTagger:
        """The same model with other decisions."""
        return replace(self, cut=params)

    def tag(self, blocks: Blocks) -> Tags:
        """Labels and marginals of a page's blocks."""
        measures = Measures(blocks)
        attributes = self._attributes(measures)
        if not attributes:
            return Tags(np.zeros(0, np.int32), np.zeros((0, 3)))
        self._engine.set(pycrfsuite.ItemSequence(attributes))
        marginals = self._marginals(len(blocks))
        if self.cut.rule == "viterbi":
            return Tags(self._viterbi(), marginals)
        return Tags(cut(marginals, measures.words, self.cut), marginals)

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """For every block the features whose weights speak most for or against keeping it.

        A feature's weight is the sum over its attributes (neighbours included) of the weight
        for the likelier of HEADER and TEXT less the weight for OTHER.
        """
        measures = Measures(blocks)
        columns = matrix(measures, self.bundle.encoder.names)
        attributes = self.bundle.encoder.encode(columns)
        likelier = self.tag(blocks).marginals[:, : Label.OTHER].argmax(1)
        values = [
            dict(zip(self.bundle.encoder.names, row, strict=True)) for row in columns.tolist()
        ]
        return [
            self._reasons(own, Label(label), value, most)
            for own, label, value in zip(attributes, likelier, values, strict=True)
        ]

    def _reasons(
        self, attributes: list[str], label: Label, values: dict[str, float], most: int
    ) -> list[Reason]:
        sums: dict[str, float] = {}
        for attribute in attributes:
            name = attribute.partition("=")[0]
            for_it = self._weights.get((attribute, label.name), 0.0)
            against = self._weights.get((attribute, Label.OTHER.name), 0.0)
            sums[name] = sums.get(name, 0.0) + for_it - against
        ranked = sorted(sums.items(), key=lambda item: (-abs(item[1]), item[0]))[:most]
        return [Reason(name, values.get(name), weight) for name, weight in ranked]

    def _attributes(self, measures: Measures) -> Attributes:
        encoder = self.bundle.encoder
        return encoder.encode(matrix(measures, encoder.names))

    def _marginals(self, count: int) -> Floats:
        known = self._engine.labels()
        marginals = np.zeros((count, len(Label)))
        for label in Label:
            if label.name in known:
                marginals[:, label] = [self._engine.marginal(label.name, i) for i in range(count)]
        return marginals

    def _viterbi(self) -> Ints:
        return np.array([Label[name] for name in self._engine.tag()], np.int32)

    @cached_property
    def _engine(self) -> pycrfsuite.Tagger:
        return open_engine(self.bundle.weights, self.folder)

    @cached_property
    def _weights(self) -> dict[tuple[str, str], float]:
        return dict(self._engine.info().state_features)


def open_engine(weights: bytes, folder: Path) -> pycrfsuite.Tagger:
    """CRFsuite's tagger on checked weights; raises `ModelError`."""
    engine = pycrfsuite.Tagger()
    try:
        engine.open_inmemory(weights)
    except (ValueError, MemoryError) as error:
        raise ModelError(f"{folder}: CRFsuite cannot open the weights: {error}") from error
    return engine


def from_bundle(folder: Path, bundle: Bundle) -> CrfTagger:
    """A tagger with the cut that its manifest names; raises `ModelError`."""
    try:
        return CrfTagger(folder, CutParams(**bundle.cut), bundle)
    except TypeError as error:
        raise ModelError(f"{folder}: unknown parameter of the cut: {error}") from error


def _reopen(folder: Path, params: CutParams) -> CrfTagger:
    return from_bundle(folder, load(folder)).with_cut(params)
