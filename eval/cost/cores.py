"""Compare the compiled core with Python on every page of the sets: blocks, columns, results.

Run `python -m eval.cost.cores --data DIR`; `--set NAME` for one set, `--pages N` for some of each.
"""

from __future__ import annotations

import json
import lzma
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from crfclean.core import native
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.pipeline import run
from crfclean.taggers.load import load
from crfclean.types import Document, Page, Tagger
from eval.lib.cores import (
    by_both,
    differing_columns,
    differing_fields,
    differing_kinds,
    differing_results,
)
from eval.lib.corpora import data_parser
from eval.lib.record import environment, record


def pages_of(path: Path) -> Iterator[str]:
    """The HTML of the pages of a set's file."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line)["html"] for line in lines)


def compare(page: Page, tagger: Tagger) -> tuple[list[str], tuple[float, float]]:
    """What differs on a page; the CPU ms of its document by the core and by Python."""
    blocks, expected = by_both(lambda: split(page))
    names = differing_fields(blocks, expected) or differing_columns(blocks)
    names += differing_kinds(blocks)
    (document, by_core), (other, by_python) = by_both(lambda: timed(page, tagger))
    return [*names, *differing_results(document, other)], (by_core, by_python)


def timed(page: Page, tagger: Tagger) -> tuple[Document, float]:
    """The document of a page, and its CPU ms."""
    started = time.process_time()
    return run(page, tagger), (time.process_time() - started) * 1e3


def of_set(path: Path, most: int | None, tagger: Tagger) -> dict[str, object]:
    """The pages of a set, what differs on how many of them, and CPU ms a page of both cores."""
    differ, ms, count = Counter[str](), [0.0, 0.0], 0
    for html in islice(pages_of(path), most):
        names, times = compare(decode(html), tagger)
        differ.update(names)
        ms = [total + each for total, each in zip(ms, times, strict=True)]
        count += 1
    native_ms, python_ms = (round(total / max(count, 1), 2) for total in ms)
    return {"pages": count, "differ": dict(differ), "native_ms": native_ms, "python_ms": python_ms}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", default="", help="one set; default: all files of --data")
    parser.add_argument("--pages", type=int, default=None, help="of each set; default: all")
    args = parser.parse_args()
    if native.CORE is None:
        sys.exit("the core was not built")
    tagger, rows = load("default"), {}
    run(decode("<p>a"), tagger)
    for path in sorted(Path(args.data).glob(f"{args.set or '*'}.jsonl.xz")):
        name = path.name.partition(".")[0]
        rows[name] = of_set(path, args.pages, tagger)
        print(name, rows[name], flush=True)
    record("cost/cores", {"sets": rows, **environment()})


if __name__ == "__main__":
    main()
