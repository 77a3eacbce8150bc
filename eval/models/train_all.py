"""Train everything that ships, one step after the other.

Run `python -m eval.models.train_all FOLDER --data DIR` (needs scipy and the peers); `--steps` names
some of the steps.

FOLDER keeps the prepared pages and the predictions of each collection left out: name a new one when
code, pages or the recipe have changed. Each step is a process of its own with one thread, so memory
is that of the step. Its time and memory are recorded, and whether it wrote the bytes that were
there before: the decision, the ends of texts and presence learn from texts that the decision
gives, so that after a change of the recipe a second run may differ from the first.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from eval.lib.corpora import ROOT, data_parser
from eval.lib.record import RESULTS, environment, record

NAME = "models/train_all"


class Step(NamedTuple):
    """A script with its options, and the file or folder of the project that it writes."""

    command: str
    output: str = ""


STEPS: Mapping[str, Step] = {
    "pagetype": Step("eval.models.train_pagetype", "models/pagetype"),
    "default": Step("eval.models.train_default --workers {workers}", "models/default"),
    "left out": Step("eval.lib.left_out --workers {workers} --predictions {folder}"),
    "ends": Step(
        "eval.models.train_ends --workers {workers} --predictions {folder} --save",
        "crfclean/decision/ends.json",
    ),
    "decision": Step(
        "eval.models.train_decision --workers {workers} --predictions {folder} --save",
        "crfclean/decision/weights.json",
    ),
    "presence": Step(
        "eval.models.train_presence --workers {workers} --predictions {folder} --save",
        "crfclean/systems/weights.json",
    ),
    "kinds": Step("eval.models.train_kinds --save", "models/kinds"),
    "mlp": Step("eval.models.train_mlp --workers {workers}", "models/mlp"),
    "forum": Step("eval.forums.posts --only-save --save {root}/models/forum", "models/forum"),
    "metadata": Step("eval.models.train_metadata --save", "crfclean/metadata/weights.json"),
}


def run(step: Step, args: Namespace) -> dict[str, Any]:
    """What a step takes, and whether its output has the bytes that it had.

    Ends the script with the step's exit code if it fails.
    """
    words = [word.format(root=ROOT, **vars(args)) for word in step.command.split()]
    kept = {"CRFCLEAN_PREPARED": str(args.folder / "prepared"), **os.environ}
    before, start = digest(step.output), time.monotonic()
    command = [sys.executable, "-m", *words, "--data", args.data]
    process = subprocess.Popen(command, env={**kept, "OPENBLAS_NUM_THREADS": "1"})  # noqa: S603
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(process.returncode)
    return {
        "seconds": round(time.monotonic() - start),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime),
        "peak_mb": usage.ru_maxrss // 1024,
        "same_bytes": digest(step.output) == before,
    }


def digest(output: str) -> str:
    """A digest of a file, or of the files of a folder; of nothing for a step that writes none."""
    path = ROOT / output
    files = sorted(path.iterdir()) if path.is_dir() and output else [path]
    parts = [(file.name, file.read_bytes()) for file in files if file.is_file()]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def earlier(path: Path) -> dict[str, Any]:
    """The recorded steps of earlier runs."""
    return dict(json.loads(path.read_text("utf-8"))["steps"]) if path.exists() else {}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("folder", type=Path, help="keeps prepared pages and predictions")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--steps", nargs="*", choices=list(STEPS), default=list(STEPS))
    args = parser.parse_args()
    steps = earlier(RESULTS / f"{NAME}.json")
    for name in args.steps:
        steps[name] = run(STEPS[name], args)
        print(name, steps[name], flush=True)
        record(NAME, {"steps": steps, **environment()})


if __name__ == "__main__":
    main()
