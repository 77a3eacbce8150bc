"""Compare the F1 that `clean --fallback-plan` expects with the real one, under each cut.

Run `python -m eval.accuracy.fallback_plan --data DIR`.

For the pages that a cut sends, and for those that it keeps: the mean score and the mean F1 on words
against the gold, by the shipped model. It has learned from wcxb-dev and fundus-dev: they are home
ground; daniel-dev it has not seen. The last column is what trafilatura, where it is installed,
scores on the pages that are sent.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

from crfclean.evaluate.fallback_plan import plan
from crfclean.evaluate.metrics import word_scores
from crfclean.pipeline import open_model, run
from eval.lib.corpora import corpus, data_parser, drawn
from eval.lib.record import environment, record

SETS = ("wcxb-dev", "daniel-dev", "fundus-dev")


def peer_text(html: str) -> str:
    """The text of trafilatura by its defaults."""
    import trafilatura

    return trafilatura.extract(html) or ""


def measured(name: str, data: str, count: int) -> list[dict[str, Any]]:
    """A row for each cut of a set."""
    tagger, has_peer = open_model("default"), importlib.util.find_spec("trafilatura") is not None
    pages = drawn(corpus(name, data), count)
    documents = [run(gold.page, tagger) for gold in pages]
    scores = np.array([document.score for document in documents])
    real = np.array(
        [
            word_scores(document.text, gold.text, gold.optional).f1
            for document, gold in zip(documents, pages, strict=True)
        ]
    )
    rows = [{"share": 1.0, "expected": float(scores.mean()), "real": float(real.mean())}]
    for cut in plan(scores.tolist()):
        sent = scores < cut.below
        row = {"share": cut.share, "below": cut.below, "expected": cut.sent, "kept": cut.kept}
        row |= {"real": float(real[sent].mean()), "kept real": float(real[~sent].mean())}
        if has_peer:
            others = [
                word_scores(peer_text(gold.page.html), gold.text, gold.optional).f1
                for gold, is_sent in zip(pages, sent, strict=True)
                if is_sent
            ]
            row["peer"] = float(np.mean(others))
        rows.append(row)
    return [{key: round(value, 4) for key, value in row.items()} for row in rows]


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--pages", type=int, default=300, help="pages of each set; 0: all")
    args = parser.parse_args()
    results = {}
    for name in SETS:
        results[name] = measured(name, args.data, args.pages)
        for row in results[name]:
            print(name, row, flush=True)
    record("accuracy/fallback_plan", {"pages": args.pages, "results": results} | environment())


if __name__ == "__main__":
    main()
