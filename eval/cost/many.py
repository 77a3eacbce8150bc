"""Measure what `run_many` gains by workers: documents, rows and texts of the same pages.

Run `python -m eval.cost.many --data DIR` on a machine with little else to do.

The pages are HTML in memory. All runs of a form give the same values, or this ends with an error.
Clock time says what a user waits; on a busy machine the CPU time of this process says as much: it
is the part that no other worker can take over.
"""

from __future__ import annotations

import time
from itertools import product
from typing import Any

from crfclean import run_many
from eval.lib.corpora import data_parser
from eval.lib.record import environment, record
from eval.lib.timing import drawn

SETS = ("wcxb-dev", "daniel-dev", "fundus-dev")
FORMS: tuple[Any, ...] = (None, "row", "txt")
WORKERS = (1, 2)
RUNS = 3


def timed(pages: list[str], form: Any, workers: int) -> tuple[float, float, int]:
    """Seconds of the clock, seconds of CPU of this process, and a hash of what came."""
    clock, cpu = time.perf_counter(), time.process_time()
    came = [str(each) for each in run_many(pages, workers=workers, format=form)]
    return time.perf_counter() - clock, time.process_time() - cpu, hash(tuple(came))


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--pages", type=int, default=300, help="random pages of each set")
    args = parser.parse_args()
    pages = [html for name in SETS for html in drawn(name, args.data, args.pages)]
    list(run_many(pages[:20], format="row"))  # loads what is loaded late
    table: dict[str, dict[str, float]] = {}
    for form in FORMS:
        runs: dict[int, list[tuple[float, float, int]]] = {workers: [] for workers in WORKERS}
        for _, workers in product(range(RUNS), WORKERS):
            runs[workers].append(timed(pages, form, workers))
        if len({came for run in runs.values() for _, _, came in run}) > 1:
            raise SystemExit(f"{form}: workers change what is made")
        (one, *_), (two, here, _) = (min(runs[workers]) for workers in WORKERS)
        table[form or "document"] = {
            "one worker, s": round(one, 2),
            "two workers, s": round(two, 2),
            "one / two": round(one / two, 2),
            "CPU s of this process with two": round(here, 2),
        }
        print(form or "document", table[form or "document"], flush=True)
    record("cost/many", {"pages": len(pages), "runs": RUNS, "forms": table, **environment()})


if __name__ == "__main__":
    main()
