"""Label pages by the articles that they carry as structured data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from crfclean.annotate.session import find_pages
from crfclean.carried.labels import article_bodies, carried_labels, without_bodies
from crfclean.gold.pages import gold_paths
from crfclean.io import write_atomically
from crfclean.page.blocks import split
from crfclean.page.decode import MAX_BYTES, decode
from crfclean.page.measures import measured
from crfclean.types import CrfcleanError, Label, Tagger

LABELLED = "labelled"

REASONS = {
    "unread": "that cannot be read whole",
    "no-body": "without the body of an article",
    "short": "with a body that is too short",
    "not-shown": "that do not show the body",
    "partial": "whose body is only a part of the article",
    "changed": "that would change, or still carry the body",
    "same-name": "whose labels would be those of another page",
}
"""Why pages are left out -> how it is counted."""


def pages_to_label(directory: Path, output: Path) -> list[Path]:
    """The pages of a directory; raises `CrfcleanError` for an `output` that has other files."""
    if output.resolve().is_relative_to(directory.resolve()):
        raise CrfcleanError(f"{output} lies in {directory}: pages are not written over others")
    if output.is_dir() and any(output.iterdir()):
        raise CrfcleanError(f"{output} is not empty: what an earlier run wrote would be gold, too")
    return find_pages(directory)


def label_from_data(
    pages: Iterable[Path], directory: Path, output: Path, tagger: Tagger
) -> Iterator[tuple[Path, str]]:
    """Write the pages of a directory that carry their labels, with them.

    Yields each page with `LABELLED`, or why it is left out, a key of `REASONS`.
    """
    for page in pages:
        yield page, _label(page, output / page.relative_to(directory), tagger)


def _label(file: Path, target: Path, tagger: Tagger) -> str:
    """Write a page and its labels, if it carries them; returns `LABELLED` or a reason."""
    try:
        with file.open("rb") as stream:
            page = decode(stream.read(MAX_BYTES + 1))
    except OSError:
        return "unread"
    if page.truncated:
        return "unread"
    blocks = split(page)
    carried = carried_labels(measured(blocks), tagger.tag(blocks))
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
