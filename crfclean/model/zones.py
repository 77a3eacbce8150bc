"""Find the main heading and the zones: comments, teasers, promotion, notices and menus."""

from __future__ import annotations

from typing import NamedTuple

from crfclean.model.markup import (
    with_markup,
)
from crfclean.model.zoning import apart_of, zones_of
from crfclean.page.measures import once
from crfclean.types import Blocks, Bools, Ints


class Zones(NamedTuple):
    """Main heading and zones of a page with n blocks and m elements.

    `heading` is the index of the block that is most likely the main heading, -1 if none is likely.
    `wide` (m,) marks elements that are the page or its main part, or hold the main heading; their
    class says nothing about the blocks inside. `blocks` (n,) has the `Kind` of each block's zone,
    0 outside zones. `in_comments` (n,) marks blocks inside an element for readers' comments, by
    its class, id or type, at any height.
    """

    heading: int
    wide: Bools
    blocks: Ints
    in_comments: Bools


@once
def find_zones(page: Blocks) -> Zones:
    """Find the main heading of a page and the zones of its blocks."""
    return Zones(*zones_of(with_markup(page)))


def main_heading(page: Blocks) -> int:
    """Return the index of the block that is most likely the main heading, -1 if none is likely.

    Kinds and the decision use this heading. Models are trained with another one, the column
    `is_headline`, which was wrong on some pages: "Debian User Forums" in the banner of a thread,
    "Get our news in your inbox" in a form, a language's name above each chapter of its book.
    """
    return find_zones(page).heading


def zones(page: Blocks) -> Ints:
    """Return the `Kind` of each block by its zone, 0 outside zones; shape (n,)."""
    return find_zones(page).blocks


# Blocks that are the title, or that markup or place shows not to be plain text


@once
def apart_kinds(page: Blocks) -> Ints:
    """Return the `Kind` of each block that markup or place shows not to be plain text; (n,).

    The title is one of them. Other blocks have 0: `kinds_of` tells headings, leads and forms of
    text apart. A byline says who wrote something, or when. (`is_byline`, for models, includes
    more, such as items of a list of names.) Captions with most of the running text are not
    captions: galleries tell their text in them.
    """
    heading, _, zones, _ = find_zones(page)
    return apart_of(with_markup(page), zones, heading)
