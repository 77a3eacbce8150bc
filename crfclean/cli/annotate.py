"""The commands `annotate` and `agree`: pages -> labels by hand; label files -> agreement."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from crfclean.annotate.agreement import agreement, agreement_json, agreement_text
from crfclean.annotate.params import AnnotateParams
from crfclean.annotate.session import Session, open_session
from crfclean.annotate.sheet import find_pages
from crfclean.cli.options import element_names, extra, model_option, options_of, progress_bar
from crfclean.evaluate.plurals import plural
from crfclean.taggers.load import load
from crfclean.types import CrfcleanError


@click.command("annotate")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@model_option
@click.option("--no-guess", is_flag=True, help="show no guesses of a model")
@options_of(AnnotateParams)
@click.option("--web", is_flag=True, help="label in the browser instead")
@click.option("--port", default=0, help="of the web page; 0: a free one")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="processes")
def annotate_command(
    directory: Path,
    model: str,
    port: int,
    workers: int,
    *,
    no_guess: bool,
    web: bool,
    **params: Any,
) -> None:
    """Label the blocks of the pages of DIR by hand: HEADER, TEXT or OTHER.

    One key labels a block and goes to the next; the model's guess is filled in, and Enter
    accepts it. Every key is saved at once in x.labels.tsv beside the page; the next session goes
    on where this one stopped. A block that was labelled elsewhere (same text, same place) is not
    asked again. ? shows the keys. Then: crfclean train DIR.
    """
    find_pages(directory)
    if not web:
        check_terminal(directory)
    wanted = AnnotateParams(params["order"], element_names(params["elements"]))
    session = start(directory, None if no_guess else model, wanted, workers)
    if web:
        extra("annotate.web", "web").label_in_browser(session, port=port)
    else:
        label(session)
    click.echo(summary(session), err=True)


def check_terminal(directory: Path, why: object = "labelling needs a terminal") -> None:
    """Raise `CrfcleanError` where nobody can be asked; `why` comes first in the message.

    Somebody is, but cannot be shown the page, where the extra `terminal` is not installed.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CrfcleanError(
            f"{why}; to label pages, run crfclean annotate {directory} at a terminal, or "
            f"crfclean annotate {directory} --web for the browser"
        )
    extra("annotate.terminal", "terminal")


def start(directory: Path, model: str | None, params: AnnotateParams, workers: int = 1) -> Session:
    """Open a session, with a bar while the pages are looked at."""
    tagger = load(model) if model is not None else None
    return open_session(
        directory, tagger, params, workers, lambda cards: progress_bar(cards, None, "page")
    )


def label(session: Session) -> None:
    """Label at the terminal."""
    extra("annotate.terminal", "terminal").label_at_terminal(session)


def summary(session: Session) -> str:
    """What is labelled, and what is left."""
    labelled, blocks = session.labelled
    finished = sum(card.finished and not card.problem for card in session.pages)
    problems = [f"{card.name}: {card.problem}\n" for card in session.pages if card.problem]
    pages = f"{finished} of {plural(len(session.pages), 'page')} finished"
    return f"{''.join(problems)}{pages}, {labelled} of {blocks} blocks labelled"


@click.command("agree")
@click.argument("sources", metavar="A B [C ...]", nargs=-1, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="all figures and differences as JSON")
def agree_command(sources: tuple[Path, ...], *, as_json: bool) -> None:
    """Tell how far annotators agree: label files, or directories of them, of the same pages.

    Cohen's kappa (mean over pairs) and Krippendorff's alpha, over all labels and for each against
    the others; then the blocks that differ: file, line, the labels in the order of A, B, C, text.
    Blocks that only one has labelled don't count.
    """
    found = agreement(sources)
    click.echo(agreement_json(found) if as_json else agreement_text(found), nl=False)
