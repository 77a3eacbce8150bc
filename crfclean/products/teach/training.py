"""The work of the commands `train` and `eval`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from crfclean import door
from crfclean.cli.messages import LOG, wrote
from crfclean.cli.options import (
    CUTS,
    TextParams,
    of_options,
    open_tagger,
    progress_bar,
    refuse_options,
    text_params,
)
from crfclean.decision.rules import CutChoice, CutParams
from crfclean.io import write_text
from crfclean.model.columns import check_added
from crfclean.model.folder import (
    MANIFEST,
    Bundle,
    find_model,
    is_settings,
    is_shipped_name,
    read_settings,
    save_bundle,
)
from crfclean.page.blocks import SplitParams, split
from crfclean.page.chars import plural
from crfclean.products.teach.gold import GoldPage, is_mismatched, read_gold
from crfclean.products.teach.metrics import agreement, agreement_json, agreement_text, word_scores
from crfclean.products.teach.network_params import RECIPES, NetworkParams, Recipe
from crfclean.products.teach.report import (
    OURS,
    compare_text,
    scores_text,
    worst_of,
)
from crfclean.products.teach.result import (
    Evaluation,
    Overlap,
    f1_interval,
    overlap_note,
    read_pages,
    trained_on,
)
from crfclean.products.teach.runner import (
    UNTRAINED,
    Cleaning,
    CleaningSystem,
    PageScore,
    Plan,
    Scored,
    by_tagger,
    by_texts,
    cross_validate,
    evaluate,
    evaluate_systems,
    prepare,
    system,
)
from crfclean.products.teach.session import unfinished
from crfclean.products.teach.train import (
    CUT,
    Learner,
    TrainParams,
    pages_of_base,
    split_sites,
)
from crfclean.systems.load import elements_of, open_bundle, shipped_model
from crfclean.types import CrfcleanError, NoGoldError
from crfclean.types.choices import AUTO, check_comments
from crfclean.types.options import split_names

# training

_MOST_NAMED = 5  # pages in a message
_SHARED = {"epochs", "held_out", "elements"}
_CRF_ALONE = {field.name for field in (*fields(TrainParams), *fields(NetworkParams))} - _SHARED


def learner_of(options: Mapping[str, Any], explicit: set[str]) -> Learner:
    """The learner that the options describe; `explicit` are those on the command line.

    Raises `UsageError` for options that have no effect on this kind of model.
    """
    recipe = recipe_of(options, explicit)
    network = of_options(NetworkParams, options)
    return Learner(_train_params(options), _cut(options, recipe), network, recipe)


def _train_params(options: Mapping[str, Any]) -> TrainParams:
    params = of_options(TrainParams, options)
    added = tuple(name.strip() for name in options["features"].split(",") if name.strip())
    params = replace(params, elements=element_names(options["elements"]), features=added)
    check_added(added)  # before the pages are read
    return params


def element_names(text: str) -> tuple[str, ...]:
    """Return the names of `--blocks h1,p,li`; raises `CrfcleanError` for other characters.

    >>> element_names("H1, p")
    ('h1', 'p')
    """
    names = split_names(text)
    invalid = [name for name in names if not name.replace("-", "").isalnum()]
    if invalid:
        raise CrfcleanError(f"--blocks: {invalid[0]!r} is not the name of an HTML element")
    return names


def _cut(options: Mapping[str, Any], recipe: Recipe | None) -> CutParams:
    """Return the decision that a new model records."""
    default = CutParams() if recipe is None else CUT
    cut = CutChoice(**{name: options[name] for name in CUTS}).of(default)
    return replace(cut, convention=AUTO) if options["convention"] == AUTO else cut


def recipe_of(options: Mapping[str, Any], explicit: set[str]) -> Recipe | None:
    """The perceptron's recipe, None for a CRF; raises `UsageError` for options of a CRF."""
    if options["kind"] != "mlp":
        if not options["networks"]:
            refuse_options({"epochs"}, "it needs --networks or --tagger mlp")
        return None
    refuse_options(_CRF_ALONE & explicit, "it needs --tagger crf")
    recipe = RECIPES["tuned"]
    return replace(recipe, epochs=options["epochs"]) if "epochs" in explicit else recipe


def annotated_pages(directory: Path) -> list[GoldPage]:
    """The annotated pages; without any, the error says how to label them."""
    try:
        gold = list(progress_bar(read_gold(directory), None, "page"))
    except NoGoldError as error:
        raise CrfcleanError(
            f"{error}; to label pages, run crfclean annotate {directory} at a terminal, or "
            f"crfclean annotate {directory} --web for the browser"
        ) from error
    missing = unfinished(directory) if directory.is_dir() else 0
    if missing:
        LOG.warning("left out: %s not labelled completely", plural(missing, "page"))
    return gold


