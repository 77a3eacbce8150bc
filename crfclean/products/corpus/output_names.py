"""Tell formats and names of outputs from OUT."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from crfclean import door
from crfclean.document.columns import ROW_NAMES
from crfclean.document.formats import WRITERS
from crfclean.page.page_names import is_page, stem
from crfclean.products.corpus.params import ROW_ENDINGS, TABLE_ENDINGS, TEXT_ENDINGS, Fields
from crfclean.products.corpus.records import (
    PAGE,
    STDOUT,
    MissingColumnError,
    MissingFieldError,
    file_kind,
    parquet_input,
)
from crfclean.products.corpus.rows import PACKERS, check_ending, shard_ending
from crfclean.products.corpus.sniffing import SNIFF_BYTES, is_html
from crfclean.products.corpus.texts import JOININGS, files_ending
from crfclean.products.corpus.unpacked import Unpacked
from crfclean.types import CrfcleanError
from crfclean.types.choices import FORUM_FORMATS, METADATA_FORMATS, SEGMENT_FORMATS

MAX_FILE_NAME = 80  # characters of a name that is made of a URL

_ALIASES = {"tei.xml": "tei", "xml": "tei", "htm": "html", "markdown": "md", "yml": "yaml"}
"""Further endings of files -> the format."""

_FORMATS = (
    *WRITERS,
    *FORUM_FORMATS,
    *METADATA_FORMATS,
    *SEGMENT_FORMATS,
    *PACKERS,
    *TEXT_ENDINGS,
)
_PROMISES = (
    {name: name for name in _FORMATS}
    | _ALIASES
    | {f"{name}.gz": f"{form}.gz" for name, form in _ALIASES.items() if form in JOININGS}
)
"""Ending of a file -> the format that it promises, of any command."""

_OWN_HTML = re.compile(
    rb'<!DOCTYPE html>\n<html[^>]*>\n<head><meta charset="utf-8"><title>[^<]*</title></head>\n'
)
"""The beginning of a file by `document.html`."""
_SHARD, _SHARD_STDOUT = "jsonl.gz", "jsonl"
"""Default endings of shards in files and on standard output."""
_SUFFIX = re.compile(r"\.[a-z]{1,6}[0-9]?(?:\.gz)?\Z", re.IGNORECASE)
"""The suffix of a file's name; the number of `article.12345` and a query are none."""


_PACKINGS = frozenset([".gz", ".bz2", ".xz", ".zst", ".zip", ".br", ".lz4", ".tgz"])
"""Suffixes of packed files."""


class Endings(NamedTuple):
    """The endings of texts and shards; `single` is the ending of OUT if OUT is a shard, else "".

    `text` is "" if pages also become rows of shards. `shards` are all that the command writes:
    rows, or the texts of many pages.
    """

    text: str
    shard: str
    single: str = ""
    shards: tuple[str, ...] = (*PACKERS, *TEXT_ENDINGS)


def format_of(target: str, ending: str | None, formats: Collection[str]) -> str | None:
    """Return the format of OUT: `ending`, or else the format that its name promises.

    None for a directory, standard output, or a name that promises nothing. Raises `CrfcleanError`
    for a name that promises another format than `ending`, or one that is not in `formats`.

    >>> format_of("out.md", None, ["txt", "md"]), format_of("out/", None, ["txt"])
    ('md', None)
    """
    promised = promise(target)
    if not promised or ending == promised:
        return ending
    form = promised.removesuffix(".gz")
    if promised in TEXT_ENDINGS and form in formats and ending in (None, form):
        return promised
    if ending is not None:
        raise CrfcleanError(
            f"{target}: its ending means {promised}, but --format is {ending}: change one of them"
        )
    if promised in ROW_ENDINGS or promised in {*TABLE_ENDINGS}.difference(formats):
        return None  # a page becomes a row, which is no text of the format jsonl
    if promised not in formats:
        raise CrfcleanError(
            f"{target}: this command does not write {promised}: choose from {' '.join(formats)}"
        )
    return promised


def promise(target: str) -> str:
    """Return the format that the name of OUT promises, "" for none."""
    if target == STDOUT or is_folder_name(target) or Path(target).is_dir():
        return ""
    name = Path(target).name.lower()
    endings = sorted(_PROMISES, key=len, reverse=True)
    return next((_PROMISES[ending] for ending in endings if name.endswith("." + ending)), "")


