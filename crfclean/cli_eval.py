"""The command `eval`: annotated pages, a model or cleaned texts -> scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crfclean.evaluate import MISSING, evaluate, evaluate_texts
from crfclean.gold import read_gold
from crfclean.options import cut_options, model_option, progress_bar, with_cut
from crfclean.tables import FORMATS
from crfclean.taggers import load


@click.command("eval")
@click.argument("gold", type=click.Path(path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), help="score these cleaned texts instead")
@model_option
@cut_options
@click.option("--json", "form", flag_value="json", help="all figures as JSON")
@click.option("--csv", "form", flag_value="csv", help="a line a page, then the means")
def eval_command(
    gold: Path,
    output: Path | None,
    model: str,
    form: str | None,
    **cut: Any,
) -> None:
    """Score a model, or texts already cleaned, on the annotated pages of GOLD.

    L is the mean Levenshtein distance in characters (white space folded), also divided by the
    longer text's length; P, R and F are means of the pages' precision, recall and F1 on words.
    By source (sub-directory or file) and for all; then P, R, F1 and the confusion matrix of
    the labels of blocks.
    """
    pages = read_gold(gold)
    if output is not None:
        scores = list(evaluate_texts(pages, output))
        for one in scores:
            if one.status == MISSING:
                click.echo(f"{output}: no text for {one.id}, counted as empty", err=True)
    else:
        tagger = with_cut(load(model), **cut)
        scores = list(progress_bar(evaluate(pages, tagger), None, "page"))
    click.echo(FORMATS[form or "text"](scores), nl=False)
