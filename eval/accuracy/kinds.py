"""Measure the kinds of blocks against golds that name them, and what the conventions score.

Run `python -m eval.accuracy.kinds --data DIR`.

Kinds: precision and recall, in words, of leads, captions and comments against golds that have them
apart; the words of each kind, and the share of them that the tagger keeps as it is. Conventions:
word F1 of each on each set. The bound of `everything` has the best F2 on words, which weighs recall
double, on wcxb-dev and the demo pages; cleaneval-dev takes no part in that choice. Pages of
wcxb-dev and web-forum-52-dev are among the model's training pages.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from crfclean.decision.params import EVERYTHING_FROM, KINDS_OF, CutParams, cut_as
from crfclean.evaluate.metrics import WordScores, word_scores
from crfclean.features.block_kinds import kinds_of
from crfclean.gold.pages import GoldPage, read_gold
from crfclean.page.blocks import split
from crfclean.page.latest import measured
from crfclean.parallel import map_in_order
from crfclean.taggers.capabilities import Decides, Judges, need
from crfclean.taggers.load import load
from crfclean.types import Blocks, Bools, Floats, Kind, Tagger
from crfclean.types.choices import CONVENTIONS
from eval.lib.corpora import DEMO, corpus, data_parser, drawn
from eval.lib.record import environment, record

SETS = (
    *("wcxb-dev", "wcxb-dev article", "fundus-dev", "dragnet-dev"),
    *("web-forum-52-dev", "cleaneval-dev"),
)
"""Sets, some with the type of the pages that are taken."""

PAGES = 60
"""Pages drawn from each set."""

BOUNDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
"""Bounds of `everything` that are tried."""

BOUND_SETS = ("wcxb-dev", "demo")
_BETA = 2.0
_MATCHED = 0.5  # of a block's sequences of words: with more it is in a gold

NAMED = {"lead": Kind.LEAD, "captions": Kind.CAPTION, "comments": Kind.COMMENT}
"""What a gold has apart -> its kind."""


@dataclass(frozen=True)
class Measured:
    """A page's scores by convention and bound, and its words by kind.

    `words` (kinds, 2) are those of all blocks and of kept ones; `named` has, for what the gold has
    apart, the words of blocks that are both, of the kind, of the gold, and of the gold and kept.
    """

    scores: Mapping[str, WordScores]
    bounds: Mapping[float, WordScores]
    words: Floats
    named: Mapping[str, tuple[float, float, float, float]] = field(default_factory=dict)


def measure(job: tuple[GoldPage, Mapping[str, str]], tagger: Tagger) -> Measured:
    """A page, tagged once and decided by each convention."""
    gold, apart = job
    blocks, decides = split(gold.page), need(tagger, Decides)
    marginals = need(tagger, Judges).marginals(blocks)

    def kept(cut: CutParams) -> Bools:
        return need(decides.with_cut(cut), Judges).decide(blocks, marginals).kept

    def scored(cut: CutParams) -> WordScores:
        return word_scores(_text(blocks, kept(cut)), gold.text)

    everything, shipped = cut_as(decides.cut, "everything"), kept(decides.cut)
    return Measured(
        {name: scored(cut_as(decides.cut, name)) for name in CONVENTIONS},
        {bound: scored(replace(everything, threshold=bound)) for bound in BOUNDS},
        _words_by_kind(blocks, shipped),
        {name: _overlap(blocks, NAMED[name], text, shipped) for name, text in apart.items()},
    )


def _text(blocks: Blocks, keep: Bools) -> str:
    return "\n".join(text for text, kept in zip(blocks.texts, keep, strict=True) if kept)


def _words_by_kind(blocks: Blocks, kept: Bools) -> Floats:
    """Words of each kind, and of its kept blocks, shape (kinds, 2)."""
    page, table = measured(blocks), np.zeros((len(Kind), 2))
    if len(page):
        np.add.at(table, kinds_of(page), np.stack([page.words, page.words * kept], axis=1))
    return table


def _overlap(
    blocks: Blocks, kind: Kind, text: str, kept: Bools
) -> tuple[float, float, float, float]:
    """Words of blocks of the kind in the text, of the kind, in the text, and in it and kept.

    A block is in the text if the text has half of its sequences of three words: beside a caption
    stands the photographer.
    """
    page = measured(blocks)
    if not len(page):
        return (0.0, 0.0, 0.0, 0.0)
    sequences = _sequences(text)
    inside = np.array([_share(_sequences(block), sequences) >= _MATCHED for block in page.texts])
    of_kind = (kinds_of(page) == kind) & np.array([bool(_sequences(t)) for t in page.texts])
    parts = (inside & of_kind, of_kind, inside, inside & kept)
    both, named, gold, gold_kept = (float((page.words * part).sum()) for part in parts)
    return both, named, gold, gold_kept


def _sequences(text: str) -> set[tuple[str, str, str]]:
    """All sequences of three words."""
    words = text.lower().split()
    return set(zip(words, words[1:], words[2:], strict=False))


def _share(part: set[tuple[str, str, str]], whole: set[tuple[str, str, str]]) -> float:
    return len(part & whole) / len(part) if part else 0.0


def golds_apart(name: str, data: str) -> dict[str, dict[str, str]]:
    """Page -> what its gold has apart, as one text each."""
    apart = {}
    with lzma.open(Path(data, f"{name}.jsonl.xz"), "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            facts = row["extra"] or {}
            lead = [text for kind, text in facts.get("blocks") or () if kind == "lead"]
            texts = {"lead": lead if facts.get("blocks") else None}
            texts |= {name: facts.get(name) for name in ("captions", "comments")}
            filled = {name: text for name, text in texts.items() if text}
            apart[row["id"]] = {
                name: text if isinstance(text, str) else "\n".join(text)
                for name, text in filled.items()
            }
    return apart


def jobs(name: str, data: str) -> list[tuple[GoldPage, Mapping[str, str]]]:
    """The pages of a set, with what their golds have apart."""
    if name == "demo":
        return [(gold, {}) for gold in read_gold(DEMO)]
    name, _, kind = name.partition(" ")
    apart = golds_apart(name, data)
    pages = [gold for gold in corpus(name, data) if kind in ("", gold.kind)]
    return [(gold, apart.get(gold.id, {})) for gold in drawn(pages, PAGES)]


def summary(pages: Sequence[Measured]) -> dict[str, object]:
    """Mean scores by convention, precision and recall of named kinds, and words by kind."""
    words = np.sum([page.words for page in pages], axis=0)
    shares = {
        kind.name.lower(): [int(total), round(float(kept / total), 3)]
        for kind, (total, kept) in zip(Kind, words, strict=True)
        if total
    }
    return {
        "pages": len(pages),
        "f1": {name: _mean([page.scores[name].f1 for page in pages]) for name in CONVENTIONS},
        "recall": {
            name: _mean([page.scores[name].recall for page in pages]) for name in CONVENTIONS
        },
        "named": {
            name: _rates(pages, name) for name in NAMED if any(name in p.named for p in pages)
        },
        "words and share kept": shares,
    }


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 4)


def _rates(pages: Sequence[Measured], name: str) -> dict[str, float]:
    """Over all words of the pages whose gold has it apart: precision and recall, share kept."""
    apart = [page.named[name] for page in pages if name in page.named]
    both, named, gold, kept = np.sum(apart, axis=0)
    rates = {"precision": both / max(named, 1.0), "recall": both / max(gold, 1.0)}
    rates |= {"kept": kept / max(gold, 1.0)}
    count = sum(name in page.named for page in pages)
    return {"pages": count, **{key: round(float(value), 3) for key, value in rates.items()}}


def f_beta(scores: WordScores) -> float:
    """The F-measure that weighs recall `_BETA` times as much as precision."""
    weighed = _BETA**2 * scores.precision + scores.recall
    return (1 + _BETA**2) * scores.precision * scores.recall / weighed if weighed else 0.0


def bound_scores(pages: Sequence[Measured]) -> dict[str, float]:
    """Mean F2 by each bound of `everything`."""
    return {str(bound): _mean([f_beta(page.bounds[bound]) for page in pages]) for bound in BOUNDS}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    tagger, sets, bounds = load(), {}, {}
    for name in (*SETS, "demo"):
        pages = list(map_in_order(measure, jobs(name, args.data), tagger, args.workers))
        sets[name] = summary(pages)
        if name in BOUND_SETS:
            bounds[name] = bound_scores(pages)
            print(f"{name:18} F2 by bound", bounds[name], flush=True)
        print(f"{name:18}", sets[name]["f1"], sets[name]["named"], flush=True)
    keep = {name: list(kinds) for name, kinds in KINDS_OF.items()}
    about = {"conventions": keep, "everything from": EVERYTHING_FROM}
    record("accuracy/kinds", {"sets": sets, "f2 by bound": bounds, **about, **environment()})


if __name__ == "__main__":
    main()
