"""The options that leave pages of a corpus out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.options import together
from crfclean.types.choices import DUPLICATE_UNITS, PAGE_TYPES

if TYPE_CHECKING:
    from crfclean.products.corpus.clean import PageFilter

filter_options = together(
    click.option(
        "--language",
        "languages",
        metavar="TAGS",
        help="skip pages in other languages, e.g. cs,sk",
    ),
    click.option(
        "--page-type",
        "page_types",
        metavar="TYPES",
        help=f"skip pages of other types, of {', '.join(PAGE_TYPES)}",
    ),
    click.option(
        "--min-words",
        type=click.IntRange(0),
        metavar="N",
        default=0,
        help="skip pages whose text has fewer words",
    ),
    click.option(
        "--require-content",
        "requires_content",
        is_flag=True,
        help="skip pages without their content: bot checks, consent walls, login walls, error "
        "pages, frames, pages that need JavaScript",
    ),
    click.option(
        "--by-site",
        is_flag=True,
        help="also count what many pages of a site have, such as notices, as evidence against it "
        "(reads all pages twice)",
    ),
    click.option(
        "--deduplicate",
        type=click.Choice(DUPLICATE_UNITS),
        help="drop duplicates. exact: pages with identical words; near: also similar pages (needs "
        "crfclean[deduplicate])",
    ),
    click.option(
        "--deduplicate-limit",
        type=click.IntRange(1, 2**31),
        metavar="N",
        default=1_000_000,
        show_default=True,
        help="number of pages that are compared with new ones",
    ),
)


def page_filter(options: Mapping[str, Any]) -> PageFilter:
    """Return the filter of pages that the options set; raises `CrfcleanError` for a wrong name."""
    from crfclean.products.corpus.clean import PageFilter

    languages, page_types = (
        tuple(name.strip() for name in (options[key] or "").split(",") if name.strip())
        for key in ("languages", "page_types")
    )
    return PageFilter(languages, page_types, options["min_words"], options["requires_content"])
