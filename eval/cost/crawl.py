"""Measure pages a second and memory on a large WARC file.

Run `python -m eval.cost.crawl --data DIR`.

The pages of the sets are taken again and again until there are enough, each with a paragraph of
its own. The command line cleans the file to JSONL with every number of workers; the bytes must be
equal.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

SECONDS = 2.0  # between two looks at the memory
PARTS = 10  # parts of a run, each with a peak of its own
HEAD = (
    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:crawl:{number}>\r\n"
    "WARC-Target-URI: https://example.org/{number}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
    "Content-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n"
)
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"


def write_warc(path: Path, pages: list[str], count: int) -> None:
    """A file of `count` response records, each of three gzip members: a page is packed once."""
    bodies = [HTTP + page.encode("utf-8", "replace") for page in pages]
    packed = [packed_member(body) for body in bodies]
    with path.open("wb") as file:
        for number, (body, member) in enumerate(
            islice(cycle(zip(bodies, packed, strict=True)), count)
        ):
            tail = f"<p>This is page number {number} of the run.</p>".encode()
            head = HEAD.format(number=number, length=len(body) + len(tail)).encode()
            file.write(packed_member(head) + member + packed_member(tail + b"\r\n\r\n"))


def packed_member(data: bytes) -> bytes:
    """A gzip member."""
    return gzip.compress(data, 1, mtime=0)


def command(source: Path, target: Path, workers: int, *flags: str) -> list[str]:
    """The command line that cleans a file."""
    options = ["--workers", str(workers), *flags]
    return [sys.executable, "-m", "crfclean", "clean", str(source), str(target), *options]


def family(process: int) -> list[int]:
    """A process and all below it."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    processes = [process]
    for ancestor in processes:
        processes += [child for child, parent in parents.items() if parent == ancestor]
    return processes


def pss_mb(process: int) -> float:
    """Memory of a process, 0 if it has ended; what it shares with others counts in parts (PSS)."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1e3


def cpu_seconds(process: int) -> float:
    """CPU time of a process so far, 0 if it has ended."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Looks:
    """What was seen of a run: its memory at each look, and the CPU time of each of its processes.

    `history` is a file that gets a line for each look, so that a run that is cut off says
    something, too.
    """

    target: Path
    history: Path | None
    began: float = field(default_factory=time.monotonic)
    memory: list[float] = field(default_factory=list)
    busy: dict[int, float] = field(default_factory=dict)

    def look(self, process: int) -> None:
        """Note the state of a process and all below it."""
        members = family(process)
        for member in members:
            self.busy[member] = max(self.busy.get(member, 0.0), cpu_seconds(member))
        each = [pss_mb(member) for member in members]
        self.memory.append(sum(each))
        if self.history is not None:
            row = {
                "seconds": round(time.monotonic() - self.began),
                "pages": noted_records(self.target),
                "cpu_seconds": round(sum(self.busy.values())),
                "mb": list(map(round, each)),
            }
            with self.history.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")

    @property
    def peaks(self) -> list[int]:
        """The peak of the memory in each part of the run, in MB."""
        size = -(-len(self.memory) // PARTS)
        parts = (self.memory[at : at + size] for at in range(0, len(self.memory), size))
        return [round(max(part)) for part in parts]


def measured(
    source: Path, target: Path, workers: int, pages: int, history: Path | None = None
) -> dict[str, Any]:
    """A run, its pages a second and the peak of its memory in each part of it."""
    looks = Looks(target, history)
    with subprocess.Popen(command(source, target, workers)) as process:  # noqa: S603
        while process.poll() is None:
            looks.look(process.pid)
            time.sleep(SECONDS)
    seconds = time.monotonic() - looks.began
    digest = hashlib.sha256()
    with target.open("rb") as file:
        while part := file.read(2**20):
            digest.update(part)
    about = {"workers": workers, "code": process.returncode, "seconds": round(seconds, 1)}
    return {
        **about,
        "pages_a_second": round(pages / seconds, 1),
        "cpu_ms_a_page": round(sum(looks.busy.values()) / pages * 1e3, 1),
        "peaks_mb": looks.peaks,
        "bytes_out": target.stat().st_size,
        "sha256": digest.hexdigest(),
    }


def noted_records(target: Path) -> int:
    """Records that the reports of finished parts count."""
    reports = target.with_name(target.name + ".parts").glob("_part-*.json")
    return sum(sum(json.loads(path.read_bytes())["counts"].values()) for path in reports)


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", action="append", help="sets to take the pages of")
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--workers", default="1,2", help="numbers of workers, a run for each")
    parser.add_argument("--ending", default="jsonl.gz", help="format of the outputs")
    parser.add_argument("--history", help="file that gets a line for each look at a run")
    parser.add_argument("--scratch", help="where the files lie while it runs (some GB)")
    args = parser.parse_args()
    sets = args.set or ["wcxb-dev", "daniel-dev", "irdata-big9"]
    pages = [gold.page.html for name in sets for gold in corpus(name, args.data)]
    random.Random(0).shuffle(pages)  # noqa: S311
    runs: list[dict[str, Any]] = []
    result: dict[str, Any] = {"sets": sets, "different": len(pages), "pages": args.pages}
    with tempfile.TemporaryDirectory(dir=args.scratch) as scratch:
        folder = Path(scratch)
        if args.pages:
            write_warc(folder / "crawl.warc.gz", pages, args.pages)
            result["bytes_in"] = (folder / "crawl.warc.gz").stat().st_size
        for workers in map(int, args.workers.split(",") if args.pages else []):
            target = folder / f"{workers}.{args.ending}"
            history = Path(args.history) if args.history else None
            crawl = folder / "crawl.warc.gz"
            runs.append(measured(crawl, target, workers, args.pages, history))
            print(json.dumps(runs[-1]), flush=True)
    equal = len({run["sha256"] for run in runs}) <= 1
    result_of_runs = {**result, "runs": runs, "bytes_equal": equal, **environment()}
    kind = "" if args.ending == "jsonl.gz" else f"_{args.ending}"
    record(f"cost/crawl{kind}", result_of_runs)


if __name__ == "__main__":
    main()
