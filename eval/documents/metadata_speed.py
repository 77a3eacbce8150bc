"""Measure CPU time of metadata beside that of the page's text.

Run `python -m eval.documents.metadata_speed --set wcxb-dev --data DIR`.

The steps take turns page by page; every page is new to all. "sources" is what `read` takes beside
language and page type. Without `--set` the pages are the bundled ones.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from crfclean.metadata.language.read import language
from crfclean.metadata.read import read
from crfclean.page.decode import decode
from crfclean.pagetype.read import page_type
from crfclean.pipeline import run
from crfclean.taggers.load import load
from crfclean.types import Page
from eval.lib.corpora import DEMO, corpus, data_parser
from eval.lib.record import environment, record

WARM = 3  # pages before the clock starts


def pages_of(name: str, data: str, most: int) -> list[Page]:
    """The pages of a set, evenly drawn, or the bundled ones."""
    if not name:
        return [decode(path.read_bytes()) for path in sorted(DEMO.rglob("*.html"))]
    pages = [gold.page for gold in corpus(name, data)]
    return pages[:: max(1, len(pages) // most)][:most]


def times(pages: Sequence[Page]) -> list[list[float]]:
    """Milliseconds of CPU time of text, metadata, language and page type of every page."""
    tagger = load("default")
    for page in pages[:WARM]:
        read(run(page, tagger))
    rows = []
    for page in pages:
        clock = [time.process_time()]
        document = run(page, tagger)
        len(document.text)
        clock.append(time.process_time())
        for step in (read, language, page_type):  # what the tagger has measured is still there
            step(document)
            clock.append(time.process_time())
        rows.append((1000 * np.diff(clock)).tolist())
    return rows


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", default="")
    parser.add_argument("--pages", type=int, default=150)
    args = parser.parse_args()
    pages = pages_of(args.set, args.data, args.pages)
    table = np.array(times(pages))
    text, metadata, words, kind = (round(float(value), 2) for value in table.mean(0))
    sources = round(metadata - words - kind, 2)
    result = {
        "set": args.set or "demo",
        "pages": len(pages),
        "ms": {
            "text": text,
            "metadata": metadata,
            "sources": sources,
            "language": words,
            "page type": kind,
        },
        "share": round(metadata / text, 4),
        "share_of_sources": round(sources / text, 4),
        "slowest_ms": round(float(table[:, 1].max()), 1),
    }
    print(result)
    record("documents/metadata_speed", {**result, **environment()})


if __name__ == "__main__":
    main()
