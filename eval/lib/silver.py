"""Labels of blocks without a whole gold: votes of the four peers, and snippets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crfclean.page.align import align
from crfclean.page.blocks import split
from crfclean.products.teach.gold import GoldPage
from crfclean.types import Ints, Label
from eval.lib.peers import PEERS

OUT, UNTOLD, IN = -1, 0, 1


def by_snippets(texts: Sequence[str], wanted: Sequence[str], unwanted: Sequence[str]) -> Ints:
    """What the snippets of a set say of each block: `IN`, `OUT` or `UNTOLD`; shape (n,).

    A wanted snippet tells something only where one block alone has it.
    """
    verdicts = np.full(len(texts), UNTOLD, np.int32)
    plain = [_plain(text) for text in texts]
    for snippets, verdict in ((wanted, IN), (unwanted, OUT)):
        for snippet in filter(None, map(_plain, snippets)):
            places = [place for place, text in enumerate(plain) if snippet in text]
            if len(places) == 1 or verdict == OUT:
                verdicts[places] = verdict
    return verdicts


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def votes(gold: GoldPage) -> Ints:
    """Peers that keep each block, by alignment of their texts with the page; shape (n,)."""
    blocks = split(gold.page)
    count = np.zeros(len(blocks), np.int32)
    for peer in PEERS.values():
        text = peer(gold.page.html, gold.lang)
        if text:
            count += align(blocks, text) != Label.OTHER
    return count
