"""Choose the formats and names of outputs by the names that the user typed."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from crfclean.corpus.records import PAGE, Fields, file_kind
from crfclean.corpus.rows import PACKERS, ROW_ENDINGS, TABLES, check_ending
from crfclean.document.formats import WRITERS
from crfclean.page.decode import is_page, stem
from crfclean.types import CrfcleanError
from crfclean.types.choices import FORUM_FORMATS, METADATA_FORMATS, SEGMENT_FORMATS

STDIN = STDOUT = "-"
MISSING = "no such file or directory"
MAX_NAME = 80  # characters of a name that is made of a URL

_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_ALIASES = {"tei.xml": "tei", "xml": "tei", "htm": "html", "markdown": "md", "yml": "yaml"}
"""Further endings of files -> the format."""

_FORMATS = (*WRITERS, *FORUM_FORMATS, *METADATA_FORMATS, *SEGMENT_FORMATS, *PACKERS)
_PROMISES = {name: name for name in _FORMATS} | _ALIASES
"""Ending of a file -> the format that it promises, of any command."""

_OWN_HTML = re.compile(
    rb'<!DOCTYPE html>\n<html[^>]*>\n<head><meta charset="utf-8"><title>[^<]*</title></head>\n'
)
"""The beginning of a file by `document.html`."""
_SHARD, _SHARD_STDOUT = "jsonl.gz", "jsonl"
"""Default endings of shards in files and on standard output."""
_SUFFIX = re.compile(r"\.[a-z]{1,6}[0-9]?(?:\.gz)?\Z", re.IGNORECASE)
"""The suffix of a file's name; the number of `article.12345` and a query are none."""


class Defaults(NamedTuple):
    """The default format of a page's `text`; `tables` is True if the command writes `TABLES`."""

    text: str = "txt"
    tables: bool = True

    @property
    def shards(self) -> tuple[str, ...]:
        """The endings of the shards that the command writes."""
        return tuple(PACKERS) if self.tables else ROW_ENDINGS


class Endings(NamedTuple):
    """The endings of texts and shards; `single` is the ending of OUT if OUT is a shard, else "".

    `text` is "" if pages also become rows of shards. `shards` are all that the command writes.
    """

    text: str
    shard: str
    single: str = ""
    shards: tuple[str, ...] = tuple(PACKERS)


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
    if ending is not None:
        raise CrfcleanError(
            f"{target}: its ending means {promised}, but --format is {ending}: change one of them"
        )
    if promised in ROW_ENDINGS or promised in {*TABLES}.difference(formats):
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


def check_no_page(target: str, fields: Fields) -> None:
    """Raise `CrfcleanError` if OUT is a page or a corpus.

    This happens if a shell expands `*.html` and no OUT follows. HTML files that `clean` wrote do
    not count as pages.
    """
    out = Path(target)
    if target == STDOUT or not out.is_file():
        return
    from crfclean.corpus.listing import SNIFF_BYTES, is_html

    with suppress(OSError), out.open("rb") as file:  # writing it will report what is wrong
        head = file.read(SNIFF_BYTES)
        is_page = is_html(head, out.suffix) and not _OWN_HTML.match(head)
        if not is_page and file_kind(out, fields) == PAGE:
            return
        raise CrfcleanError(
            f"{target}: is an input page, but the last path is the output: add an output, as in "
            "-o OUT"
        )


def is_folder_name(target: str) -> bool:
    """Return whether OUT names a directory: a final slash, or no suffix and no device.

    >>> is_folder_name("texts.old/"), is_folder_name("texts"), is_folder_name("texts.md")
    (True, True, False)
    """
    if target.endswith(tuple(filter(None, ("/", os.sep, os.altsep)))):
        return True
    is_device = os.path.exists(target) and not os.path.isfile(target)  # noqa: PTH110, PTH113
    return not Path(target).suffix and not is_device


def endings_of(target: str, ending: str | None, defaults: Defaults) -> Endings:
    """Return the endings for OUT and a format; raises `CrfcleanError`."""
    out = None if target == STDOUT else Path(target)
    is_folder = out is not None and (is_folder_name(target) or out.is_dir())
    single = shard_ending(out) if out is not None and not is_folder else ""
    if single not in defaults.shards and single == ending:
        single = ""  # a text of this command
    if single in TABLES and not defaults.tables:
        raise CrfcleanError("only clean writes csv and parquet: choose jsonl, plain or packed")
    shard = ending or single or (_SHARD if out is not None else _SHARD_STDOUT)
    if shard in defaults.shards:
        check_ending(shard)
    text = ending or (defaults.text if single in ("", defaults.text) else "")
    text = "" if text in defaults.shards and text != "jsonl" else text
    return Endings(text, shard, single and shard, defaults.shards)


def shard_ending(path: Path) -> str:
    """Return the shard ending of a path, "" for none.

    >>> shard_ending(Path("x.jsonl.gz")), shard_ending(Path("x.html.gz"))
    ('jsonl.gz', '')
    """
    return next((ending for ending in PACKERS if path.name.lower().endswith("." + ending)), "")


def check_many(name: object, endings: Endings) -> str:
    """Return the ending of a shard of many pages; raises `CrfcleanError` for a text format."""
    if endings.shard not in endings.shards:
        raise CrfcleanError(
            f"{name} holds many pages: choose a --format for many, {' '.join(endings.shards)}"
        )
    return endings.shard


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


def is_url(source: str) -> bool:
    r"""Return whether IN is a URL (of any scheme) and no path.

    >>> is_url("https://example.org/"), is_url("C:\\\\pages"), is_url("pages")
    (True, False, False)
    """
    return _URL.match(source) is not None


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
    return re.sub(r"[^\w.-]+", "-", last)[:MAX_NAME].strip(".-") or "page"
