"""Measure pages a second and memory on a large WARC file, and pages lost when runs are killed.

Run `python -m eval.cost.crawl --data DIR`.

The pages of the sets are taken again and again until there are enough, each with a paragraph of
its own. The command line cleans the file to JSONL with every number of workers; the bytes must be
equal. Then a smaller file is cleaned by runs that are killed (SIGKILL) at random moments and go on
with --resume.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
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
    """A file of `count` response records, each a gzip member of its own."""
    with path.open("wb") as file:
        for number, page in enumerate(islice(cycle(pages), count)):
            html = f"{page}<p>This is page number {number} of the run.</p>"
            body = HTTP + html.encode("utf-8", "replace")
            head = HEAD.format(number=number, length=len(body)).encode()
            file.write(gzip.compress(head + body + b"\r\n\r\n", 1, mtime=0))


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


def memory_mb(process: int) -> float:
    """Memory of a process and all below it; what they share counts once (PSS)."""
    total = 0
    for member in family(process):
        try:
            lines = Path(f"/proc/{member}/smaps_rollup").read_text("ascii").splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1e3


def cpu_seconds(process: int) -> float:
    """CPU time of a process so far, 0 if it has ended."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def measured(source: Path, target: Path, workers: int, pages: int) -> dict[str, Any]:
    """A run, its pages a second and the peak of its memory in each part of it."""
    began, looks, busy = time.monotonic(), list[float](), dict[int, float]()
    with subprocess.Popen(command(source, target, workers)) as process:  # noqa: S603
        while process.poll() is None:
            looks.append(memory_mb(process.pid))
            for member in family(process.pid):
                busy[member] = max(busy.get(member, 0.0), cpu_seconds(member))
            time.sleep(SECONDS)
    seconds = time.monotonic() - began
    size = -(-len(looks) // PARTS)
    peaks = [round(max(looks[at : at + size])) for at in range(0, len(looks), size)]
    digest = hashlib.sha256()
    with target.open("rb") as file:
        while part := file.read(2**20):
            digest.update(part)
    about = {"workers": workers, "code": process.returncode, "seconds": round(seconds, 1)}
    return {
        **about,
        "pages_a_second": round(pages / seconds, 1),
        "cpu_ms_a_page": round(sum(busy.values()) / pages * 1e3, 1),
        "peaks_mb": peaks,
        "bytes_out": target.stat().st_size,
        "sha256": digest.hexdigest(),
    }


def names(target: Path) -> Iterator[str]:
    """The ids of a shard's pages."""
    with gzip.open(target, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["id"]


def noted_records(target: Path) -> int:
    """Records that the journal of a shard says are done."""
    journal = target.with_name(target.name + ".journal")
    lines = journal.read_text("utf-8").split("\n")[1:-1] if journal.exists() else []
    return int(json.loads(lines[-1])["records"]) if lines else 0


def killed(source: Path, folder: Path, pages: int, kills: int, longest: float) -> dict[str, Any]:
    """Runs that are killed after up to `longest` seconds, then one that may end."""
    target, unbroken = folder / "killed.jsonl.gz", folder / "whole.jsonl.gz"
    chance = random.Random(0)  # noqa: S311
    done, noted = 0, list[int]()
    while done < kills and not target.exists():
        process = subprocess.Popen(  # noqa: S603
            command(source, target, 2, "--resume"), start_new_session=True
        )
        try:
            process.wait(chance.uniform(0.3, longest))
        except subprocess.TimeoutExpired:
            # now the parent alone is killed, now its workers, too
            (os.killpg if done % 2 else os.kill)(process.pid, signal.SIGKILL)
            done += process.wait() == -signal.SIGKILL
            noted.append(noted_records(target))
    subprocess.run(command(source, target, 2, "--resume"), check=False)  # noqa: S603
    subprocess.run(command(source, unbroken, 2), check=False)  # noqa: S603
    counts = Counter(names(target))
    expected = [f"<urn:crawl:{number}>" for number in range(pages)]
    return {
        "pages": pages,
        "kills": done,
        "noted_at_kills": noted,
        "lost": sum(name not in counts for name in expected),
        "repeated": sum(counts.values()) - len(counts),
        "bytes_equal": target.read_bytes() == unbroken.read_bytes(),
    }


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", action="append", help="sets to take the pages of")
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--workers", default="1,2", help="numbers of workers, a run for each")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--killed-pages", type=int, default=5_000)
    parser.add_argument(
        "--longest", type=float, default=10.0, help="seconds before a kill, at most"
    )
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
            target = folder / f"{workers}.jsonl.gz"
            runs.append(measured(folder / "crawl.warc.gz", target, workers, args.pages))
            print(json.dumps(runs[-1]), flush=True)
        if args.kills:
            write_warc(folder / "small.warc.gz", pages, args.killed_pages)
            result["kills"] = killed(
                folder / "small.warc.gz", folder, args.killed_pages, args.kills, args.longest
            )
            print(json.dumps(result["kills"]), flush=True)
    equal = len({run["sha256"] for run in runs}) <= 1
    result_of_runs = {**result, "runs": runs, "bytes_equal": equal, **environment()}
    record("cost/crawl" if runs else "cost/crawl_kills", result_of_runs)


if __name__ == "__main__":
    main()
