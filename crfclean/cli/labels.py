"""The command `labels`: label pages by the articles that they carry as structured data."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crfclean.cli.exit_codes import EXIT_NOTHING, EXIT_OK
from crfclean.cli.help import GroupedCommand
from crfclean.cli.options import model_option, progress_bar
from crfclean.evaluate.plurals import plural
from crfclean.io import write_atomically
from crfclean.types import CrfcleanError

if TYPE_CHECKING:  # help and completion read this module, and label nothing
    from crfclean.types import Tagger

LABELLED = "labelled"

_SAYS = {
    "unread": "that cannot be read whole",
    "no-body": "without the body of an article",
    "short": "with a body that is too short",
    "not-shown": "that do not show the body",
    "partial": "whose body is only a part of the article",
    "changed": "that would change, or still carry the body",
    "same-name": "whose labels would be those of another page",
}
"""Why pages are left out -> how it is counted."""


@click.command(
    "labels",
    cls=GroupedCommand,
    examples={
        "crfclean labels pages labelled": "Gold of the pages that carry their article",
        "crfclean train labelled -o my-model --from default": "A model of it",
    },
)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("output", metavar="OUT", type=click.Path(path_type=Path))
@model_option
@click.option(
    "--failures",
    type=click.Path(dir_okay=False, path_type=Path),
    help="file for the list of pages left out, and why",
)
def labels_command(directory: Path, output: Path, model: str, failures: Path | None) -> int:
    """Label pages by the articles in their structured data.

    Many sites repeat an article as articleBody in the structured data (JSON-LD) of its page. Where
    a page of DIR shows all of it, and the model keeps little beside it, its paragraphs are the
    text, and nobody has to label them. OUT gets x.labels.tsv beside each such page, and the page
    without articleBody, from which a model would learn to copy. Then run crfclean train OUT.

    Exit code: 0 pages were labelled, 2 wrong usage, 3 none could be.
    """
    from crfclean.annotate.sheet import find_pages
    from crfclean.taggers.load import load

    if output.resolve().is_relative_to(directory.resolve()):
        raise CrfcleanError(f"{output} lies in {directory}: pages are not written over others")
    if output.is_dir() and any(output.iterdir()):
        raise CrfcleanError(f"{output} is not empty: what an earlier run wrote would be gold, too")
    files, tagger = find_pages(directory), load(model)
    counts, left_out = Counter[str](), []
    for file in progress_bar(files, None, "page"):
        verdict = _label(file, output / file.relative_to(directory), tagger)
        counts[verdict] += 1
        if verdict != LABELLED:
            left_out.append(f"{file}\t{verdict}\n")
    if failures is not None:
        write_atomically(failures, "".join(left_out).encode("utf-8", "replace"))
    reasons = [f"{counts[name]} {says}" for name, says in _SAYS.items() if counts[name]]
    summary = f"{plural(len(files), 'page')}: {counts[LABELLED]} labelled"
    click.echo("; ".join([summary, *reasons]), err=True)
    return EXIT_OK if counts[LABELLED] else EXIT_NOTHING


def _label(file: Path, target: Path, tagger: Tagger) -> str:
    """Write a page and its labels, if it carries them; returns `LABELLED` or a reason."""
    from crfclean.carried.json_ld import article_bodies, without_bodies
    from crfclean.carried.labels import carried_labels
    from crfclean.gold.pages import gold_paths
    from crfclean.page.blocks import split
    from crfclean.page.decode import MAX_BYTES, decode
    from crfclean.page.measures import Measures
    from crfclean.types import Label

    try:
        with file.open("rb") as stream:
            page = decode(stream.read(MAX_BYTES + 1))
    except OSError:
        return "unread"
    if page.truncated:
        return "unread"
    blocks = split(page)
    carried = carried_labels(Measures(blocks), tagger.tag(blocks))
    if carried.reason:
        return carried.reason
    written = without_bodies(page.html).encode("utf-8-sig", "replace")
    again = split(decode(written))
    if again.texts != blocks.texts or article_bodies(again.json_ld):
        return "changed"
    plain = target.with_name(target.name.removesuffix(".gz"))
    if gold_paths(plain)[0].exists():
        return "same-name"
    rows = zip(carried.labels.tolist(), blocks.texts, strict=True)
    lines = "".join(f"{Label(label).name}\t{text}\n" for label, text in rows)
    try:
        plain.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(plain, written)
        write_atomically(gold_paths(plain)[0], lines.encode("utf-8", "replace"))
    except OSError as error:
        raise CrfcleanError(f"{plain}: cannot be written: {error.strerror}") from error
    return LABELLED
