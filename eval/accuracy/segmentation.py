"""Measure F1 of a perfect labelling, and count pages with text that a tree would lose.

Run `python -m eval.accuracy.segmentation --data DIR`; `--pages 100` draws so many pages of every
set with whole texts, the same ones each time.

The labels are those that the alignment gives, so the F1 is the ceiling of any tagger: for our
blocks, for h1, p and li alone, and for our blocks without the panels that a reader opens. A tree
loses text where lxml's tree lacks characters that our blocks have (after a premature `</html>`).
"""

from __future__ import annotations

from collections import Counter
from typing import Any
from unittest import mock

import numpy as np
from lxml import etree

from crfclean.evaluate.metrics import word_scores
from crfclean.gold.align import align
from crfclean.gold.pages import GoldPage
from crfclean.page import elements
from crfclean.page.blocks import SplitParams, split
from crfclean.parallel import map_in_order
from crfclean.types import Blocks, Label
from eval.lib.corpora import corpus, data_parser, drawn
from eval.lib.record import environment, record

SETS = ("wcxb-dev", "magic-html-article", "magic-html-forum", "daniel-dev", "irdata-big9")
OTHER_SETS = (
    *("web-forum-52-dev", "cleaneval-dev", "fundus-dev", "dragnet-dev", "immortal-zh"),
    "readability",
)
UNSEEN = ("script", "style", "template", "noscript", "textarea", "select", "svg", "iframe", "title")


def ceiling(gold: GoldPage, blocks: Blocks) -> float:
    """F1 of the text of the blocks that the alignment labels HEADER or TEXT."""
    labels = align(blocks, gold.text)
    kept = (text for text, label in zip(blocks.texts, labels, strict=True) if label != Label.OTHER)
    return word_scores("\n".join(kept), gold.text).f1


def lost_chars(gold: GoldPage, blocks: Blocks) -> int:
    """Characters of our blocks that lxml's tree of the page does not have."""
    source = gold.page.html.encode("utf-8", "replace")
    root = (
        etree.HTML(source, etree.HTMLParser(encoding="utf-8", huge_tree=True)) if source else None
    )
    tree: Counter[str] = Counter()
    if root is not None:
        etree.strip_elements(root, *UNSEEN, with_tail=False)
        tree = Counter("".join(str(text) for text in root.itertext()))
    chars = Counter("".join(blocks.texts))
    return sum(count for char, count in (chars - tree).items() if not char.isspace())


def measure(gold: GoldPage, _: None) -> list[float]:
    """Ceilings of our blocks, of the paper's, of ours without panels; characters lost by a tree."""
    own_blocks = split(gold.page)
    with mock.patch.object(elements, "_opens", return_value=False):
        closed = split(gold.page)
    paper = split(gold.page, SplitParams(("h1", "p", "li")))
    scores = [ceiling(gold, blocks) for blocks in (own_blocks, paper, closed)]
    return [*scores, float(lost_chars(gold, own_blocks) > 100)]


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--pages", type=int, default=0, help="of each set; 0: all of five sets")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    results: dict[str, Any] = {}
    for name in (*SETS, *OTHER_SETS) if args.pages else SETS:
        pages = corpus(name, args.data)
        pages = drawn(pages, args.pages) if args.pages else pages
        table = np.array(list(map_in_order(measure, pages, None, args.workers)))
        own_blocks, paper, closed, _ = (round(float(mean), 4) for mean in table.mean(axis=0))
        lost = int(table[:, 3].sum())
        results[name] = {"pages": len(pages), "own_blocks": own_blocks, "h1_p_li": paper}
        results[name] |= {"without_panels": closed, "pages_with_text_lost_by_a_tree": lost}
        print(name, results[name])
    suffix = f"_{args.pages}_pages" if args.pages else ""
    record(f"accuracy/segmentation{suffix}", {"results": results, **environment()})


if __name__ == "__main__":
    main()
