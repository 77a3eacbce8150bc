"""Give the compiled core what tells zones and the main heading of a page."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from crfclean.core import native
from crfclean.features.beginnings import beginnings
from crfclean.features.headline import likeness_to_titles
from crfclean.features.main_heading import ASIDE_TAGS, LEVELS, PAGE_TAGS, main_heading
from crfclean.features.markup import named_elements, typed_elements
from crfclean.features.openings import KIND_OF_GROUP, MAX_WORDS_BY_KIND
from crfclean.features.wording import href_bits, link_targets
from crfclean.page.measures import Measures
from crfclean.page.tree import in_heading, is_long, link_words, linked, running_words, wider
from crfclean.types import Floats, Ints

_NOT_KNOWN = -2  # a main heading that the core shall find


def zones_by_core(
    page: Measures,
    tag_sets: tuple[tuple[str, ...], ...],
    numbers: Ints,
    bounds: Floats,
    *,
    heading: int | None,
) -> tuple[int, bytes, bytes, bytes, bytes, bytes]:
    """The main heading, and rows of elements and blocks as in `native/zones.c`.

    `heading` is the main heading where it is known; in some alphabets it is asked of Python.
    """
    arrays = (*_of_page(page, tag_sets), numbers, bounds)
    answer = None
    if heading is not None or likeness_to_titles(page).weighted is not None:
        answer = native.CORE.zones(arrays, _NOT_KNOWN if heading is None else heading)
    if answer is None:
        answer = native.CORE.zones(arrays, main_heading(page))
    rows: tuple[int, bytes, bytes, bytes, bytes, bytes] = answer
    return rows


@cache
def _bits_by_tag(tag_sets: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    """Tag -> bits of the sets that it is in: the main heading's come last."""
    bits: dict[str, int] = {}
    for number, tags in enumerate((*tag_sets, PAGE_TAGS, ASIDE_TAGS)):
        for tag in tags:
            bits[tag] = bits.get(tag, 0) | 1 << number
    return bits


def _of_page(page: Measures, tag_sets: tuple[tuple[str, ...], ...]) -> tuple[Any, ...]:
    """What the core reads, in the order of `native/zones.c`."""
    nodes, tags, bits = page.blocks.nodes, page.tag_names, _bits_by_tag(tag_sets)
    which, name_bits = named_elements(page)
    said, (link_blocks, _) = beginnings(page), link_targets(page)
    plain, weighted, single = likeness_to_titles(page)
    return (
        *(which, typed_elements(page), nodes.inline, page.tag_codes, nodes.first_block),
        *(nodes.end_block, nodes.end, nodes.parent, wider(page)),
        *(page.blocks.node, page.words, running_words(page), link_words(page), linked(page)),
        *(is_long(page), in_heading(page), *said),
        *(plain, plain if weighted is None else weighted, plain if single is None else single),
        *(link_blocks, href_bits(page), name_bits),
        np.array([bits.get(tag, 0) for tag in tags], np.uint16),
        np.array([LEVELS.get(tag, 0.0) for tag in tags], np.float64),
        *(KIND_OF_GROUP, MAX_WORDS_BY_KIND),
    )