def added_format(target: str) -> str | None:
    """Return the format of another package that the suffix of OUT promises, None for none."""
    suffix = Path(target).suffix.removeprefix(".").lower()
    if not suffix or promise(target) or target == STDOUT or Path(target).is_dir():
        return None
    return suffix if door.has("formats", suffix) else None


def check_suffix(target: str, ending: str | None, formats: Collection[str]) -> None:
    """Raise `CrfcleanError` for a suffix of OUT that says another format than is written.

    With an `ending`, which the user or the name chose, only a packing is refused.

    >>> check_suffix("article.12345", None, ["txt"]), check_suffix("texts.old/", None, ["txt"])
    (None, None)
    >>> check_suffix("out.docx", None, ["txt", "md"])
    Traceback (most recent call last):
    crfclean.types.errors.CrfcleanError: out.docx: nothing is written as .docx: end the name with \
.txt or .md, choose with --format, or end the name of a directory with /
    """
    match = _SUFFIX.search(Path(target).name)
    if match is None or target == STDOUT or promise(target) or _is_place(target):
        return
    suffix = "." + match.group().rpartition(".")[2].lower()
    if ending is not None and suffix not in _PACKINGS:
        return
    *others, last = (f".{name}" for name in formats)
    choices = " or ".join(filter(None, (", ".join(others), last)))
    raise CrfcleanError(
        f"{target}: nothing is written as {suffix}: end the name with {choices}, choose with "
        "--format, or end the name of a directory with /"
    )


def _is_place(target: str) -> bool:
    """Return whether OUT is a directory, or a device, which has no format."""
    return is_folder_name(target) or (os.path.exists(target) and not os.path.isfile(target))  # noqa: PTH110, PTH113


def check_no_page(target: str, fields: Fields) -> None:
    """Raise `CrfcleanError` if OUT is a page or a corpus.

    This happens if a shell expands `*.html` and no OUT follows. HTML files that `clean` wrote do
    not count as pages.
    """
    out = Path(target)
    if target == STDOUT or not out.is_file():
        return
    with suppress(OSError):  # writing it will report what is wrong
        if _is_page_or_corpus(out, fields):
            raise CrfcleanError(
                f"{target}: is an input page, but the last path is the output: add an output, as "
                "in -o OUT"
            )


def _is_page_or_corpus(path: Path, fields: Fields) -> bool:
    """Return whether a file is a page or a corpus that crfclean has not written.

    JSONL or Parquet without the page's field is a corpus, too, whose field has another name.
    """
    with path.open("rb") as file:
        head = Unpacked(file).peek(SNIFF_BYTES)
    if is_html(head, path.suffix):
        return not _OWN_HTML.match(head)
    try:
        return file_kind(path, fields) != PAGE
    except MissingColumnError:
        return not set(ROW_NAMES).issubset(parquet_input().carried_types(path))
    except MissingFieldError:
        return not _is_own_row(head.partition(b"\n")[0])


def _is_own_row(line: bytes) -> bool:
    """Return whether a line begins a file of rows, by any command, or of passages."""
    is_passage = b'"headings": [' in line and b'"words": ' in line
    return line.startswith(b'{"id": "') and (b'"status": "' in line or is_passage)


def is_folder_name(target: str) -> bool:
    """Return whether OUT names a directory: a final slash, or no suffix and no device.

    >>> is_folder_name("texts.old/"), is_folder_name("texts"), is_folder_name("texts.md")
    (True, True, False)
    """
    if target.endswith(tuple(filter(None, ("/", os.sep, os.altsep)))):
        return True
    is_device = os.path.exists(target) and not os.path.isfile(target)  # noqa: PTH110, PTH113
    return not Path(target).suffix and not is_device


