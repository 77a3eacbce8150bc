"""Find the blocks of a page that stand in the elements of its site's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from crfclean.site_rules.values import FieldPlace, Region
from crfclean.types import Blocks, Bools


def blocks_in(blocks: Blocks, css: str) -> Bools:
    """Whether each of n blocks stands in an element of a selector such as `div.post` or `main`."""
    tag, identity, classes = _parts(css)
    nodes, changes = blocks.nodes, np.zeros(len(blocks) + 1, np.int64)
    for node, (name, attributes) in enumerate(zip(nodes.tags, nodes.attributes, strict=True)):
        if name == tag and _has(attributes, identity, classes):
            changes[nodes.first_block[node]] += 1
            changes[nodes.end_block[node]] -= 1
    return np.cumsum(changes)[:-1] > 0


def _parts(css: str) -> tuple[str, str, frozenset[str]]:
    """Tag, id and classes of a selector."""
    tag, _, identity = css.partition("#")
    if identity:
        return tag, identity, frozenset()
    tag, *classes = css.split(".")
    return tag, "", frozenset(classes)


def _has(attributes: Mapping[str, str], identity: str, classes: frozenset[str]) -> bool:
    if identity:
        return attributes.get("id") == identity
    return not classes or classes <= set(attributes.get("class", "").split())


def region_on(blocks: Blocks, regions: Sequence[Region]) -> tuple[Region | None, Bools]:
    """The first of some regions that a page has, and whether each of n blocks stands in it."""
    for region in regions:
        inside = blocks_in(blocks, region.css)
        if inside.any():
            return region, inside
    return None, np.zeros(len(blocks), bool)


def field_block(blocks: Blocks, place: FieldPlace) -> int | None:
    """The first block at the place of a field, None where the page does not have it."""
    around, _, own = place.css.rpartition(" ")
    inside = blocks_in(blocks, around or own)
    tag = _parts(own)[0]
    at_place = (
        block
        for block in np.flatnonzero(inside).tolist()
        if blocks.nodes.tags[int(blocks.node[block])] == tag
    )
    return next(at_place, None)
