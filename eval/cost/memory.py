"""Measure the peak memory of one process over 5,000 pages.

Run `python -m eval.cost.memory --data DIR`.

The peak of each thousand comes from the kernel's counter (Linux). The pages of the set are taken
again and again until there are enough; each is changed a little, so that no two are the same text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import crfclean
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

STEP = 1_000


def peak_mb() -> float:
    """Peak resident memory of this process since the last `reset_peak`, in MB."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1e3


def reset_peak() -> None:
    """Let the kernel count the peak anew (Linux)."""
    Path("/proc/self/clear_refs").write_text("5", "ascii")


def changed(pages: list[str], count: int) -> Iterator[str]:
    """`count` pages out of the given ones, each with a paragraph of its own."""
    for number in range(count):
        yield pages[number % len(pages)] + f"<p>This is page number {number} of the run.</p>"


def main() -> None:
    args = data_parser(__doc__)
    args.add_argument("--set", default="wcxb-dev")
    args.add_argument("--pages", type=int, default=5 * STEP)
    args.add_argument("--different", type=int, default=STEP, help="pages of the set to take")
    given = args.parse_args()
    pages = [gold.page.html for gold in corpus(given.set, given.data)][: given.different]
    peaks = []
    reset_peak()
    for number, html in enumerate(changed(pages, given.pages), 1):
        crfclean.extract(html)
        if number % STEP == 0:
            peaks.append(peak_mb())
            print(f"pages {number - STEP + 1} to {number}: peak {peaks[-1]:.1f} MB")
            reset_peak()
    growth = peaks[-1] / peaks[1] - 1
    print(f"last thousand over second thousand: {growth:+.2%}")
    result = {"set": given.set, "peaks_mb": peaks, "growth": growth}
    record("cost/memory", {**result, **environment()})


if __name__ == "__main__":
    main()
