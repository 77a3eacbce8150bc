"""CPU time of metadata beside the rest: `read` a page against the page's text alone.

The two take turns page by page; every page is new to both. Without `--set` the pages are the
bundled ones.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from corpora import corpus, parser
from record import environment, record

from crfclean.decode import decode
from crfclean.metadata.read import read
from crfclean.pipeline import run
from crfclean.taggers import load
from crfclean.types import Page

DEMO = Path(__file__).parent.parent / "data" / "demo"
WARM = 3  # pages before the clock starts


def pages_of(name: str, data: str, most: int) -> list[Page]:
    """The pages of a set, evenly drawn, or the bundled ones."""
    if not name:
        return [decode(path.read_bytes()) for path in sorted(DEMO.rglob("*.html"))]
    pages = [gold.page for gold in corpus(name, data)]
    return pages[:: max(1, len(pages) // most)][:most]


def times(pages: Sequence[Page]) -> list[tuple[float, float]]:
    """Milliseconds of CPU time of the text and of the metadata of every page."""
    tagger = load("default")
    for page in pages[:WARM]:
        read(run(page, tagger))
    found = []
    for page in pages:
        start = time.process_time()
        document = run(page, tagger)
        len(document.text)
        middle = time.process_time()
        read(document)
        end = time.process_time()
        found.append((1000 * (middle - start), 1000 * (end - middle)))
    return found


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--set", default="")
    args.add_argument("--pages", type=int, default=150)
    given = args.parse_args()
    pages = pages_of(given.set, given.data, given.pages)
    found = np.array(times(pages))
    text, metadata = (round(float(one), 2) for one in found.mean(0))
    result = {
        "set": given.set or "demo",
        "pages": len(pages),
        "ms": {"text": text, "metadata": metadata},
        "share": round(metadata / text, 4),
        "slowest_ms": round(float(found[:, 1].max()), 1),
    }
    print(result)
    record("metadata_speed", {**result, **environment()})


if __name__ == "__main__":
    main()
