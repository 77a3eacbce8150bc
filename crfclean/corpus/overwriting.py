"""Refuse a command that would overwrite what it reads, before it opens anything for writing."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from crfclean.corpus.jobs import Job, folded
from crfclean.corpus.listing import is_input
from crfclean.corpus.outputs import LOCK, RECORD, lock_path, parts_folder
from crfclean.corpus.records import Fields
from crfclean.corpus.targets import STDIN, shard_ending
from crfclean.page.decode import is_page
from crfclean.types import CrfcleanError

INPUT = "the input"


class PathUse(NamedTuple):
    """A path that a command reads or writes, and the option that names it.

    The `option` of a path that is read is `INPUT` if an argument names it. Of a directory that is
    read, all files are inputs, or with `pages` only pages, corpora and gold.
    """

    path: str
    option: str
    pages: bool = False


Place: TypeAlias = "tuple[int, int] | str"
"""Device and inode of a file or directory; the full path of one that does not exist."""


def refuse_overwriting(
    read: Collection[PathUse], written: Iterable[PathUse], fields: Fields = Fields()
) -> None:
    """Raise `CrfcleanError` if a path to write is, or lies in, one to read, or is written twice.

    Links do not hide a file. Devices and pipes may be written. `fields` say which JSONL files of a
    directory are corpora.
    """
    inputs = {place: use for use in read if (place := _place_of(use.path, 0)) is not None}
    outputs: dict[Place, PathUse] = {}
    for use in written:
        place = _place_of(use.path, 1)
        if place is None:
            continue
        if place in inputs:
            raise CrfcleanError(_overwrites(use, inputs[place]))
        other = outputs.setdefault(place, use)
        if other.option != use.option:
            raise CrfcleanError(
                f"{use.path}: {other.option} and {use.option} would both write it: name two files"
            )
    for place, use in inputs.items():
        if os.path.isdir(use.path):  # noqa: PTH112 - it may be -
            _refuse_inside(place, use, outputs, fields)


def job_inputs(jobs: Iterable[Job]) -> Iterator[PathUse]:
    """Yield the files that jobs read."""
    for job in jobs:
        for source in job.sources or ([str(job.source)] if job.source else []):
            yield PathUse(source, INPUT)


def job_outputs(jobs: Iterable[Job], option: str) -> Iterator[PathUse]:
    """Yield the files that jobs write, and those beside them while they run."""
    places = {job.folders.target for job in jobs if job.folders}
    files = [folder / name for folder in places for name in (RECORD, LOCK)]
    for job in jobs:
        if job.target is not None:
            files.append(job.target)
            if job.shard and not job.is_folder:
                files += [parts_folder(job.target), lock_path(job.target)]
    return (PathUse(str(file), option) for file in files)


def _place_of(path: str, stream: int) -> Place | None:
    """Return the place of a path, None for a device or pipe; `stream` is the descriptor of -."""
    try:
        state = os.fstat(stream) if path == STDIN else os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        missing = path != STDIN and "\0" not in path
        return folded(os.path.realpath(path)) if missing else None
    is_plain = stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)
    return (state.st_dev, state.st_ino) if is_plain else None


def _overwrites(use: PathUse, read: PathUse) -> str:
    is_folder = os.path.isdir(use.path)  # noqa: PTH112
    what = read.option if read.option == INPUT else f"what {read.option} reads"
    harm = "would mix its files with it" if is_folder else "would overwrite it"
    other = "directory" if is_folder else "file"
    return f"{use.path}: is {what}: {use.option} {harm}: name another {other}"


def _refuse_inside(
    folder: Place, read: PathUse, outputs: Mapping[Place, PathUse], fields: Fields
) -> None:
    """Raise `CrfcleanError` for an output that is an input of a directory, or becomes one."""
    for use in outputs.values():
        is_pages = is_page(use.path) or shard_ending(Path(use.path))
        if is_pages and _lies_in(folder, use.path, outputs):
            raise CrfcleanError(
                f"{use.path}: lies among the pages: choose an output outside {read.path}"
            )
    existing = {place: use for place, use in outputs.items() if os.path.isfile(use.path)}  # noqa: PTH113
    for path in _files_below(read.path, outputs) if existing else ():
        place = _place_of(path, 0)
        if place in existing and (not read.pages or is_input(Path(path), fields)):
            use = existing[place]
            raise CrfcleanError(
                f"{use.path}: is a file of {read.path}: {use.option} would overwrite it: name "
                "another file"
            )


def _lies_in(folder: Place, path: str, outputs: Collection[Place]) -> bool:
    """Return whether a path is below a directory, and not in an output directory there."""
    for parent in Path(os.path.realpath(path)).parents:
        place = _place_of(str(parent), 0)
        if place == folder or place in outputs:
            return place == folder
    return False


def _files_below(folder: str, outputs: Collection[Place]) -> Iterator[str]:
    """Yield the files below a directory, except those in an output directory."""
    for path, folders, names in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if _place_of(os.path.join(path, name), 0) not in outputs  # noqa: PTH118
        ]
        yield from (os.path.join(path, name) for name in names)  # noqa: PTH118
