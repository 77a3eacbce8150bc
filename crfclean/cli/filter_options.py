"""Options that leave pages of a corpus out: by language, type, length, content, duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.options import Command
from crfclean.types.choices import DUPLICATE_UNITS, PAGE_TYPES

if TYPE_CHECKING:  # help and completion read this module, and filter nothing
    from crfclean.corpus.page_filter import PageFilter
    from crfclean.corpus.signatures import DuplicateParams

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
    click.option(
        "--require-content",
        "requires_content",
        is_flag=True,
        help="leave out pages whose content is not in the HTML: bot checks, consent walls, error "
        "pages, pages that need scripts",
    ),
    click.option(
        "--deduplicate",
        type=click.Choice(DUPLICATE_UNITS),
        help="leave out what earlier pages have: pages with exactly the same words, those with "
        "nearly the same (needs crfclean[deduplicate]), or paragraphs",
    ),
    click.option(
        "--deduplicate-limit",
        type=click.IntRange(1, 2**31),
        default=1_000_000,
        show_default=True,
        help="pages or paragraphs that are remembered to find duplicates of them",
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
    least, requires = options.pop("min_words"), options.pop("requires_content")
    return PageFilter(languages, page_types, least, requires, library)


def pop_duplicates(options: dict[str, Any]) -> DuplicateParams:
    """The duplicates that the options leave out, which lose them; raises `CrfcleanError`."""
    from crfclean.corpus.signatures import DuplicateParams

    return DuplicateParams(options.pop("deduplicate") or "", options.pop("deduplicate_limit"))
