"""Tell links to social networks and buttons that share a page, in any language."""

from __future__ import annotations

import re
from string import ascii_lowercase, digits

import numpy as np

from crfclean.features.wording import link_targets, lowered_heads
from crfclean.lexicon.markup import NETWORKS
from crfclean.page.measures import Measures, once
from crfclean.page.tree import linked
from crfclean.types import Bools

_MAX_WORDS = 15  # of a row of networks
_MAX_LINK_WORDS = 8  # of a link to a network: a longer one is a sentence
_MAX_CHARS = 200  # of a block that are read
_LINKED = 0.5  # of a block's characters: a block with more is a link

_NAMES = frozenset(NETWORKS.split())
_NO_INITIALS = frozenset(ascii_lowercase + digits) - {name[0] for name in _NAMES}
_WORD = re.compile(r"[^\W_]+")
_BEGINS = re.compile(rf"[\W_]*(?:{'|'.join(sorted(_NAMES))})(?![^\W_])")
_HOST = re.compile(
    rf"(?:https?:)?//(?:[a-z]{{1,4}}\.)?(?:{'|'.join(sorted(_NAMES))}|t|youtu)\.(?:com|net|me|be)\b"
)


@once
def is_network_row(page: Measures) -> Bools:
    """Whether each block only names networks, or is a short link to one; shape (n,)."""
    rows = np.zeros(len(page), np.bool_)
    texts, heads = page.texts, lowered_heads(page)
    for index in np.flatnonzero(page.words <= _MAX_WORDS).tolist():
        if heads[index][:1] in _NO_INITIALS:  # as in most blocks
            continue
        text = texts[index][:_MAX_CHARS].lower()
        if _BEGINS.match(text):  # as in few blocks
            rows[index] = _NAMES.issuperset(_WORD.findall(text))
    rows |= _to_networks(page) & (linked(page) > _LINKED) & (page.words <= _MAX_LINK_WORDS)
    return rows


def _to_networks(page: Measures) -> Bools:
    """Whether the links that begin in each block are all to networks, shape (n,)."""
    blocks, hrefs = link_targets(page)
    match = _HOST.match
    there = np.array(
        ["//" in href and bool(match(href.lower().strip())) for href in hrefs], np.bool_
    )
    count = np.bincount(blocks, minlength=len(page))
    to_networks = np.bincount(blocks[there], minlength=len(page))
    all_there: Bools = (count > 0) & (count == to_networks)
    return all_there
