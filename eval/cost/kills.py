"""Kill runs of `clean` at random moments, resume them, and compare the outputs byte for byte.

Run `python -m eval.cost.kills --kills 300 --seed 37`.

Every input is first cleaned to every output without a kill. Then the cases take turns: a run loses
its parent, its whole process group or one process below the parent (SIGKILL), and goes on with
`--resume`. What it has written when it ends must equal the first output.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from eval.cost.crawl import family, write_warc
from eval.lib.record import environment, record

PAGES = 150  # of an input: ten parts of pages, one of other files
QUICK = ["--tagger", "links", "--no-metadata", "--no-places"]  # the engine is what may lose pages
OWN = (".crfclean.json", ".crfclean.lock")  # say when a run began
OF_PAGES = {
    "directory": ["pages"],
    "files": [f"pages/{number}.html" for number in range(PAGES // 4)],
    "input list": ["--input-list", "list"],
}
OF_ROWS = {
    "warc": ["a.warc"],
    "warc.gz": ["b.warc.gz"],
    "jsonl": ["c.jsonl"],
    "jsonl.gz": ["d.jsonl.gz"],
    "corpora": ["shards"],
}
FILES = {ending: [f"out.{ending}"] for ending in ("jsonl", "jsonl.gz", "csv", "parquet")}
OUTPUTS = {
    **{name: {"texts": ["out/", "--format", "txt"], **FILES} for name in OF_PAGES},
    **{name: {"parts": ["out/"], **FILES} for name in OF_ROWS},
}


class Case(NamedTuple):
    """An input and an output, what is written without a kill, and the seconds that this takes."""

    source: str
    output: str
    whole: dict[str, bytes]
    seconds: float


def page(number: int) -> str:
    """A small page with a text of its own."""
    words = random.Random(number).choices("lake boat ferry town rain bread".split(), k=90)  # noqa: S311
    text = "".join(f"<p>{' '.join(words[at : at + 30])}.</p>" for at in range(0, 90, 30))
    menu = "<nav><a href=/>Home</a> <a href=/news>News</a></nav>"
    return f"<!doctype html><title>Page {number}</title>{menu}<h1>Page {number}</h1>{text}"


def write_inputs(folder: Path) -> None:
    """The files of all inputs."""
    pages = [page(number) for number in range(PAGES)]
    (folder / "pages").mkdir()
    (folder / "shards").mkdir()
    for number, html in enumerate(pages):
        (folder / f"pages/{number}.html").write_text(html, "utf-8")
    (folder / "list").write_text("".join(f"{folder}/pages/{n}.html\n" for n in range(PAGES)))
    write_warc(folder / "b.warc.gz", pages, PAGES)
    (folder / "a.warc").write_bytes(gzip.decompress((folder / "b.warc.gz").read_bytes()))
    rows = "".join(json.dumps({"id": str(n), "html": html}) + "\n" for n, html in enumerate(pages))
    (folder / "c.jsonl").write_text(rows, "utf-8")
    (folder / "d.jsonl.gz").write_bytes(gzip.compress(rows.encode(), mtime=0))
    for (name,) in list(OF_ROWS.values())[1:4]:
        (folder / "shards" / name).write_bytes((folder / name).read_bytes())


def start(case: Case, folder: Path, target: Path, workers: int) -> subprocess.Popen[bytes]:
    """A run in a process group of its own."""
    sources = {**OF_PAGES, **OF_ROWS}[case.source]
    paths = [name if name[0] == "-" else str(folder / name) for name in sources]
    out, *options = OUTPUTS[case.source][case.output]
    command = [sys.executable, "-m", "crfclean", "clean", *paths, f"{target}/{out}", *options]
    command += [*QUICK, "--resume", "--workers", str(workers)]
    with (folder / "errors").open("wb") as errors:
        return subprocess.Popen(command, stderr=errors, start_new_session=True)  # noqa: S603


def content(target: Path) -> dict[str, bytes]:
    """All that is in an output's folder, also what a run has left behind."""
    files = (path for path in target.rglob("*") if path.is_file() and path.name not in OWN)
    return {path.relative_to(target).as_posix(): path.read_bytes() for path in files}


def measured(case: Case, folder: Path) -> Case:
    """The case with the output of a run that nobody kills."""
    target, began = Path(tempfile.mkdtemp(dir=folder)), time.monotonic()
    if start(case, folder, target, 2).wait():
        raise SystemExit(f"{case[:2]}: {(folder / 'errors').read_text()}")
    return case._replace(whole=content(target), seconds=time.monotonic() - began)


def kill(process: int, victim: str, chance: random.Random) -> None:
    """Kill a run's parent, its group or one process below it (the parent, if there is none)."""
    below = family(process)[1:] if victim == "worker" else []
    with suppress(ProcessLookupError):
        if victim == "group":
            os.killpg(process, signal.SIGKILL)
        else:
            os.kill(chance.choice(below or [process]), signal.SIGKILL)


def trial(case: Case, folder: Path, target: Path, chance: random.Random) -> tuple[str, str | None]:
    """Start or resume a run, and kill it; returns who was killed and, if it ended, its error."""
    process, victim = start(case, folder, target, chance.randint(1, 3)), ""
    try:
        process.wait(chance.uniform(0.0, case.seconds))
    except subprocess.TimeoutExpired:
        kill(process.pid, victim := chance.choice(["parent", "group", "worker"]), chance)
    if process.wait() == -signal.SIGKILL:
        return victim, None
    equal = process.returncode == 0 and content(target) == case.whole
    errors = (folder / "errors").read_text().splitlines()
    return victim, "" if equal else f"exit code {process.returncode}: {errors[-1:]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=300, help="at least, and each case once")
    parser.add_argument("--seed", type=int, default=37)
    args = parser.parse_args()
    chance, kills, ended = random.Random(args.seed), Counter[str](), Counter[str]()  # noqa: S311
    differing: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        write_inputs(folder := Path(scratch))
        cases = [Case(source, output, {}, 0.0) for source in OUTPUTS for output in OUTPUTS[source]]
        names = {f"{source} -> {output}" for source in OUTPUTS for output in OUTPUTS[source]}
        for case in cycle([measured(case, folder) for case in cases]):
            name, target = f"{case.source} -> {case.output}", Path(tempfile.mkdtemp(dir=folder))
            error = None
            while error is None:
                victim, error = trial(case, folder, target, chance)
                kills.update([name, victim] if victim else [])
            ended[name] += 1
            differing += [f"{name}: {error}"] if error else []
            print(name, kills.total() // 2, error, flush=True)
            if kills.total() // 2 >= args.kills and names <= kills.keys():
                break
    victims = {victim: kills.pop(victim, 0) for victim in ("parent", "group", "worker")}
    figures = {"seed": args.seed, "kills": kills.total(), "of": victims, "by_case": dict(kills)}
    record(
        "cost/kills",
        {**figures, "compared": ended.total(), "differing": differing, **environment()},
    )


if __name__ == "__main__":
    main()
