"""The paths of a command: what it reads and writes, and that it overwrites nothing it reads."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import click

from crfclean.cli.messages import LOG
from crfclean.types import CrfcleanError

CONFIG_PATH = "crfclean.config"
"""Key of `Context.meta` for the `ConfigFile` that was read."""


class Inputs(NamedTuple):
    """Which files of a directory a command reads: by their content, or, before they exist, by name.

    Without it, all files are inputs.
    """

    holds: Callable[[Path], bool] = lambda _: True
    names: Callable[[str], bool] = lambda _: False


ALL_FILES = Inputs()


class Reads(click.Path):
    """A file or directory that a command reads; of a directory, the files that are `inputs`."""

    def __init__(self, *, inputs: Inputs = ALL_FILES, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.inputs = inputs


class Writes(click.Path):
    """A file or directory that a command writes; `files` gives all files for the one named."""

    def __init__(
        self, files: Callable[[Path], Iterable[Path]] = lambda path: (path,), **keywords: Any
    ) -> None:
        super().__init__(**keywords)
        self.files = files


class Planned(click.Path):
    """An IN or OUT of a command on many pages; `batch.plan_paths` tells which it is."""


def check_files(context: click.Context) -> None:
    """Refuse a command that would overwrite what it reads; name what it cannot read of directories.

    Raises `CrfcleanError`. Commands on many pages do both when they plan their jobs.
    """
    if not any(isinstance(parameter.type, Planned) for parameter in context.command.params):
        read, written = files_of(context)
        refuse_overwriting(read, written)
        for folder in filter(is_folder, (Path(use.path) for use in read)):
            for entry in sorted(unreadable(folder)):
                LOG.warning("left out: %s", entry)


def files_of(context: click.Context) -> tuple[list[PathUse], list[PathUse]]:
    """Return what the options and arguments of a command read, and what they write."""
    read, written = list[PathUse](), list[PathUse]()
    for parameter in context.command.params:
        is_option, kind = isinstance(parameter, click.Option), parameter.type
        name = max(parameter.opts, key=len) if is_option else INPUT
        for path in _values(context, parameter):
            if isinstance(kind, Reads):
                read.append(PathUse(str(path), name, kind.inputs))
            elif isinstance(kind, Writes):
                written += [PathUse(str(file), name) for file in kind.files(Path(path))]
    return read, written


def _values(context: click.Context, parameter: click.Parameter) -> Iterator[Any]:
    """Yield the paths of a parameter; the file of settings may be the one that is found here."""
    value = context.params.get(parameter.name or "")
    if parameter.name == "config":
        file = context.meta.get(CONFIG_PATH)
        value = file and file.path
    yield from filter(None, value if isinstance(value, tuple) else (value,))


# refuse a command that would overwrite what it reads, before it opens anything for writing

INPUT = "the input"
STREAM = "-"
"""The path of standard input, or output."""


class PathUse(NamedTuple):
    """A path that a command reads or writes, and the option that names it.

    The `option` of a path that is read is `INPUT` if an argument names it. Of a directory that is
    read, only `inputs` count.
    """

    path: str
    option: str
    inputs: Inputs = ALL_FILES


Place: TypeAlias = "tuple[int, int] | str"
"""Device and inode of a file or directory; the full path of one that does not exist."""


def refuse_overwriting(read: Collection[PathUse], written: Iterable[PathUse]) -> None:
    """Raise `CrfcleanError` if a path to write is, or lies in, one to read, or is written twice.

    Links do not hide a file. Devices and pipes may be written.
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
            _refuse_inside(place, use, outputs)


def _place_of(path: str, stream: int) -> Place | None:
    """Return the place of a path, None for a device or pipe; `stream` is the descriptor of -."""
    try:
        state = os.fstat(stream) if path == STREAM else os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        missing = path != STREAM and "\0" not in path
        return folded_path(os.path.realpath(path)) if missing else None
    is_plain = stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)
    return (state.st_dev, state.st_ino) if is_plain else None


def _overwrites(use: PathUse, read: PathUse) -> str:
    is_folder = os.path.isdir(use.path)  # noqa: PTH112
    what = read.option if read.option == INPUT else f"what {read.option} reads"
    harm = "would mix its files with it" if is_folder else "would overwrite it"
    other = "directory" if is_folder else "file"
    return f"{use.path}: is {what}: {use.option} {harm}: name another {other}"


def _refuse_inside(folder: Place, read: PathUse, outputs: Mapping[Place, PathUse]) -> None:
    """Raise `CrfcleanError` for an output that is an input of a directory, or becomes one."""
    from crfclean.page.page_names import is_page

    for use in outputs.values():
        is_pages = is_page(use.path) or read.inputs.names(use.path)
        if is_pages and _lies_in(folder, use.path, outputs):
            raise CrfcleanError(
                f"{use.path}: lies among the pages: choose an output outside {read.path}"
            )
    existing = {place: use for place, use in outputs.items() if os.path.isfile(use.path)}  # noqa: PTH113
    for path in _files_below(read.path, outputs) if existing else ():
        place = _place_of(path, 0)
        if place in existing and read.inputs.holds(Path(path)):
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


# whether files and directories are there

MISSING = "no such file or directory"


def why_missing(path: Path) -> str:
    """Return the reason why there is no file or directory of this name, "" if there is one."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # a NUL is in no name
        return MISSING
    except OSError as error:  # a link to itself, a folder that may not be entered, a long name
        return cannot_be_read(error)
    return ""


def is_folder(path: Path) -> bool:
    """Return whether a path is a directory; False for a name that no file can have."""
    return not why_missing(path) and path.is_dir()


def unreadable(root: Path) -> Iterator[str]:
    """Yield the names of links, files and folders that cannot be found or listed, with reasons."""
    errors = list[OSError]()
    for folder, _, names in os.walk(root, onerror=errors.append):
        for path in (Path(folder, name) for name in names):
            if why := why_missing(path):
                yield f"{path}: {why}"
    for error in errors:
        yield f"{error.filename}: cannot be listed: {error.strerror}"


def cannot_be_read(error: OSError) -> str:
    """Return the reason that an error gives."""
    return f"cannot be read: {error.strerror or error}"


def folded_path(path: Path | str) -> str:
    """Return a path as seen by file systems that ignore case and Unicode's forms."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", str(path)).casefold())
