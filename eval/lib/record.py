"""Results -> eval/results: the newest run of a benchmark as JSON, every run a line of a log."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
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
        command, capture_output=True, text=True, check=False, cwd=RESULTS.parent
    ).stdout.strip()
    return {"commit": commit, "python": platform.python_version(), "versions": versions}


def record(name: str, result: Mapping[str, Any]) -> None:
    """Keep a run: `results/NAME.json` is the newest, `results/log.jsonl` has all."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")
    with (RESULTS / "log.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps({"benchmark": name, **result}, ensure_ascii=False) + "\n")
