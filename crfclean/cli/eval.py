"""The command `eval`: score models, cleaned texts or other systems on annotated pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.options import (
    TEXT_SWITCHES,
    explicit_options,
    html_option,
    options_of,
    refuse_options,
    text_options,
    workers_option,
)
from crfclean.nn.params import NetworkParams
from crfclean.taggers.load import NAMED
from crfclean.train.params import TrainParams
from crfclean.types.choices import FORUM_TAGGER, PEERS, PRESETS, SCORE_GROUPS

_UNTRAINABLE = frozenset([*NAMED, FORUM_TAGGER])
"""Taggers that are not trained here."""
_TRAINING = {field.name for field in (*fields(TrainParams), *fields(NetworkParams))} - {"elements"}
_OF_TEXTS = {
    *("model", "kind", "post", "threshold", "precision", "rule", "keep"),
    *("convention", "also", "without"),
    *("elements", "min_score", "comments", *TEXT_SWITCHES),
}


def _sizes(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[int, ...]:
    """`5,10,20` -> its numbers."""
    try:
        return tuple(int(part) for part in (text or "").split(",") if part.strip())
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no list of numbers, as in 5,10,20") from error


@click.command(
    "eval",
    cls=GroupedCommand,
    first="--model --tagger --as --system --by --html --json --compare --cv --workers",
    examples={
        "crfclean eval gold": "The scores of the shipped model",
        "crfclean eval gold --model my-model --json > new.json": "Those of your own, as a file",
        "crfclean eval --compare old.json new.json": "What has changed between two files",
        "crfclean eval gold --system trafilatura --html report.html": "Beside another system",
        "crfclean eval gold --cv 5": "Train and score in five folds",
        "crfclean eval anna --agree bert": "How far two annotators agree",
    },
)
@click.argument("gold", type=click.Path(path_type=Path), required=False)
@click.option(
    "--texts",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="score the cleaned texts in this directory instead of a model",
)
@text_options
@click.option(
    "--preset",
    type=click.Choice(PRESETS),
    default="tuned",
    help="recipe of the perceptron, as in train (--cv)",
)
@click.option(
    "--system",
    "systems",
    multiple=True,
    type=click.Choice(PEERS, case_sensitive=False),
    help="score this system too, on the same pages (extra `peers`; can be repeated)",
)
@click.option(
    "--by",
    type=click.Choice(SCORE_GROUPS),
    default="source",
    show_default=True,
    help="what the tables group pages by",
)
@workers_option
@click.option(
    "--compare",
    nargs=2,
    metavar="OLD NEW",
    type=click.Path(path_type=Path),
    help="print the differences of two files written with --json; takes no pages",
)
@click.option(
    "--agree",
    "others",
    metavar="OTHER",
    multiple=True,
    type=click.Path(path_type=Path),
    help="report how far these labels agree with GOLD, of another annotator; can be repeated",
)
@click.option("--json", "as_json", is_flag=True, help="all figures as JSON")
@html_option("also write a report: tables, and the worst pages word by word")
@click.option(
    "--cv",
    "folds",
    type=click.IntRange(2),
    help="cross-validate in so many folds: score each with a model trained on the others",
)
@click.option(
    "--group-by",
    "group_by",
    type=click.Choice(["site", "page"]),
    help="what --cv never divides between folds (default: site; page with --per-source, or where "
    "all pages are of one site)",
)
@click.option(
    "--per-source",
    is_flag=True,
    help="also score models trained on each source alone (--cv, default 5)",
)
@click.option(
    "--learning-curve",
    "sizes",
    callback=_sizes,
    metavar="5,10,20",
    help="also score models trained on so many pages (--cv, default 5)",
)
@options_of(TrainParams, without=("held_out", "elements"))
@options_of(NetworkParams)
@click.pass_context
def eval_command(
    context: click.Context,
    /,
    gold: Path | None,
    compare: tuple[Path, Path] | None,
    others: tuple[Path, ...],
    html: Path | None,
    *,
    as_json: bool,
    **options: Any,
) -> None:
    """Score a model, or cleaned texts, on annotated pages.

    GOLD is a directory of pages with texts or labels, or a JSONL file. L is the mean Levenshtein
    distance in characters (white space folded), also divided by the longer text's length; P, R and
    F are means of precision, recall and F1 on words, "in order" those of the longest common
    subsequence. Found and wrong are kept blocks, as shares of the gold's; begin and end are pages
    where the article's were found exactly; with and without are snippets found and kept out.

    With --cv no model is read: models are trained for the folds, with the options of `train`.

    With --agree no model is read either: GOLD and OTHER are label files of the same pages, or
    directories of them. Prints Cohen's kappa and Krippendorff's alpha, and the blocks that differ.
    """
    from crfclean.cli import training as work

    _check_options(context)
    if compare is not None:
        work.print_comparison(*compare)
    elif gold is None:
        raise click.UsageError("Missing argument 'GOLD'.")
    elif others:
        work.print_agreement([gold, *others], as_json=as_json)
    else:
        _score(gold, html, options, explicit_options(context), as_json=as_json)


def _score(
    gold: Path, html: Path | None, options: dict[str, Any], explicit: set[str], *, as_json: bool
) -> None:
    from crfclean.cli import training as work

    if _trains(options):
        evaluation, worst = work.cross_validation(gold, options, explicit)
    else:
        has_model = options["kind"] not in _UNTRAINABLE
        evaluation, worst = work.evaluation(gold, options, has_model=has_model)
    if html is not None:
        work.write_report(html, evaluation, worst)
    work.print_evaluation(evaluation, as_json=as_json)


def _check_options(context: click.Context) -> None:
    """Raise `UsageError` for options that have no effect beside the others."""
    explicit, gold = explicit_options(context), context.params["gold"]
    if context.params["compare"]:
        if gold is not None:
            raise click.UsageError(f"--compare takes two files and no pages ({gold})")
    elif context.params["others"]:
        refuse_options(explicit - {"gold", "others", "as_json"}, "--agree compares labels alone")
    elif _trains(context.params):
        unused = {"model", "texts"}
        if context.params["post"] not in (None, "all", "none"):
            unused.add("post")
        if context.params["kind"] in _UNTRAINABLE:
            unused.add("kind")
        refuse_options(explicit & unused, "a model is trained for every fold")
    else:
        refuse_options(explicit & {*_TRAINING, "group_by", "preset"}, "--cv is missing")
        if context.params["texts"] is not None:
            refuse_options(explicit & _OF_TEXTS, "the texts of --texts are cleaned already")


def _trains(options: Mapping[str, Any]) -> bool:
    return bool(options["folds"] or options["per_source"] or options["sizes"])
