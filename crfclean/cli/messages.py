"""Messages of the command line, and the types of options that name files."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from crfclean.corpus.plan import PathUse

CONFIG_PATH = "crfclean.config"
"""Key of `Context.meta` for the `help.ConfigFile` that was read."""


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
        from crfclean.corpus.plan import refuse_overwriting

        refuse_overwriting(*files_of(context))


def files_of(context: click.Context) -> tuple[list[PathUse], list[PathUse]]:
    """Return what the options and arguments of a command read, and what they write."""
    from crfclean.corpus.plan import INPUT, PathUse

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


# messages of the command line by levels of `logging`, and the colours of its output

NOTICE = 25
"""Level of what a run reports at its end: above INFO, below WARNING."""

LOG = logging.getLogger("crfclean")
"""The logger of the commands; it writes messages to standard error without a prefix."""


class _Terminal(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Print a message above the progress bar, where there is one."""
        if sys.stderr.isatty():
            from tqdm import tqdm

            tqdm.write(record.getMessage(), file=sys.stderr)
        else:  # tqdm's lock would import multiprocessing
            click.echo(record.getMessage(), err=True)


def start_messages() -> None:
    """Begin to print messages from NOTICE on; standard streams that are closed lead nowhere."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from crfclean.io import open_descriptors

        for number in open_descriptors():
            name, mode = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))[number]
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    LOG.propagate = False
    LOG.handlers = [_Terminal()]
    LOG.setLevel(NOTICE)


def _set_level(_context: click.Context, option: click.Parameter, value: int) -> None:
    """Set the level of messages: -q only errors, -v also INFO, -vv also DEBUG."""
    if not value:
        return
    if LOG.level != NOTICE:
        raise click.UsageError("-v and -q exclude each other")
    verbose = logging.INFO if value == 1 else logging.DEBUG
    LOG.setLevel(logging.ERROR if option.name == "quiet" else verbose)


def message_options() -> list[click.Option]:
    """The options of every command that set which messages are printed."""
    common: Any = {"is_eager": True, "expose_value": False, "callback": _set_level}
    more, less = "print more messages; -vv prints most", "print only errors, and no progress bar"
    return [
        click.Option(["-v", "--verbose"], count=True, help=more, **common),
        click.Option(["-q", "--quiet"], is_flag=True, help=less, **common),
    ]


def is_quiet() -> bool:
    """Whether only errors are printed."""
    return not LOG.isEnabledFor(NOTICE)


def notice(message: str) -> None:
    """Print how a run ended, unless -q is set."""
    LOG.log(NOTICE, "%s", message)


def wrote(what: str, place: Path | str | None = None) -> None:
    """Say what was written, and where, with control characters escaped.

    A slash follows the name of a directory.
    """
    from crfclean.page.chars import escaped

    if place is None:
        notice(f"Wrote {escaped(what)}")
        return
    slash = "/" if Path(place).is_dir() and not str(place).endswith("/") else ""
    notice(f"Wrote {what} to {escaped(str(place))}{slash}")


def painted(text: str, styles: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a text with the matches of patterns (without groups) in styles of `click.style`.

    Matches do not overlap; the first pattern wins. `click.echo` removes colours in pipes.
    """
    looks = list(styles.values())
    pattern = re.compile("|".join(f"({each})" for each in styles), re.MULTILINE)
    return pattern.sub(
        lambda match: click.style(match[0], **looks[(match.lastindex or 1) - 1]), text
    )
