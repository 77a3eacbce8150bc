"""Addresses of the fields of a page: fields at one address mean the same in every post."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from crfclean.forum.records import Records
from crfclean.types import Ints


def addresses(page_records: Records, runs: Ints) -> tuple[str, ...]:
    """Return the address of each of some runs.

    An address is the side of the body, the name of the element and, from the second one, the number
    of the text node in it. If a record has elements of one name in elements of several names, such
    as two `span.time`, one of which is in a `dd.joined`, the name of the outer element comes first.
    """
    page = page_records.page
    nodes = page.page.runs.node[runs]
    parents = page.page.nodes.parent[nodes]
    names = [
        f"{side} {page.names[node]}"
        for side, node in zip(page_records.side[runs].tolist(), nodes.tolist(), strict=True)
    ]
    outer = [page.names[parent] if parent >= 0 else "" for parent in parents.tolist()]
    ambiguous = _ambiguous(names, outer, page_records.record[runs].tolist())
    ordinals = ordinals_of(nodes).tolist()
    return tuple(
        (f"{name} in {around}" if name in ambiguous else name)
        + (f"/text()[{ordinal + 1}]" if ordinal else "")
        for name, around, ordinal in zip(names, outer, ordinals, strict=True)
    )


def _ambiguous(names: list[str], outer: list[str], owners: list[int]) -> set[str]:
    """Names that any one record has inside elements of several names."""
    around = defaultdict[tuple[int, str], set[str]](set)
    for name, outer_name, owner in zip(names, outer, owners, strict=True):
        around[owner, name].add(outer_name)
    return {name for (_, name), outer_names in around.items() if len(outer_names) > 1}


def ordinals_of(values: Ints) -> Ints:
    """Count the earlier values that equal each value, shape (n,).

    >>> ordinals_of(np.array([7, 5, 7, 7, 5])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    ordinals = np.empty_like(values)
    ordinals[order] = np.arange(len(values)) - np.searchsorted(ordered, ordered)
    return ordinals
