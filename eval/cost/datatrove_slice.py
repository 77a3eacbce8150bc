"""Measure datatrove's pipeline with trafilatura and with crfclean on the same slice of a crawl.

Run `python -m eval.cost.datatrove_slice --data DIR` (extras `datatrove` and `peers`, Linux).

WARC to JSONL, one task, one worker; CPU time is that of all processes of a run, less that of a run
over one page; pages a second are those of the clock, on whatever else the machine did meanwhile. If
`--pages` asks for more pages than the sets have, they are taken again from the first. Its reader
leaves out records that it takes for something other than HTML: `rows` are what is left of them.

With `--files 8` there are several files, and a run for each number of `--workers`: of datatrove's
executor with trafilatura, and of `crfclean clean` to `.jsonl.gz` and Parquet, for this checkout and
others (`--checkout DIR`), one after another, start included.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import os
import random
import sys
import tempfile
import time
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any

from eval.cost.crawl import HEAD, HTTP
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record
from eval.lib.timing import SUBREAPER, command_ms

SETS = ("wcxb-dev", "daniel-dev", "irdata-big9")
SYSTEMS = ("trafilatura", "crfclean")
TIMEOUT = 30.0  # seconds a page: on a busy machine none is to be dropped for its time


def write_slice(path: Path, pages: list[str]) -> None:
    """A WARC file, each record a gzip member: so datatrove's reader wants it."""
    with path.open("wb") as file:
        for number, html in enumerate(pages):
            body = HTTP + html.encode("utf-8", "replace")
            head = HEAD.format(number=number, length=len(body)).encode()
            file.write(gzip.compress(head + body + b"\r\n\r\n", 1, mtime=0))


def run_pipeline(system: str, source: Path, target: Path, workers: int = 1) -> None:
    """Datatrove's pipeline over a directory, a task for each file."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.extractors import Trafilatura
    from datatrove.pipeline.readers import WarcReader
    from datatrove.pipeline.writers import JsonlWriter

    from crfclean.products.adapters.datatrove import CrfcleanExtractor

    step = (
        Trafilatura(timeout=TIMEOUT)
        if system == "trafilatura"
        else CrfcleanExtractor(metadata=False)
    )
    steps = [WarcReader(str(source)), step, JsonlWriter(str(target))]
    LocalPipelineExecutor(
        pipeline=steps,
        tasks=len([*source.iterdir()]),
        workers=workers,
        logging_dir=str(target / "logs"),
    ).run()


def pipeline_cost(system: str, source: Path, target: Path) -> tuple[float, float]:
    """CPU milliseconds and seconds of the clock of a pipeline in a process of its own."""
    module = [sys.executable, "-m", "eval.cost.datatrove_slice"]
    began = time.perf_counter()
    cpu = command_ms(*module, "--run", system, str(source), str(target))
    return cpu, time.perf_counter() - began


def timed(*command: str) -> dict[str, float]:
    """Seconds of CPU and of the clock of a command, with all processes that it starts."""
    began = time.perf_counter()
    cpu = command_ms(*command) / 1e3
    return {"cpu_s": round(cpu, 1), "seconds": round(time.perf_counter() - began, 1)}


def many_files(pages: list[str], folder: Path, args: argparse.Namespace) -> dict[str, Any]:
    """The cost of each system and number of workers over several files."""
    source, runs = folder / "in", dict[str, Any]()
    source.mkdir()
    for number in range(args.files):
        write_slice(source / f"{number}.warc.gz", pages[number :: args.files])
    checkouts = [".", *args.checkout]
    for workers in args.workers:
        for ending, checkout in product(("jsonl.gz", "parquet"), checkouts):
            name = f"{Path(checkout).name or 'now'} {ending} {workers}"
            place = Path(checkout).resolve()
            python = ["-C", str(place), f"PYTHONPATH={place}", sys.executable]
            target = str(folder / f"{name}.{ending}")
            clean = ["-m", "crfclean", "clean", str(source), target, "--workers", str(workers)]
            runs[name] = timed("env", *python, *clean) | {"load": round(os.getloadavg()[0], 1)}
            print(name, runs[name], flush=True)
        name, module = f"datatrove with trafilatura {workers}", "eval.cost.datatrove_slice"
        pipeline = ["trafilatura", str(source), str(folder / name), str(workers)]
        runs[name] = timed(sys.executable, "-m", module, "--run", *pipeline)
        runs[name] |= {"rows": rows_of(folder / name), "load": round(os.getloadavg()[0], 1)}
        print(name, runs[name], flush=True)
    return runs


def rows_of(target: Path) -> int:
    """The pages that a pipeline has written."""
    files = target.glob("*.jsonl.gz")
    return sum(len(gzip.decompress(file.read_bytes()).splitlines()) for file in files)


def measured(system: str, folder: Path, count: int) -> dict[str, float]:
    """What a system costs a page over the slice, less the start, and how many rows it wrote."""
    cpu, seconds = pipeline_cost(system, folder / "slice", folder / system)
    start_cpu, start_seconds = pipeline_cost(system, folder / "page", folder / f"{system}-1")
    return {
        "cpu_ms_a_page": round((cpu - start_cpu) / (count - 1), 2),
        "pages_a_second": round((count - 1) / (seconds - start_seconds), 1),
        "rows": rows_of(folder / system),
    }


def options() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS)
    parser.add_argument("--run", nargs="+", metavar="SYSTEM IN OUT [WORKERS]")
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--checkout", nargs="*", default=[])
    return parser.parse_args()


def main() -> None:
    args = options()
    if args.run:
        run_pipeline(args.run[0], Path(args.run[1]), Path(args.run[2]), *map(int, args.run[3:]))
        return
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    different = [gold.page.html for name in args.sets for gold in corpus(name, args.data)]
    random.Random(0).shuffle(different)  # noqa: S311
    pages = list(islice(cycle(different), args.pages))
    result = {"sets": args.sets, "pages": len(pages), "different": min(len(different), len(pages))}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if args.files > 1:
            runs = many_files(pages, folder, args)
            record("cost/files", result | {"files": args.files, "runs": runs} | environment())
            return
        for name, part in (("slice", pages), ("page", pages[:1])):
            (folder / name).mkdir()
            write_slice(folder / name / "crawl.warc.gz", part)
        for system in args.systems:
            result[system] = measured(system, folder, len(pages))
            print(system, result[system], flush=True)
    record(f"cost/datatrove_{len(pages)}", result | environment())


if __name__ == "__main__":
    main()
