"""Options that leave pages of a corpus out, by language, type and length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.options import Command
from crfclean.types.choices import PAGE_TYPES

if TYPE_CHECKING:  # help and completion read this module, and filter nothing
    from crfclean.corpus.page_filter import PageFilter

_OPTIONS = (
    click.option(
        "--language",
        "languages",
        metavar="TAGS",
        help="only write pages in these languages, as in cs,sk",
    ),
    click.option(
        "--page-type",
        "page_types",
        metavar="TYPES",
        help=f"only write pages of these types: {', '.join(PAGE_TYPES)}",
    ),
    click.option(
        "--min-words",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="leave out pages whose text has fewer words",
    ),
)


def filter_options(command: Command) -> Command:
    """Add the options."""
    for decorate in reversed(_OPTIONS):
        command = decorate(command)
    return command


def pop_filter(options: dict[str, Any], *, library: bool) -> PageFilter:
    """The filter of the options, which lose them; raises `CrfcleanError` for an unknown name."""
    from crfclean.corpus.page_filter import PageFilter

    languages, page_types = (
        tuple(name.strip() for name in (options.pop(key) or "").split(",") if name.strip())
        for key in ("languages", "page_types")
    )
    return PageFilter(languages, page_types, options.pop("min_words"), library)
