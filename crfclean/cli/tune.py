"""The command `tune`: learn what belongs to a text from a few corrected texts."""

from __future__ import annotations

from pathlib import Path

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.options import model_option, progress_bar
from crfclean.evaluate.plurals import plural


@click.command(
    "tune",
    cls=GroupedCommand,
    examples={
        "crfclean clean pages pages": "Texts beside the pages; then correct five to ten",
        "crfclean tune pages -o news.json": "Learn what they have in common",
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
@model_option
@click.option(
    "--adapt/--no-adapt",
    default=True,
    help="also adapt the model to the pages, if held-out pages show that it helps",
)
def tune_command(pages: Path, output: Path, model: str, *, adapt: bool) -> None:
    """Learn what belongs to a text from a few corrected texts.

    PAGES is a directory with x.txt or x.labels.tsv beside x.html, as crfclean clean and crfclean
    annotate write them, or a .jsonl file (html, gold). Correct five to ten texts, and leave out
    those that you have not looked at. Kinds of blocks that the texts agree on are let in or left
    out: title, leads, headings, lists, tables, code, quotations, captions, bylines, readers'
    comments. What was understood is printed, with F1 on pages held out, and written to a file that
    --model takes in place of a model; an adapted model is a folder beside it.
    """
    from crfclean.annotate.sheet import find_pages
    from crfclean.tune.tuning import check_output, tune

    check_output(output)
    with progress_bar(None, None, "model") as bar:
        tuned = tune(pages, model, adapts=adapt, progress=lambda _stage, steps: bar.update(steps))
    tuned.save(output)
    if pages.is_dir() and (others := len(find_pages(pages)) - tuned.settings.pages) > 0:
        click.echo(f"left out: {plural(others, 'page')} without a corrected text", err=True)
    for line in tuned.understood:
        click.echo(line)
    click.echo(f"{output}: tuned by {plural(tuned.settings.pages, 'page')}")
