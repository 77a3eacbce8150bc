"""The command `clean` of the core: the texts of pages and of directories of pages, one by one.

The product for many pages has a command of the same name, with corpora, rows and processes. It
leaves a single page to `clean_one` here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from crfclean import door
from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import (
    EXIT_NOTHING,
    EXIT_OK,
    EXIT_SOME_FAILED,
    LOG,
    notice,
    wrote,
)
from crfclean.cli.options import (
    Entered,
    open_tagger,
    text_options,
    text_params,
)
from crfclean.cli.paths import (
    INPUT,
    PathUse,
    Planned,
    files_of,
    refuse_overwriting,
    why_missing,
)
from crfclean.cli.show_options import refuse_unwritten, show_options
from crfclean.cli.summary import count_page, summary, tell_page
from crfclean.document.parts import Show
from crfclean.page.chars import plural
from crfclean.types import CrfcleanError, Tagger
from crfclean.types.choices import check_comments


class CleanSetup(NamedTuple):
    """How pages are cleaned: the tagger, the format, what is written, and which texts."""

    tagger: Tagger
    format: str
    show: Show
    min_score: float = 0.0
    comments: str = ""


def cleaning_of(form: str, options: Mapping[str, Any]) -> CleanSetup:
    """Return what the options ask for; raises `CrfcleanError`."""
    texts = text_params(options)
    check_comments(texts.comments, options["convention"])
    return CleanSetup(open_tagger(options), form, texts.show, texts.min_score, texts.comments)


def clean_page(source: Path, target: Path | None, how: CleanSetup) -> Counter[str]:
    """Clean a page, write its text (None: to standard output), and return its counts."""
    from crfclean.document.page_text import FAILED, PageText, outcome_of

    counts = Counter[str]()
    try:
        page = _text_of(source, how)
    except OSError as error:
        page = PageText(FAILED, f"cannot be read: {error.strerror}")
    except MemoryError:
        page = PageText("over-memory", "it needed more memory than there is")
    except CrfcleanError:
        raise
    except Exception as error:  # noqa: BLE001 (of a tagger or a format of another package)
        page = PageText("error", f"{type(error).__name__}: {error}"[:200])
    if page.text is not None and target is None:
        click.echo(page.text.encode("utf-8", "replace"), nl=False)
    elif page.text is not None and target is not None:
        page = _written(page.text, target) or page
    counts[outcome_of(page.status)] += 1
    count_page(counts, page)
    tell_page(str(source), page, outcome_of(page.status))
    return counts


def _text_of(source: Path, how: CleanSetup) -> Any:
    """Return the `PageText` of a file; raises `OSError`."""
    from crfclean.document.page_text import TextWriter, page_text
    from crfclean.page.decode import MAX_BYTES, decode
    from crfclean.pipeline import run
    from crfclean.systems.comments import with_comments

    to_text = TextWriter(how.format, how.show)
    with source.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    document = run(decode(data), how.tagger)
    if how.comments:
        document = with_comments(document, how.tagger, how.comments)
    return page_text(document, how.tagger, to_text, how.min_score, str(source))


def _written(text: str, target: Path) -> Any:
    """Write a text; return the `PageText` of a failure, None if there is none."""
    from crfclean.document.page_text import FAILED, PageText
    from crfclean.io import write_atomically

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, text.encode("utf-8", "replace"))
    except OSError as error:
        return PageText(FAILED, f"{target} cannot be written: {error.strerror}")
    return None


@click.command(
    "clean",
    cls=GroupedCommand,
    first="--as --comments --precision --min-score --format --links --model",
    examples={
        "crfclean clean page.html": "The text of a page",
        "crfclean clean pages texts --format md": "A directory of pages as Markdown",
        "crfclean clean pages texts --as everything": "Everything but menus, ads and the like",
    },
)
@click.argument("paths", metavar="IN [OUT]", nargs=-1, required=True, type=Planned())
@text_options
@click.option(
    "-f",
    "--format",
    "ending",
    type=Entered("formats", door.names("formats")),
    metavar="FORMAT",
    help=f"format of the texts, of {', '.join(door.names('formats'))}; default: the suffix of OUT, "
    "else txt",
)
@show_options
def clean_command(
    paths: tuple[str, ...], ending: str | None, include: Mapping[str, bool], **options: Any
) -> int:
    """Extract the text of pages: files, directories.

    IN is a page, or a directory of pages. OUT is a file or a directory, where each text gets the
    name of its page; without it, the text of a page goes to standard output.

    Exit code: 0 all done, 1 some pages failed, 2 wrong usage, 3 no text at all.
    """
    if len(paths) > 2:
        raise click.UsageError("only IN and OUT: the product for many pages takes more")
    out = paths[1] if len(paths) > 1 and paths[1] != "-" else None
    suffix = Path(out or "").suffix.lstrip(".")
    form = ending or (suffix if suffix and door.has("formats", suffix) else "txt")
    return clean_one(paths[0], out, form, include, options)


def clean_one(
    source: str,
    out: str | None,
    form: str,
    include: Mapping[str, bool],
    options: Mapping[str, Any],
) -> int:
    """Clean a page, or the pages of a directory, one by one; returns the exit code."""
    read, written = files_of(click.get_current_context())
    refuse_overwriting([*read, PathUse(source, INPUT)], [*written, PathUse(out or "-", "OUT")])
    refuse_unwritten(include, {form})
    how, counts = cleaning_of(form, {**options, **include}), Counter[str]()
    target = None if out is None else Path(out)
    for page, place in texts_of(Path(source), target, form).items():
        counts += clean_page(page, place, how)
    notice(summary(counts))
    if target is not None and counts["ok"]:
        wrote(plural(counts["ok"], "text"), target)
    if not counts["ok"]:
        return EXIT_NOTHING
    return EXIT_SOME_FAILED if counts["failed"] else EXIT_OK


def texts_of(source: Path, out: Path | None, form: str) -> dict[Path, Path | None]:
    """Return where the text of each page of IN goes; raises `CrfcleanError`.

    Files that are no pages by their names, and pipes, are left out, and their number is told.
    """
    from crfclean.page.page_names import is_page, stem

    if why := why_missing(source):
        raise CrfcleanError(f"{source}: {why}")
    if not source.is_dir():
        into = out is not None and out.is_dir()
        return {source: out / f"{stem(source)}.{form}" if out is not None and into else out}
    if out is None:
        raise CrfcleanError(f"{source}: is a directory of pages, so name an output directory")
    files = sorted(path for path in source.rglob("*") if not path.is_dir())
    pages = [path for path in files if is_page(path.name) and not _is_special(path)]
    if len(pages) < len(files):
        LOG.warning("%s", f"{plural(len(files) - len(pages), 'file')} left out: no pages by name")
    texts: dict[Path, Path | None] = {}
    by_place: dict[Path, Path] = {}
    for page in pages:
        place = out / page.relative_to(source).parent / f"{stem(page)}.{form}"
        if (other := by_place.setdefault(place, page)) is not page:
            raise CrfcleanError(f"{page}: would write the same {place} as {other}: rename one")
        texts[page] = place
    return texts


def _is_special(path: Path) -> bool:
    """Return whether opening a file could block for ever: a pipe, a device, a socket."""
    return path.exists() and not path.is_file()
