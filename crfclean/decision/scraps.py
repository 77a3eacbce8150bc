"""Find the texts of a page that never are its content, whatever the page is about."""

from __future__ import annotations

from functools import cache

import numpy as np

from crfclean.core.words import Phrases
from crfclean.lexicon import lexicon
from crfclean.model.markup import elements_for
from crfclean.model.zones import find_zones
from crfclean.types import Blocks, Bools, Floats

_BEGINNING = 40  # characters of a block that tell a notice
_MAX_WORDS = 60.0  # of a line of a mailing or a service: a longer one says something else, too
_LEAST = 0.1  # probability: less probable blocks need no rule
_EVEN = 0.5


def scraps(page: Blocks, probability: Floats) -> Bools:
    """Mark the scraps among the blocks of a page, by their probabilities to be text, (n,) each.

    They are the boxes of services that ask for consent, known by their ids and classes; lines in
    place of a box that is not loaded, such as "Loading ..."; notices of the service that shows the
    page, such as "Gift this article"; and the last lines of a mailing, with a link to unsubscribe.
    """
    marked = _consent(page)
    short = (page.words <= _MAX_WORDS) & (probability >= _LEAST) & ~marked
    tail = _tail(page, probability * ~marked)
    for block in np.flatnonzero(short & (page.table.link_words > 0))[::-1].tolist():
        if block < tail:
            break
        marked[block] = _mails(page, block)
    texts, blocks = page.table.plain_texts, np.flatnonzero(short & ~marked).tolist()
    beginnings = [texts[block][:_BEGINNING] for block in blocks]
    if _any_phrase().within("\n".join(beginnings).lower()):  # as on few pages
        marked[[block for block in blocks if _is_scrap(page, block)]] = True
    return marked & (probability >= _LEAST)


def _is_scrap(page: Blocks, block: int) -> bool:
    """Return whether a block stands for a box that is not loaded, or is a notice of a service."""
    text, phrases = page.table.plain_texts[block].lower().strip(), lexicon().scraps
    stands_for = text.rstrip(". …") in phrases["loading"] and not page.table.in_heading[block]
    return stands_for or text.startswith(phrases["service"])


def _mails(page: Blocks, block: int) -> bool:
    """Return whether a block with links names a mailing that one can leave."""
    text = page.table.plain_texts[block].lower()
    return any(phrase in text for phrase in lexicon().scraps["mailing"])


def _consent(page: Blocks) -> Bools:
    """Mark the blocks (n,) in elements that a service adds to ask for consent."""
    named = elements_for(page, "for_consent") & ~page.table.is_inline
    if not named.any():  # as on most pages
        return np.zeros(len(page), np.bool_)
    named &= ~find_zones(page).wide  # <body class="didomi-popup-open">
    inside: Bools = page.table.nearest(named)[page.node] >= 0
    return inside


def _tail(page: Blocks, probability: Floats) -> int:
    """Return the last block of running text that is likely kept, 0 if there is none."""
    running = np.flatnonzero(page.table.is_long & (probability >= _EVEN))
    return int(running[-1]) if len(running) else 0


@cache
def _any_phrase() -> Phrases:
    phrases = lexicon().scraps
    return Phrases(dict.fromkeys(phrases["loading"] + phrases["service"], 1))
