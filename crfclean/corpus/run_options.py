"""What the output of a run depends on, as JSON values."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import Operation
from crfclean.corpus.records import FOLDER
from crfclean.io import digest


def run_options(operation: Operation) -> dict[str, Any]:
    """The options of an operation."""
    limits, fields = asdict(operation.limits), asdict(operation.fields)
    options = {**operation.options, "limits": limits, "fields": fields}
    plain: dict[str, Any] = json.loads(json.dumps(options))
    return plain


def shard_options(job: Job, operation: Operation, files: Sequence[Job]) -> dict[str, Any]:
    """The options of a shard: its input, with its state, and those of the operation."""
    source = os.path.abspath(job.source) if job.source else job.url or "-"  # noqa: PTH100
    return {"source": source, "input": input_state(job, files), **run_options(operation)}


def input_state(job: Job, files: Sequence[Job]) -> dict[str, Any]:
    """What tells whether an input has changed: of a directory's `files`, or of a file.

    Content is not read: names, sizes and times of modification count.
    """
    if job.kind == FOLDER:
        lines = [f"{file.name}\0{_size_and_time(file)}" for file in files]
        return {"files": len(files), "digest": digest(*lines)}
    return dict(zip(("bytes", "modified"), _size_and_time(job), strict=True))


def _size_and_time(job: Job) -> tuple[int, int]:
    """The size of a file, and when it was modified, in ns; zeros for what is no file."""
    try:
        if job.source is None or not job.source.is_file():
            return 0, 0
        state = job.source.stat()
    except OSError:
        return 0, 0
    return state.st_size, state.st_mtime_ns
