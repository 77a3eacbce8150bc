"""Training as the options of `train` ask for it, with progress bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from crfclean.annotate.session import AnnotateParams, find_pages, unfinished
from crfclean.cli.annotate import check_terminal, label, open_labelling
from crfclean.cli.cut_options import split_names
from crfclean.cli.options import element_names, progress_bar, refuse_options
from crfclean.decision.rules import LISTS, CutParams
from crfclean.evaluate.plurals import plural
from crfclean.evaluate.result import Overlap, f1_interval, overlap_note
from crfclean.evaluate.runner import evaluate
from crfclean.evaluate.tables import scores_text
from crfclean.gold.pages import GoldPage, read_gold
from crfclean.modelfiles.folder import Bundle, save_bundle
from crfclean.nn.params import RECIPES, NetworkParams, Recipe
from crfclean.taggers.load import open_bundle
from crfclean.train.crf import pages_of_base, split_sites, train
from crfclean.train.examples import Progress
from crfclean.train.mlp import CUT, train_mlp
from crfclean.train.params import TrainParams
from crfclean.types import CrfcleanError, NoGoldError

_PERCEPTRON = ("epochs", "learning_rate", "weight_decay", "dropout", "evenness")
"""Options that change a preset of the perceptron; the CRF's networks have them, too."""
_SHARED = {*_PERCEPTRON, "held_out", "elements"}
_CRF_ALONE = {field.name for field in (*fields(TrainParams), *fields(NetworkParams))} - _SHARED


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


def learner_of(options: dict[str, Any], explicit: set[str]) -> Learner:
    """The learner that the options describe; `explicit` are those on the command line.

    Raises `UsageError` for options that have no effect on this kind of model.
    """
    options["elements"] = element_names(options["elements"])
    options |= {name: split_names(options[name]) for name in LISTS}
    params = TrainParams(**{field.name: options[field.name] for field in fields(TrainParams)})
    network = NetworkParams(**{field.name: options[field.name] for field in fields(NetworkParams)})
    cuts = {field.name: options[field.name] for field in fields(CutParams)}
    cuts["convention"] = cuts["convention"] or ""
    recipe = recipe_of(options, explicit)
    if recipe is None:
        return Learner(params, CutParams(**cuts), network)
    chosen = {name: value for name, value in cuts.items() if name in explicit}
    return Learner(params, replace(CUT, **chosen), network, recipe)


def recipe_of(options: Mapping[str, Any], explicit: set[str]) -> Recipe | None:
    """The perceptron's recipe, None for a CRF; raises `UsageError` for options of the other."""
    if options["kind"] != "mlp":
        refuse_options({"preset"} & explicit, "it is for --tagger mlp")
        return None
    refuse_options(_CRF_ALONE & explicit, "it is for --tagger crf")
    preset = RECIPES[options["preset"]]
    if preset.optimiser != "adam":
        refuse_options(
            {"learning_rate", "weight_decay"} & explicit, "this preset's training has none"
        )
    changes = {name: options[name] for name in _PERCEPTRON if name in explicit}
    return replace(preset, **changes)


def annotated_pages(directory: Path, params: TrainParams) -> list[GoldPage]:
    """The annotated pages; without any, the user labels pages at the terminal first."""
    try:
        gold = list(progress_bar(read_gold(directory), None, "page"))
    except NoGoldError as error:
        find_pages(directory)
        check_terminal(directory, error)
        session_params = AnnotateParams("name", params.elements)
        label(open_labelling(directory, params.base or "default", session_params))
        gold = _labelled_pages(directory)
    missing = unfinished(directory) if directory.is_dir() else 0
    if missing:
        click.echo(f"left out: {plural(missing, 'page')} not labelled to the end", err=True)
    return gold


def _labelled_pages(directory: Path) -> list[GoldPage]:
    """The pages that the user has just labelled to the end."""
    try:
        return list(read_gold(directory))
    except NoGoldError as error:
        raise CrfcleanError(
            f"{directory}: no page is labelled to the end; run the same command to continue"
        ) from error


def train_and_save(gold: Sequence[GoldPage], learner: Learner, output: Path, licence: str) -> None:
    """Score a model on held-out sites, then train one on all pages and write its folder."""
    scores = _held_out_scores(gold, learner, output)
    bundle = _train(gold, learner)
    sets = [{**gold_set, "licence": licence} for gold_set in bundle.sets]
    save_bundle(replace(bundle, scores=scores, sets=sets), output)


def _train(gold: Sequence[GoldPage], learner: Learner) -> Bundle:
    """Train, with a bar that counts pages, then iterations."""
    with progress_bar(None, None, "step") as bar:

        def advance(stage: str, steps: int) -> None:
            bar.set_description_str(stage)
            bar.update(steps)

        return learner.train(gold, advance)


def _held_out_scores(gold: Sequence[GoldPage], learner: Learner, output: Path) -> dict[str, Any]:
    """Train on some sites; print and return the scores on the others."""
    training, held_out = split_sites(gold, learner.params.held_out)
    if not held_out:
        if learner.params.held_out:
            click.echo("no scores: too few pages to hold some out", err=True)
        return {}
    tagger = open_bundle(output, _train(training, learner))
    overlap = Overlap(pages_of_base(learner.params.base))
    scored = evaluate(overlap.count(held_out), tagger)
    scores = list(progress_bar(scored, len(held_out), "page"))
    sites = plural(len({page.site for page in held_out}), "site")
    click.echo(
        f"held out: {plural(len(held_out), 'page')} of {sites}, trained on {len(training)}\n"
    )
    click.echo(overlap_note(overlap.pages, len(held_out), base=True), nl=False)
    click.echo(scores_text(scores))
    mean = sum(page.words.f1 for page in scores) / len(scores)
    return {
        "held_out_pages": len(held_out),
        "f1": round(mean, 4),
        "interval": [round(end, 4) for end in f1_interval(scores)],
    }
