"""Votes of the four peers on the blocks of a page, for silver labels without a gold."""

from __future__ import annotations

import numpy as np

from crfclean.gold.align import align
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.types import Ints, Label
from eval.lib.peers import PEERS


def votes(gold: GoldPage) -> Ints:
    """Peers that keep each block, by alignment of their texts with the page; shape (n,)."""
    blocks = split(gold.page)
    count = np.zeros(len(blocks), np.int32)
    for peer in PEERS.values():
        text = peer(gold.page.html, gold.lang)
        if text:
            count += align(blocks, text) != Label.OTHER
    return count
