"""Measure how many long paragraphs of the gold the default tagger loses, and trafilatura.

Run `python -m eval.accuracy.paragraphs --data DIR`.

A long paragraph is a block of the gold with `MIN_WORDS` words or more, an ideograph half a word. It
is lost if less than half of its sequences of four tokens are in the system's text. It has a kept
sibling if another block right inside the same element, long and in the gold, is not lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from crfclean.features.headline import tokens_of
from crfclean.gold.align import align
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.page.latest import measured
from crfclean.page.measures import Measures
from crfclean.parallel import map_in_order
from crfclean.pipeline import run
from crfclean.taggers.load import load
from crfclean.types import Bools, Ints, Label, Tagger
from eval.lib.corpora import corpus, data_parser, drawn
from eval.lib.peers import text_of
from eval.lib.record import environment, record

SETS = (
    *("wcxb-dev", "magic-html-article", "magic-html-forum", "fundus-dev", "immortal-zh"),
    *("daniel-dev", "irdata-big9", "dragnet-dev", "cleaneval-dev"),
)
PAGES = 100
"""Pages drawn from each set."""

MIN_WORDS = 20
PEER = "trafilatura"
_SIZE = 4  # tokens of a sequence
_HALF = 0.5  # of a block's sequences: with fewer in the text it is lost

Sequences = set[tuple[str, ...]]


def sequences_of(tokens: Sequence[str]) -> Sequences:
    """All sequences of four tokens."""
    return set(zip(*(tokens[start:] for start in range(_SIZE)), strict=False))


def lost_blocks(blocks: Sequence[Sequence[str]], text: str) -> Bools:
    """Which blocks, as tokens, are lost in a text; shape (blocks,)."""
    present = sequences_of([token for line in tokens_of(text.split("\n")) for token in line])
    return np.array([_is_lost(sequences_of(tokens), present) for tokens in blocks], np.bool_)


def _is_lost(sequences: Sequences, present: Sequences) -> bool:
    return len(sequences & present) < _HALF * len(sequences)


def beside_kept(parents: Ints, lost: Bools) -> Bools:
    """Which lost blocks have a block that is not lost inside the same element; shape (blocks,)."""
    beside: Bools = lost & np.isin(parents, parents[~lost])
    return beside


def long_blocks(page: Measures, gold: str) -> Ints:
    """The blocks of the gold that are long."""
    in_gold = align(page.blocks, gold) != Label.OTHER
    return np.flatnonzero(in_gold & (page.words >= MIN_WORDS))


def count(gold: GoldPage, tagger: Tagger) -> dict[str, list[int]]:
    """System -> long paragraphs of a page, those that it loses, those of them beside kept ones."""
    page = measured(split(gold.page))
    blocks = long_blocks(page, gold.text)
    tokens = tokens_of([page.texts[block] for block in blocks.tolist()])
    parents = page.blocks.nodes.parent[page.blocks.node[blocks]]
    texts = {"crfclean": run(gold.page, tagger).text}
    if find_spec(PEER) is not None:
        texts[PEER] = text_of(PEER, gold.page.html, gold.lang)
    counts = {}
    for system, text in texts.items():
        lost = lost_blocks(tokens, text)
        counts[system] = [len(blocks), int(lost.sum()), int(beside_kept(parents, lost).sum())]
    return counts


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    tagger, sets = load(), {}
    for name in SETS:
        golds = drawn(corpus(name, args.data), PAGES)
        counts = list(map_in_order(count, golds, tagger, args.workers))
        sets[name] = {
            system: np.sum([page[system] for page in counts], axis=0).tolist()
            for system in counts[0]
        }
        print(name, sets[name], flush=True)
    columns = "long paragraphs, lost, lost beside kept siblings"
    record("accuracy/paragraphs", {"columns": columns, "sets": sets, **environment()})


if __name__ == "__main__":
    main()
