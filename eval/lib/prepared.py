"""Annotated pages with all that experiments need of them, computed once, without HTML.

With the environment variable `CRFCLEAN_PREPARED`, a folder keeps them from run to run: empty it
when code or pages have changed.
"""

from __future__ import annotations

import os
import pickle
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.decision.evidence import Evidence
from crfclean.model.coarse_kinds import coarse_kinds
from crfclean.model.columns import FEATURES
from crfclean.model.first_pass import columns_of_table
from crfclean.model.folder import Bundle
from crfclean.page.align import tokens
from crfclean.page.blocks import split
from crfclean.parallel import map_in_order
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.metrics import levenshtein, word_scores
from crfclean.products.teach.train import Example, make_example
from crfclean.types import Bools, CoarseKind, Floats, Ints, Label
from eval.lib.corpora import RunsPage, corpus, drawn
from eval.lib.descriptions import Description
from eval.lib.measure import EMPTY
from eval.lib.silver import IN, UNTOLD, by_snippets, votes

HEADING, QUOTE = (tuple(FEATURES).index(name) for name in ("in_heading", "in_quote"))
AGREED, UNSURE = 3, 2  # of four peers: what makes a block silver text, and what says nothing

OUTSIDE: Mapping[str, tuple[CoarseKind, ...]] = {
    "fundus-dev": (CoarseKind.CAPTIONS, CoarseKind.BYLINES),
    "immortal-zh": (CoarseKind.CAPTIONS, CoarseKind.BYLINES),
    "readability": (CoarseKind.CAPTIONS, CoarseKind.BYLINES, CoarseKind.COMMENTS),
}
"""Set -> the kinds of blocks that its convention leaves out or in, whatever the page says. They
teach a network nothing, as main headings of any set."""


@dataclass(frozen=True)
class Prepared:
    """A page ready for training and scoring: texts and kinds of its blocks, and its example.

    `packed` is the HTML, compressed: what a decision weighs beside a model is read from it again.
    """

    set: str
    gold: GoldPage
    packed: bytes
    texts: tuple[str, ...]
    kinds: Ints
    example: Example

    def text(self, keep: Bools) -> str:
        """The page's text if these blocks are kept."""
        return "\n".join(text for text, kept in zip(self.texts, keep, strict=True) if kept)

    def evidence(self) -> Evidence:
        """What is known of the blocks beside a model's probabilities."""
        html = zlib.decompress(self.packed).decode("utf-8", "surrogatepass")
        return Evidence(split(replace(self.gold.page, html=html)))

    def f1(self, keep: Bools) -> float:
        """F1 of the page's text if these blocks are kept."""
        return self.f1_of(self.text(keep))

    def f1_of(self, text: str) -> float:
        """F1 of a text of the page."""
        return word_scores(text, self.gold.text).f1

    def distance(self, keep: Bools) -> float:
        """Levenshtein distance of that text to the gold, by the longer one's length (0..1)."""
        return levenshtein(self.text(keep), self.gold.text)[1]


def model_columns(example: Example, bundle: Bundle) -> Floats:
    """The columns that a model needs of a page, (n, features)."""
    names = tuple(FEATURES)
    return columns_of_table(
        example.columns, names, example.frame, bundle.encoder.names, bundle.network
    )


def training_example(page: Prepared) -> Example:
    """The example of a page, where blocks outside its set's convention say nothing.

    Neither do quotes of other posts in threads of our own labels, which sets of forums contradict.
    """
    outside = np.isin(page.kinds, [int(kind) for kind in OUTSIDE.get(page.set, ())])
    if page.set == EMPTY and page.gold.kind == "thread" and len(page.example):
        quoted = page.example.columns[:, QUOTE] > 0
        outside |= quoted & (page.example.labels == Label.OTHER)
    return replace(page.example, informative=page.example.informative & ~outside)


def unmasked(page: Prepared) -> Example:
    """The example of a page with all that its gold says, main headings too."""
    return replace(page.example, informative=page.example.certain)


def prepare(
    gold: GoldPage, name: str, example_of: Callable[[GoldPage], Example] = make_example
) -> Prepared:
    """Cut a page, compute its columns and align its gold."""
    blocks = split(gold.page)
    packed = zlib.compress(gold.page.html.encode("utf-8", "surrogatepass"))
    lean = replace(gold, page=replace(gold.page, html=""))
    labelled = gold.by_number(blocks) if isinstance(gold, RunsPage) else gold
    return Prepared(name, lean, packed, blocks.texts, coarse_kinds(blocks), example_of(labelled))


