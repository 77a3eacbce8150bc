"""Find the texts of a page that never are its content, whatever the page is about."""

from __future__ import annotations

from functools import cache

import numpy as np

from crfclean.core.words import Phrases
from crfclean.lexicon import lexicon
from crfclean.model.markup import elements_for
from crfclean.model.zones import find_zones
from crfclean.types import Blocks, Bools, Floats

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
    short = (page.words <= _MAX_WORDS) & (probability >= _LEAST)
    blocks = np.flatnonzero(short & ~marked).tolist()
    texts = [page.table.plain_texts[block].lower().strip() for block in blocks]
    if _any_phrase().within("\n".join(texts)):  # as on few pages
        tail = _tail(page, probability * ~marked)
        for block, text in zip(blocks, texts, strict=True):
            marked[block] = _is_scrap(page, block, text) or (block >= tail and _mails(page, block))
    return marked & (probability >= _LEAST)


def _is_scrap(page: Blocks, block: int, text: str) -> bool:
    """Return whether a block with a text stands for a box that is not loaded, or is a notice."""
    phrases = lexicon().scraps
    stands_for = text.rstrip(". …") in phrases["loading"] and not page.table.in_heading[block]
    return stands_for or text.startswith(phrases["service"])


def _mails(page: Blocks, block: int) -> bool:
    """Return whether a block has a link to unsubscribe from a mailing."""
    text = page.table.plain_texts[block].lower()
    phrases = lexicon().scraps["mailing"]
    return page.table.link_words[block] > 0 and any(phrase in text for phrase in phrases)


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
    return Phrases({phrase: 1 for phrases in lexicon().scraps.values() for phrase in phrases})
