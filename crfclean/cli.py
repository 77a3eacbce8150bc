"""Arguments -> one library call -> what is printed, and the exit code."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from crfclean._version import __version__
from crfclean.cli_annotate import agree_command, annotate_command
from crfclean.cli_batch import NOTHING, OK, SOME_FAILED, USAGE
from crfclean.cli_clean import clean_command
from crfclean.cli_eval import eval_command
from crfclean.cli_forum import forum_command
from crfclean.cli_forum_train import train_forum_command
from crfclean.cli_metadata import metadata_command
from crfclean.cli_segment import segment_command
from crfclean.cli_serve import serve_command
from crfclean.cli_train import train_command
from crfclean.decode import decode
from crfclean.metadata.lines import lines
from crfclean.metadata.read import read
from crfclean.options import open_tagger, tagger_options
from crfclean.pipeline import run
from crfclean.types import CrfcleanError
from crfclean.writers import to_explanation

__all__ = ["NOTHING", "OK", "SOME_FAILED", "USAGE", "commands", "main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="crfclean", message="%(prog)s %(version)s")
def commands() -> None:
    """Turn web pages into clean text with a conditional random field that can be taught."""


commands.add_command(clean_command)
commands.add_command(annotate_command)
commands.add_command(agree_command)
commands.add_command(train_command)
commands.add_command(eval_command)
commands.add_command(forum_command)
commands.add_command(train_forum_command)
commands.add_command(segment_command)
commands.add_command(metadata_command)
commands.add_command(serve_command)


@commands.command()
@click.argument("page", type=click.Path(path_type=Path))
@tagger_options
@click.option("--features", "most", default=4, show_default=True, help="features shown a block")
@click.option("--metadata", "telling", is_flag=True, help="what the page says of itself, before it")
def explain(page: Path, most: int, telling: bool, **chosen: Any) -> None:  # noqa: FBT001
    """Show every block of PAGE with label, probability, XPath, and what weighed most.

    The first line has the page's score, the expected F1 of what is kept. A feature stands with
    its value in the block and its weight for (+) or against (-) keeping the block; name[+1] is
    the value of the next block. Steps of the post-analysis that changed a block stand first, as
    post.STEP with +1 or -1. With --metadata lines of what the page says of itself come first.
    """
    tagger = open_tagger(**chosen)
    try:
        data = page.read_bytes()
    except OSError as error:
        raise CrfcleanError(f"{page}: cannot be read: {error.strerror}") from error
    if not hasattr(tagger, "explain"):
        raise CrfcleanError("this model's tagger gives no reasons")
    document = run(decode(data), tagger)
    if hasattr(tagger, "trace"):
        click.echo(tagger.trace(document.blocks), nl=False)
    for line in lines(read(document)) if telling else ():
        click.echo(line)
    reasons = tagger.explain(document.blocks, most)
    click.echo(f"{page}: {to_explanation(document, reasons)}", nl=False)


def main() -> None:
    """Run the command line; errors become a message on stderr and an exit code."""
    try:
        code = commands(prog_name="crfclean", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code or OK)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(SOME_FAILED)
    except OSError as error:  # a full disk, below standard output or the list of failures
        click.echo(f"crfclean: the output cannot be written: {error.strerror}", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(SOME_FAILED)
    except CrfcleanError as error:
        click.echo(f"crfclean: {error}", err=True)
        sys.exit(USAGE)
