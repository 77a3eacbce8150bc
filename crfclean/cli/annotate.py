"""The commands `annotate` and `agree`: label pages by hand, compare annotators."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.annotate.params import AnnotateParams
from crfclean.cli.help import GroupedCommand
from crfclean.cli.options import element_names, extra, model_option, options_of, progress_bar
from crfclean.evaluate.plurals import plural
from crfclean.taggers.load import load
from crfclean.types import CrfcleanError

if TYPE_CHECKING:  # help and completion read this module, and open no session
    from crfclean.annotate.session import Session


@click.command(
    "annotate",
    cls=GroupedCommand,
    examples={
        "crfclean annotate pages": "At the terminal",
        "crfclean annotate pages --web": "In the browser",
        "crfclean annotate pages --kinds": "Also say what each block is, from title to notice",
    },
)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@model_option
@click.option("--no-guess", is_flag=True, help="do not fill in the labels that a model predicts")
@options_of(AnnotateParams)
@click.option("--web", is_flag=True, help="label in the browser instead of the terminal")
@click.option("--port", default=0, help="port of the web page; 0: a free one")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="processes")
def annotate_command(
    directory: Path,
    model: str,
    port: int,
    workers: int,
    *,
    no_guess: bool,
    web: bool,
    **options: Any,
) -> None:
    """Label the blocks of pages by hand.

    The labels are HEADER, TEXT and OTHER. One key labels a block and moves on to the next. The
    model's prediction is filled in; Enter accepts it. Every key is saved at once in x.labels.tsv
    beside the page, and the next session continues where this one stopped. A block that was
    labelled before on another page (same text, same place) is not shown again. ? shows the keys.
    Then run crfclean train DIR.

    With --kinds a block has a second, optional answer in x.kinds.tsv: what it is on its page.
    """
    from crfclean.annotate.sheet import find_pages

    find_pages(directory)
    if not web:
        check_terminal(directory)
    params = AnnotateParams(options["order"], element_names(options["elements"]), options["kinds"])
    session = open_labelling(directory, None if no_guess else model, params, workers)
    if web:
        extra("annotate.web", "web").label_in_browser(session, port=port)
    else:
        label(session)
    click.echo(labelling_summary(session), err=True)


def check_terminal(directory: Path, reason: object = "labelling needs a terminal") -> None:
    """Raise `CrfcleanError` unless pages can be labelled at a terminal.

    Without a terminal the message begins with the reason; without the extra `terminal` it says
    what to install.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CrfcleanError(
            f"{reason}; to label pages, run crfclean annotate {directory} at a terminal, or "
            f"crfclean annotate {directory} --web for the browser"
        )
    extra("annotate.terminal", "terminal")


def open_labelling(
    directory: Path, model: str | None, params: AnnotateParams, workers: int = 1
) -> Session:
    """Open a session; a progress bar counts the pages that are read."""
    from crfclean.annotate.session import open_session

    tagger = load(model) if model is not None else None
    return open_session(
        directory, tagger, params, workers, lambda pages: progress_bar(pages, None, "page")
    )


def label(session: Session) -> None:
    """Label at the terminal."""
    extra("annotate.terminal", "terminal").label_at_terminal(session)


def labelling_summary(session: Session) -> str:
    """How many pages and blocks are labelled, after the problems of pages that cannot be."""
    labelled, blocks = session.labelled
    finished = sum(page.finished and not page.problem for page in session.pages)
    problems = [f"{page.name}: {page.problem}\n" for page in session.pages if page.problem]
    pages = f"{finished} of {plural(len(session.pages), 'page')} finished"
    return f"{''.join(problems)}{pages}, {labelled} of {blocks} blocks labelled"


@click.command(
    "agree",
    cls=GroupedCommand,
    examples={
        "crfclean agree anna bert": "Two directories",
        "crfclean agree anna/1.labels.tsv bert/1.labels.tsv": "Two files of labels",
    },
)
@click.argument("sources", metavar="A B [C ...]", nargs=-1, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="all figures and differences as JSON")
def agree_command(sources: tuple[Path, ...], *, as_json: bool) -> None:
    """Report how far annotators agree.

    A, B and C are label files of the same pages, or directories of them. Prints Cohen's kappa (mean
    over pairs) and Krippendorff's alpha, over all labels and for each label against the others;
    then the blocks that differ: file, line, the labels in the order of A, B, C, text. Blocks that
    only one annotator has labelled do not count. Where two annotators have x.kinds.tsv of a page,
    the same for kinds.
    """
    from crfclean.annotate.agreement import agreement, agreement_json, agreement_text

    report = agreement(sources)
    click.echo(agreement_json(report) if as_json else agreement_text(report), nl=False)
