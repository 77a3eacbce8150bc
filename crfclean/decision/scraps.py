"""Find the texts of a page that never are its content, whatever the page is about."""

from __future__ import annotations

from functools import cache

import numpy as np

from crfclean.core.words import Phrases
from crfclean.lexicon import lexicon
from crfclean.model.markup import elements_for
from crfclean.model.zones import find_zones
from crfclean.types import Blocks, Bools, Floats

_BEGINNING, _MAX_CHARS = 40, 600  # characters of a block that are read for a notice, a mailing
_MAX_WORDS = 60.0  # of a line of a mailing or a service: a longer one says something else, too
_LEAST = 0.1  # probability: less probable lines need no rule; a box of consent was kept at .09
_EVEN = 0.5


def scraps(page: Blocks, probability: Floats) -> Bools:
    """Mark the scraps among the blocks of a page, by their probabilities to be text, (n,) each.

    They are the boxes of services that ask for consent, known by their ids and classes; lines in
    place of a box that is not loaded, such as "Loading ..."; notices of the service that shows the
    page, such as "Gift this article"; and the last lines of a mailing, with a link to unsubscribe.
    """
    marked = _consent(page)
    short = (page.words <= _MAX_WORDS) & (probability >= _LEAST) & ~marked
    behind = np.arange(len(page)) >= _tail(page, probability * ~marked)
    mails = short & behind & (page.table.link_words > 0)
    marked[_naming(page, mails, ("mailing",), _MAX_CHARS)] = True
    notices = _naming(page, short, ("loading", "service"), _BEGINNING)
    marked[[block for block in notices if _is_notice(page, block)]] = True
    return marked


def _is_notice(page: Blocks, block: int) -> bool:
    """Return whether a block stands for a box that is not loaded, or is a notice of a service."""
    text, phrases = page.table.plain_texts[block].lower(), lexicon().scraps
    stands_for = text.rstrip(". …") in phrases["loading"] and not page.table.in_heading[block]
    return stands_for or text.startswith(phrases["service"])


def _naming(page: Blocks, among: Bools, groups: tuple[str, ...], most: int) -> list[int]:
    """Return the blocks with a phrase of some groups in their first characters, `most` of each."""
    texts, phrases = page.table.plain_texts, _phrases(groups)
    blocks = np.flatnonzero(among).tolist()
    if not phrases.within("\n".join([texts[block][:most] for block in blocks]).lower()):
        return []
    return [block for block in blocks if phrases.within(texts[block][:most].lower())]


@cache
def _phrases(groups: tuple[str, ...]) -> Phrases:
    return Phrases({phrase: 1 for group in groups for phrase in lexicon().scraps[group]})


def _consent(page: Blocks) -> Bools:
    """Mark the blocks (n,) in elements that a service adds to ask for consent."""
    named = elements_for(page, "for_consent") & ~page.table.is_inline
    if not named.any():  # as on most pages
        return np.zeros(len(page), np.bool_)
    named &= ~find_zones(page).wide  # <body class="didomi-popup-open">
    inside: Bools = page.table.nearest(named)[page.node] >= 0
    return inside


def _tail(page: Blocks, probability: Floats) -> int:
    """Return the last block of running text that is likely kept; behind all if there is none."""
    running = np.flatnonzero(page.table.is_long & (probability >= _EVEN))
    return int(running[-1]) if len(running) else len(page)
