"""Results of benchmarks: the newest run of each as JSON, all runs as lines of a packed log."""

from __future__ import annotations

import json
import lzma
import platform
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from eval.lib.corpora import ROOT

RESULTS = Path(__file__).parents[1] / "results"
LOG = "log.jsonl.xz"
WIDTH = 160  # characters: a value that fits in a line stands in one
PACKAGES = tuple(
    (
        "crfclean python-crfsuite lxml numpy trafilatura resiliparse jusText readability-lxml "
        "newspaper4k htmldate"
    ).split()
)


def environment() -> dict[str, Any]:
    """The commit and the versions behind a figure."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    command = ["git", "describe", "--always", "--dirty", "--abbrev=10"]
    commit = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=False, cwd=ROOT
    ).stdout.strip()
    return {"commit": commit, "python": platform.python_version(), "versions": versions}


def record(name: str, result: Mapping[str, Any], folder: Path = RESULTS) -> None:
    """Keep a run as `WING/NAME.json`, which holds the newest one, and as a line of the log."""
    path = folder / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_json(json.loads(json.dumps(result))) + "\n", "utf-8")
    with lzma.open(folder / LOG, "at", encoding="utf-8") as log:
        log.write(json.dumps({"benchmark": name, **result}, ensure_ascii=False) + "\n")


def logged(folder: Path = RESULTS) -> Iterator[dict[str, Any]]:
    """All recorded runs, the oldest first."""
    with lzma.open(folder / LOG, "rt", encoding="utf-8") as log:
        for line in log:
            yield json.loads(line)


@cache
def newest(name: str) -> Mapping[str, Any]:
    """The newest run of a benchmark, from its file, or else from the log; raises `KeyError`."""
    path = RESULTS / f"{name}.json"
    if path.exists():
        return json.loads(path.read_text("utf-8"))  # type: ignore[no-any-return]
    return {run["benchmark"]: run for run in logged()}[name]


def as_json(value: Any, depth: int = 0) -> str:
    """The text of a value read from JSON; what fits in a line stands in one.

    >>> print(as_json({"f1": [0.9, 0.8], "text": "x" * 160}).replace("x" * 160, "x"))
    {
     "f1": [0.9, 0.8],
     "text": "x"
    }
    """
    line = json.dumps(value, ensure_ascii=False)
    if depth + len(line) <= WIDTH or not isinstance(value, dict | list | tuple):
        return line
    if isinstance(value, dict):
        names = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        values, (left, right) = list(value.values()), "{}"
    else:
        names, values, (left, right) = [""] * len(value), list(value), "[]"
    margin = "\n" + " " * (depth + 1)
    lines = (name + as_json(item, depth + 1) for name, item in zip(names, values, strict=True))
    return left + margin + f",{margin}".join(lines) + "\n" + " " * depth + right
