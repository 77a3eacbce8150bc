"""Tell links to social networks and buttons that share a page, in any language."""

from __future__ import annotations

import re
from string import ascii_letters, digits

import numpy as np

from crfclean.features.wording import link_targets
from crfclean.lexicon.markup import NETWORKS
from crfclean.page.measures import Measures, once
from crfclean.page.tree import linked
from crfclean.types import Bools

_MAX_WORDS = 15  # of a row of networks
_MAX_LINK_WORDS = 8  # of a link to a network: a longer one is a sentence
_MAX_CHARS = 200  # of a block that are read
_LINKED = 0.5  # of a block's characters: a block with more is a link

_NAMES = frozenset(NETWORKS.split())
_INITIALS = "".join(name[0] for name in _NAMES)
_NO_INITIALS = "".join(sorted({*ascii_letters, *digits} - {*_INITIALS, *_INITIALS.upper()}))
_WORD = re.compile(r"[^\W_]+")
_BEGINS = re.compile(rf"[\W_]*(?:{'|'.join(sorted(_NAMES))})(?![^\W_])")
_HOST = re.compile(
    rf"(?:https?:)?//(?:[a-z]{{1,4}}\.)?(?:{'|'.join(sorted(_NAMES))}|t|youtu)\.(?:com|net|me|be)\b"
)


@once
def is_network_row(page: Measures) -> Bools:
    """Whether each block only names networks, or is a short link to one; shape (n,)."""
    rows = _short_links(page)
    texts, named = page.texts, (page.words <= _MAX_WORDS) & ~page.begins_with(_NO_INITIALS)
    for index in np.flatnonzero(named).tolist():
        text = texts[index][:_MAX_CHARS].lower()
        if _BEGINS.match(text) and _NAMES.issuperset(_WORD.findall(text)):  # as in few blocks
            rows[index] = True
    return rows


def _short_links(page: Measures) -> Bools:
    """Whether each block is a short link, or several, to networks alone; shape (n,)."""
    rows: Bools = (linked(page) > _LINKED) & (page.words <= _MAX_LINK_WORDS)
    if not rows.any():
        return rows
    blocks, hrefs = link_targets(page)
    asked = np.flatnonzero(rows[blocks])
    there = [bool(_HOST.match(hrefs[link].lower().strip())) for link in asked.tolist()]
    count = np.bincount(blocks, minlength=len(page))
    to_networks = np.bincount(blocks[asked[np.array(there, np.bool_)]], minlength=len(page))
    all_there: Bools = rows & (count > 0) & (count == to_networks)
    return all_there
