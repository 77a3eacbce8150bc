"""The messages of the command line, by levels of `logging`, and its exit codes."""

from __future__ import annotations

import logging
import sys
import warnings
from pathlib import Path
from typing import Any, TextIO

import click

from crfclean.types import OldParserWarning

EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE, EXIT_NOTHING = 0, 1, 2, 3
"""Exit codes: all done, some pages failed, wrong usage, nothing found."""

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
    warnings.showwarning = _show_warning


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning about the parser as a message, also with -q; any other one as Python does."""
    if issubclass(category, OldParserWarning):
        LOG.error("crfclean: warning: %s", message)
    else:
        stream = file or sys.stderr
        stream.write(warnings.formatwarning(message, category, filename, lineno, line))


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
