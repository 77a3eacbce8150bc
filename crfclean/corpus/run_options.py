"""What the output of a run depends on, as JSON values."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from crfclean.corpus.jobs import Job
from crfclean.corpus.listing import ListedFile
from crfclean.corpus.operation import Operation
from crfclean.corpus.records import FOLDER
from crfclean.corpus.targets import STDIN, is_url
from crfclean.io import digest


def run_options(operation: Operation) -> dict[str, Any]:
    """The options of an operation."""
    limits, fields = asdict(operation.limits), asdict(operation.fields)
    options = {**operation.options, "limits": limits, "fields": fields}
    plain: dict[str, Any] = json.loads(json.dumps(options))
    return plain


def shard_options(
    job: Job, operation: Operation, inputs: Sequence[ListedFile | str]
) -> dict[str, Any]:
    """The options of a shard: its input, with its state, and those of the operation."""
    sources = job.sources or (str(job.source or job.url or STDIN),)
    return {
        "source": source_name(sources),
        "input": input_state(job, inputs),
        **run_options(operation),
    }


def source_name(sources: Sequence[str]) -> str:
    """What tells the inputs of a run apart: a path or URL, or the number of many and a digest."""
    names = [
        source if source == STDIN or is_url(source) else os.path.abspath(source)  # noqa: PTH100
        for source in sources
    ]
    return names[0] if len(names) == 1 else f"{len(names)} inputs {digest(*names)}"


def input_state(job: Job, inputs: Sequence[ListedFile | str]) -> dict[str, Any]:
    """What tells whether an input has changed: the files and URLs of a directory, or a file.

    Content is not read: names, sizes and times of modification count.
    """
    if job.kind == FOLDER:
        lines = [
            entry if isinstance(entry, str) else f"{entry.path}\0{_size_and_time(entry.path)}"
            for entry in inputs
        ]
        return {"files": len(inputs), "digest": digest(*lines)}
    return dict(zip(("bytes", "modified"), _size_and_time(job.source), strict=True))


def _size_and_time(path: Path | None) -> tuple[int, int]:
    """The size of a file, and when it was modified, in ns; zeros for what is no file."""
    try:
        if path is None or not path.is_file():
            return 0, 0
        state = path.stat()
    except OSError:
        return 0, 0
    return state.st_size, state.st_mtime_ns
