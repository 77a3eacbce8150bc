"""Measure what rows of a corpus cost, beside the text alone and beside trafilatura's JSON.

Run `python -m eval.cost.rows --set wcxb-dev --data DIR` (Linux).

The command cleans JSONL to JSONL with one worker; its CPU time is that of all its processes, less
that of a run over one page. Text alone is `extract`, trafilatura's JSON has metadata, both in this
process. All take turns, part by part, so that a machine that slows down slows all of them: ratios
count.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import crfclean
from eval.lib.corpora import data_parser
from eval.lib.record import environment, record
from eval.lib.timing import cpu_ms, drawn

SUBREAPER = 36  # Linux's PR_SET_CHILD_SUBREAPER
COMMANDS = {"text": ("--no-metadata", "--no-places"), "metadata": ("--no-places",), "all": ()}
"""Name of a kind of rows -> the options that ask for it."""


def trafilatura_json(html: str) -> object:
    """Trafilatura's JSON with metadata."""
    import trafilatura

    return trafilatura.extract(html, output_format="json", with_metadata=True)


def children_seconds() -> float:
    """CPU time of all processes below this one that have ended."""
    with suppress(ChildProcessError):
        while os.wait():
            pass
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def command_ms(*arguments: str) -> float:
    """CPU milliseconds of a command, with all processes that it starts."""
    before = children_seconds()
    subprocess.run(arguments, check=True, capture_output=True)  # noqa: S603
    return (children_seconds() - before) * 1e3


def rows_ms(source: Path, options: Sequence[str]) -> float:
    """CPU milliseconds of `crfclean clean` of a file with one worker."""
    target = source.with_suffix(".out.jsonl")
    target.unlink(missing_ok=True)
    command = [sys.executable, "-m", "crfclean", "clean", str(source), str(target)]
    return command_ms(*command, "--workers", "1", *options)


def written(path: Path, pages: Sequence[str]) -> Path:
    """A file of pages as JSONL."""
    lines = (json.dumps({"id": str(n), "html": html}) + "\n" for n, html in enumerate(pages))
    path.write_text("".join(lines), "utf-8")
    return path


def part_costs(pages: Sequence[str], folder: Path) -> dict[str, float]:
    """CPU milliseconds of all pages of a part, by system."""
    source, single = written(folder / "p.jsonl", pages), written(folder / "s.jsonl", pages[:1])
    calls: dict[str, Callable[[str], object]] = {
        "extract": crfclean.extract,
        "trafilatura, JSON": trafilatura_json,
    }
    costs = {name: sum(cpu_ms(call, html) for html in pages) for name, call in calls.items()}
    for name, options in COMMANDS.items():
        spent = rows_ms(source, options) - rows_ms(single, options)
        costs[f"rows, {name}"] = spent * len(pages) / (len(pages) - 1)
    return costs


def parts(pages: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """The pages in parts of a size."""
    return (pages[at : at + size] for at in range(0, len(pages), size))


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", default="wcxb-dev")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--part", type=int, default=100, help="pages of a file")
    args = parser.parse_args()
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    pages = drawn(args.set, args.data, args.pages)
    total: dict[str, float] = {}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for html in pages[:5]:
            crfclean.extract(html)
            trafilatura_json(html)
        for part in parts(pages, args.part):
            for name, spent in part_costs(part, Path(folder)).items():
                total[name] = total.get(name, 0.0) + spent
            print(json.dumps({name: round(value) for name, value in total.items()}), flush=True)
    costs = {name: round(value / len(pages), 2) for name, value in total.items()}
    print(json.dumps(costs), f"{time.monotonic() - began:.0f} s")
    record("cost/rows", {"set": args.set, "pages": len(pages), "ms": costs, **environment()})


if __name__ == "__main__":
    main()
