"""Options that commands share, and what users choose by them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from crfclean.cli.cut_options import CUT_OPTIONS, split_names, with_cut
from crfclean.taggers.load import NAMED, SHIPPED, load
from crfclean.types import CrfcleanError, Tagger
from crfclean.types.choices import FORUM_TAGGERS, POST_STEPS

if TYPE_CHECKING:  # help and completion read this module, and need no tagger
    from crfclean.taggers.postanalysis import PostChoice

Command = TypeVar("Command", bound=Callable[..., Any])

model_option = click.option(
    "--model",
    default="default",
    show_default=True,
    metavar="MODEL",
    help="model folder, file of settings (see tune), or the name of a shipped model",
)
_TAGGER_OPTIONS = (
    click.option(
        "--tagger",
        "kind",
        type=click.Choice([*SHIPPED, *NAMED, *FORUM_TAGGERS]),
        help="kind of tagger: its shipped model, unless --model names one; "
        f"{', '.join(NAMED)} have none; forum: posts of forums; auto: posts on pages that look "
        "like a forum's, the model on all others",
    ),
    click.option(
        "--post",
        metavar="STEPS",
        help=f"steps of the post-analysis, of {','.join(POST_STEPS)}, or all, or none; default: "
        "all for mlp, none for crf",
    ),
)


def explicit_options(context: click.Context) -> set[str]:
    """Names of the parameters that stand on the command line."""
    return {
        name
        for name in context.params
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE
    }


def refuse_options(names: set[str], reason: str) -> None:
    """Raise `UsageError` if there are any: parameters whose options have no effect, and why."""
    if names:
        context = click.get_current_context()
        options = {option.name: option.opts[0] for option in context.command.params}
        raise click.UsageError(f"{options[min(names)]} has no effect here: {reason}")


def tagger_options(command: Command) -> Command:
    """Add the options that `open_tagger` takes by name: model, kind, post-analysis, cut."""
    for decorate in (*reversed(CUT_OPTIONS), *reversed(_TAGGER_OPTIONS), model_option):
        command = decorate(command)
    return command


def open_tagger(*, model: str, kind: str | None, post: str | None, **cut: Any) -> Tagger:
    """The tagger that the user asked for; raises `CrfcleanError`."""
    post_choice = chosen_post(post)
    tagger = load(model, None if kind in FORUM_TAGGERS else kind)
    if kind in FORUM_TAGGERS:
        tagger = _forum_tagger(kind, tagger if post_choice is None else _with_post(tagger, False))
    return _with_post(with_cut(tagger, **cut), post_choice)


def _forum_tagger(kind: str, tagger: Tagger) -> Tagger:
    """The tagger of forum pages, beside that of all others; raises `ModelError`."""
    from crfclean.forum.tagger import tagger_of

    return tagger_of(kind, tagger)


def _with_post(tagger: Tagger, post: PostChoice) -> Tagger:
    """The tagger with the chosen post-analysis; None leaves it as it is."""
    if post is None:
        return tagger
    from crfclean.taggers.postanalysis import with_post

    return with_post(tagger, post)


def chosen_post(post: str | None) -> PostChoice:
    """`all`, `none` or `begin,paths` -> the post-analysis; raises `CrfcleanError`."""
    if post in (None, "all", "none"):
        return None if post is None else post == "all"
    from crfclean.taggers.postanalysis import PostParams

    names = split_names(post)
    unknown = [name for name in names if name not in POST_STEPS]
    if unknown or not names:
        steps = ", ".join(POST_STEPS)
        raise CrfcleanError(f"--post: no step {next(iter(unknown), '')!r}; there are {steps}")
    return PostParams(**{name: name in names for name in POST_STEPS})


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
        raise CrfcleanError(f"{library} is missing: pip install 'crfclean[{package}]'") from error


def element_names(text: str | None) -> tuple[str, ...]:
    """`h1,p,li` -> its names; raises `CrfcleanError` for what is no element's name.

    >>> element_names("H1, p")
    ('h1', 'p')
    """
    names = split_names(text)
    invalid = [name for name in names if not name.replace("-", "").isalnum()]
    if invalid:
        raise CrfcleanError(f"--blocks: {invalid[0]!r} is no element's name")
    return names


_SPELLED = {  # fields whose options have other names
    "elements": "blocks",
    "base": "from",
    "convention": "as",
}


def options_of(params: type[Any], without: tuple[str, ...] = ()) -> Callable[[Command], Command]:
    """Add an option for every field of a params dataclass, except those in `without`."""

    def decorate(command: Command) -> Command:
        for field in reversed([field for field in fields(params) if field.name not in without]):
            kind: Any = type(field.default)
            name = _SPELLED.get(field.name, field.name.replace("_", "-"))
            name = f"--{name}/--no-{name}" if kind is bool else f"--{name}"
            if field.metadata["choices"]:
                kind = click.Choice(field.metadata["choices"])
            default = ",".join(field.default) if kind is tuple else field.default
            if field.metadata["choices"] and not default:
                default = None  # a choice of nothing is no choice
            command = click.option(
                name,
                field.name,
                type={tuple: str, bool: None}.get(kind, kind),
                default=default,
                show_default=bool(default) or default == 0,
                help=field.metadata["help"],
            )(command)
        return command

    return decorate
