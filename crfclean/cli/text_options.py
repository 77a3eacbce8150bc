"""Options that change the texts of pages, the same for the commands that write and score them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.options import Command, element_names, options_of, tagger_options
from crfclean.structure.parts import Show
from crfclean.types import CrfcleanError
from crfclean.types.choices import COMMENT_MODES

if TYPE_CHECKING:  # help and completion read this module, and cut no page
    from crfclean.page.blocks import SplitParams

INCLUDABLE = ("levels", "left_out", "site_places", "parts", "front_matter")
"""Fields of `Show` that `clean --include` names."""
OTHER_SWITCHES = (*INCLUDABLE, "metadata", "places", "identify_language")
"""Fields of `Show` that change what stands beside the text."""
TEXT_SWITCHES = tuple(each.name for each in fields(Show) if each.name not in OTHER_SWITCHES)
"""Fields of `Show` that change the text."""

_OPTIONS = (
    tagger_options,
    click.option(
        "--blocks",
        "elements",
        metavar="ELEMENTS",
        help="read only the text of these elements, as in h1,p,li",
    ),
    click.option(
        "--min-score",
        type=click.FloatRange(0, 1),
        default=0.0,
        show_default=True,
        help="leave out pages whose expected F1 is lower",
    ),
    click.option(
        "--comments",
        type=click.Choice(COMMENT_MODES),
        help="keep readers' comments in the text, separate them or drop them; default: as the "
        "tagger decides (models: kept on threads, left out on articles)",
    ),
    options_of(Show, without=OTHER_SWITCHES),
)


def text_options(command: Command) -> Command:
    """Add the options of the tagger, of blocks, score and comments, and what texts include."""
    for decorate in reversed(_OPTIONS):
        command = decorate(command)
    return command


@dataclass(frozen=True, slots=True)
class TextParams:
    """What the options say of texts, beside the tagger."""

    elements: tuple[str, ...] = ()
    min_score: float = 0.0
    comments: str = ""
    show: Show = field(default_factory=Show)

    @property
    def split(self) -> SplitParams | None:
        """How pages are cut into blocks; None: as the tagger requires."""
        from crfclean.page.blocks import SplitParams

        return SplitParams(self.elements) if self.elements else None

    @property
    def changes(self) -> dict[str, Any]:
        """The parameters that are not at their defaults, by name, as JSON has them."""
        values = {"elements": list(self.elements), "min_score": self.min_score}
        values["comments"] = self.comments
        shown = {name: getattr(self.show, name) for name in TEXT_SWITCHES}
        changed = {name: on for name, on in shown.items() if on != getattr(Show(), name)}
        return {name: value for name, value in values.items() if value} | changed


BARRING = ("article", "body", "page")
"""Conventions without comments."""


def check_comments(mode: str | None, convention: str | None) -> None:
    """Raise `CrfcleanError` for comments that a convention bars."""
    if mode in ("keep", "separate") and convention in BARRING:
        raise CrfcleanError(
            f"--as {convention} leaves comments out: --comments {mode} needs another convention"
        )


def pop_text_params(options: dict[str, Any]) -> TextParams:
    """The parameters of the options, which lose them; raises `CrfcleanError`."""
    switches = [each.name for each in fields(Show) if each.name in options]
    return TextParams(
        element_names(options.pop("elements")),
        options.pop("min_score"),
        options.pop("comments") or "",
        Show(**{name: options.pop(name) for name in switches}),
    )
