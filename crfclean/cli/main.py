"""Run the command line; a command is imported when it is called.

The list of commands and their completion need only the table here. The module of a command has its
options and its help, and imports models and features only when the command runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module

import click

from crfclean._version import __version__
from crfclean.cli.help import EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE, start_messages, write_examples
from crfclean.types import CrfcleanError, WorkerError

COMMANDS: Mapping[str, str] = {
    "annotate": "Label the blocks of pages by hand.",
    "audit": "Estimate how good the texts of a run are, from a few judged blocks.",
    "cite": "Find where a page says something.",
    "clean": "Extract the text of pages: files, directories, URLs, corpora.",
    "doctor": "Check the installation: versions, extras, models.",
    "drift": "Tell which sites changed, and since when.",
    "eval": "Score a model, or cleaned texts, on annotated pages.",
    "explain": "Show why each block of a page was kept or left out.",
    "forum": "Extract the posts of forum pages: author, date and text.",
    "mcp": "Let language models read pages: a Model Context Protocol server.",
    "metadata": "Extract titles, authors, dates and the like.",
    "segment": "Divide pages into their coherent texts.",
    "serve": "Clean pages in the browser, and over a JSON API.",
    "train": "Train a model on annotated pages.",
    "tune": "Learn what belongs to a text from a few corrected texts.",
}
"""Name of a command -> the first sentence of its help; it is the function `NAME_command`."""

COMMAND_MODULES: Mapping[str, str] = {
    "clean": "products.corpus.clean_command",
    "metadata": "products.corpus.metadata_command",
    "forum": "products.forum.command",
    "segment": "products.papers.command",
    "explain": "cli.explain",
    "doctor": "cli.doctor",
    "serve": "products.web.command",
    **{name: f"products.tools.{name}_command" for name in ("audit", "cite", "drift", "mcp")},
    **dict.fromkeys(("annotate", "train", "tune"), "products.teach.commands"),
    "eval": "products.teach.eval_command",
}
"""Name of a command -> its module."""

_PAGE_BY_PAGE = frozenset(["cite", "clean", "explain", "forum", "metadata", "segment"])
"""Commands with small matrices, for which BLAS starts no threads: that takes 30 ms."""


def load_command(name: str) -> click.Command:
    """Import a command of the table; numpy is imported with it."""
    if name in _PAGE_BY_PAGE:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    module = import_module(f"crfclean.{COMMAND_MODULES[name]}")
    command: click.Command = getattr(module, f"{name}_command")
    return command


SECTIONS: Mapping[str, str] = {
    "Pages to text": "clean metadata forum segment",
    "Look inside": "explain audit cite serve mcp drift doctor",
    "Teach": "annotate tune train eval",
}
"""Heading of the list of commands -> its commands in order."""

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
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, COMMANDS[name]) for name in names.split()])
        write_examples(formatter, EXAMPLES)
        with formatter.section("Shell completion"):
            formatter.write(COMPLETION)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the called command, imported, in place of its entry in the list."""
        name, command, arguments = super().resolve_command(ctx, args)
        return name, command if name is None else load_command(name), arguments


_LISTED = [click.Command(name, help=line) for name, line in COMMANDS.items()]
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
    path = " ".join(["crfclean", *(name for name in sys.argv[1:2] if name in COMMANDS)])
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