def as_typed(model: Path) -> str:
    """Return the folder of a model as `--model` takes it.

    >>> as_typed(Path("my-model")), as_typed(Path("models/mine"))
    ('./my-model', 'models/mine')
    """
    return f"./{model}" if is_shipped_name(str(model)) else str(model)


def train_and_save(gold: Sequence[GoldPage], learner: Learner, output: Path, licence: str) -> None:
    """Score a model on held-out sites, then train one on all pages and write its folder."""
    _tell_what_is_outside(gold, learner.params.elements)
    scores = _held_out_scores(gold, learner, output)
    bundle = _train(gold, learner)
    sets = [{**gold_set, "licence": licence} for gold_set in bundle.sets]
    save_bundle(replace(bundle, scores=scores, sets=sets), output)


def _tell_what_is_outside(gold: Sequence[GoldPage], elements: tuple[str, ...]) -> None:
    """Say how many pages have most of their text outside the elements that the model reads."""
    if not elements:
        _tell_of_other_pages([page.id for page in gold if is_mismatched(page, split(page.page))])
        return
    texts = (" ".join(split(page.page, SplitParams(elements)).texts) for page in gold)
    scores = (word_scores(text, page.text) for text, page in zip(texts, gold, strict=True))
    if outside := sum(score.recall < 0.5 for score in scores):
        LOG.warning(
            "%d of %s have most of their text outside %s, which this model does not read: leave "
            "out --blocks",
            outside,
            plural(len(gold), "page"),
            ", ".join(elements),
        )


def _tell_of_other_pages(ids: Sequence[str]) -> None:
    """Name pages whose gold may be that of other pages: they teach a model to drop their text."""
    if ids:
        LOG.warning(
            "most of the gold text is missing on %s: is it another page's? %s",
            plural(len(ids), "page"),
            ", ".join(ids[:_MOST_NAMED]) + ("…" if len(ids) > _MOST_NAMED else ""),
        )


def _train(gold: Sequence[GoldPage], learner: Learner) -> Bundle:
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
            LOG.warning("no scores: too few pages to hold some out")
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
    ends = f1_interval(scores)
    return {
        "held_out_pages": len(held_out),
        "f1": round(mean, 4),
        "interval": ends and [round(end, 4) for end in ends],
    }


# evaluation

ONE_SITE = (
    "all pages count as one site: folds are by page, and scores may be too high for other sites; "
    "give each site a sub-directory of its own, or each JSONL line its url"
)

CommandOptions = Mapping[str, Any]
"""The options of `eval` by parameter name."""


def print_comparison(old: Path, new: Path, group_by: str) -> None:
    """Print the differences of two files of scores."""
    text = compare_text(read_pages(old), read_pages(new), group_by)
    click.echo(text, nl=False)


def print_agreement(sources: Sequence[Path], *, as_json: bool) -> None:
    """Print how far the labels of annotators agree."""
    report = agreement(sources)
    click.echo(agreement_json(report) if as_json else agreement_text(report), nl=False)


def evaluation(gold: Path, options: CommandOptions, *, has_model: bool) -> Evaluation:
    """The scores of a tagger or of cleaned texts, and of peers.

    `has_model` says whether the tagger has a model, which the result then names.
    """
    check_comments(options["comments"], options["convention"])
    peers = _peers(options)
    about: dict[str, Any] = {}
    overlap = Overlap(frozenset())
    elements: tuple[str, ...] = ()
    if options["texts"] is None:
        tagger, texts = open_tagger(options), text_params(options)
        ours = {OURS: by_tagger(tagger, _cleaning(texts))}
        overlap = Overlap(trained_on(tagger))
        elements = elements_of(tagger)
        if has_model:
            switches = {name: options[name] for name in (*CUTS, "kind")} | texts.changes
            about = _about_model(shipped_model(options["model"], options["kind"]), switches)
    else:
        ours = {"texts": by_texts(options["texts"])}
    pages = overlap.count(read_gold(gold))
    scored = evaluate_systems(pages, {**ours, **peers}, options["workers"], options["metrics"])
    scores = _collect(scored, (*ours, *peers))
    _tell_of_other_pages(scores.mismatched)
    result = Evaluation(gold.resolve().name, scores.systems, options["by"], about)
    result = replace(result, trained_on=overlap.pages, elements=elements)
    return replace(result, group_by=options["group_by"] or "", worst=scores.worst)


