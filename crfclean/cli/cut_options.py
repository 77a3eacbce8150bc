"""Options that change a tagger's decisions, and what users choose by them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from crfclean.types import CrfcleanError, Tagger
from crfclean.types.choices import AUTO, CONVENTIONS, KEEPABLE, KIND_WORDS, RULES

if TYPE_CHECKING:  # help and completion read this module, and need no tagger
    from crfclean.decision.rules import CutParams

CUT_OPTIONS = (
    click.option(
        "--threshold",
        type=click.FloatRange(0, 1),
        help="keep blocks with at least this probability of being text",
    ),
    click.option(
        "--precision",
        type=click.FloatRange(0, 1),
        help="keep as many blocks as an expected precision of at least this allows",
    ),
    click.option("--rule", type=click.Choice(RULES), help="how probabilities become labels"),
    click.option(
        "--as",
        "convention",
        type=click.Choice(CONVENTIONS),
        help="what belongs to a text; article: title, lead, headings, paragraphs, lists, tables, "
        "code, formulas, quotes, notes; body: the same without the title; page: also captions and "
        "bylines; thread: posts and comments; everything: all but menus, teasers, promotion and "
        "notices; auto, the default: article on articles, posts on threads",
    ),
    click.option(
        "--keep",
        metavar="KINDS",
        help=f"kinds of blocks to keep, of {', '.join(KEEPABLE)}; body: nothing but body text",
    ),
    click.option(
        "--also",
        metavar="KINDS",
        help="kinds that also belong to a text, and are likelier, as in lead,caption; "
        f"of {', '.join(KIND_WORDS)}",
    ),
    click.option(
        "--without", metavar="KINDS", help="kinds that never belong to a text, as in title,byline"
    ),
)
"""The options that `with_cut` takes by name."""


def with_cut(
    tagger: Tagger,
    rule: str | None,
    threshold: float | None,
    precision: float | None,
    keep: str | None = None,
    convention: str | None = None,
    also: str | None = None,
    without: str | None = None,
) -> Tagger:
    """The tagger with the decisions that the user asked for; a limit sets its own rule.

    Raises `CrfcleanError` for options that exclude each other, and for a tagger without a cut.
    """
    values = {"rule": rule, "threshold": threshold, "precision": precision, "keep": keep}
    values |= {"as": None if convention == AUTO else convention, "also": also, "without": without}
    chosen = [f"--{name}" for name, value in values.items() if value is not None]
    if not chosen:
        return tagger
    from crfclean.taggers.capabilities import Decides, need

    decides = need(tagger, Decides, chosen[0])
    limits = (rule, threshold, precision)
    changed = changed_cut(decides.cut, *limits, keep, convention, also, without)
    return decides.with_cut(changed)


def changed_cut(
    params: CutParams,
    rule: str | None,
    threshold: float | None,
    precision: float | None,
    keep: str | None,
    convention: str | None,
    also: str | None = None,
    without: str | None = None,
) -> CutParams:
    """The cut with other decisions, where options name some; limits override the convention's.

    Raises `CrfcleanError` for options that exclude each other.
    """
    if convention not in (None, AUTO):
        from crfclean.decision.rules import cut_as

        if keep is not None:
            raise CrfcleanError("--as and --keep exclude each other")
        params = cut_as(params, convention or AUTO)
    if keep is not None:
        params = replace(params, convention="", keep=split_names(keep))
    if also is not None:
        params = replace(params, also=split_names(also))
    if without is not None:
        params = replace(params, without=split_names(without))
    return replace(params, **_limited(rule, threshold, precision))


def _limited(rule: str | None, threshold: float | None, precision: float | None) -> dict[str, Any]:
    """The rule and its limit as fields of `CutParams`."""
    limits = {"threshold": threshold, "precision": precision}
    chosen: dict[str, Any] = {name: limit for name, limit in limits.items() if limit is not None}
    if len(chosen) > 1:
        raise CrfcleanError("--threshold and --precision exclude each other")
    if chosen and rule not in (None, *chosen):
        raise CrfcleanError(f"--{next(iter(chosen))} has no effect with --rule {rule}")
    rule = rule or next(iter(chosen), None)
    return chosen if rule is None else {"rule": rule, **chosen}


def split_names(text: str | None) -> tuple[str, ...]:
    """`a, b` -> its names in lower case.

    >>> split_names("Title, headers,")
    ('title', 'headers')
    """
    return tuple(name.strip().lower() for name in (text or "").split(",") if name.strip())
