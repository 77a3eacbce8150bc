"""Measure CPU time of a document's content tree and of the writers, and its growth.

Run `python -m eval.documents.structure_speed --data DIR`.

The steps take turns page by page, the best of three passes each. "everything" is the whole path
to JSON with metadata, places and the tree of the content. Growth is measured on bundled pages put
together, every block of them kept. The change of F1 that marks of items make is printed, too: F1 of
`--format txt` less that of a block a line.
"""

from __future__ import annotations

import random

import numpy as np

from crfclean.evaluate.metrics import word_scores
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.pipeline import run
from crfclean.structure.content import content
from crfclean.structure.parts import Show
from crfclean.taggers.load import load
from crfclean.types import Document, Label, Tags
from crfclean.writers.formats import WRITERS
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record
from eval.lib.timing import best_cpu_ms, long_page, slope

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
FORMATS = ("txt", "md", "html")
EVERYTHING = Show(metadata=True, parts=True)


def all_kept(html: str) -> Document:
    """A page of which every block is kept."""
    blocks = split(decode(html))
    labels = np.full(len(blocks), Label.TEXT, np.int32)
    return Document(None, blocks, Tags(labels, np.full((len(labels), 3), 1 / 3), 0.5))


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--pages", type=int, default=150)
    args = parser.parse_args()
    pages = random.Random(1).sample(corpus("wcxb-dev", args.data), args.pages)  # noqa: S311
    tagger = load("default")
    mean = dict.fromkeys(["text alone", "everything", "content", *FORMATS], 0.0)
    gains = []
    run(pages[0].page, tagger)
    for gold in pages:
        html = gold.page.html
        mean["text alone"] += best_cpu_ms(lambda text: run(decode(text), tagger).text, html)
        mean["everything"] += best_cpu_ms(
            lambda text: WRITERS["json"](run(decode(text), tagger), EVERYTHING), html
        )
        document = run(gold.page, tagger)
        mean["content"] += best_cpu_ms(content, document)
        for name in FORMATS:
            mean[name] += best_cpu_ms(WRITERS[name], document)
        texts = WRITERS["txt"](document), document.text
        marked, plain = (word_scores(text, gold.text, gold.optional).f1 for text in texts)
        gains.append(marked - plain)
    mean = {name: total / args.pages for name, total in mean.items()}
    for name, value in mean.items():
        print(f"{name:12} {value:8.2f} ms a page, {value / mean['text alone']:6.3f} of text alone")
    print(f"F1 of marked text less that of plain: {np.mean(gains):+.5f}, least {min(gains):+.4f}")
    growth = {f"{size:,}": best_cpu_ms(WRITERS["md"], all_kept(long_page(size))) for size in SIZES}
    print("characters of a page, CPU ms of md:", {size: round(ms) for size, ms in growth.items()})
    print(f"log-log slope: {slope(growth):.3f}")
    result = {"pages": args.pages, "cpu_ms": mean, "f1_of_marks": float(np.mean(gains))}
    record(
        "documents/structure_speed",
        {**result, "growth_ms": growth, "slope": slope(growth), **environment()},
    )


if __name__ == "__main__":
    main()
