"""Measure the peak memory of one process over 5,000 pages, and of one page for each block.

Run `python -m eval.cost.memory --data DIR`, or `python -m eval.cost.memory --blocks`.

The peak of each thousand comes from the kernel's counter (Linux). The pages of the set are taken
again and again until there are enough; each is changed a little, so that no two are the same text.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import crfclean
from crfclean.page.blocks import split
from crfclean.pipeline import open_model
from crfclean.types import Page
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

STEP = 1_000


def peak_mb(*, now: bool = False) -> float:
    """Peak resident memory of this process since the last `reset_peak`, or that of now, in MB."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    name = "VmRSS" if now else "VmHWM"
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1_024 / 1e6


def reset_peak() -> None:
    """Let the kernel count the peak anew (Linux)."""
    Path("/proc/self/clear_refs").write_text("5", "ascii")


def changed(pages: list[str], count: int) -> Iterator[str]:
    """`count` pages out of the args ones, each with a paragraph of its own."""
    for number in range(count):
        yield pages[number % len(pages)] + f"<p>This is page number {number} of the run.</p>"


def block_bytes(count: int) -> dict[str, int]:
    """Bytes for each block of a page of so many short paragraphs: cut, and tagged as well.

    In a process of its own: memory that an earlier page has left would not be counted.
    """
    tagger = open_model("default")
    tagger.tag(split(Page("<p>Load the model.</p>")))
    page = Page(f"<html><body>{'<p>a word</p>' * count}</body></html>")
    before = peak_mb(now=True)
    reset_peak()
    blocks = split(page)
    cut = peak_mb() - before
    tagger.tag(blocks)
    sizes = {"cut": cut, "tagged": peak_mb() - before}
    return {name: round(size * 1e6 / count) for name, size in sizes.items()}


def measure_blocks(counts: Sequence[int]) -> None:
    """Measure and record bytes a block."""
    figures = {}
    for count in counts:
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            figures[str(count)] = process.submit(block_bytes, count).result()
        print(f"{count:9,} blocks: {figures[str(count)]} bytes each", flush=True)
    record("cost/block_memory", {"bytes_a_block": figures, **environment()})


def main() -> None:
    if sys.argv[1:] == ["--blocks"]:
        measure_blocks([10_000, 50_000, 100_000, 400_000])
        return
    parser = data_parser(__doc__)
    parser.add_argument("--set", default="wcxb-dev")
    parser.add_argument("--pages", type=int, default=5 * STEP)
    parser.add_argument("--different", type=int, default=STEP, help="pages of the set to take")
    args = parser.parse_args()
    pages = [gold.page.html for gold in corpus(args.set, args.data)][: args.different]
    peaks = []
    reset_peak()
    for number, html in enumerate(changed(pages, args.pages), 1):
        crfclean.extract(html)
        if number % STEP == 0:
            peaks.append(peak_mb())
            print(f"pages {number - STEP + 1} to {number}: peak {peaks[-1]:.1f} MB")
            reset_peak()
    growth = peaks[-1] / peaks[1] - 1
    print(f"last thousand over second thousand: {growth:+.2%}")
    result = {"set": args.set, "peaks_mb": peaks, "growth": growth}
    record("cost/memory", {**result, **environment()})


if __name__ == "__main__":
    main()
