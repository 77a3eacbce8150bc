"""Kill runs at random moments and before steps of finishing, resume them, and compare the outputs.

Run `python -m eval.cost.kills --data DIR --set wcxb-dev --kills 200`, or without a set on the demo
pages.

Pages, each with a paragraph of its own, are cleaned to a directory, JSONL, packed JSONL and
Parquet. A trial is one output: its run is killed one to three times and resumed, and must then
equal that of a run that nobody killed. Trials are numbered and take their chance from the seed and
their number; `--state` keeps what they gave, so that the same command goes on where it was ended.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from eval.cost.crawl import family
from eval.lib.corpora import DEMO, corpus, data_parser
from eval.lib.record import environment, record

OUTPUTS = {
    "directory": "out",
    "jsonl": "out.jsonl",
    "packed": "out.jsonl.gz",
    "parquet": "x.parquet",
}
OPTIONS = ("--tagger", "expert", "--no-metadata", "--workers", "2")
MAX_STEPS = 14  # of a run in its output, so that the last ones are hit as well
MAX_KILLS = 3  # of a trial
OWN_NAMES = {".crfclean.json"}
STEPS = """
import os, sys
place, left = sys.argv.pop(1), [int(sys.argv.pop(1))]
events = {"open", "os.mkdir", "os.remove", "os.rename", "os.truncate"}
def look(event, arguments):
    if event not in events or not str(arguments[0]).startswith(place):
        return
    if event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR):
        return
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), 9)
sys.addaudithook(look)
from crfclean.cli.main import main
main()
"""
"""Runs the command line until a step in the file system, which it is killed before."""


@dataclass(frozen=True)
class Trial:
    """One output of one trial: where it is, what it is made of, how long a run takes."""

    kind: str
    folder: Path
    source: Path
    seconds: float

    @property
    def target(self) -> Path:
        """The output."""
        return self.folder / OUTPUTS[self.kind]

    def command(self, *flags: str, start: tuple[str, ...] = ("-m", "crfclean")) -> list[str]:
        """The command line of a run."""
        paths = [str(self.source), str(self.target)]
        return [sys.executable, *start, "clean", *paths, *OPTIONS, *flags]


def start(command: list[str]) -> subprocess.Popen[bytes]:
    """Start a run, in a process group of its own."""
    return subprocess.Popen(  # noqa: S603
        command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def killed_after(trial: Trial, chance: random.Random, kill: Callable[[int], None]) -> bool:
    """Start a run that resumes, and kill something of it at a random moment."""
    process = start(trial.command("--resume"))
    try:
        process.wait(chance.uniform(0.05, 1.0) * trial.seconds)
    except subprocess.TimeoutExpired:
        kill(process.pid)
        process.wait()
        return True
    return False


def kill_parent(process: int) -> None:
    os.kill(process, signal.SIGKILL)


def kill_group(process: int) -> None:
    os.killpg(process, signal.SIGKILL)


def kill_worker(process: int) -> None:
    """Kill the youngest process of a run: a worker, if there is any."""
    members = [member for member in family(process) if member != process]
    if members:
        os.kill(max(members), signal.SIGKILL)


def killed_in_step(trial: Trial, chance: random.Random) -> bool:
    """Start a run that resumes and is killed before a step in its output."""
    step = str(chance.randrange(MAX_STEPS))
    command = trial.command("--resume", start=("-c", STEPS, str(trial.folder), step))
    process = start(command)
    return process.wait() == -signal.SIGKILL


KILLS: dict[str, Callable[[Trial, random.Random], bool]] = {
    "parent": lambda trial, chance: killed_after(trial, chance, kill_parent),
    "group": lambda trial, chance: killed_after(trial, chance, kill_group),
    "worker": lambda trial, chance: killed_after(trial, chance, kill_worker),
    "step": killed_in_step,
}
"""What is killed -> a function that starts a run and kills it; returns whether it came to that."""


def contents(path: Path) -> dict[str, bytes]:
    """The bytes of an output, by name."""
    if path.is_file():
        return {path.name: path.read_bytes()}
    names = sorted(file for file in path.rglob("*") if file.is_file())
    return {str(file.relative_to(path)): file.read_bytes() for file in names}


def ids(trial: Trial, path: Path) -> list[str]:
    """The pages of an output, by their names or ids."""
    if trial.kind == "directory":
        return [name for name in contents(path) if name.endswith(".txt")]
    if trial.kind == "parquet":
        from pyarrow import parquet

        return [str(name) for name in parquet.read_table(path, columns=["id"])["id"].to_pylist()]
    data = path.read_bytes()
    if trial.kind == "packed":
        import gzip

        data = gzip.decompress(data)
    return [json.loads(line)["id"] for line in data.splitlines()]


def compared(trial: Trial, unkilled: Path) -> dict[str, Any]:
    """How an output differs from that of a run that nobody killed."""
    expected, actual = Counter(ids(trial, unkilled)), Counter(ids(trial, trial.target))
    old, new = contents(unkilled), contents(trial.target)
    names = {path.name for path in trial.folder.iterdir()} - {trial.target.name}
    extra = names | (set(new) - set(old) - OWN_NAMES)
    return {
        "lost": (expected - actual).total(),
        "repeated": (actual - expected).total(),
        "bytes_equal": all(new.get(name) == old[name] for name in set(old) - OWN_NAMES),
        "left_over": sorted(extra),
    }


def tried(trial: Trial, unkilled: Path, chance: random.Random) -> dict[str, Any]:
    """Kill and resume the runs of one output; returns what was killed, and how it ended."""
    kills = []
    for _ in range(chance.randint(1, MAX_KILLS)):
        kind = chance.choice(list(KILLS))
        kills += [kind] if KILLS[kind](trial, chance) else []
    # after a killed worker some pages may count as crashed
    flag = "--retry-failed" if "worker" in kills else "--resume"
    code = start(trial.command(flag)).wait()
    return {"output": trial.kind, "kills": kills, "code": code, **compared(trial, unkilled)}


def trials(state: Path, scratch: Path, count: int, seed: int, pages: list[str]) -> dict[str, Any]:
    """Trials until there were so many kills; those that `state` knows are not repeated."""
    done = json.loads(state.read_text("utf-8")) if state.is_file() else []
    sources = write_pages(scratch, pages)
    unkilled, seconds = {}, {}
    for kind in OUTPUTS:
        trial = Trial(kind, scratch / "unkilled" / kind, sources[kind], 0.0)
        shutil.rmtree(trial.folder, ignore_errors=True)
        trial.folder.mkdir(parents=True)
        began = time.monotonic()
        assert not start(trial.command()).wait(), trial.command()
        unkilled[kind], seconds[kind] = trial.target, time.monotonic() - began
    while sum(len(trial["kills"]) for trial in done) < count:
        chance = random.Random(f"{seed} {len(done)}")  # noqa: S311
        kind = list(OUTPUTS)[len(done) % len(OUTPUTS)]
        trial = Trial(kind, scratch / "trial", sources[kind], seconds[kind])
        shutil.rmtree(trial.folder, ignore_errors=True)
        trial.folder.mkdir()
        done.append(tried(trial, unkilled[kind], chance))
        state.write_text(json.dumps(done), "utf-8")
        print(len(done), json.dumps(done[-1]), flush=True)
    return summary(done)


def write_pages(scratch: Path, pages: list[str]) -> dict[str, Path]:
    """The pages in a directory and in a JSONL file; output -> its input."""
    folder, file = scratch / "in", scratch / "in.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number, page in enumerate(pages):
        html = f"{page}<p>This is page number {number} of the run.</p>"
        rows.append(json.dumps({"id": f"p{number}", "html": html}) + "\n")
        path = folder / f"{number % 7}" / f"p{number}.html"
        if not path.exists():  # a run that goes on must find what it knows
            path.parent.mkdir(exist_ok=True)
            path.write_text(html, "utf-8", "replace")
    if not file.exists():
        file.write_text("".join(rows), "utf-8")
    return {"directory": folder, "jsonl": file, "packed": file, "parquet": folder}


def summary(done: list[dict[str, Any]]) -> dict[str, Any]:
    """The sums of all trials, and those that ended badly."""
    kills = Counter((trial["output"], kill) for trial in done for kill in trial["kills"])
    bad = [trial for trial in done if not is_right(trial)]
    return {
        "trials": len(done),
        "kills": kills.total(),
        "kills_by_output": {
            output: {kind: kills[output, kind] for kind in KILLS} for output in OUTPUTS
        },
        "lost": sum(trial["lost"] for trial in done),
        "repeated": sum(trial["repeated"] for trial in done),
        "bytes_differ": sum(not trial["bytes_equal"] for trial in done),
        "left_over": sum(len(trial["left_over"]) for trial in done),
        "bad": bad[:20],
    }


def is_right(trial: dict[str, Any]) -> bool:
    """Whether a trial ended as a run that nobody killed."""
    return trial["bytes_equal"] and not (
        trial["lost"] or trial["repeated"] or trial["left_over"] or trial["code"]
    )


def html_pages(sets: list[str], data: str) -> Iterator[str]:
    """The pages of sets, or the demo pages."""
    for name in sets:
        yield from (gold.page.html for gold in corpus(name, data))
    if not sets:
        yield from (path.read_text("utf-8", "replace") for path in sorted(DEMO.rglob("*.html")))


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", action="append", help="sets to take the pages of")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--state", type=Path, help="file that keeps the trials' results")
    parser.add_argument("--scratch", type=Path, help="where the files lie while it runs")
    args = parser.parse_args()
    sets = args.set or []
    pages = list(islice(cycle(html_pages(sets, args.data)), args.pages))
    with tempfile.TemporaryDirectory() as folder:
        scratch = args.scratch or Path(folder)
        state = args.state or Path(folder, "state.json")
        result = trials(state, scratch, args.kills, args.seed, pages)
    about = {"sets": sets or ["data/demo"], "pages": args.pages, "seed": args.seed}
    record("cost/kills", {**about, **result, **environment()})
    print(json.dumps(result))


if __name__ == "__main__":
    main()
