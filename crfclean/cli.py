"""Arguments -> one library call -> what is printed, and the exit code."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from crfclean._version import __version__
from crfclean.batch import LOW_SCORE, TRUNCATIONS, BatchParams, Result, clean_batch
from crfclean.blocks import SplitParams
from crfclean.cli_annotate import agree_command, annotate_command
from crfclean.cli_eval import eval_command
from crfclean.cli_forum import forum_command
from crfclean.cli_train import train_command
from crfclean.decode import decode
from crfclean.files import plan
from crfclean.forum.tagger import TAGGERS, tagger_of
from crfclean.options import (
    cut_options,
    element_names,
    model_option,
    progress_bar,
    with_cut,
)
from crfclean.pipeline import run
from crfclean.tables import plural
from crfclean.taggers import load
from crfclean.types import CrfcleanError
from crfclean.writers import WRITERS, to_explanation

OK, SOME_FAILED, USAGE, NOTHING = 0, 1, 2, 3


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="crfclean", message="%(prog)s %(version)s")
def commands() -> None:
    """Turn web pages into clean text with a conditional random field that can be taught."""


@commands.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@model_option
@click.option(
    "--format",
    "ending",
    type=click.Choice(list(WRITERS)),
    default="txt",
    show_default=True,
    help="format of the texts, and their ending",
)
@click.option(
    "--tagger",
    "tagger_name",
    type=click.Choice(TAGGERS),
    default="crf",
    show_default=True,
    help="forum: posts of forums; auto: that for pages that look like one's, crf for the rest",
)
@cut_options
@click.option("--blocks", help="only the text of these elements, as in h1,p,li")
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="write no page whose expected F1 is lower",
)
@click.option(
    "--group-by",
    type=click.Choice(["site"]),
    help="the pages of a directory are of one site: what repeats across them counts as evidence",
)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="processes")
@click.option(
    "--failures",
    type=click.Path(dir_okay=False),
    help="list the pages that failed, have no text or score too low here",
)
def clean(
    source: str,
    target: str,
    model: str,
    ending: str,
    tagger_name: str,
    blocks: str | None,
    min_score: float,
    group_by: str | None,
    workers: int,
    failures: str | None,
    **cut: Any,
) -> int:
    """Clean the pages of IN (a directory, a file, or -) into OUT (the same, or -).

    A directory's pages (.html .htm .xhtml, also .gz) keep their names, with the format's
    ending. Exit code: 0 all done, 1 some pages failed, 2 wrong usage, 3 no text at all
    (pages below the score count as those without text).
    """
    tagger = tagger_of(tagger_name, with_cut(load(model), **cut))
    split = SplitParams(element_names(blocks)) if blocks else None
    jobs = plan(source, target, ending)
    results = clean_batch(
        jobs, BatchParams(tagger, ending, split, min_score, bool(group_by)), workers
    )
    counts = Counter[str]()
    with ExitStack() as stack:
        listing = stack.enter_context(_open_listing(failures))
        for result in progress_bar(results, len(jobs), "page"):
            _tell(result, listing)
            counts[_outcome(result)] += 1
            counts["truncated"] += bool(result.truncated)
    click.echo(_summary(len(jobs), counts), err=True)
    return NOTHING if not counts["ok"] else SOME_FAILED if counts["failed"] else OK


def _outcome(result: Result) -> str:
    """What a page counts as in the summary; truncated ones are counted beside."""
    if result.status in {"ok", LOW_SCORE}:
        return result.status
    return "failed" if result.failed else "without"


def _open_listing(path: str | None) -> Any:
    try:
        return Path(path or os.devnull).open("w", encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be written: {error.strerror}") from error


def _tell(result: Result, listing: Any) -> None:
    """Print a page's text if it goes to standard output, and what went wrong with it."""
    if result.text:
        click.echo(result.text.encode("utf-8", "replace"), nl=False)
    if result.status != "ok":
        listing.write(f"{result.job.name}\t{result.status}\t{result.message}\n")
        tqdm.write(f"{result.job.name}: {result.message}", file=sys.stderr)
    if result.truncated:
        reason = TRUNCATIONS[result.truncated]
        tqdm.write(f"{result.job.name}: truncated: {reason}", file=sys.stderr)


def _summary(pages: int, counts: Mapping[str, int]) -> str:
    always = {"ok": "cleaned", "without": "without text", "failed": "failed"}
    seldom = {LOW_SCORE: "below the score", "truncated": "truncated"}
    parts = [f"{counts[key]} {name}" for key, name in always.items()]
    parts += [f"{counts[key]} {name}" for key, name in seldom.items() if counts[key]]
    return f"{plural(pages, 'page')}: {', '.join(parts)}"


commands.add_command(annotate_command)
commands.add_command(agree_command)
commands.add_command(train_command)
commands.add_command(eval_command)
commands.add_command(forum_command)


@commands.command()
@click.argument("page", type=click.Path(path_type=Path))
@model_option
@cut_options
@click.option("--features", "most", default=4, show_default=True, help="features shown a block")
def explain(page: Path, model: str, most: int, **cut: Any) -> None:
    """Show every block of PAGE with label, probability, XPath, and what weighed most.

    The first line has the page's score, the expected F1 of what is kept. A feature stands with
    its value in the block and its weight for (+) or against (-) keeping the block; name[+1] is
    the value of the next block.
    """
    tagger = with_cut(load(model), **cut)
    try:
        data = page.read_bytes()
    except OSError as error:
        raise CrfcleanError(f"{page}: cannot be read: {error.strerror}") from error
    if not hasattr(tagger, "explain"):
        raise CrfcleanError("this model's tagger gives no reasons")
    document = run(decode(data), tagger)
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
    except CrfcleanError as error:
        click.echo(f"crfclean: {error}", err=True)
        sys.exit(USAGE)
