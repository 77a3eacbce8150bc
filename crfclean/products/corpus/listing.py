"""List the files of a directory: pages, shards, and the files that are left out and why."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from crfclean.cli.paths import Inputs, cannot_be_read
from crfclean.page.page_names import HTML_SUFFIXES, is_page, stem
from crfclean.products.corpus.params import Fields
from crfclean.products.corpus.records import PAGE, MissingFieldError, file_kind
from crfclean.products.corpus.rows import shard_ending
from crfclean.products.corpus.sniffing import SNIFF_BYTES, is_html
from crfclean.products.corpus.unpacked import PACKINGS, Unpacked
from crfclean.types import CrfcleanError

NO_HTML = "no HTML"
EMPTY = "empty"
PACKED = "packed otherwise than by gzip"
SPECIAL = "not a regular file"
LINK = "link to a directory"
SAVED = "in the folder of a saved page"
GOLD = "gold (text or labels of a page)"
OWN = "of an earlier run"
OUTPUT = "in the folder of the output"

SAVED_FOLDERS = tuple(
    "_files .files _Dateien -Dateien _fichiers _archivos _file _arquivos _ficheiros _bestanden "
    "_filer -filer _pliki _soubory _subory _elemei _datoteke _dosyalar _fitxers _fitxategiak "
    "_failid _fails _bylos _fajlovi _tiedostot -tiedostot _fisiere".split()
)
"""Endings of the folders in which browsers save the images and scripts of a page."""

_SAVED_FOLDER = re.compile(
    rf"(.+)(?:{'|'.join(map(re.escape, SAVED_FOLDERS))})", re.IGNORECASE | re.DOTALL
)
_GOLD_FILE = re.compile(
    r"(.+?)(?:\.labels(?:\.(?!labels\.)[\w-]+){0,2}\.tsv|\.(?:optional|with|without)\.txt|\.txt)",
    re.IGNORECASE | re.DOTALL,
)
_OWN_FILE = re.compile(
    r"_(?:manifest|part-\d+(?:\.sites)?)\.json|\.part-.+|\..+\.made|\.crfclean\..*(?:json|lock)",
    re.DOTALL,
)
_GZIP = b"\x1f\x8b"


class ListedFile(NamedTuple):
    """A file below a directory, with its kind from `records.file_kind`.

    `left_out` is the reason why the file is no page; `refused` is the reason why its kind cannot be
    determined.
    """

    path: Path
    kind: str = PAGE
    left_out: str = ""
    refused: str = ""


class _Folder(NamedTuple):
    """A folder to list; `left_out` is the reason why all its files are left out."""

    path: Path
    left_out: str = ""


def list_files(
    root: Path, fields: Fields = Fields(), output: Path | None = None
) -> Iterator[ListedFile]:
    """Yield all files below a directory in order of names; leave out the folder `output`.

    Pages are recognised by their names or their first bytes, shards by their content. Other files
    are yielded with the reason why they are left out. Folders that cannot be listed are refused.
    """
    place = os.path.realpath(output) if output is not None else ""
    open_folders = [_entries(_Folder(root), fields, place)]
    while open_folders:
        entry = next(open_folders[-1], None)
        if entry is None:
            open_folders.pop()
        elif isinstance(entry, _Folder):
            open_folders.append(_entries(entry, fields, place))
        else:
            yield entry


def listed_file(path: Path, fields: Fields = Fields()) -> ListedFile:
    """Return a file that a user named; it is not left out, whatever its name and content."""
    try:
        return ListedFile(path, file_kind(path, fields) if path.is_file() else PAGE)
    except OSError:  # reported when the file is read
        return ListedFile(path)
    except CrfcleanError as error:
        return ListedFile(path, refused=str(error))


def is_input(path: Path, fields: Fields = Fields()) -> bool:
    """Return whether a file counts as a page, a corpus or gold where it lies."""
    file = _file(path, set(os.listdir(path.parent)), fields)  # noqa: PTH208 - names alone
    return file.left_out in ("", GOLD)


def inputs_of(fields: Fields = Fields()) -> Inputs:
    """The files of a directory that are inputs: pages, corpora with these fields, and gold."""
    return Inputs(lambda path: is_input(path, fields), lambda name: bool(shard_ending(Path(name))))


def _entries(folder: _Folder, fields: Fields, output: str) -> Iterator[ListedFile | _Folder]:
    try:
        with os.scandir(folder.path) as found:
            entries = sorted((entry.name, *_folder_and_link(entry)) for entry in found)
    except OSError as error:
        yield ListedFile(folder.path, refused=f"cannot be listed: {error.strerror}")
        return
    files = {name for name, is_folder, _ in entries if not is_folder}
    for name, is_folder, is_link in entries:
        path = folder.path / name
        if is_folder and is_link:
            yield ListedFile(path, left_out=folder.left_out or LINK)
        elif is_folder:
            yield _Folder(path, folder.left_out or _left_out_folder(path, files, output))
        elif folder.left_out:
            yield ListedFile(path, left_out=folder.left_out)
        else:
            yield _file(path, files, fields)


def _folder_and_link(entry: os.DirEntry[str]) -> tuple[bool, bool]:
    """Return whether an entry is a folder, and whether it is a link."""
    try:
        return entry.is_dir(), entry.is_symlink()
    except OSError:  # loop -> loop: refused as a file
        return False, False


def _left_out_folder(path: Path, files: set[str], output: str) -> str:
    """Return the reason to leave out a folder, "" for none; `files` are the files beside it."""
    if output and os.path.realpath(path) == output:
        return OUTPUT
    saved = _SAVED_FOLDER.fullmatch(path.name)
    if saved is None:
        return ""
    beside = (name for name in files if name.startswith(saved[1]) and stem(Path(name)) == saved[1])
    return SAVED if any(is_page(name) or _is_html(path.with_name(name)) for name in beside) else ""


def _file(path: Path, files: set[str], fields: Fields) -> ListedFile:
    gold = _GOLD_FILE.fullmatch(path.name)
    if gold is not None and any(gold[1] + suffix in files for suffix in HTML_SUFFIXES):
        return ListedFile(path, left_out=GOLD)
    if _OWN_FILE.fullmatch(path.name):
        return ListedFile(path, left_out=OWN)
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would block for ever
            how = {"refused": SPECIAL} if is_page(path.name) else {"left_out": SPECIAL}
            return ListedFile(path, **how)
        kind = file_kind(path, fields)
        left_out = "" if kind != PAGE or is_page(path.name) else _no_page(path)
    except OSError as error:
        return ListedFile(path, refused=cannot_be_read(error))
    except MissingFieldError as error:  # a log, or rows of an earlier run
        kind, left_out = PAGE, f"{error.form} without {json.dumps(fields.html_field)}"
    except CrfcleanError as error:  # ARC, or zstd without its library: others can be read
        return ListedFile(path, refused=str(error))
    return ListedFile(path, kind, left_out)


def _no_page(path: Path) -> str:
    """Return the reason why a file is no page, "" for a page; raises `OSError`."""
    with path.open("rb") as file:
        magic = file.read(max(map(len, PACKINGS)))
        file.seek(0)
        head = Unpacked(file).peek(SNIFF_BYTES)
    if not magic:
        return EMPTY
    if not is_html(head, _suffix(path.name)):
        return NO_HTML
    packed = any(magic.startswith(number) for number in PACKINGS)
    return PACKED if packed and not magic.startswith(_GZIP) else ""


def _is_html(path: Path) -> bool:
    try:
        return path.is_file() and not _no_page(path)
    except OSError:
        return False


def _suffix(name: str) -> str:
    """Return the last suffix of a name before the suffix of gzip.

    >>> _suffix("x.tar.gz"), _suffix("x")
    ('.tar', '')
    """
    return Path(name[:-3] if name.lower().endswith(".gz") else name).suffix
