"""Blocks with what is known of their kinds, and the training of the model of kinds from them.

What is known of a block is the set of outputs that are not ruled out, as a number whose bit `i` is
set for output `i`; 0 for a block of which nothing is known. `data/kinds` tells one kind a block.
The golds of fundus-dev and web-forum-52-dev tell paragraphs, headings, leads, captions, bylines
and posts by their texts; of other blocks fundus-dev tells whether they are of the body. The golds
of magic-html-article and of `DRAWN` pages of wcxb-dev tell of long blocks that they are of the
body, or on a forum a post, so that the model does not take the text of unlike sites for comments.
"""

from __future__ import annotations

import json
import lzma
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.model.block_kinds import kinds_of
from crfclean.model.columns import FEATURES
from crfclean.model.kind_columns import evidence_names, kind_columns
from crfclean.model.kind_model import KIND_OUTPUTS, KindModel
from crfclean.page.align import align
from crfclean.page.blocks import split
from crfclean.products.teach.design import Design
from crfclean.products.teach.fit import TrainingPage, block_weights, fit_network
from crfclean.products.teach.gold import NONE, GoldPage
from crfclean.types import Blocks, Floats, Ints, Kind, Label
from eval.lib.corpora import corpus, drawn
from eval.lib.kind_gold import FIRST, LabelledPage, read_lines

NEWS, FORUMS = "fundus-dev", "web-forum-52-dev"
ARTICLES, MIXED = "magic-html-article", "wcxb-dev"
DRAWN = 400
GOLD_SHARE = 0.3
"""Weight of a page whose kinds are known by its gold, against one that was labelled."""

EVENNESS = 0.7
"""Share of a page's weight that its blocks carry evenly; the rest goes by words."""

_LEAST_CHARS = {"post": 40, "caption": 15, "name": 6}  # shorter ones may be something else
_LONG_WORDS = 8  # of a block of the body: a shorter one may be a byline
_FORMS = (Kind.LIST, Kind.TABLE, Kind.CODE, Kind.FORMULA, Kind.QUOTE)
_NOT_WORD = re.compile(r"\W+")


@dataclass(frozen=True)
class KindPage:
    """A page: columns (n, k), what is known of the kinds (n,), words (n,), its weight, its site."""

    set: str
    site: str
    columns: npt.NDArray[np.float32]
    possible: Ints
    words: Floats
    weight: float


def bits(*kinds: int) -> int:
    """The number whose bits are these outputs."""
    return sum(1 << kind for kind in set(kinds))


_ALL = bits(*range(len(KIND_OUTPUTS)))
_BODY = bits(Kind.PARAGRAPH, Kind.LEAD, Kind.HEADING, *_FORMS)
_OUTSIDE = _ALL & ~bits(Kind.LEAD, Kind.CODE, Kind.FORMULA)
_OF_BODY = {
    "lead": bits(Kind.LEAD),
    "h": bits(Kind.HEADING),
    "p": bits(Kind.PARAGRAPH, *_FORMS),
}
"""Mark in the gold of fundus-dev -> the kinds that a block may have."""


def design() -> Design:
    """One hidden layer."""
    return Design(
        units=(48, len(KIND_OUTPUTS)),
        activations=("relu", "linear"),
        steepness=(1.0, 1.0),
        loss="choices",
        scaling="logarithms",
        optimiser="adam",
        epochs=12,
        batch_pages=8,
        learning_rate=6e-3,
        weight_decay=0.02,
        dropout=0.3,
        start=None,
    )


def fit_kinds(pages: Sequence[KindPage], seed: int = 1) -> KindModel:
    """Train a model; blocks of which nothing is known take no part."""
    features = tuple(FEATURES)
    training = []
    for page in pages:
        of = page.possible > 0
        weights = page.weight * block_weights(page.words[of], EVENNESS)
        if of.any():
            training.append(TrainingPage(page.columns[of], page.possible[of], weights))
    network = fit_network((*features, *evidence_names()), training, design(), (seed,))
    return KindModel(features, network.scaling, network.members[0])


def kind_page(
    gold: GoldPage, set_name: str, possible: Ints, page: Blocks, weight: float
) -> KindPage:
    """A page with what is known of the kinds of its blocks."""
    columns = kind_columns(page, tuple(FEATURES))
    return KindPage(set_name, gold.site, columns, possible, page.words, weight)


