"""Parameters -> options of the command line -> parameters as the user wants them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any, TypeVar

import click
from tqdm import tqdm

from crfclean.cut import KEEPABLE, RULES, CutParams
from crfclean.taggers import NAMED, load, named
from crfclean.types import CrfcleanError, Tagger

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT = "default"
model_option = click.option(
    "--model", default=DEFAULT, show_default=True, help="model folder, or a shipped model's name"
)
tagger_option = click.option(
    "--tagger",
    "rules",
    type=click.Choice(list(NAMED)),
    help="label by rules instead of a model",
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


def open_tagger(model: str, rules: str | None) -> Tagger:
    """The model, or the tagger without one where one is named; raises `CrfcleanError` for both."""
    if rules is None:
        return load(model)
    if model != DEFAULT:
        raise CrfcleanError(f"--tagger {rules} has no model: leave out --model {model}")
    return named(rules)


def cut_options(command: Command) -> Command:
    """The options that `with_cut` takes by name."""
    for decorate in reversed(_CUT_OPTIONS):
        command = decorate(command)
    return command


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
    if rule is None and threshold is None and precision is None and keep is None:
        return tagger
    change = getattr(tagger, "with_cut", None)
    if change is None:
        raise CrfcleanError("this model's decisions are not made by a cut")
    params: CutParams = tagger.cut  # type: ignore[attr-defined]
    changed: Tagger = change(changed_cut(params, rule, threshold, precision, keep))
    return changed


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
    return tqdm(items, total=total, unit=unit, disable=not sys.stderr.isatty(), leave=False)


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
            if one.metadata["choices"]:
                kind = click.Choice(one.metadata["choices"])
            default = ",".join(one.default) if kind is tuple else one.default
            name = "--" + _SPELLED.get(one.name, one.name.replace("_", "-"))
            command = click.option(
                name,
                one.name,
                type=str if kind is tuple else kind,
                default=default,
                show_default=bool(default) or default == 0,
                help=one.metadata["help"],
            )(command)
        return command

    return decorate
