"""Options that send pages with a low score to another extractor."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.options import Command
from crfclean.types import CrfcleanError

if TYPE_CHECKING:  # help and completion read this module, and run nothing
    from crfclean.cli.batch import Engine
    from crfclean.corpus.fallback import FallbackParams
    from crfclean.corpus.operation import Result

_OPTIONS = (
    click.option(
        "--fallback",
        metavar="COMMAND",
        help="give pages with a low score to this command, which reads HTML (UTF-8) and prints "
        "text; as many run at once as there are workers",
    ),
    click.option(
        "--fallback-below",
        type=click.FloatRange(0, 1),
        default=0.7,
        show_default=True,
        help="the score below which pages are given to it",
    ),
    click.option(
        "--fallback-seconds",
        type=click.FloatRange(0.1),
        default=30.0,
        show_default=True,
        help="seconds that it may take for a page",
    ),
    click.option(
        "--fallback-plan",
        is_flag=True,
        help="show at the end what share of the pages is below which score, and the F1 to expect",
    ),
)


def fallback_options(command: Command) -> Command:
    """Add the options."""
    for decorate in reversed(_OPTIONS):
        command = decorate(command)
    return command


def pop_fallback(options: dict[str, Any], *, is_planned: bool) -> FallbackParams:
    """The extractor of the options, which lose them; raises `CrfcleanError` for a bad command.

    A command must end before the page's own time does; it is not run while it `is_planned`.
    """
    from crfclean.corpus.fallback import FallbackParams

    names = ("fallback", "fallback_below", "fallback_seconds")
    text, below, seconds = (options.pop(name) for name in names)
    max_seconds = options["max_seconds"]
    if text is None:
        return FallbackParams()
    if is_planned:
        raise CrfcleanError("--fallback-plan is for before --fallback: name one of them")
    if seconds >= max_seconds:
        raise CrfcleanError(
            f"--fallback-seconds {seconds:g} must be less than --max-seconds {max_seconds:g}"
        )
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise CrfcleanError(f"--fallback: {text}: {error}") from error
    if not command:
        raise CrfcleanError("--fallback: no command")
    return FallbackParams(command, below, seconds)


@contextmanager
def planned(engine: Engine) -> Iterator[Engine]:
    """An engine that notes the scores of pages; at the end their plan goes to standard error."""
    from crfclean.evaluate.fallback_plan import as_table

    scores: list[float] = []

    def noting(*positional: Any, **named: Any) -> Iterator[Result]:
        for result in engine(*positional, **named):
            if result.outcome in {"ok", "without", "low-score"}:
                scores.extend([result.score] * result.pages)
            yield result

    yield noting
    click.echo(as_table(scores), err=True, nl=False)