def _cleaning(texts: TextParams) -> Cleaning:
    return Cleaning(texts.comments, texts.min_score, texts.show)


def _peers(options: CommandOptions) -> dict[str, CleaningSystem]:
    return {name: system(name) for name in dict.fromkeys(options["systems"])}


def cross_validation(gold: Path, options: CommandOptions, explicit: set[str]) -> Evaluation:
    """The scores of models trained for the folds, and of peers.

    `explicit` are the options on the command line.
    """
    check_comments(options["comments"], options["convention"])
    peers, plan, workers = _peers(options), _plan(options, explicit), options["workers"]
    overlap = Overlap(pages_of_base(plan.learner.params.base))
    gold_pages: list[GoldPage] = list(overlap.count(read_gold(gold)))
    if not options["group_by"] and len({gold.site for gold in gold_pages}) == 1:
        if plan.by == "site":
            LOG.warning(ONE_SITE)
        plan = replace(plan, by="page")
    pages = prepare(progress_bar(gold_pages, len(gold_pages), "page"), plan, workers)
    scored = cross_validate(pages, plan, workers)
    scores = _collect(scored, (OURS,))
    _tell_of_other_pages(scores.mismatched)
    systems = scores.systems
    if peers:
        systems |= _collect(
            evaluate_systems(gold_pages, peers, workers, plan.metrics), tuple(peers)
        ).systems
    texts = text_params(options).changes
    about = {"training": _about_training(plan) | ({"texts": texts} if texts else {})}
    result = Evaluation(
        gold.resolve().name, systems, options["by"], about, trained_on=overlap.pages
    )
    elements = plan.learner.params.elements
    return replace(result, elements=elements, group_by=plan.by, worst=scores.worst)


def _plan(options: CommandOptions, explicit: set[str]) -> Plan:
    by, cleaning = options["group_by"] or "site", _cleaning(text_params(options))
    learner = learner_of(options, explicit)
    return Plan(options["folds"], by, learner, cleaning, options["metrics"])


def _about_training(plan: Plan) -> dict[str, Any]:
    learner = plan.learner
    return {
        "folds": plan.folds,
        "by": plan.by,
        "params": asdict(learner.params),
        "network": asdict(learner.network),
        "options": asdict(learner.cut),
    } | ({} if learner.recipe is None else {"recipe": asdict(learner.recipe)})


def _about_model(model: str | Path, chosen: CommandOptions) -> dict[str, Any]:
    """The model's name, the SHA-256 of its manifest (which has those of its weights), options."""
    manifest = _described(model)
    options = {name: value for name, value in chosen.items() if value is not None}
    digest = hashlib.sha256(manifest).hexdigest()
    return {"model": {"name": Path(model).name, "fingerprint": digest, "options": options}}


def _described(model: str | Path) -> bytes:
    """The bytes that describe a model: its manifest, behind its file of settings if it has one."""
    if not is_settings(model):
        return (find_model(model) / MANIFEST).read_bytes()
    inner = _described(read_settings(Path(model)).model)
    return Path(model).read_bytes() + inner


def print_evaluation(result: Evaluation, report: str) -> None:
    """Print a report of a result by its name; beside any but text, the note is a message."""
    click.echo(door.find("reports", report)(result), nl=False)
    if report != "text" and result.note:
        LOG.warning("%s", result.note.rstrip("\n"))


@dataclass(frozen=True)
class _Scores:
    """Name of a system -> its pages; the worst pages of the first; pages with gold of others."""

    systems: dict[str, list[PageScore]]
    worst: list[Scored]
    mismatched: list[str]


def _collect(scored: Iterable[Scored], names: tuple[str, ...]) -> _Scores:
    scores = _Scores({name: [] for name in names}, [], [])
    for page in progress_bar(scored, None, "page"):
        for name, score in zip(names, page.scores, strict=True):
            scores.systems[name].append(score)
            if score.status != "ok" and (name != OURS or score.status.startswith(UNTRAINED)):
                LOG.warning("%s: %s: %s, counted as empty", name, score.status, score.id)
        scores.worst[:] = worst_of(scores.worst, page)
        if page.is_mismatched:
            scores.mismatched.append(page.scores[0].id)
    return scores


def write_report(path: Path, result: Evaluation) -> None:
    """Write the HTML report; raises `CrfcleanError`."""
    write_text(path, door.find("reports", "html")(result))
    wrote(str(path))
