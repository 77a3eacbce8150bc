"""Measure datatrove's pipeline with trafilatura and with crfclean on the same slice of a crawl.

Run `python -m eval.cost.datatrove_slice --data DIR` (extras `datatrove` and `peers`, Linux).

WARC to JSONL, one task, one worker; CPU time is that of all processes of a run, less that of a run
over one page; pages a second are those of the clock, on whatever else the machine did meanwhile. If
`--pages` asks for more pages than the sets have, they are taken again from the first. Its reader
leaves out records that it takes for something other than HTML: `rows` are what is left of them.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import random
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from eval.cost.crawl import HEAD, HTTP
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record
from eval.lib.timing import SUBREAPER, command_ms

SETS = ("wcxb-dev", "daniel-dev", "irdata-big9")
EXTRACTORS = ("trafilatura", "crfclean")
TIMEOUT = 30.0  # seconds a page: on a busy machine none is to be dropped for its time


def write_slice(path: Path, pages: list[str]) -> None:
    """A WARC file, each record a gzip member: so datatrove's reader wants it."""
    with path.open("wb") as file:
        for number, html in enumerate(pages):
            body = HTTP + html.encode("utf-8", "replace")
            head = HEAD.format(number=number, length=len(body)).encode()
            file.write(gzip.compress(head + body + b"\r\n\r\n", 1, mtime=0))


def run_pipeline(extractor: str, source: Path, target: Path) -> None:
    """Datatrove's pipeline over a directory, in this process and its extractor's."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.extractors import Trafilatura
    from datatrove.pipeline.readers import WarcReader
    from datatrove.pipeline.writers import JsonlWriter

    from crfclean.extras.datatrove import CrfcleanExtractor

    step = Trafilatura(timeout=TIMEOUT) if extractor == "trafilatura" else CrfcleanExtractor()
    steps = [WarcReader(str(source)), step, JsonlWriter(str(target))]
    LocalPipelineExecutor(
        pipeline=steps, tasks=1, workers=1, logging_dir=str(target / "logs")
    ).run()


def pipeline_cost(extractor: str, source: Path, target: Path) -> tuple[float, float]:
    """CPU milliseconds and seconds of the clock of a pipeline in a process of its own."""
    module = [sys.executable, "-m", "eval.cost.datatrove_slice"]
    began = time.perf_counter()
    cpu = command_ms(*module, "--run", extractor, str(source), str(target))
    return cpu, time.perf_counter() - began


def rows_of(target: Path) -> int:
    """The pages that a pipeline has written."""
    files = target.glob("*.jsonl.gz")
    return sum(len(gzip.decompress(file.read_bytes()).splitlines()) for file in files)


def measured(extractor: str, folder: Path, count: int) -> dict[str, float]:
    """What an extractor costs a page over the slice, less the start, and how many rows it wrote."""
    cpu, seconds = pipeline_cost(extractor, folder / "slice", folder / extractor)
    start_cpu, start_seconds = pipeline_cost(extractor, folder / "page", folder / f"{extractor}-1")
    return {
        "cpu_ms_a_page": round((cpu - start_cpu) / (count - 1), 2),
        "pages_a_second": round((count - 1) / (seconds - start_seconds), 1),
        "rows": rows_of(folder / extractor),
    }


def options() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--extractors", nargs="+", choices=EXTRACTORS, default=EXTRACTORS)
    parser.add_argument("--run", nargs=3, metavar=("EXTRACTOR", "IN", "OUT"))
    return parser.parse_args()


def main() -> None:
    args = options()
    if args.run:
        run_pipeline(args.run[0], Path(args.run[1]), Path(args.run[2]))
        return
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    different = [gold.page.html for name in args.sets for gold in corpus(name, args.data)]
    random.Random(0).shuffle(different)  # noqa: S311
    pages = list(islice(cycle(different), args.pages))
    result = {"sets": args.sets, "pages": len(pages), "different": min(len(different), len(pages))}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, part in (("slice", pages), ("page", pages[:1])):
            (folder / name).mkdir()
            write_slice(folder / name / "crawl.warc.gz", part)
        for extractor in args.extractors:
            result[extractor] = measured(extractor, folder, len(pages))
            print(extractor, result[extractor], flush=True)
    record(f"cost/datatrove_{len(pages)}", result | environment())


if __name__ == "__main__":
    main()
