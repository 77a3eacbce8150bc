"""Measure datatrove's pipeline with trafilatura and with crfclean on the same slice of a crawl.

Run `python -m eval.cost.datatrove_slice --data DIR` (extras `datatrove` and `peers`, Linux).

WARC to JSONL, one task, one worker; CPU time is that of all processes of a run, less that of a run
over one page. The pages are those of `eval.cost.crawl`.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import json
import random
import sys
import tempfile
from itertools import islice
from pathlib import Path

from eval.cost.crawl import HEAD, HTTP
from eval.cost.rows import SUBREAPER, command_ms
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

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


def pipeline_ms(extractor: str, source: Path, target: Path) -> float:
    """CPU milliseconds of a pipeline in a process of its own."""
    module = [sys.executable, "-m", "eval.cost.datatrove_slice"]
    return command_ms(*module, "--run", extractor, str(source), str(target))


def rows_of(target: Path) -> int:
    """The pages that a pipeline has written."""
    files = target.glob("*.jsonl.gz")
    return sum(len(gzip.decompress(file.read_bytes()).splitlines()) for file in files)


def options() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--run", nargs=3, metavar=("EXTRACTOR", "IN", "OUT"))
    return parser.parse_args()


def main() -> None:
    args = options()
    if args.run:
        run_pipeline(args.run[0], Path(args.run[1]), Path(args.run[2]))
        return
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    pages = [gold.page.html for name in SETS for gold in corpus(name, args.data)]
    random.Random(0).shuffle(pages)  # noqa: S311
    pages = list(islice(pages, args.pages))
    costs, written = dict[str, float](), dict[str, int]()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, part in (("slice", pages), ("page", pages[:1])):
            (folder / name).mkdir()
            write_slice(folder / name / "crawl.warc.gz", part)
        for extractor in EXTRACTORS:
            total = pipeline_ms(extractor, folder / "slice", folder / extractor)
            single = pipeline_ms(extractor, folder / "page", folder / f"{extractor}-page")
            costs[extractor] = round((total - single) / (len(pages) - 1), 2)
            written[extractor] = rows_of(folder / extractor)
            print(extractor, costs[extractor], written[extractor], flush=True)
    about = {"sets": SETS, "pages": len(pages)}
    result = {**about, "cpu_ms_a_page": costs, "rows": written, **environment()}
    record("cost/datatrove", json.loads(json.dumps(result)))


if __name__ == "__main__":
    main()
