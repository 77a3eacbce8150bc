"""Find the elements that have certain attributes; few do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from crfclean.core import native


def having(attributes: Sequence[Mapping[str, str]], names: tuple[str, ...]) -> list[int]:
    """The elements that have one of the named attributes, whatever its value, in page order.

    >>> having(({"lang": ""}, {}, {"id": "a", "lang": "en"}), ("lang", "xml:lang"))
    [0, 2]
    """
    if native.CORE is not None:
        places = native.CORE.having(tuple(attributes), names)
        nodes: list[int] = np.frombuffer(places, np.int32).tolist()
        return nodes
    lacks = frozenset(names).isdisjoint
    return [node for node, pairs in enumerate(attributes) if pairs and not lacks(pairs)]
