"""The command `tune`: learn what belongs to a text from a few corrected texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import LOG, wrote
from crfclean.cli.options import model_option
from crfclean.evaluate.plurals import plural
from crfclean.page.decode import is_page
from crfclean.types import CrfcleanError

if TYPE_CHECKING:  # the command's help does without the room
    from crfclean.tune.tuning import Tuned


@click.command(
    "tune",
    cls=GroupedCommand,
    examples={
        "crfclean clean ten texts": "The texts of ten pages; then correct them",
        "crfclean tune ten --texts texts -o news.json": "Learn what they have in common",
        "crfclean explain a.html --model news.json --html why.html": "What it keeps of a page",
        "crfclean clean other texts --model news.json": "Use it",
    },
)
@click.argument("pages", metavar="PAGES", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default="tuned.json",
    show_default=True,
    help="file of the settings, for --model of every command",
)
@click.option(
    "--texts",
    type=click.Path(path_type=Path),
    help="directory of the corrected texts, as crfclean clean wrote it; default: beside the pages",
)
@model_option
def tune_command(
    pages: Path,
    output: Path,
    texts: Path | None,
    model: str,
) -> None:
    """Learn what belongs to a text from a few corrected texts.

    PAGES is a directory of pages with their texts in that of --texts, or with x.txt or
    x.labels.tsv beside x.html, as crfclean annotate writes them, or a .jsonl file (html, gold).
    Correct five to ten texts, and remove those that you have not looked at. Kinds of blocks that
    the texts agree on are let in or left out: title, leads, headings, lists, tables, code,
    quotations, captions, bylines, readers' comments. Ids, classes and recurring texts that tell the
    text are weighed if pages held out gain by it. What was understood is printed, with F1 on these
    pages, and written to a file that --model takes in place of a model.
    """
    from crfclean.tune.tuning import check_output, tune

    check_output(output)
    if texts is not None and not texts.is_dir():
        raise CrfcleanError(f"{texts}: no directory of texts")
    tuned = tune(pages, model, texts=texts)
    tuned.save(output)
    _report_left_out(tuned, pages)
    for line in tuned.understood:
        click.echo(line)
    wrote(f"{output}, settings learned from {plural(tuned.settings.pages, 'page')}")


def _report_left_out(tuned: Tuned, pages: Path) -> None:
    html = sum(is_page(file.name) and file.is_file() for file in pages.rglob("*"))
    others = max(tuned.left_out, html - tuned.settings.pages)
    if others > 0:
        LOG.warning("left out: %s without a corrected text", plural(others, "page"))
