"""The command `cite`: find where a page says something."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import EXIT_NOTHING, EXIT_OK, EXIT_SOME_FAILED, LOG
from crfclean.cli.options import Share, open_tagger, read_bytes, tagger_options
from crfclean.cli.paths import Reads

if TYPE_CHECKING:
    from crfclean.citations import Citation
    from crfclean.types import Document


@click.command(
    "cite",
    cls=GroupedCommand,
    first="--each --url --min-similarity --json --as --keep --precision --threshold --tagger "
    "--model",
    examples={
        'crfclean cite page.html "the ferry sails again"': "Where the page says it",
        "crfclean cite page.html --each sentence --json": "Every sentence with its place",
        'crfclean cite page.html "it rained" --url https://example.org/1': "With a full link",
    },
)
@click.argument("page", type=Reads(path_type=Path, allow_dash=True))
@click.argument("quotes", metavar="[QUOTE]...", nargs=-1)
@click.option(
    "--each",
    type=click.Choice(["sentence", "block"]),
    help="cite every sentence, or every block, of the text instead of quotes",
)
@click.option("--url", metavar="URL", help="address of the page, for the links")
@click.option(
    "--min-similarity",
    type=Share(0, 1),
    default=0.7,
    show_default=True,
    metavar="S",
    help="least similarity of quote and page: twice the characters of common words, divided by "
    "those of both",
)
@click.option("--json", "as_json", is_flag=True, help="print a JSON object per quote")
@tagger_options
def cite_command(
    page: Path,
    quotes: tuple[str, ...],
    each: str | None,
    url: str | None,
    min_similarity: float,
    as_json: bool,  # noqa: FBT001
    **options: Any,
) -> int:
    """Find where a page says something.

    crfclean looks on PAGE (- for standard input) for each QUOTE, also with some words changed. It
    prints the XPath, the position in the text that clean prints (- if the quote is not part of that
    text), the similarity, and a link that makes a browser scroll to the words and highlight them.
    A place in the text wins over one in a menu or teaser.

    Exit code: 0 all quotes were found, 1 some were not, 2 wrong usage, 3 none was found.
    """
    if bool(quotes) == bool(each):
        raise click.UsageError("Give quotes, or --each sentence, or --each block.")
    from crfclean.page.decode import decode
    from crfclean.pipeline import run

    tagger = open_tagger(options)
    document = run(decode(read_bytes(page), url), tagger)
    if not len(document.blocks):
        LOG.warning("%s: no text to search (%s)", page, document.status)
    missing = total = 0
    for quote, citation in _citations(document, quotes, each, min_similarity):
        total += 1
        missing += citation is None
        _print(quote, citation, as_json=as_json)
    if missing == total:
        return EXIT_NOTHING
    return EXIT_SOME_FAILED if missing else EXIT_OK


def _citations(
    document: Document, quotes: tuple[str, ...], each: str | None, least: float
) -> Iterator[tuple[str, Citation | None]]:
    from crfclean.citations import blocks, sentences
    from crfclean.citations.cite import Citer, find_by

    if each is not None:
        for citation in (sentences if each == "sentence" else blocks)(document):
            yield citation.text, citation
    citer = Citer(document)
    for quote in quotes:
        yield quote, find_by(citer, quote, least)


def _print(quote: str, citation: Citation | None, *, as_json: bool) -> None:
    from crfclean.page.chars import escaped

    if as_json:
        fields = None if citation is None else citation.to_dict()
        click.echo(json.dumps({"quote": quote, "citation": fields}, ensure_ascii=False))
        return
    if citation is None:
        LOG.warning("not found: %s", escaped(quote))
        return
    span = "-" if citation.start is None else f"{citation.start}-{citation.end}"
    xpath = citation.blocks[0].xpath or "(data)"
    click.echo(f"{xpath}\t{span}\t{citation.similarity:.2f}\t{citation.url}")
    click.echo(f"    {escaped(citation.text)}")
