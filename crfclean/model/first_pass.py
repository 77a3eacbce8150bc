"""Turn the probabilities of a first pass into columns for the CRF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crfclean import door
from crfclean.core import labels
from crfclean.core.labels import LEVELS, REACHES, FirstPass
from crfclean.core.table import Table
from crfclean.model.columns import COLUMNS, filled
from crfclean.model.networks import Network
from crfclean.types import Blocks, CrfcleanError, Floats, Ints, ModelError

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
    """The arrays of a table that the columns read, without the rest of the page.

    `words` (n,); `spans` (8 n,), the half-open ranges of blocks of four ever wider elements around
    each block; the numbers of groups of blocks, (n,), -1 for none: with the same tags and classes
    from the root down; whose elements, and the wider elements around these, are of the same kind;
    in the same list of cards.
    """

    words: Floats
    spans: Ints
    path_keys: Ints
    parent_keys: Ints
    card_keys: Ints


def frame(page: Blocks) -> Frame:
    """Return the frame of a page, which training keeps."""
    table = filled(page)
    return Frame(*(getattr(table, name).copy() for name in Frame._fields))


def first_pass_columns(frame: Frame | Table, probabilities: Floats) -> Floats:
    """First-pass probabilities (n, 3) -> columns (n, k) in the order of `FIRST_PASS_NAMES`."""
    return labels.first_pass_columns(frame, probabilities)


# The first pass is a network over the table. Its probabilities become columns.

COLUMN_NAMES = frozenset([*COLUMNS, *FIRST_PASS_NAMES])
"""Names of all columns of our own that a CRF may have."""


def added_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names among some columns that are not ours, but those of other packages."""
    return tuple(name for name in names if name not in COLUMN_NAMES)


def check_names(names: Sequence[str]) -> None:
    """Raise `ModelError` for a column that neither this version has nor another package."""
    unknown = [name for name in added_names(names) if not door.has("features", name)]
    if unknown:
        raise ModelError(f"this version of crfclean has no feature {unknown[0]!r}")


def check_added(names: Sequence[str]) -> None:
    """Raise `CrfcleanError` unless each name is that of a feature of another package, once."""
    for name in names:
        if name in COLUMN_NAMES:
            raise CrfcleanError(f"the feature {name!r} is one of crfclean's own: name others only")
        door.find("features", name)
    if len(set(names)) < len(names):
        raise CrfcleanError(f"the features {', '.join(names)} are not all different")


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
        return FirstPass(None, places=[], sources=sources)
    places = [rows[name] for name in network.names]
    return FirstPass(network.compiled, places=places, sources=sources)


def columns_of_table(
    table: npt.NDArray[np.floating],
    table_names: Sequence[str],
    frame: Frame,
    names: Sequence[str],
    network: Network | None = None,
) -> Floats:
    """Compute the named columns from a table (n, k) of `table_names`, and the frame."""
    rows = np.ascontiguousarray(table.T, np.float32)
    return first_pass_of(table_names, names, network).columns(rows, frame)
