"""The command `annotate`: label the blocks of pages by hand."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import EXIT_OK, notice
from crfclean.cli.options import (
    model_option,
    progress_bar,
    workers_option,
)
from crfclean.cli.paths import Reads
from crfclean.io import needing_extra
from crfclean.page.chars import plural
from crfclean.products.corpus.listing import inputs_of
from crfclean.products.teach.sheets import ORDERS
from crfclean.systems.load import load
from crfclean.types import CrfcleanError

if TYPE_CHECKING:
    from crfclean.products.teach.session import Session


@click.command(
    "annotate",
    cls=GroupedCommand,
    examples={
        "crfclean annotate pages": "At the terminal",
        "crfclean annotate pages --web": "In the browser",
        "crfclean annotate pages --reader bert": "A second time, by another person",
    },
)
@click.argument("directory", metavar="DIR", type=Reads(inputs=inputs_of(), path_type=Path))
@model_option
@click.option("--no-guess", is_flag=True, help="do not fill in the model's labels")
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default=ORDERS[0],
    show_default=True,
    help="begin with the pages that the model is least certain of, or go by name",
)
@click.option(
    "--reader",
    metavar="NAME",
    help="label the pages once more, as NAME: in x.labels.NAME.tsv, without the labels of others",
)
@click.option("--web", is_flag=True, help="label in the browser")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=0,
    metavar="N",
    help="port of the web page; default: a free one",
)
@workers_option
def annotate_command(
    directory: Path,
    model: str,
    reader: str | None,
    port: int,
    workers: int,
    *,
    no_guess: bool,
    web: bool,
    order: str,
) -> int:
    """Label the blocks of pages by hand.

    The labels are HEADER, TEXT, OTHER, and DOUBT for what could go either way: it trains nothing
    and counts neither way. One key labels a block, a range, or all blocks like it, and moves on to
    the next; Enter accepts the label that the model predicts, and ? shows the keys. Each key is
    saved at once to x.labels.tsv beside the page x.html, and the next session continues where this
    one stopped. A block with the same text and place as on an earlier page is not shown again. You
    need not label all blocks: those without a label train nothing and count neither way. Then run
    crfclean tune DIR, or crfclean train DIR for ten pages or more.

    --reader shows how far two people agree: crfclean eval DIR --agree NAME.

    Exit code: 0 done, 2 wrong usage.
    """
    from crfclean.products.corpus.locks import session_lock
    from crfclean.products.corpus.outputs import LOCK
    from crfclean.products.teach.session import open_session
    from crfclean.products.teach.sheets import find_pages

    find_pages(directory)
    if reader == "":
        raise click.UsageError("--reader needs a name")
    if not web and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CrfcleanError(
            f"labelling needs a terminal: run crfclean annotate {directory} at one, or crfclean "
            f"annotate {directory} --web for the browser"
        )
    if web:
        with needing_extra("web", "labelling in the browser needs its extra"):
            from crfclean.products.teach.annotate_web import label_in_browser
    else:
        with needing_extra("terminal", "prompt_toolkit is missing"):
            from crfclean.products.teach.terminal import label_at_terminal
    tagger = None if no_guess else load(model)
    with session_lock(directory / LOCK, directory):
        session = open_session(
            directory,
            tagger,
            order,
            workers,
            lambda pages: progress_bar(pages, None, "page"),
            reader=reader or "",
        )
        if web:
            label_in_browser(session, port=port)
        else:
            label_at_terminal(session)
    notice(labelling_summary(session))
    return EXIT_OK


def labelling_summary(session: Session) -> str:
    """Count the finished pages and the labelled blocks, after the problems of pages."""
    labelled, blocks = session.labelled
    finished = sum(page.finished and not page.problem for page in session.pages)
    problems = [f"{page.name}: {page.problem}\n" for page in session.pages if page.problem]
    pages = f"{finished} of {plural(len(session.pages), 'page')} finished"
    return f"{''.join(problems)}{pages}, {labelled} of {blocks} blocks labelled"
