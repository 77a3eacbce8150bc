"""Measure what the treatment of readers' comments does to the accuracy of the shipped model.

Run `python -m eval.accuracy.comments --data DIR`.

Word F1 of the text by default (comments on threads alone), with comments on every page, and without
any. Pages of wcxb-dev, magic-html and web-forum-52-dev are among the model's training pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from crfclean.evaluate.metrics import word_scores
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.parallel import map_in_order
from crfclean.taggers.capabilities import Decides, Judges, need
from crfclean.taggers.load import load
from crfclean.types import Tagger, Tags
from eval.lib.corpora import corpus, data_parser, drawn
from eval.lib.record import environment, record

SETS = {
    "dragnet-dev": 200,
    "daniel-dev": 250,
    "cleaneval-dev": 0,
    "fundus-dev": 0,
    "immortal-zh": 0,
    "magic-html-forum": 0,
    "web-forum-52-dev": 0,
    "wcxb-dev": 300,
}
"""Set -> the pages drawn from it, 0 for all."""

WITH = ("body", "title", "headers", "captions", "bylines", "comments")
MODES = {"default": (*WITH[:-1], "threads"), "with comments": WITH, "without": WITH[:-1]}
"""Treatment of comments -> the kinds of blocks that are kept."""


@dataclass(frozen=True)
class Measured:
    """F1 of a page's text by each of `MODES`, and whether its comments were left out."""

    f1: tuple[float, ...]
    is_gated: bool


def measure(gold: GoldPage, tagger: Tagger) -> Measured:
    """A page, tagged once and decided by each mode."""
    blocks, decides = split(gold.page), need(tagger, Decides)
    marginals = need(tagger, Judges).marginals(blocks)

    def tags(keep: tuple[str, ...]) -> Tags:
        mode = need(decides.with_cut(replace(decides.cut, keep=keep)), Judges)
        return mode.decide(blocks, marginals)

    modes = {name: tags(keep) for name, keep in MODES.items()}
    texts = [
        "\n".join(text for text, kept in zip(blocks.texts, of_mode.kept, strict=True) if kept)
        for of_mode in modes.values()
    ]
    f1 = tuple(word_scores(text, gold.text).f1 for text in texts)
    return Measured(f1, modes["default"].comments_left_out is not None)


def summary(pages: Sequence[Measured]) -> dict[str, float]:
    """Mean F1 by each mode, and the pages whose comments were left out."""
    means = np.array([page.f1 for page in pages]).mean(0)
    by_mode = {name: round(float(mean), 4) for name, mean in zip(MODES, means, strict=True)}
    return {"pages": len(pages), **by_mode, "left out": sum(page.is_gated for page in pages)}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    tagger, scores = load(), {}
    for name, count in SETS.items():
        golds = drawn(corpus(name, args.data), count)
        pages = list(map_in_order(measure, golds, tagger, args.workers))
        scores[name] = summary(pages)
        print(f"{name:18}", *(f"{key} {value}" for key, value in scores[name].items()), flush=True)
    record("accuracy/comments", {"scores": scores, **environment()})


if __name__ == "__main__":
    main()
