"""Say in words what was learnt from corrected texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from crfclean.evaluate.plurals import plural
from crfclean.tune.votes import Verdict
from crfclean.types import Kind

NAMES: Mapping[Kind, str] = {
    Kind.TITLE: "title",
    Kind.LEAD: "leads",
    Kind.HEADING: "headings",
    Kind.LIST: "lists",
    Kind.TABLE: "tables",
    Kind.CODE: "code",
    Kind.QUOTE: "quotations",
    Kind.CAPTION: "captions",
    Kind.BYLINE: "bylines",
    Kind.COMMENT: "readers' comments",
}
"""Kind -> what it is called where many are meant."""


def kind_lines(said: Mapping[Kind, Verdict]) -> Iterator[str]:
    """A line for each kind on the pages: in, out, or as the default has it."""
    for kind, of_kind in said.items():
        yield f"{NAMES[kind]} {side(of_kind)} ({_evidence(of_kind)})"


def side(said: Verdict) -> str:
    """Where a verdict puts a kind."""
    if said.is_in is None:
        return "as the default"
    return "in" if said.is_in else "out"


def adaptation_line(*, is_alike: bool) -> str:
    """What an adapted model does of what the lines above say.

    >>> adaptation_line(is_alike=True)
    'adapted: a model of its own, better on held-out pages'
    """
    own = "" if is_alike else " that decides by these texts alone"
    return f"adapted: a model of its own{own}, better on held-out pages"


def _evidence(said: Verdict) -> str:
    return f"{said.kept:.0%} of their words kept on {plural(said.pages, 'page')}"


def f1_line(before: float, after: float, pages: int) -> str:
    """The scores on held-out pages.

    >>> f1_line(0.8983, 0.9221, 10)
    'F1 on 10 held-out pages: 0.898 by default, 0.922 tuned'
    """
    return f"F1 on {plural(pages, 'held-out page')}: {before:.3f} by default, {after:.3f} tuned"
