"""Pages whose coherent texts are known: posts, portals, and pages with one text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crfclean.page.align import align, tokens
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.products.papers.text_tree import TextTree, text_tree
from crfclean.products.teach.gold import GoldPage, read_gold
from crfclean.types import Blocks, Ints, Label
from eval.lib.corpora import DEMO, ROOT, corpus

PORTALS = ROOT / "data" / "portals"
MANY, ONE = ("posts", "portals"), ("articles", "demo articles")
"""Groups of pages with many texts, and of pages with one."""
KINDS = ("listing", "collection", "forum")
"""Pages of wcxb-dev with a gold of many texts that it does not part: they count as one."""
ARTICLE_STEP = 7  # every so many articles of wcxb-dev are used
NGRAM = 3


@dataclass(frozen=True)
class KnownPage:
    """A page's tree, the known text of each text node (-1: none), its group and site."""

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
    numbers = np.full(len(blocks), -1, np.int64)
    for block in np.flatnonzero(kept).tolist():
        words = tokens(blocks.texts[block])
        size = min(NGRAM, len(words))
        places = range(len(words) - size + 1)
        votes = Counter(pieces.get(tuple(words[at : at + size]), -1) for at in places)
        numbers[block] = votes.most_common(1)[0][0] if votes else -1
    return numbers


def known_page(gold: GoldPage, group: str) -> KnownPage:
    """A page with its known texts."""
    blocks = split(gold.page)
    tree = text_tree(blocks)
    of_block = owners(blocks, gold, posts=group == "posts")
    return KnownPage(tree, of_block[tree.block], group, gold.site)


def portal(path: Path) -> KnownPage:
    """A page of data/portals; its texts stand in a file beside it, parted by empty lines.

    Raises `ValueError` if they are not on the page in that order.
    """
    tree = text_tree(split(decode(path.read_bytes())))
    parts = path.with_suffix(".texts.txt").read_text("utf-8").split("\n\n")
    rest, number = "", -1
    numbers = np.full(len(tree.texts), -1, np.int64)
    texts = ["".join(part.split()) for part in parts]
    for leaf, text in enumerate("".join(node.split()) for node in tree.texts):
        if not rest and number + 1 < len(texts) and texts[number + 1].startswith(text):
            number += 1
            rest = texts[number]
        if rest.startswith(text):
            rest, numbers[leaf] = rest[len(text) :], number
    if rest or number + 1 < len(texts):
        raise ValueError(
            f"{path.name}: text {max(0, number)} is not on the page as it stands there"
        )
    return KnownPage(tree, numbers, "portals", path.stem)


def all_pages(data: str) -> Iterator[KnownPage]:
    """The pages of all groups."""
    for gold in corpus("web-forum-52-dev", data):
        yield known_page(gold, "posts")
    for path in sorted(PORTALS.glob("*.html")):
        yield portal(path)
    pages = corpus("wcxb-dev", data)
    for gold in [gold for gold in pages if gold.kind == "article"][::ARTICLE_STEP]:
        yield known_page(gold, "articles")
    for gold in read_gold(DEMO):
        yield known_page(gold, "demo articles")
    for gold in pages:
        if gold.kind in KINDS:
            yield known_page(gold, gold.kind)


def load(data: str, step: int) -> list[KnownPage]:
    """Every `step`-th of the pages that show some of their known text."""
    pages: Sequence[KnownPage] = list(all_pages(data))[::step]
    return [page for page in pages if page.tree.chars[page.tree.leaves][page.text >= 0].sum() > 0]
