"""Find out which small changes of meaning the tests do not notice.

Run `python -m eval.lib.mutate --rooms page,nn --count 200 --state FILE --jobs 2`.

Room after room, a kind of change and a place of it are drawn; the change is made in a copy of the
checkout, and the tests of the room run there until one fails: the files that name the module, then
the tests that reach the changed lines (`eval.lib.reach`; needs coverage). A run that takes three
times the CPU time it takes without a change counts as noticed. FILE gets a line for each change,
and a run that was stopped goes on from there. Survivors are read by a person, who writes a test, or
a reason into `results/cost/mutation_answers.json` (change -> reason).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

from eval.lib.corpora import ROOT
from eval.lib.mutations import Mutation, mutations
from eval.lib.reach import Reach, quiet_environment
from eval.lib.record import RESULTS, as_json

ROOMS = "page,taggers,pagetype,corpus,forum,structure,writers,metadata,segmentation,expert,nn"
RESULT = RESULTS / "cost" / "mutations.json"
ANSWERS = RESULTS / "cost" / "mutation_answers.json"
SLOWER = 3.0  # times the tests' own CPU time: a change that hangs them is noticed
LEAST_SECONDS = 60.0  # for tests that are over at once
PATIENCE = 30.0  # seconds for one of CPU time, until a run that waits for ever is noticed
CPU_LIMIT = ["sh", "-c", 'ulimit -S -t "$0"; exec "$@"']  # so that a busy machine is not noticed
COPIED = "crfclean data docs eval models tests pyproject.toml setup.cfg setup.py README.md Makefile"


@dataclass(frozen=True)
class Change:
    """A mutation of a module, by the module's path in the checkout."""

    path: str
    mutation: Mutation

    @property
    def name(self) -> str:
        """What the change is called in results: it survives changes elsewhere in the module."""
        short = " ".join(self.mutation.before.split())[:40]
        return f"{self.path}:{self.mutation.line} {self.mutation.kind} {short}"


def drawn(root: Path, rooms: Sequence[str], count: int, seed: int) -> list[Change]:
    """So many changes, the same for a seed: as many a room, and kinds alike often."""
    rng = random.Random(seed)  # noqa: S311
    pools = {room: _by_kind(root, room) for room in rooms}
    chosen: dict[str, Change] = {}
    while len(chosen) < count and any(pools.values()):
        for room in rooms:
            if pools[room] and len(chosen) < count:
                kind = rng.choice(sorted(pools[room]))
                places = pools[room][kind]
                change = places.pop(rng.randrange(len(places)))
                chosen[change.name] = change
                pools[room] = {name: left for name, left in pools[room].items() if left}
    return list(chosen.values())


def _by_kind(root: Path, room: str) -> dict[str, list[Change]]:
    """All changes of a room by their kind."""
    kinds: dict[str, list[Change]] = {}
    for path in sorted((root / "crfclean" / room).rglob("*.py")):
        for mutation in mutations(path.read_text("utf-8")):
            change = Change(path.relative_to(root).as_posix(), mutation)
            kinds.setdefault(mutation.kind, []).append(change)
    return kinds


# tests


def run_tests(root: Path, tests: Sequence[str], seconds: float) -> str:
    """`passed`, `failed` or `timeout`: no process of the tests may take more CPU seconds."""
    pytest = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *tests]
    command = [*CPU_LIMIT, str(math.ceil(seconds)), *pytest]
    try:
        done = subprocess.run(  # noqa: S603
            command,
            cwd=root,
            env=quiet_environment(root),
            capture_output=True,
            check=False,
            timeout=PATIENCE * seconds,
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    if done.returncode == -signal.SIGXCPU:
        return "timeout"
    return "failed" if done.returncode else "passed"


def outcome(root: Path, change: Change, reach: Reach) -> str:
    """`failed` or `timeout` if the tests notice a change in this copy, else `passed`."""
    path = root / change.path
    source = path.read_text("utf-8")
    tests = reach.tests(change.path, change.mutation.line, change.mutation.last_line)
    path.write_text(change.mutation.applied(source), "utf-8")
    try:
        return run_tests(root, tests, max(LEAST_SECONDS, SLOWER * reach.seconds(change.path)))
    finally:
        path.write_text(source, "utf-8")


# a run


def run(changes: Sequence[Change], state: Path, jobs: int) -> Iterator[str]:
    """Try the changes that the state has not; a line each, as they are done."""
    done = read_state(state)
    left = [change for change in changes if change.name not in done]
    with TemporaryDirectory(prefix="mutate-") as folder, ThreadPoolExecutor(jobs) as pool:
        copies: SimpleQueue[Path] = SimpleQueue()
        for at in range(jobs):
            copies.put(scratch(Path(folder) / str(at)))
        reach = Reach(scratch(Path(folder) / "unchanged"), state.with_suffix(".reach"))

        def attempt(change: Change) -> tuple[Change, str]:
            root = copies.get()
            try:
                return change, outcome(root, change, reach)
            finally:
                copies.put(root)

        attempts = [pool.submit(attempt, change) for change in left]
        try:
            for tried in as_completed(attempts):
                change, answer = tried.result()
                row = {"change": change.name, "outcome": answer, "after": change.mutation.after}
                _append(state, row)
                yield f"{answer:8}{change.name} -> {' '.join(change.mutation.after.split())[:60]}"
        finally:
            pool.shutdown(cancel_futures=True)


def scratch(folder: Path) -> Path:
    """A copy of the checkout without what tests do not read."""
    unwanted = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in COPIED.split():
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (
            shutil.copytree(source, target, ignore=unwanted)
            if source.is_dir()
            else shutil.copy(source, target)
        )
    return folder


def read_state(state: Path) -> dict[str, dict[str, Any]]:
    """Change -> its line, of the changes that were tried."""
    lines = state.read_text("utf-8").splitlines() if state.exists() else []
    return {row["change"]: row for row in map(json.loads, lines)}


def _append(state: Path, row: Mapping[str, Any]) -> None:
    with state.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def summary(tried: Mapping[str, Mapping[str, Any]], answers: Mapping[str, str]) -> dict[str, Any]:
    """The share of changes that tests notice, by room; survivors with what a person says."""
    rooms = Counter(name.split("/")[1] for name in tried)
    survivors = [name for name, row in tried.items() if row["outcome"] == "passed"]
    left = Counter(name.split("/")[1] for name in survivors)
    return {
        "changes": len(tried),
        "noticed": len(tried) - len(survivors),
        "share": round(1 - len(survivors) / max(len(tried), 1), 3),
        "rooms": {room: f"{count - left[room]}/{count}" for room, count in sorted(rooms.items())},
        "survivors": {
            name: {"after": tried[name]["after"], "answer": answers.get(name, "")}
            for name in sorted(survivors)
        },
    }


def main() -> None:
    """Try changes and write the summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", default=ROOMS, help="of crfclean, with commas")
    parser.add_argument("--count", type=int, default=200, help="of changes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="changes at a time")
    parser.add_argument("--state", type=Path, required=True, help="a JSONL file to go on from")
    args = parser.parse_args()
    for line in run(
        drawn(ROOT, args.rooms.split(","), args.count, args.seed), args.state, args.jobs
    ):
        print(line, flush=True)
    answers = json.loads(ANSWERS.read_text("utf-8")) if ANSWERS.exists() else {}
    result = {"seed": args.seed, **summary(read_state(args.state), answers)}
    RESULT.write_text(as_json(result) + "\n", "utf-8")
    print(f"{result['noticed']} of {result['changes']} changes noticed: {RESULT}")


if __name__ == "__main__":
    main()
