"""The command `eval`: annotated pages, a model, cleaned texts or other systems -> scores."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from crfclean.cli.options import (
    changed_cut,
    check_idle,
    element_names,
    given_options,
    open_tagger,
    options_of,
    progress_bar,
    tagger_options,
)
from crfclean.cli.train import recipe_of
from crfclean.evaluate.cross_validation import (
    UNTRAINED,
    Plan,
    PreparedPage,
    cross_validate,
    curve_point,
    learning_curve,
    prepare,
    training_size,
    within_sources,
)
from crfclean.evaluate.report import Sample, load_plots, report_html, worst_of
from crfclean.evaluate.result import Evaluation, evaluation_json, read_pages
from crfclean.evaluate.runner import (
    CleaningSystem,
    PageScore,
    Scored,
    by_tagger,
    by_texts,
    evaluate_systems,
)
from crfclean.evaluate.statistics import BY
from crfclean.evaluate.tables import OURS, compare_text, evaluation_csv, evaluation_text
from crfclean.gold.pages import GoldPage, read_gold
from crfclean.io import (
    write_atomically,
)
from crfclean.modelfiles.folder import (
    MANIFEST,
    find_model,
)
from crfclean.nn.network_params import NetworkParams
from crfclean.taggers.load import NAMED, shipped_model
from crfclean.taggers.params import CutParams
from crfclean.train.mlp import CUT
from crfclean.train.params import TrainParams
from crfclean.types import CrfcleanError
from crfclean.types.choices import FORUM_TAGGERS, PRESETS

_OTHERS = frozenset([*NAMED, *FORUM_TAGGERS])  # taggers that are not trained here
SYSTEMS = ("trafilatura", "resiliparse", "justext", "readability-lxml")
FORMATS = {"text": evaluation_text, "json": evaluation_json, "csv": evaluation_csv}
FOLDS = 5
_TRAINING = {one.name for one in (*fields(TrainParams), *fields(NetworkParams))}
_CUT = ("rule", "threshold", "precision", "keep")
_CHOSEN = (*_CUT, "kind", "post", "post_steps")


def _sizes(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[int, ...]:
    """`5,10,20` -> its numbers."""
    try:
        return tuple(int(part) for part in (text or "").split(",") if part.strip())
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no list of numbers, as in 5,10,20") from error


@click.command("eval")
@click.argument("gold", type=click.Path(path_type=Path), required=False)
@click.option("--output", type=click.Path(path_type=Path), help="score these cleaned texts instead")
@tagger_options
@click.option("--preset", type=click.Choice(PRESETS), default="tuned", help="as in train")
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
@click.option("--html", type=click.Path(path_type=Path), help="a report too: one file (`plots`)")
@click.option(
    "--cv",
    "folds",
    type=click.IntRange(2),
    help="no model: in so many folds, score each by a model trained on the others",
)
@click.option(
    "--group-by",
    "group_by",
    type=click.Choice(["site", "page"]),
    help="what a fold holds together (--cv); default: site, with --per-source page",
)
@click.option(
    "--per-source", is_flag=True, help="models of each source alone, and of all (--cv, default 5)"
)
@click.option(
    "--learning-curve",
    "sizes",
    callback=_sizes,
    metavar="5,10,20",
    help="also models of so many pages (--cv, default 5)",
)
@options_of(TrainParams, without=("held_out",))
@options_of(NetworkParams)
@click.pass_context
def eval_command(
    context: click.Context,
    /,
    gold: Path | None,
    compare: tuple[Path, Path] | None,
    form: str | None,
    html: Path | None,
    **given: Any,
) -> None:
    """Score a model, or texts already cleaned, on the annotated pages of GOLD.

    L is the mean Levenshtein distance in characters (white space folded), also divided by the
    longer text's length; P, R and F are means of the pages' precision, recall and F1 on words,
    "in order" those of the longest common subsequence. Found and wrong are blocks, as shares of
    the gold's; begin and end are pages where those of the article were found exactly; with and
    without are snippets found and kept out. By source (sub-directory or file), kind or language.

    With --cv no model is read: the options of `train` say how those of the folds are trained.
    """
    if compare is not None:
        if gold is not None:
            raise click.UsageError(f"--compare takes two files and no pages ({gold})")
        old, new = (read_pages(path) for path in compare)
        click.echo(compare_text(old, new), nl=False)
        return
    if gold is None:
        raise click.UsageError("Missing argument 'GOLD'.")
    _check_options(context)
    if html is not None:
        load_plots()  # what is missing is told before the work begins
    evaluation, worst = _evaluate(gold, given)
    if html is not None:
        _write(html, report_html(evaluation, worst))
    click.echo(FORMATS[form or "text"](evaluation), nl=False)


def _trains(given: Mapping[str, Any]) -> bool:
    return bool(given["folds"] or given["per_source"] or given["sizes"])


def _check_options(context: click.Context) -> None:
    """Raise `UsageError` for options that say nothing beside the others."""
    named = given_options(context)
    if _trains(context.params):
        idle = {"model", "output", "post_steps"}
        if context.params["kind"] in _OTHERS:
            idle.add("kind")
        check_idle(named & idle, "a model is trained for every fold")
    else:
        check_idle(named & {*_TRAINING, "group_by", "preset"}, "--cv is missing")


def _evaluate(gold: Path, given: Mapping[str, Any]) -> tuple[Evaluation, list[Sample]]:
    """Score all systems; the worst pages of the first."""
    peers = {name: _peer(name) for name in dict.fromkeys(given["systems"])}
    plan = _plan(given, given_options(click.get_current_context())) if _trains(given) else None
    name = gold.resolve().name
    if plan is not None:
        return _trained(name, list(read_gold(gold)), plan, peers, given)
    output, chosen = given["output"], {one: given[one] for one in _CHOSEN}
    if output is None:
        ours = {OURS: by_tagger(open_tagger(model=given["model"], **chosen))}
        about = None if given["kind"] in _OTHERS else shipped_model(given["model"], given["kind"])
    else:
        ours, about = {"texts": by_texts(output)}, None
    scored = evaluate_systems(read_gold(gold), {**ours, **peers}, given["workers"])
    found = _collect(scored, (*ours, *peers))
    told = {} if about is None else _about_model(about, chosen)
    return Evaluation(name, found.systems, given["by"], told), found.worst


def _plan(given: Mapping[str, Any], named: set[str]) -> Plan:
    """The options of training as parameters."""
    params = TrainParams(
        **{one.name: given[one.name] for one in fields(TrainParams) if one.name in given}
    )
    params = replace(params, elements=element_names(given["elements"]))
    network = NetworkParams(**{one.name: given[one.name] for one in fields(NetworkParams)})
    recipe = recipe_of(given, named)
    start = CutParams() if recipe is None else CUT
    cut = changed_cut(start, **{name: given[name] for name in _CUT})
    by = given["group_by"] or ("page" if given["per_source"] else "site")
    return Plan(given["folds"] or FOLDS, by, params, network, cut, recipe, given["post"])


def _trained(
    name: str,
    gold: Sequence[GoldPage],
    plan: Plan,
    peers: Mapping[str, CleaningSystem],
    given: Mapping[str, Any],
) -> tuple[Evaluation, list[Sample]]:
    """Cross-validation, and what else was asked of it."""
    workers = given["workers"]
    pages = prepare(progress_bar(gold, len(gold), "page"), plan, workers)
    everything = cross_validate(pages, plan, workers)
    found = _collect(everything, (OURS,))
    others = _collect(evaluate_systems(gold, peers, workers), tuple(peers)) if peers else None
    systems = found.systems | (others.systems if others else {})
    evaluation = Evaluation(name, systems, given["by"], {"training": _about_training(plan)})
    if given["sizes"]:
        curve = _curve(pages, plan, everything, given["sizes"], workers)
        evaluation = replace(evaluation, curve=curve)
    if given["per_source"]:
        rows = within_sources(pages, plan, everything, workers)
        evaluation = replace(evaluation, source_rows=rows)
    return evaluation, found.worst


def _curve(
    pages: Sequence[PreparedPage],
    plan: Plan,
    everything: Sequence[Scored],
    sizes: Sequence[int],
    workers: int,
) -> list[Any]:
    """The points of the learning curve, the last that of all pages."""
    whole = curve_point(everything, training_size(pages, plan))
    return [*learning_curve(pages, plan, sizes, workers), whole]


def _about_training(plan: Plan) -> dict[str, Any]:
    return {
        "folds": plan.folds,
        "by": plan.by,
        "params": asdict(plan.params),
        "network": asdict(plan.network),
        "options": asdict(plan.cut),
    } | ({} if plan.recipe is None else {"recipe": asdict(plan.recipe), "post": plan.post})


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, text.encode("utf-8", "replace"))
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be written: {error.strerror}") from error


def _peer(name: str) -> CleaningSystem:
    from crfclean.evaluate.peers import system

    return system(name)


@dataclass(frozen=True)
class Collected:
    """Name of a system -> its pages, and the worst pages of the first."""

    systems: dict[str, list[PageScore]]
    worst: list[Sample]


def _collect(scored: Iterable[Scored], names: tuple[str, ...]) -> Collected:
    """All scores, telling what left a text empty."""
    found = Collected({name: [] for name in names}, [])
    for one in progress_bar(scored, None, "page"):
        for name, score in zip(names, one.scores, strict=True):
            found.systems[name].append(score)
            if score.status != "ok" and (name != OURS or score.status.startswith(UNTRAINED)):
                click.echo(f"{name}: {score.status}: {score.id}, counted as empty", err=True)
        found.worst[:] = worst_of(found.worst, one)
    return found


def _about_model(model: str | Path, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The model's name, the SHA-256 of its manifest (which has those of its weights), options."""
    manifest = (find_model(model) / MANIFEST).read_bytes()
    given = {name: value for name, value in chosen.items() if value is not None}
    digest = hashlib.sha256(manifest).hexdigest()
    return {"model": {"name": Path(model).name, "fingerprint": digest, "options": given}}
