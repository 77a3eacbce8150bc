"""Find the texts of a page that never are its content, whatever the page is about."""

from __future__ import annotations

from functools import cache

import numpy as np

from crfclean.lexicon import lexicon
from crfclean.model.markup import elements_for
from crfclean.model.zones import find_zones
from crfclean.types import Blocks, Bools, Floats

_MAX_WORDS = 60.0  # of a line of a mailing or a service: a longer one says something else, too
_MAX_CHARS = 60  # of a text that are compared with the beginnings of notices
_LEAST = 0.1  # probability: less probable blocks need no rule
_EVEN = 0.5


def scraps(page: Blocks, probability: Floats) -> Bools:
    """Mark the scraps among the blocks of a page, by their probabilities to be text, (n,) each.

    They are the boxes of services that ask for consent, known by their ids and classes; lines in
    place of a box that is not loaded, such as "Loading ..."; notices of the service that shows the
    page, such as "Gift this article"; and the last lines of a mailing, with a link to unsubscribe.
    """
    marked = _consent(page)
    table, phrases = page.table, _phrases()
    short = ~marked & (page.words <= _MAX_WORDS) & (probability >= _LEAST)
    tail = _tail(page, probability * ~marked)
    for block in np.flatnonzero(short).tolist():
        text = table.plain_texts[block].lower().strip()
        marked[block] = text[:_MAX_CHARS].startswith(phrases["service"]) or (
            text.rstrip(". …") in phrases["loading"] and not table.in_heading[block]
        )
        if block >= tail and table.link_words[block] > 0 and not marked[block]:
            marked[block] = any(phrase in text for phrase in phrases["mailing"])
    return marked & (probability >= _LEAST)


def _consent(page: Blocks) -> Bools:
    """Mark the blocks (n,) in elements that a service adds to ask for consent."""
    named = elements_for(page, "for_consent") & ~page.table.is_inline
    if not named.any():  # as on most pages
        return np.zeros(len(page), np.bool_)
    named &= ~find_zones(page).wide  # <body class="didomi-popup-open">
    inside: Bools = page.table.nearest(named)[page.node] >= 0
    return inside


def _tail(page: Blocks, probability: Floats) -> int:
    """Return the block before which the last running text but one stands that is likely kept."""
    running = np.flatnonzero(page.table.is_long & (probability >= _EVEN))
    return int(running[-1]) if len(running) else 0


@cache
def _phrases() -> dict[str, tuple[str, ...]]:
    return dict(lexicon().scraps)
