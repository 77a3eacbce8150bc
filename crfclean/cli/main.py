"""Run the command line; a command is imported when it is called.

The list of commands and their completion need only the tables of `door`. The module of a command
has its options and its help, and imports models and features only when the command runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

import click

from crfclean import door
from crfclean._version import __version__
from crfclean.cli.help import write_examples
from crfclean.cli.messages import EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE, start_messages
from crfclean.types import CrfcleanError, WorkerError


def load_command(name: str) -> click.Command:
    """Import a command by its name; numpy is imported with it.

    Raises `CrfcleanError` for a name that no package has.
    """
    entry = door.entries("commands").get(name)
    if entry is not None and entry.few_pages:  # starting threads for matrices takes 30 ms
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    command: click.Command = door.find("commands", name)
    return command


EXAMPLES: Mapping[str, str] = {
    "crfclean clean page.html": "The text of a page",
    "crfclean clean crawl.warc.gz crawl.jsonl.gz": "The texts of a corpus",
    "crfclean serve": "The same in the browser",
    "crfclean clean -h": "The most needed options of a command",
}


COMPLETION = """\
  In bash (docs/cli.md has the lines for zsh and fish):
    eval "$(_CRFCLEAN_COMPLETE=bash_source crfclean)"
"""


class LazyGroup(click.Group):
    """A group that lists its commands from the table, and imports the one that is called."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands under their headings, then examples."""
        for heading, rows in command_sections().items():
            with formatter.section(heading):
                formatter.write_dl(rows)
        built_in = door.names("commands")
        examples = {line: what for line, what in EXAMPLES.items() if line.split()[1] in built_in}
        write_examples(formatter, examples)
        with formatter.section("Shell completion"):
            formatter.write(COMPLETION)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the called command, imported; a package may add one that is not in the list."""
        if args and args[0] not in self.commands and door.has("commands", args[0]):
            return args[0], load_command(args[0]), args[1:]
        name, command, arguments = super().resolve_command(ctx, args)
        return name, command if name is None else load_command(name), arguments


def command_sections() -> dict[str, list[tuple[str, str]]]:
    """The built-in commands with their first sentences, by the headings of the list."""
    rows: dict[str, list[tuple[str, str]]] = {}
    for name, entry in door.entries("commands").items():
        rows.setdefault(entry.heading, []).append((name, entry.says))
    return rows


_LISTED = [click.Command(name, help=entry.says) for name, entry in door.entries("commands").items()]
"""The commands as `--help` and completion list them."""


@click.group(
    cls=LazyGroup, commands=_LISTED, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="crfclean", message="%(prog)s %(version)s")
def commands() -> None:
    """Remove the boilerplate of web pages: extract their main content as clean text."""


def _usage_message(error: click.ClickException) -> str:
    from crfclean.page.chars import escaped

    message = escaped(" ".join(error.format_message().split()).rstrip("."))
    path = " ".join(["crfclean", *(name for name in sys.argv[1:2] if door.has("commands", name))])
    return f"crfclean: {message} (see {path} -h)"


def main() -> None:
    """Run the command line; errors become a message on stderr and an exit code."""
    start_messages()
    try:
        code = commands(sys.argv[1:] or ["--help"], prog_name="crfclean", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code or EXIT_OK)
    except click.ClickException as error:
        click.echo(_usage_message(error), err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_SOME_FAILED)
    except OSError as error:  # a full disk; only writes to standard output name no file
        what = error.filename or "standard output: cannot be written"
        click.echo(f"crfclean: {what}: {error.strerror}", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_SOME_FAILED)
    except CrfcleanError as error:
        from crfclean.page.chars import escaped

        lines = map(escaped, f"crfclean: {error}".split("\n"))
        click.echo("\n".join(lines), err=True)
        sys.exit(EXIT_SOME_FAILED if isinstance(error, WorkerError) else EXIT_USAGE)
