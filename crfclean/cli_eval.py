"""The command `eval`: annotated pages, a model, cleaned texts or other systems -> scores."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from crfclean.bundle import MANIFEST, find_model
from crfclean.compare import BY
from crfclean.evaluate import (
    MISSING,
    PageScore,
    Scored,
    System,
    by_tagger,
    by_texts,
    evaluate_systems,
)
from crfclean.evaluation import Evaluation, read_pages, to_json
from crfclean.gold import read_gold
from crfclean.options import cut_options, model_option, progress_bar, with_cut
from crfclean.tables import OURS, compare_text, evaluation_text, to_csv
from crfclean.taggers import load

SYSTEMS = ("trafilatura", "resiliparse", "justext", "readability-lxml")
FORMATS = {"text": evaluation_text, "json": to_json, "csv": to_csv}


@click.command("eval")
@click.argument("gold", type=click.Path(path_type=Path), required=False)
@click.option("--output", type=click.Path(path_type=Path), help="score these cleaned texts instead")
@model_option
@cut_options
@click.option(
    "--system",
    "systems",
    multiple=True,
    type=click.Choice(SYSTEMS, case_sensitive=False),
    help="score this one too, on the same pages (extra `peers`; may be repeated)",
)
@click.option(
    "--by",
    type=click.Choice(list(BY)),
    default="source",
    show_default=True,
    help="what the tables group pages by",
)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="processes")
@click.option(
    "--compare",
    nargs=2,
    metavar="OLD NEW",
    type=click.Path(path_type=Path),
    help="no pages: the differences of two files that --json wrote",
)
@click.option("--json", "form", flag_value="json", help="all figures as JSON")
@click.option("--csv", "form", flag_value="csv", help="a line a page, then the means")
def eval_command(
    gold: Path | None,
    output: Path | None,
    model: str,
    systems: tuple[str, ...],
    by: str,
    workers: int,
    compare: tuple[Path, Path] | None,
    form: str | None,
    **cut: Any,
) -> None:
    """Score a model, or texts already cleaned, on the annotated pages of GOLD.

    L is the mean Levenshtein distance in characters (white space folded), also divided by the
    longer text's length; P, R and F are means of the pages' precision, recall and F1 on words,
    "in order" those of the longest common subsequence. Found and wrong are blocks, as shares of
    the gold's; begin and end are pages where those of the article were found exactly; with and
    without are snippets found and kept out. By source (sub-directory or file), kind or language.
    """
    if compare is not None:
        old, new = (read_pages(path) for path in compare)
        click.echo(compare_text(old, new), nl=False)
        return
    if gold is None:
        raise click.UsageError("Missing argument 'GOLD'.")
    pages = read_gold(gold)
    name = OURS if output is None else "texts"
    first = by_tagger(with_cut(load(model), **cut)) if output is None else by_texts(output)
    chosen = {name: first} | {peer: _peer(peer) for peer in dict.fromkeys(systems)}
    found = _scores(evaluate_systems(pages, chosen, workers), tuple(chosen), output)
    about = _about_model(model, cut) if output is None else {}
    evaluation = Evaluation(gold.resolve().name, found, by, about)
    click.echo(FORMATS[form or "text"](evaluation), nl=False)


def _peer(name: str) -> System:
    from crfclean.extras.systems import system

    return system(name)


def _scores(
    scored: Iterable[Scored], names: tuple[str, ...], output: Path | None
) -> dict[str, list[PageScore]]:
    """Name of a system -> its pages, telling what left a text empty."""
    found: dict[str, list[PageScore]] = {name: [] for name in names}
    for one in progress_bar(scored, None, "page"):
        for name, score in zip(names, one.scores, strict=True):
            found[name].append(score)
            if score.status == MISSING:
                click.echo(f"{output}: no text for {score.id}, counted as empty", err=True)
            elif score.blocks and name in SYSTEMS and score.status != "ok":
                click.echo(f"{name}: {score.status} on {score.id}, counted as empty", err=True)
    return found


def _about_model(model: str, cut: Mapping[str, Any]) -> dict[str, Any]:
    """The model's name, the SHA-256 of its manifest (which has those of its weights), options."""
    manifest = (find_model(model) / MANIFEST).read_bytes()
    given = {name: value for name, value in cut.items() if value is not None}
    digest = hashlib.sha256(manifest).hexdigest()
    return {"model": {"name": Path(model).name, "fingerprint": digest, "options": given}}
