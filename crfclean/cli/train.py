"""The command `train`: annotated pages -> a model folder, and its scores on held-out sites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from crfclean.annotate.params import AnnotateParams
from crfclean.annotate.sheet import find_pages, unfinished
from crfclean.cli.annotate import check_terminal, label, start
from crfclean.cli.options import (
    check_idle,
    element_names,
    given_options,
    learner_options,
    names_of,
    options_of,
    progress_bar,
)
from crfclean.evaluate.plurals import plural
from crfclean.evaluate.runner import evaluate
from crfclean.evaluate.statistics import f1_interval
from crfclean.evaluate.tables import scores_text
from crfclean.gold.pages import GoldPage, read_gold
from crfclean.modelfiles.folder import Bundle, save_bundle
from crfclean.nn.network_params import NetworkParams
from crfclean.nn.params import RECIPES, Recipe
from crfclean.taggers.load import open_bundle
from crfclean.taggers.params import CutParams
from crfclean.train.crf import Progress, split_sites, train
from crfclean.train.mlp import CUT, train_mlp
from crfclean.train.params import TrainParams
from crfclean.types import CrfcleanError, NoGoldError

PERCEPTRON = ("epochs", "learning_rate", "weight_decay", "dropout", "evenness")
"""Options that change a preset of the perceptron; the CRF's networks have them, too."""
_SHARED = {*PERCEPTRON, "held_out", "elements"}
_CRF_ALONE = {one.name for one in (*fields(TrainParams), *fields(NetworkParams))} - _SHARED


@dataclass(frozen=True)
class Learner:
    """How a model is trained: a CRF, or a perceptron by a recipe."""

    params: TrainParams
    cut: CutParams
    network: NetworkParams
    recipe: Recipe | None = None

    def train(self, gold: Sequence[GoldPage], progress: Progress) -> Bundle:
        """Train on annotated pages; raises `CrfcleanError`."""
        if self.recipe is None:
            return train(gold, self.params, self.cut, self.network, progress)
        return train_mlp(gold, self.recipe, self.cut, self.params.elements, progress)


@click.command("train")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default="model",
    show_default=True,
    help="folder of the new model",
)
@click.option("--licence", default="", help="licence of the annotations, for the manifest")
@learner_options
@options_of(TrainParams)
@options_of(CutParams)
@options_of(NetworkParams)
@click.pass_context
def train_command(
    context: click.Context, /, directory: Path, output: Path, licence: str, **options: Any
) -> None:
    """Train a model on the annotated pages of DIR and write its folder.

    Gold stands beside x.html as x.txt (hand-cleaned text) or x.labels.tsv (LABEL<TAB>text, a
    line a block), or on the lines of .jsonl files (html, gold). The scores printed at the end
    are those of a first training on held-out sites; the model is then trained on all pages.
    Without any gold, and at a terminal, every block is shown and its label asked for first, as
    crfclean annotate does. --tagger mlp trains a perceptron instead of a CRF, by a --preset that
    --epochs, --learning-rate, --weight-decay, --dropout and --evenness change where they are given.
    """
    learner = _learner(options, given_options(context))
    gold = _annotated(directory, learner.params)
    scores = _held_out_scores(gold, learner, output)
    bundle = _train(gold, learner)
    sets = [{**one, "licence": licence} for one in bundle.sets]
    save_bundle(replace(bundle, scores=scores, sets=sets), output)
    click.echo(f"{output}: trained on {plural(len(gold), 'page')}")


def _learner(options: dict[str, Any], given: set[str]) -> Learner:
    """The options as parameters; raises `UsageError` for those that say nothing to the kind."""
    options["elements"] = element_names(options["elements"])
    options["keep"] = names_of(options["keep"])
    params = TrainParams(**{one.name: options[one.name] for one in fields(TrainParams)})
    network = NetworkParams(**{one.name: options[one.name] for one in fields(NetworkParams)})
    cuts = {one.name: options[one.name] for one in fields(CutParams)}
    recipe = recipe_of(options, given)
    if recipe is None:
        return Learner(params, CutParams(**cuts), network)
    chosen = {name: value for name, value in cuts.items() if name in given}
    return Learner(params, replace(CUT, **chosen), network, recipe)


def recipe_of(options: Mapping[str, Any], given: set[str]) -> Recipe | None:
    """The perceptron's recipe, None for a CRF; raises `UsageError` for options of the other."""
    if options["kind"] != "mlp":
        check_idle({"preset"} & given, "it is for --tagger mlp")
        return None
    check_idle(_CRF_ALONE & given, "it is for --tagger crf")
    preset = RECIPES[options["preset"]]
    if preset.optimiser != "adam":
        check_idle({"learning_rate", "weight_decay"} & given, "this preset's training has none")
    changes = {name: options[name] for name in PERCEPTRON if name in given}
    return replace(preset, **changes)


def _annotated(directory: Path, params: TrainParams) -> list[GoldPage]:
    """The annotated pages; where there are none, the user is asked for the labels first."""
    try:
        gold = list(progress_bar(read_gold(directory), None, "page"))
    except NoGoldError as error:
        find_pages(directory)
        check_terminal(directory, error)
        label(start(directory, params.base or "default", AnnotateParams("name", params.elements)))
        gold = _labelled(directory)
    missing = unfinished(directory) if directory.is_dir() else 0
    if missing:
        click.echo(f"left out: {plural(missing, 'page')} not labelled to the end", err=True)
    return gold


def _labelled(directory: Path) -> list[GoldPage]:
    """The pages that the user has just labelled to the end."""
    try:
        return list(read_gold(directory))
    except NoGoldError as error:
        raise CrfcleanError(
            f"{directory}: no page is labelled to the end; the same command goes on with them"
        ) from error


def _train(gold: Sequence[GoldPage], learner: Learner) -> Bundle:
    """Train, with a bar that counts pages, then iterations."""
    with progress_bar(None, None, "step") as bar:

        def step(what: str, more: int) -> None:
            bar.set_description_str(what)
            bar.update(more)

        return learner.train(gold, step)


def _held_out_scores(gold: Sequence[GoldPage], learner: Learner, output: Path) -> dict[str, Any]:
    """Train on some sites, print and return the scores on the others."""
    training, held = split_sites(gold, learner.params.held_out)
    if not held:
        if learner.params.held_out:
            click.echo("no scores: too few pages to hold some out", err=True)
        return {}
    bundle = _train(training, learner)
    pages = list(progress_bar(evaluate(held, open_bundle(output, bundle)), len(held), "page"))
    sites = plural(len({one.site for one in held}), "site")
    pages_held = plural(len(held), "page")
    click.echo(f"held out: {pages_held} of {sites}, trained on {len(training)}\n")
    click.echo(scores_text(pages))
    mean = sum(page.words.f1 for page in pages) / len(pages)
    return {
        "held_out_pages": len(held),
        "f1": round(mean, 4),
        "interval": [round(end, 4) for end in f1_interval(pages)],
    }
