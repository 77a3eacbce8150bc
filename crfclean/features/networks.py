"""Tell links to social networks and buttons that share a page, in any language."""

from __future__ import annotations

import re

import numpy as np

from crfclean.features.beginnings import beginnings
from crfclean.features.wording import link_targets
from crfclean.lexicon.markup import NETWORK_HOSTS
from crfclean.page.measures import Measures, once
from crfclean.page.tree import linked
from crfclean.types import Bools

MAX_LINK_WORDS = 8  # of a link to a network: a longer one is a sentence
_LINKED = 0.5  # of a block's characters: a block with more is a link

_NAMES = "|".join(NETWORK_HOSTS)
_HOST = re.compile(rf"(?:https?:)?//(?:[a-z]{{1,4}}\.)?(?:{_NAMES})\.(?:com|net|me|be)\b")


@once
def is_network_row(page: Measures) -> Bools:
    """Whether each block only names networks, or is a short link to one; shape (n,)."""
    rows: Bools = _short_links(page) | beginnings(page).networks
    return rows


def _short_links(page: Measures) -> Bools:
    """Whether each block is a short link, or several, to networks alone; shape (n,)."""
    rows: Bools = (linked(page) > _LINKED) & (page.words <= MAX_LINK_WORDS)
    if not rows.any():
        return rows
    blocks, hrefs = link_targets(page)
    asked = np.flatnonzero(rows[blocks])
    there = [bool(_HOST.match(hrefs[link].lower().strip())) for link in asked.tolist()]
    count = np.bincount(blocks, minlength=len(page))
    to_networks = np.bincount(blocks[asked[np.array(there, np.bool_)]], minlength=len(page))
    all_there: Bools = rows & (count > 0) & (count == to_networks)
    return all_there