def endings_of(
    target: str, ending: str | None, default: str = "", *, files: bool = False
) -> Endings:
    """Return the endings for OUT and a format; raises `CrfcleanError`.

    `default` is the format of texts of a command that writes no tables, "" for that of `clean`.
    With `files`, each page of a corpus has its own file.
    """
    if files:
        return _endings_of_files(target, ending or "txt")
    all_shards = (*PACKERS, *TEXT_ENDINGS)
    shards, default = (ROW_ENDINGS, default) if default else (all_shards, "txt")
    out = None if target == STDOUT else Path(target)
    is_folder = out is not None and (is_folder_name(target) or out.is_dir())
    single = shard_ending(out) if out is not None and not is_folder else ""
    if single not in shards and single == ending:
        single = ""  # a text of this command
    if single in TABLE_ENDINGS and single not in shards:
        raise CrfcleanError(
            f"{target}: only clean writes {single}: `crfclean clean IN {target}` writes title, "
            "authors, dates and more, with the text; or end the name with .jsonl"
        )
    if ending in TEXT_ENDINGS and ending in shards and ending == promise(target):
        single = ending
    shard = ending or single or (_SHARD if out is not None else _SHARD_STDOUT)
    if shard in shards and shard not in TEXT_ENDINGS:
        check_ending(shard)
    text = ending or (default if single in ("", default) else "")
    text = "" if text in shards and text not in WRITERS else text
    return Endings(text, shard, single and shard, shards)


def _endings_of_files(target: str, form: str) -> Endings:
    """Return the endings for a directory with a file for each page; raises `CrfcleanError`."""
    if not door.has("formats", form):
        raise CrfcleanError(f"--files writes a text for each page, and {form} has no such files")
    if target == STDOUT or not (is_folder_name(target) or Path(target).is_dir()):
        raise CrfcleanError(f"--files needs an output directory: write OUT/ instead of {target}")
    return Endings(form, files_ending(form), "", (files_ending(form),))


def check_many(name: object, endings: Endings) -> str:
    """Return the ending of a shard of many pages; raises `CrfcleanError` for other formats."""
    form, shards = endings.shard, endings.shards
    if form in shards:
        return form
    rows = ", ".join(shard for shard in shards if not shard.endswith((".gz", ".xz", ".zst")))
    others = f"--format {rows}"
    if JOININGS.keys().isdisjoint(shards):
        others += ", or a directory as OUT without --format"
    elif form != "json":
        others += ", or --files and a directory as OUT"
    raise CrfcleanError(
        f"{name} holds many pages, and a file of the format {form} has one: use {others}"
    )


def check_folder(out: Path, pages: str) -> None:
    """Raise `CrfcleanError` if OUT is no directory and cannot become one; `pages` go there.

    The run makes the directory when it begins, so a refused run leaves nothing behind.
    """
    try:
        if out.exists() and not out.is_dir():
            raise CrfcleanError(f"{out}: is a file; {pages} need a directory")
        above = next(place for place in (out, *out.absolute().parents) if place.exists())
    except OSError as error:  # the name is too long
        raise CrfcleanError(f"{out}: cannot be made: {error.strerror}") from error
    if not above.is_dir():
        raise CrfcleanError(f"{out}: cannot be made: {above} is a file")
    if not os.access(above, os.W_OK | os.X_OK):
        raise CrfcleanError(f"{out}: cannot be written")


def text_stem(path: Path) -> str:
    """Return the name of a page's file without its ending.

    >>> text_stem(Path("a.php")), text_stem(Path("a.php?id=3"))
    ('a', 'a.php?id=3')
    """
    short = stem(path) if is_page(path.name) else _SUFFIX.sub("", path.name)
    return short or path.name


def url_stem(url: str, *, query: bool = False) -> str:
    """Return a name for the text of a URL's page: the last part of its path, or the host.

    With `query`, the query of the URL follows, because many URLs differ only in their query.

    >>> url_stem("https://example.org/news/ice-12.html?a=/b"), url_stem("http://example.org:80/")
    ('ice-12', 'example.org')
    >>> url_stem("https://example.org/news.php?id=3", query=True)
    'news-id-3'
    """
    try:
        parts = urlsplit(url)
        path = [name for name in parts.path.split("/") if name.strip(".")]
    except ValueError:  # fetching it will report what is wrong
        return "page"
    last = stem(Path(path[-1])) if path else parts.hostname or ""
    last += f"-{parts.query}" if query and parts.query else ""
    return re.sub(r"[^\w.-]+", "-", last)[:MAX_FILE_NAME].strip(".-") or "page"
