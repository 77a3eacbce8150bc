"""Find coherent texts by the energy of nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crfclean.products.papers.segment_params import EnergyParams
from crfclean.products.papers.text_tree import TextTree
from crfclean.types import (
    Bools,
    Floats,
)

_LEAST = 1e-300  # stands for a share of 0, which has no logarithm
_TIE = 1e-12  # energies so close are equal: sums are rounded


@dataclass(frozen=True)
class Energies:
    """Natural logarithms of the nodes' energies (-inf: none), and which nodes are coherent; (N,).

    A node is coherent if no child has more energy than it. A page's coherent texts are the first
    such nodes on the paths down from the root (`cover`).
    """

    logs: Floats
    coherent: Bools


def energies(tree: TextTree, params: EnergyParams = EnergyParams()) -> Energies:
    """Energy of every node: E(v) = m(v) for a leaf, else the sum of (p / k) E(w) over its children.

    k is the height of the tree, the edges on its longest path down from the root; p is
    `dissipation` (see also `EnergyParams.law`). Linear: one pass over the levels from the bottom
    up, in logarithms, so that no energy underflows in a tree of 500 levels.

    A node is coherent if no child has more energy than it. With q = p / k that means: the largest
    child has at most the share q of the children's energy. Hence the edge cases:

    - q >= 1 (p >= k): no energy is lost, the root has most, and the page is one text.
    - A single child has more energy than its parent if q < 1: the search continues below it.
    - Equal energies: the paper's definition descends to the last of equal nodes, its prose stops
      where no child has more. They differ for a single child at q = 1, where both hold the same
      text, and for a largest child with exactly the share q. The first of equal nodes is taken,
      so that a tie splits nothing.
    - k = 1 (a root with text nodes only): q = p. With k = 0 there is no child, and q is not used.
    - Children without energy (no text, or no word of the dictionary) never have more; text of
      energy 0 stays together.

    p was fitted on pages with known texts, see eval/segments/README.md.
    """
    logs = np.full(len(tree), -np.inf)
    with np.errstate(divide="ignore"):
        logs[tree.leaves] = np.log(_metric(tree, params))
    coherent = np.ones(len(tree), np.bool_)
    kept = params.kept(tree.height)
    for nodes in reversed(tree.levels[1:]):
        parents, first = np.unique(tree.parent[nodes], return_inverse=True)
        most = np.full(len(parents), -np.inf)
        np.maximum.at(most, first, logs[nodes])
        has_energy = most > -np.inf
        base = np.where(has_energy, most, 0.0)  # factored out, so that the exponentials are <= 1
        sums = np.bincount(first, np.exp(logs[nodes] - base[first]), minlength=len(parents))
        parent_logs = np.full(len(parents), -np.inf)
        shares = np.maximum(kept * sums[has_energy], _LEAST)
        parent_logs[has_energy] = base[has_energy] + np.log(shares)
        logs[parents] = parent_logs
        coherent[parents] = ~has_energy | (kept * sums >= 1.0 - _TIE)
    return Energies(logs, coherent)


def _metric(tree: TextTree, params: EnergyParams) -> Floats:
    if params.metric == "chars":
        return tree.chars[tree.leaves]
    if params.metric == "words":
        return tree.words
    words = params.dictionary
    counts = [sum(word in words for word in text.lower().split()) for text in tree.texts]
    return np.array(counts, np.float64)
