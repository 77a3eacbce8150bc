"""Measure what it does to leave out blocks that are sure to be notices, promotion or teasers.

Run `python -m eval.accuracy.kind_decision --data DIR`.

For each kind: how many of its blocks (and words) the gold has not, and the mean word F1 with and
without these blocks, decided by the default model; "capped" is the rule that it ships with, by
which teasers stay where they are much of what is kept (`crfclean/taggers/sure_kinds.py`). The model
has learned from fundus-dev and wcxb-dev, so that the figures there are those of pages that it
knows; daniel-dev is new to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from crfclean.evaluate.metrics import word_scores
from crfclean.features.block_kinds import kinds_of
from crfclean.gold.align import align
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.page.latest import measured
from crfclean.parallel import map_in_order
from crfclean.taggers.capabilities import Decides, Judges, need
from crfclean.taggers.decision import CERTAINLY_OTHER
from crfclean.taggers.learned import block_facts
from crfclean.taggers.learned import decide as by_rule
from crfclean.taggers.load import load
from crfclean.types import Bools, Floats, Kind, Label, Tagger
from eval.lib.corpora import corpus, data_parser, drawn
from eval.lib.record import environment, record

SETS = ("fundus-dev", "daniel-dev", "wcxb-dev")
PAGES = 150
"""Pages drawn from each set."""

VARIANTS = {
    "as it is": (),
    "notice": (Kind.NOTICE,),
    "promo": (Kind.PROMO,),
    "teaser": (Kind.TEASER,),
    "all": (Kind.NOTICE, Kind.PROMO, Kind.TEASER),
}
"""Name -> the kinds that are left out."""

CAPPED = "capped"
NO_SEQUENCE = np.zeros(0, np.int32)


@dataclass(frozen=True)
class Decided:
    """The F1 of a page by variant, and its blocks and words of each kind.

    `counts` (kinds, 6) has all, those outside the gold, and those of them that the model keeps.
    """

    f1: dict[str, float]
    counts: Floats


def decide(gold: GoldPage, tagger: Tagger) -> Decided:
    """A page, with and without the blocks of each kind."""
    blocks, judge = split(gold.page), need(tagger, Judges)
    marginals = judge.marginals(blocks)
    page = measured(blocks)
    kinds = kinds_of(page)

    facts, cut = block_facts(page, marginals, need(tagger, Decides).cut), need(tagger, Decides).cut
    plain = replace(facts, sure=None)

    def kept(left_out: Sequence[Kind]) -> Bools:
        barred = np.isin(kinds, left_out)
        certain = np.where(barred[:, None], CERTAINLY_OTHER, marginals)
        return by_rule(certain, NO_SEQUENCE, plain, cut).kept

    def f1(keep: Bools) -> float:
        text = "\n".join(text for text, is_kept in zip(blocks.texts, keep, strict=True) if is_kept)
        return word_scores(text, gold.text).f1

    keeps = {name: kept(left_out) for name, left_out in VARIANTS.items()}
    keeps[CAPPED] = by_rule(marginals, NO_SEQUENCE, facts, cut).kept
    outside = align(blocks, gold.text) == Label.OTHER
    ones, words = np.ones(len(page)), page.words
    masks = [ones, outside, outside & keeps["as it is"]]
    counts = np.zeros((len(Kind), 6))
    np.add.at(counts, kinds, np.stack([u * m for m in masks for u in (ones, words)], axis=1))
    return Decided({name: f1(keep) for name, keep in keeps.items()}, counts)


def summary(pages: Sequence[Decided]) -> dict[str, object]:
    """Mean F1 by variant; by kind the blocks, and the shares of blocks and words off the gold."""
    counts = np.sum([page.counts for page in pages], axis=0)
    f1 = {
        name: round(float(np.mean([p.f1[name] for p in pages])), 4) for name in (*VARIANTS, CAPPED)
    }
    kinds = {}
    for kind in VARIANTS["all"]:
        blocks, words, *off = counts[kind].tolist()
        shares = [off[0] / max(blocks, 1), off[1] / max(words, 1)]
        kinds[kind.name.lower()] = {
            "blocks": int(blocks),
            "blocks and words outside": [round(share, 4) for share in shares],
            "kept in error": [int(off[2]), int(off[3])],
        }
    return {"pages": len(pages), "f1": f1, "kinds": kinds}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    tagger, sets = load(), {}
    for name in SETS:
        golds = drawn(corpus(name, args.data), PAGES)
        sets[name] = summary(list(map_in_order(decide, golds, tagger, args.workers)))
        print(name, sets[name], flush=True)
    record("accuracy/kind_decision", {"sets": sets, **environment()})


if __name__ == "__main__":
    main()