def silver_labels(page: Prepared, count: Ints) -> Example | None:
    """The example with what the snippets of the set say, else what the peers agree on.

    `count` (n,) are the peers that keep each block. The gold's text is not looked at. Blocks that
    half of the peers keep, and that no snippet tells, say nothing to the network. None where
    nothing is kept.
    """
    if not len(page.example):
        return None
    headings = page.example.columns[:, HEADING] > 0
    kept = np.where(headings, Label.HEADER, Label.TEXT)
    verdicts = by_snippets(page.texts, page.gold.expected_snippets, page.gold.forbidden_snippets)
    is_text = (verdicts == IN) | ((verdicts == UNTOLD) & (count >= AGREED))
    if not is_text.any():
        return None
    labels = np.where(is_text, kept, Label.OTHER).astype(np.int32)
    sure = (count != UNSURE) | (verdicts != UNTOLD)
    return replace(page.example, labels=labels, informative=page.example.informative & sure)


def load_set(name: str, data: str, workers: int) -> list[Prepared]:
    """All pages of a set."""
    pages: list[Prepared] = _kept(
        f"{name}.pages", lambda: list(map_in_order(prepare, corpus(name, data), name, workers))
    )
    return pages


def load_votes(name: str, data: str, workers: int) -> list[Ints]:
    """How many peers keep each block, for all pages of a set."""
    counts: list[Ints] = _kept(
        f"{name}.votes", lambda: list(map_in_order(_votes, corpus(name, data), None, workers))
    )
    return counts


def load_silver(name: str, data: str, workers: int) -> list[Example]:
    """The silver pages of a set."""
    pairs = zip(load_set(name, data, workers), load_votes(name, data, workers), strict=True)
    examples = (silver_labels(page, count) for page, count in pairs)
    return [labelled for labelled in examples if labelled is not None]


def line_labels(page: Prepared, count: Ints) -> Example | None:
    """The example of a page of which only some lines are gold; None with fewer than two blocks.

    Other blocks are text if three peers keep them, or two between the gold ones; there, those that
    fewer keep say nothing, and neither do those anywhere that two keep.
    """
    is_gold = has_lines(page.texts, page.gold.expected_snippets)
    places = np.flatnonzero(is_gold)
    if len(places) < 2:
        return None
    between = np.zeros(len(is_gold), np.bool_)
    between[places[0] : places[-1] + 1] = True
    is_text = is_gold | (count >= AGREED) | (between & (count >= UNSURE))
    headings = page.example.columns[:, HEADING] > 0
    kept = np.where(headings, Label.HEADER, Label.TEXT)
    labels = np.where(is_text, kept, Label.OTHER).astype(np.int32)
    sure = is_gold | ((count != UNSURE) & (is_text | ~between))
    return replace(page.example, labels=labels, informative=page.example.informative & sure)


def has_lines(texts: Sequence[str], lines: Sequence[str]) -> Bools:
    """Whether each block has words of a line that stands on the page, in a row; shape (n,)."""
    words = [tokens(text) for text in texts]
    flat = [word for block in words for word in block]
    owner = np.repeat(np.arange(len(words)), [len(block) for block in words])
    places: dict[str, list[int]] = {}
    for place, word in enumerate(flat):
        places.setdefault(word, []).append(place)
    marked = np.zeros(len(words), np.bool_)
    for line in map(tokens, lines):
        for start in places.get(line[0], ()) if line else ():
            if flat[start : start + len(line)] == line:
                marked[owner[start] : owner[start + len(line) - 1] + 1] = True
    return marked


def examples_of(name: str, recipe: Description, data: str, workers: int) -> list[Example]:
    """What a set gives to training by a recipe: its gold, lines or silver labels."""
    if name in recipe.silver:
        return load_silver(name, data, workers)
    pages = load_set(name, data, workers)
    if name in recipe.lines:
        chosen = {gold.id for gold in drawn([page.gold for page in pages], recipe.lines[name])}
        pairs = zip(pages, load_votes(name, data, workers), strict=True)
        labelled = (line_labels(page, count) for page, count in pairs if page.gold.id in chosen)
        return [example for example in labelled if example is not None]
    example_of = training_example if recipe.masked else unmasked
    return [example_of(page) for page in pages if page.gold.text.strip() or name == EMPTY]


def _votes(gold: GoldPage, _: None) -> Ints:
    return votes(gold)


def _kept(name: str, make: Callable[[], Any]) -> Any:
    """What an earlier run has made and kept in the folder `CRFCLEAN_PREPARED`, or made now."""
    folder = os.environ.get("CRFCLEAN_PREPARED")
    if not folder:
        return make()
    path = Path(folder, name)
    if path.exists():
        return pickle.loads(path.read_bytes())  # noqa: S301 - of the same checkout
    content = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(content))
    return content
