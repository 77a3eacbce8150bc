"""The command `annotate`: label pages by hand, or by the articles in their data."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.annotate.session import ORDERS
from crfclean.cli.files import Reads, Writes
from crfclean.cli.help import EXIT_NOTHING, EXIT_OK, GroupedCommand
from crfclean.cli.messages import notice, wrote
from crfclean.cli.options import (
    explicit_options,
    extra,
    model_option,
    need_terminal,
    progress_bar,
    refuse_options,
    workers_option,
)
from crfclean.evaluate.plurals import plural
from crfclean.io import write_atomically
from crfclean.taggers.load import load
from crfclean.types import CrfcleanError

if TYPE_CHECKING:  # help and completion import none of this
    from crfclean.annotate.session import Session


@click.command(
    "annotate",
    cls=GroupedCommand,
    examples={
        "crfclean annotate pages": "At the terminal",
        "crfclean annotate pages --web": "In the browser",
        "crfclean annotate crawl.warc.gz --from-data labelled": "From the data in the pages",
    },
)
@click.argument("directory", metavar="DIR", type=Reads(pages=True, path_type=Path))
@model_option
@click.option("--no-guess", is_flag=True, help="do not fill in the model's labels")
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default=ORDERS[0],
    show_default=True,
    help="begin with the pages that the model is least certain of, or go by name",
)
@click.option("--web", is_flag=True, help="label in the browser")
@click.option("--port", default=0, metavar="N", help="port of the web page; default: a free one")
@workers_option
@click.option(
    "--from-data",
    "labelled",
    metavar="OUT",
    type=Writes(path_type=Path),
    help="ask nothing: label pages by the article in their structured data, and write them to OUT",
)
@click.option(
    "--failures",
    type=Writes(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="list in this file the pages left out by --from-data, and why",
)
@click.pass_context
def annotate_command(
    context: click.Context,
    /,
    directory: Path,
    labelled: Path | None,
    failures: Path | None,
    **options: Any,
) -> int:
    """Label the blocks of pages by hand.

    The labels are HEADER, TEXT and OTHER. One key labels a block and moves on to the next; Enter
    accepts the label that the model predicts, and ? shows the keys. Each key is saved at once to
    x.labels.tsv beside the page x.html, and the next session continues where this one stopped. A
    block with the same text and place as on an earlier page is not shown again. When you have
    labelled the pages, run crfclean train DIR.

    Many sites repeat an article in the structured data of its page (articleBody in JSON-LD). With
    --from-data OUT, crfclean labels such pages itself if the page shows the whole article and the
    model keeps little else. DIR may then also be, or contain, WARC or JSONL files. OUT gets each
    page without its articleBody, and x.labels.tsv beside it.

    Exit code: 0 done, 2 wrong usage, 3 no page has labels (--from-data).
    """
    explicit = explicit_options(context)
    if labelled is None:
        refuse_options(explicit & {"failures"}, "--from-data is missing")
        return _label_by_hand(directory, **options)
    allowed = {"directory", "labelled", "failures", "model"}
    refuse_options(explicit - allowed, "--from-data asks nothing")
    return _label_from_data(directory, labelled, options["model"], failures)


def _label_by_hand(
    directory: Path,
    model: str,
    port: int,
    workers: int,
    *,
    no_guess: bool,
    web: bool,
    order: str,
) -> int:
    from crfclean.annotate.session import find_pages, open_session
    from crfclean.corpus.outputs import LOCK
    from crfclean.corpus.resume import session_lock

    find_pages(directory)
    if not web:
        need_terminal(
            f"labelling needs a terminal: run crfclean annotate {directory} at one, or crfclean "
            f"annotate {directory} --web for the browser"
        )
    tagger = None if no_guess else load(model)
    with session_lock(directory / LOCK, directory):
        session = open_session(
            directory, tagger, order, workers, lambda pages: progress_bar(pages, None, "page")
        )
        if web:
            extra("annotate.web", "web").label_in_browser(session, port=port)
        else:
            extra("annotate.terminal", "terminal").label_at_terminal(session)
    notice(labelling_summary(session))
    return EXIT_OK


def _label_from_data(source: Path, output: Path, model: str, failures: Path | None) -> int:
    from crfclean.annotate.session import LABELLED, REASONS, label_from_data

    counts, left_out = Counter[str](), list[str]()
    rows = label_from_data(source, output, load(model))
    for page, verdict in progress_bar(rows, None, "page"):
        counts[verdict] += 1
        if verdict != LABELLED:
            left_out.append(f"{page}\t{verdict}\n")
    if not counts:
        raise CrfcleanError(f"{source}: no pages to label")
    if failures is not None:
        write_atomically(failures, "".join(left_out).encode("utf-8", "replace"))
    reasons = [f"{counts[name]} {says}" for name, says in REASONS.items() if counts[name]]
    summary = f"{plural(counts.total(), 'page')}: {counts[LABELLED]} labelled"
    notice("; ".join([summary, *reasons]))
    if counts[LABELLED]:
        wrote(plural(counts[LABELLED], "labelled page"), output)
    return EXIT_OK if counts[LABELLED] else EXIT_NOTHING


def labelling_summary(session: Session) -> str:
    """Count the finished pages and the labelled blocks, after the problems of pages."""
    labelled, blocks = session.labelled
    finished = sum(page.finished and not page.problem for page in session.pages)
    problems = [f"{page.name}: {page.problem}\n" for page in session.pages if page.problem]
    pages = f"{finished} of {plural(len(session.pages), 'page')} finished"
    return f"{''.join(problems)}{pages}, {labelled} of {blocks} blocks labelled"