def labelled_kind_pages(labelled: Iterable[LabelledPage]) -> list[KindPage]:
    """The same pages with columns."""
    pages = []
    for page in labelled:
        possible = np.where(page.kinds == NONE, 0, 1 << np.maximum(page.kinds, 0))
        pages.append(kind_page(page.gold, page.set, possible, page.blocks, 1.0))
    return pages


def gold_kind_pages(data: str) -> Iterator[KindPage]:
    """The other pages of the sets whose gold tells kinds."""
    labelled = {(name, page_id) for name, page_id, *_ in read_lines(FIRST)}
    for name, known_of in _KNOWN_BY.items():
        rows = {row["id"]: row for row in _rows(name, data)}
        for gold in drawn(corpus(name, data), DRAWN):
            page = split(gold.page)
            if (name, gold.id) not in labelled and len(page):
                possible = known_of(page, gold, rows[gold.id])
                yield of_known(kind_page(gold, name, possible, page, GOLD_SHARE))


def of_known(page: KindPage) -> KindPage:
    """A page with the blocks of which something is known."""
    of = page.possible > 0
    return replace(page, columns=page.columns[of], possible=page.possible[of], words=page.words[of])


def _rows(name: str, data: str) -> Iterator[dict[str, Any]]:
    with lzma.open(Path(data, f"{name}.jsonl.xz"), "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def letters(text: str) -> str:
    """A text without anything but letters and digits, by which texts are compared."""
    return _NOT_WORD.sub("", unicodedata.normalize("NFKC", text)).casefold()


def by_article(page: Blocks, gold: GoldPage, row: Mapping[str, Any]) -> Ints:
    """What the gold of a news page tells of its blocks (n,): its body, captions, title, authors."""
    extra, evidence = row["extra"], kinds_of(page)
    texts = [letters(text) for text in page.texts]
    outside = align(page, gold.text) == Label.OTHER
    possible = np.where(outside, _OUTSIDE, np.where(page.words >= _LONG_WORDS, _BODY, 0))
    names = {letters(name) for name in extra.get("authors") or ()}
    exact = {name: bits(Kind.BYLINE) for name in names if len(name) >= _LEAST_CHARS["name"]}
    captions = [letters(text) for text in extra.get("captions") or () if text]
    exact |= {text: bits(Kind.CAPTION) for text in captions if len(text) > _LEAST_CHARS["caption"]}
    exact |= {letters(text): _OF_BODY[mark] for mark, text in reversed(extra["blocks"])}
    title = letters(row.get("title") or "")
    for block, text in enumerate(texts):
        if text in exact:
            possible[block] = exact[text]
            if exact[text] == _OF_BODY["p"] and evidence[block] == Kind.PARAGRAPH:
                possible[block] = bits(Kind.PARAGRAPH)
        elif text == title and evidence[block] == Kind.TITLE:
            possible[block] = bits(Kind.TITLE)
    return possible


def by_posts(page: Blocks, _gold: GoldPage, row: Mapping[str, Any]) -> Ints:
    """What the gold of a thread tells of its blocks (n,): the long ones that stand in posts."""
    posts = letters(" ".join(post["text"] or "" for post in row["extra"]["posts"]))
    texts = [letters(text) for text in page.texts]
    inside = [len(text) > _LEAST_CHARS["post"] and text in posts for text in texts]
    return np.where(inside, bits(Kind.POST), 0).astype(np.int64)


def by_text(page: Blocks, gold: GoldPage, _row: Mapping[str, Any]) -> Ints:
    """What the gold of any page tells of its blocks (n,): that long ones in it are of the body."""
    inside = (align(page, gold.text) != Label.OTHER) & (page.words >= _LONG_WORDS)
    in_text = _BODY | bits(Kind.COMMENT, Kind.POST) if gold.kind == "forum" else _BODY
    return np.where(inside, in_text, 0).astype(np.int64)


_KNOWN_BY = {NEWS: by_article, FORUMS: by_posts, ARTICLES: by_text, MIXED: by_text}
"""Set -> what its gold tells of the blocks of a page."""
