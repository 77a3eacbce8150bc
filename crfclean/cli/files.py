"""Types of options that name files, and all that a command reads and writes by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from crfclean.corpus.overwriting import PathUse


CONFIG_PATH = "crfclean.config"
"""Key of `Context.meta` for the `config.ConfigFile` that was read."""


class Reads(click.Path):
    """A file or directory that a command reads.

    Of a directory, all files are inputs, or with `pages` only pages, corpora and gold.
    """

    def __init__(self, *, pages: bool = False, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.pages = pages


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
    """Refuse a command that would overwrite what it reads; raises `CrfcleanError`."""
    if not any(isinstance(parameter.type, Planned) for parameter in context.command.params):
        from crfclean.corpus.overwriting import refuse_overwriting

        refuse_overwriting(*files_of(context))


def files_of(context: click.Context) -> tuple[list[PathUse], list[PathUse]]:
    """Return what the options and arguments of a command read, and what they write."""
    from crfclean.corpus.overwriting import INPUT, PathUse

    read, written = list[PathUse](), list[PathUse]()
    for parameter in context.command.params:
        is_option, kind = isinstance(parameter, click.Option), parameter.type
        name = max(parameter.opts, key=len) if is_option else INPUT
        for path in _values(context, parameter):
            if isinstance(kind, Reads):
                read.append(PathUse(str(path), name, kind.pages))
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
