"""The command `explain`: show every block of a page with its label and the reasons for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import painted, wrote
from crfclean.cli.options import html_option, open_tagger, read_bytes, tagger_options
from crfclean.types import Page, Tagger

_STYLES: dict[str, dict[str, Any]] = {
    r"^(?:TEXT|HEADER) .*\n.*$": {"fg": "green"},
    r"^OTHER .*\n.*$": {"fg": "bright_black"},
    r"(?<=\S )\+\d+\.\d\d(?=  |$)": {"fg": "green"},
    r"(?<=\S )-\d+\.\d\d(?=  |$)": {"fg": "red"},
}
"""Kept blocks, dropped ones, and the weights of reasons for and against a block."""


@click.command(
    "explain",
    cls=GroupedCommand,
    first="--as --keep --also --without --threshold --model --tagger --features --html",
    examples={
        "crfclean explain page.html": "Four reasons for each block",
        "crfclean explain page.html --features 10": "Ten reasons for each block",
        "crfclean explain page.html --as page": "By another convention of what belongs to a text",
    },
)
@click.argument("page", type=click.Path(path_type=Path))
@tagger_options
@click.option("--features", "most", default=4, show_default=True, help="features shown per block")
@html_option("write the page with what was kept, and the reasons in words, as one HTML file")
def explain_command(
    page: Path,
    most: int,
    html: Path | None,
    **options: Any,
) -> None:
    """Show why each block of a page was kept or left out.

    Prints every block of PAGE with label, probability, XPath, and the features that weighed most.
    The first line has the page's score, the expected F1 of what is kept. A feature stands with
    its value in the block and its weight for (+) or against (-) keeping the block; name[+1] is
    the value of the next block. Steps of the post-analysis that changed a block stand first, as
    post.STEP with +1 or -1. On a readers' comment stands the probability that the page is a thread,
    as comment.thread; comments on other pages are left out.

    With --html FILE the page is written as a browser shows it, kept blocks green and dropped ones
    grey; a click on a block, or Enter, opens its reasons in words. The file loads nothing, and the
    page's scripts do not run.
    """
    from crfclean.page.decode import decode

    tagger = open_tagger(**options)
    decoded = decode(read_bytes(page))
    if html is not None:
        from crfclean.io import write_text
        from crfclean.view.overlay import overlay_html

        write_text(html, overlay_html(decoded, tagger))
        wrote(str(html))
    else:
        _print_explanation(page, decoded, tagger, most)


def _print_explanation(name: Path, page: Page, tagger: Tagger, most: int) -> None:
    from crfclean.pipeline import run
    from crfclean.taggers.capabilities import Explains, Traces, capability, need
    from crfclean.writers.formats import to_explanation

    explains, traces = need(tagger, Explains, "explain"), capability(tagger, Traces)
    document = run(page, tagger)
    if traces is not None:
        click.echo(traces.trace(document.blocks), nl=False)
    reasons = explains.explain(document.blocks, most)
    text = f"{name}: {to_explanation(document, reasons)}"
    click.echo(painted(text, _STYLES), nl=False)
