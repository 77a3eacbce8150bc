"""Coherent texts by energy, by links and by containers beside known texts: purity, completeness.

The known texts are the posts of web-forum-52-dev, one each, and the gold of wcxb-dev's listings,
collections and forums, one a page. Both measures are B-cubed (Bagga and Baldwin 1998), over the
characters of known texts: purity is the mean share of a character's segment that is of its text,
completeness the mean share of its text that is in its segment. What is not gold belongs to no
text and makes a segment impure. Purity alone is 1 for a segment a text node.

p is chosen in five folds by site for the F of the other folds' pages; the plot has its effect.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice

import numpy as np
from corpora import corpus

from crfclean.align import align, tokens
from crfclean.blocks import split
from crfclean.coherent import SegmentParams, coherent_nodes
from crfclean.energy import EnergyParams
from crfclean.gold import GoldPage
from crfclean.trees import TextTree, text_tree
from crfclean.types import Blocks, Ints, Label

KINDS = ("listing", "collection", "forum")
GRID = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 14.0, 16.0, 20.0, 25.0)
FOLDS, NGRAM = 5, 3


@dataclass(frozen=True)
class Known:
    """A page's tree, the known text of each text node (-1: none), its size, its group and site."""

    tree: TextTree
    text: Ints
    group: str
    site: str


def owners(blocks: Blocks, gold: GoldPage, *, posts: bool) -> Ints:
    """The known text that each block is of, -1 for none, shape (n,)."""
    kept = align(blocks, gold.text) != Label.OTHER
    if not posts:
        return np.where(kept, 0, -1)
    pieces: dict[tuple[str, ...], int] = {}
    for number, post in enumerate(gold.text.split("\n")):
        words = tokens(post)
        for size in range(1, NGRAM + 1):
            for place in range(len(words) - size + 1):
                pieces.setdefault(tuple(words[place : place + size]), number)
    found = np.full(len(blocks), -1, np.int64)
    for block in np.flatnonzero(kept).tolist():
        words = tokens(blocks.texts[block])
        size = min(NGRAM, len(words))
        places = range(len(words) - size + 1)
        votes = Counter(pieces.get(tuple(words[at : at + size]), -1) for at in places)
        found[block] = votes.most_common(1)[0][0] if votes else -1
    return found


def known(gold: GoldPage, group: str) -> Known:
    """A page with its known texts."""
    blocks = split(gold.page)
    tree = text_tree(blocks)
    found = owners(blocks, gold, posts=group == "posts")
    return Known(tree, found[tree.block], group, gold.site)


def scores(page: Known, params: SegmentParams) -> tuple[float, float, float]:
    """Purity, completeness and their harmonic mean on a page with known text."""
    tree, nodes = page.tree, coherent_nodes(page.tree, params)
    bounds = tree.first_leaf[nodes]
    segment = np.searchsorted(bounds, np.arange(len(tree.texts)), "right") - 1
    chars, told = tree.chars[tree.leaves], page.text >= 0
    size = np.bincount(segment, chars)
    cells = np.stack([segment, page.text])[:, told]
    pairs, place = np.unique(cells, axis=1, return_inverse=True)
    both = np.bincount(place.ravel(), chars[told])
    whole = np.bincount(page.text[told], chars[told])
    total = both.sum()
    purity = float((both * both / np.maximum(size[pairs[0]], 1)).sum() / total)
    complete = float((both * both / np.maximum(whole[pairs[1]], 1)).sum() / total)
    return purity, complete, 2 * purity * complete / (purity + complete)


def load(data: str, most: int) -> list[Known]:
    """All pages with known texts, or so many of each set."""
    posts = [known(one, "posts") for one in islice(corpus("web-forum-52-dev", data), most)]
    pages = [one for one in corpus("wcxb-dev", data) if one.kind in KINDS][
        :: 1 if most > 999 else 5
    ]
    found = [*posts, *(known(one, one.kind) for one in pages)]
    return [page for page in found if page.tree.chars[page.tree.leaves][page.text >= 0].sum() > 0]


def energy_params(law: str, dissipation: float) -> SegmentParams:
    """Parameters of the energy of nodes."""
    return SegmentParams("energy", EnergyParams(law=law, dissipation=dissipation))
