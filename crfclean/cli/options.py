"""Parameters -> options of the command line -> parameters as the user wants them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from crfclean.taggers.load import NAMED, SHIPPED, load
from crfclean.types import CrfcleanError, Tagger
from crfclean.types.choices import FORUM_TAGGERS, KEEPABLE, POST_STEPS, PRESETS, RULES

if TYPE_CHECKING:  # help and completion read this module, and need no tagger
    from crfclean.taggers.params import CutParams
    from crfclean.taggers.post import PostChoice
    from crfclean.taggers.postanalysis import PostParams

Command = TypeVar("Command", bound=Callable[..., Any])

model_option = click.option(
    "--model", default="default", show_default=True, help="model folder, or a shipped model's name"
)
_CUT_OPTIONS = (
    click.option(
        "--threshold",
        type=click.FloatRange(0, 1),
        help="keep the blocks from this probability on, instead of the model's own rule",
    ),
    click.option(
        "--precision",
        type=click.FloatRange(0, 1),
        help="keep as much of a page as leaves its expected precision at this or above",
    ),
    click.option("--rule", type=click.Choice(RULES), help="how probabilities become labels"),
    click.option(
        "--keep",
        help=f"kinds of blocks to keep, of {','.join(KEEPABLE)}; body: nothing but body text",
    ),
)


_TAGGER_OPTIONS = (
    click.option(
        "--tagger",
        "kind",
        type=click.Choice([*SHIPPED, *NAMED, *FORUM_TAGGERS]),
        help="kind of tagger: its model in the box, unless --model names one; "
        f"{', '.join(NAMED)} have none; forum: posts of forums; auto: that for pages that look "
        "like a forum's, the model for the rest",
    ),
    click.option(
        "--post/--no-post",
        default=None,
        help="with or without the post-analysis; default: with mlp, not with crf",
    ),
    click.option(
        "--post-steps", help=f"these steps of the post-analysis alone, of {','.join(POST_STEPS)}"
    ),
)


_LEARNER_OPTIONS = (
    click.option(
        "--tagger",
        "kind",
        type=click.Choice(list(SHIPPED)),
        default="crf",
        show_default=True,
        help="kind of model",
    ),
    click.option(
        "--preset",
        type=click.Choice(PRESETS),
        default="tuned",
        show_default=True,
        help="recipe of the perceptron: what cross-validation found, or the paper's (mlp)",
    ),
)


def learner_options(command: Command) -> Command:
    """The options that say what kind of model is trained."""
    for decorate in reversed(_LEARNER_OPTIONS):
        command = decorate(command)
    return command


def given_options(context: click.Context) -> set[str]:
    """Names of the parameters that stand on the command line."""
    return {
        name
        for name in context.params
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE
    }


def check_idle(idle: set[str], reason: str) -> None:
    """Raise `UsageError` for options that say nothing beside the others."""
    if idle:
        context = click.get_current_context()
        options = {one.name: one.opts[0] for one in context.command.params}
        raise click.UsageError(f"{options[min(idle)]} says nothing here: {reason}")


def tagger_options(command: Command) -> Command:
    """The options that `open_tagger` takes by name: the model, its kind, post-analysis, cut."""
    for decorate in (*reversed(_CUT_OPTIONS), *reversed(_TAGGER_OPTIONS), model_option):
        command = decorate(command)
    return command


def open_tagger(
    *, model: str, kind: str | None, post: bool | None, post_steps: str | None, **cut: Any
) -> Tagger:
    """The tagger that the user asked for; raises `CrfcleanError`."""
    wanted = chosen_post(post=post, post_steps=post_steps)
    tagger = load(model, None if kind in FORUM_TAGGERS else kind)
    if kind in FORUM_TAGGERS:
        tagger = _forum_tagger(kind, tagger if wanted is None else _with_post(tagger, False))
    return _with_post(with_cut(tagger, **cut), wanted)


def _forum_tagger(kind: str, tagger: Tagger) -> Tagger:
    """The tagger of forum pages, beside that of all others; raises `ModelError`."""
    from crfclean.forum.tagger import tagger_of

    return tagger_of(kind, tagger)


def _with_post(tagger: Tagger, wanted: PostChoice) -> Tagger:
    """The tagger with the post-analysis that is wanted; None leaves it as it is."""
    if wanted is None:
        return tagger
    from crfclean.taggers.post import with_post

    return with_post(tagger, wanted)


def chosen_post(*, post: bool | None, post_steps: str | None) -> PostChoice:
    """The post-analysis that the user asked for; raises `CrfcleanError`."""
    if post_steps is not None and post is False:
        raise CrfcleanError("--no-post and --post-steps exclude each other")
    return post if post_steps is None else post_params(post_steps)


def post_params(steps: str) -> PostParams:
    """`begin,paths` -> parameters with these steps alone; raises `CrfcleanError`."""
    from crfclean.taggers.postanalysis import PostParams

    names = names_of(steps)
    wrong = [name for name in names if name not in POST_STEPS]
    if wrong:
        steps = ", ".join(POST_STEPS)
        raise CrfcleanError(f"--post-steps: no step {wrong[0]!r}; there are {steps}")
    return PostParams(**{name: name in names for name in POST_STEPS})


def with_cut(
    tagger: Tagger,
    rule: str | None,
    threshold: float | None,
    precision: float | None,
    keep: str | None = None,
) -> Tagger:
    """The tagger with the decisions that the user asked for; a limit sets its own rule.

    Raises `CrfcleanError` for options that exclude each other, and for a tagger without a cut.
    """
    values = {"rule": rule, "threshold": threshold, "precision": precision, "keep": keep}
    named = [f"--{name}" for name, value in values.items() if value is not None]
    if not named:
        return tagger
    from crfclean.taggers.capabilities import Decides, need

    decides = need(tagger, Decides, named[0])
    return decides.with_cut(changed_cut(decides.cut, rule, threshold, precision, keep))


def changed_cut(
    params: CutParams,
    rule: str | None,
    threshold: float | None,
    precision: float | None,
    keep: str | None,
) -> CutParams:
    """The cut with other decisions, where options name some."""
    if keep is not None:
        params = replace(params, keep=names_of(keep))
    return replace(params, **_limited(rule, threshold, precision))


def _limited(rule: str | None, threshold: float | None, precision: float | None) -> dict[str, Any]:
    """The rule and its limit as fields of `CutParams`."""
    limits = {"threshold": threshold, "precision": precision}
    given: dict[str, Any] = {name: limit for name, limit in limits.items() if limit is not None}
    if len(given) > 1:
        raise CrfcleanError("--threshold and --precision exclude each other")
    if given and rule not in (None, *given):
        raise CrfcleanError(f"--{next(iter(given))} says nothing to --rule {rule}")
    wanted = rule or next(iter(given), None)
    return given if wanted is None else {"rule": wanted, **given}


def names_of(text: str | None) -> tuple[str, ...]:
    """`a, b` -> its names in lower case.

    >>> names_of("Title, headers,")
    ('title', 'headers')
    """
    return tuple(name.strip().lower() for name in (text or "").split(",") if name.strip())


def progress_bar(items: Iterable[Any] | None, total: int | None, unit: str) -> Any:
    """A progress bar on a terminal, nothing in a pipe."""
    if items is not None and not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return tqdm(items, total=total, unit=unit, disable=not sys.stderr.isatty(), leave=False)


def extra(name: str, package: str) -> Any:
    """A module that needs an extra, as `serve.app`; raises `CrfcleanError` where it is missing."""
    try:
        return import_module(f"crfclean.{name}")
    except ModuleNotFoundError as error:
        library = (error.name or name).partition(".")[0]
        wanted = f"pip install 'crfclean[{package}]'"
        raise CrfcleanError(f"{library} is missing: {wanted}") from error


def element_names(text: str | None) -> tuple[str, ...]:
    """`h1,p,li` -> its names; raises `CrfcleanError` for what is no element's name.

    >>> element_names("H1, p")
    ('h1', 'p')
    """
    names = names_of(text)
    wrong = [name for name in names if not name.replace("-", "").isalnum()]
    if wrong:
        raise CrfcleanError(f"--blocks: {wrong[0]!r} is no element's name")
    return names


_SPELLED = {"elements": "blocks", "base": "from"}


def options_of(params: type[Any], without: tuple[str, ...] = ()) -> Callable[[Command], Command]:
    """Options of a command made from the fields of a params dataclass, but for some."""

    def decorate(command: Command) -> Command:
        for one in reversed([one for one in fields(params) if one.name not in without]):
            kind: Any = type(one.default)
            name = _SPELLED.get(one.name, one.name.replace("_", "-"))
            name = f"--{name}/--no-{name}" if kind is bool else f"--{name}"
            if one.metadata["choices"]:
                kind = click.Choice(one.metadata["choices"])
            default = ",".join(one.default) if kind is tuple else one.default
            command = click.option(
                name,
                one.name,
                type={tuple: str, bool: None}.get(kind, kind),
                default=default,
                show_default=bool(default) or default == 0,
                help=one.metadata["help"],
            )(command)
        return command

    return decorate
