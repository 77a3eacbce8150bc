"""Measure how the time of every operation grows on pages that attack.

Run `python -m eval.cost.growth`, or with `--pages` and `--operations` for some of them.

CPU time, in one process. An operation is measured at each of `--sizes`, by default 100,000 to
800,000 characters, as long as it takes less than `--most` seconds; its slope is that of the
logarithm of time over that of size between the two largest of them. Slopes above 1.2 are measured
again; those that stay are findings, if the call takes over a quarter of a second: below, the clock
decides.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crfclean.types import Page
from eval.cost.hostile_pages import PAGES
from eval.cost.operations import OF_DOCUMENTS, OF_PAGES, document_of, page_of
from eval.lib.record import environment, record

SIZES = (100_000, 200_000, 400_000, 800_000)
MOST_SLOPE = 1.2
LEAST_SECONDS = 0.25


def seconds(name: str, page: Page) -> float:
    """CPU time of an operation on a page; making its document does not count."""
    call: Callable[[Any], object] = OF_PAGES.get(name) or OF_DOCUMENTS[name]
    value = page if name in OF_PAGES else document_of(page)
    started = time.process_time()
    call(value)
    return time.process_time() - started


def times_of(
    name: str, make: Callable[[int], str], sizes: Sequence[int], most: float
) -> dict[int, float]:
    """CPU time at each of the sizes, as long as it is short enough.

    A call that would be no finding if it grew with the square is measured at the least alone.
    """
    times: dict[int, float] = {}
    for size in sizes:
        times[size] = seconds(name, page_of(make(size)))
        if times[size] > most or times[sizes[0]] * (sizes[-1] / sizes[0]) ** 2 < LEAST_SECONDS:
            break
    return times


def slope_of(times: Mapping[int, float]) -> float:
    """Slope between the last two sizes; infinite if the least size took too long."""
    if len(times) < 2:
        return math.inf
    (size, time_before), (larger, time_after) = list(times.items())[-2:]
    return math.log(time_after / max(time_before, 1e-9)) / math.log(larger / size)


def is_finding(times: Mapping[int, float]) -> bool:
    """Whether times grow too fast, and are long enough to tell."""
    return list(times.values())[-1] > LEAST_SECONDS and slope_of(times) > MOST_SLOPE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", nargs="*", choices=PAGES, default=list(PAGES))
    names = [*OF_PAGES, *OF_DOCUMENTS]
    parser.add_argument("--operations", nargs="*", choices=names, default=names)
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--most", type=float, default=10.0, help="seconds of a call")
    args = parser.parse_args()
    for name in args.operations:
        seconds(name, page_of("<p>Open the models.</p>"))
    findings, worst = [], dict.fromkeys(args.operations, 0.0)
    for page in args.pages:
        for name in args.operations:
            times = times_of(name, PAGES[page], args.sizes, args.most)
            if is_finding(times):
                again = times_of(name, PAGES[page], args.sizes, args.most)
                times = min(times, again, key=slope_of)
            worst[name] = max(worst[name], *times.values())
            if is_finding(times):
                finding = {"page": page, "operation": name, "slope": round(slope_of(times), 2)}
                shown = {str(size): round(spent, 3) for size, spent in times.items()}
                findings.append(finding | {"seconds": shown})
                print(findings[-1], flush=True)
        print(f"{page}: done", file=sys.stderr, flush=True)
    slowest = {name: round(longest, 2) for name, longest in worst.items()}
    figures = {"sizes": args.sizes, "pages": len(args.pages), "longest_seconds": slowest}
    print(f"{len(args.pages) * len(args.operations)} pairs, {len(findings)} findings")
    record("cost/growth", {**figures, "findings": findings, **environment()})


if __name__ == "__main__":
    main()
