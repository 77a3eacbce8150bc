"""The command `explain`: show why each block of a page was kept or left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import wrote
from crfclean.cli.options import html_option, open_tagger, read_bytes, tagger_options
from crfclean.cli.paths import Reads
from crfclean.types import Page, Tagger


@click.command(
    "explain",
    cls=GroupedCommand,
    first="--as --keep --also --without --threshold --model --tagger --features --html",
    examples={
        "crfclean explain page.html": "Four reasons for each block",
        "crfclean explain page.html --features 10": "Ten reasons for each block",
        "crfclean explain page.html --as page": "With captions and bylines",
    },
)
@click.argument("page", type=Reads(path_type=Path))
@tagger_options
@click.option(
    "--features",
    "most",
    type=click.IntRange(0),
    default=4,
    show_default=True,
    metavar="N",
    help="features per block",
)
@html_option("write the page as one HTML file, painted by what was kept, with the reasons in words")
def explain_command(page: Path, most: int, html: Path | None, **options: Any) -> None:
    """Show why each block of a page was kept or left out.

    Prints the page's score (its expected F1), then every block of PAGE with its label, probability,
    XPath and kind, its text, and the features that weighed most. Each feature has its value and its
    weight for (+) or against (-) keeping the block; name[+1] is the feature of the next block. A
    step after the model that changed the block comes first, as post.STEP with +1 or -1. A comment
    has comment.thread, the probability that the page is a thread; only threads keep comments.

    The file of --html shows the page as a browser does, with kept blocks green and dropped ones
    grey. Click on a block, or press Enter, for its reasons. The file loads nothing, and the page's
    scripts do not run.
    """
    from crfclean.page.decode import decode

    tagger = open_tagger(options)
    decoded = decode(read_bytes(page))
    if html is not None:
        from crfclean.document.overlay import overlay_html
        from crfclean.io import write_text

        write_text(html, overlay_html(decoded, tagger))
        wrote(str(html))
    else:
        _print_explanation(page, decoded, tagger, most)


def _print_explanation(name: Path, page: Page, tagger: Tagger, most: int) -> None:
    from crfclean.document.formats import to_explanation
    from crfclean.pipeline import run
    from crfclean.systems.capabilities import Explains, Traces, capability, need

    explains, traces = need(tagger, Explains, "explain"), capability(tagger, Traces)
    document = run(page, tagger)
    if traces is not None:
        click.echo(traces.trace(document.blocks), nl=False)
    reasons = explains.explain(document.blocks, most)
    text = f"{name}: {to_explanation(document, reasons)}"
    click.echo(text, nl=False)
