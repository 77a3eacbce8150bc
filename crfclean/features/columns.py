"""Compute the columns that a model sees: features of the table, and those of its networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crfclean.core import labels
from crfclean.core.labels import LEVELS, REACHES, FirstPass
from crfclean.features.table import COLUMNS, derived
from crfclean.nn.mlp import Network
from crfclean.page.measures import Measures
from crfclean.types import Floats, Ints, ModelError

# turn the probabilities of a first pass into columns for the CRF
#
# The network of the first pass sees each block alone. These columns add what it expects of the
# neighbours, of each wider element, and of all blocks made by the same template.

_NEIGHBOURS = (-2, -1, 0, 1, 2)
_KEYS = ("path", "parent", "card")

FIRST_PASS_NAMES = (
    *(f"pass[{step:+d}]" if step else "pass" for step in _NEIGHBOURS),
    "pass_heading",
    *(f"pass_up{level}{what}" for level in range(1, LEVELS + 1) for what in ("", "_share")),
    *(f"pass_{key}{what}" for key in _KEYS for what in ("", "_share")),
    *(f"pass_around{reach}" for reach in REACHES),
    "pass_before",
    "pass_left",
    "pass_since",
    "pass_until",
    "pass_page",
    "pass_page_blocks",
    "pass_doubt",
    "pass_peak",
)
"""Names of the columns: `pass_up2` is the mean over the second wider element, `pass_up2_share` the
share of the page's expected words that are in it."""

FIRST_PASS_PLACES = {name: place for place, name in enumerate(FIRST_PASS_NAMES)}


class Frame(NamedTuple):
    """Page data for the columns: `words` (n,), `spans` (4, n, 2), `keys` (3, n).

    `spans` are the half-open ranges of blocks of ever wider elements; `keys` number the groups
    of blocks that are alike (-1: in no group).
    """

    words: Floats
    spans: Ints
    keys: Ints


def frame(page: Measures) -> Frame:
    """Return the frame of a page."""
    if not len(page):
        return Frame(np.zeros(0), np.zeros((LEVELS, 0, 2), np.int64), np.zeros((3, 0), np.int64))
    spans, keys, _ = derived(page)
    return Frame(page.words, spans, keys)


def first_pass_columns(page: Frame, probabilities: Floats) -> Floats:
    """First-pass probabilities (n, 3) -> columns (n, k) in the order of `FIRST_PASS_NAMES`."""
    return labels.first_pass_columns(page, probabilities)


# The first pass is a network over the table. Its probabilities become columns.

COLUMN_NAMES = frozenset([*COLUMNS, *FIRST_PASS_NAMES])
"""Names of all columns that a CRF may have."""


def check_names(names: Sequence[str]) -> None:
    """Raise `ModelError` for a column that this version does not have."""
    unknown = [name for name in names if name not in COLUMN_NAMES]
    if unknown:
        raise ModelError(f"this version of crfclean has no feature {unknown[0]!r}")


def first_pass_of(
    table_names: Sequence[str], names: Sequence[str], network: Network | None = None
) -> FirstPass:
    """How the named columns are computed from a table of the features `table_names`.

    Without a network, the first pass gives every label the same probability. The network sees
    single precision, as in training: a value at the edge of a bin could fall into the next one.
    """
    rows = {name: row for row, name in enumerate(table_names)}
    sources = [
        -1 - FIRST_PASS_PLACES[name] if name in FIRST_PASS_PLACES else rows[name] for name in names
    ]
    if network is None:
        return FirstPass(None, [], sources)
    return FirstPass(network.compiled, [rows[name] for name in network.names], sources)


def columns_of_table(
    table: npt.NDArray[np.floating],
    table_names: Sequence[str],
    page: Frame,
    names: Sequence[str],
    network: Network | None = None,
) -> Floats:
    """Compute the named columns from a table (n, k) of `table_names`, and the frame."""
    rows = np.ascontiguousarray(table.T, np.float32)
    return first_pass_of(table_names, names, network).columns(rows, page)
