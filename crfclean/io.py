"""Read files, write them atomically, CSV among them; compute digests of values.

Equal values have equal digests, whatever their classes are called.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from crfclean._version import __version__
from crfclean.types import CrfcleanError, ModelError, how_to_install

MAX_FILE = 2**28  # bytes: hundreds of times what training writes, and more than any page has
DIGEST = "digest"
"""Key of a manifest's own digest."""


@contextmanager
def needing_extra(extra: str, message: str) -> Iterator[None]:
    """A context for imports that need an extra; raises `CrfcleanError` without the extra."""
    try:
        yield
    except ImportError as error:
        raise CrfcleanError(f"{message}: {how_to_install(extra)}") from error


def digest(*parts: bytes | str) -> str:
    """Return 16 hexadecimal digits of the SHA-256 of the parts, each after its length.

    >>> digest("a", b"b") == digest("ab"), digest("a") == digest("b")
    (False, False)
    """
    state = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "replace") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "big") + data)
    return state.hexdigest()[:16]


def canonical(value: object) -> str:
    """Return a value as JSON in ASCII, keys sorted, without spaces: the same for equal values.

    A dataclass counts as the object of its fields, a set as a sorted list. Raises `TypeError`
    for other values that JSON cannot hold.

    >>> canonical({"b": frozenset("yx"), "a": (1, 2.5)})
    '{"a":[1,2.5],"b":["x","y"]}'
    """
    return json.dumps(value, default=_plain, sort_keys=True, separators=(",", ":"))


def _plain(value: object) -> object:
    from dataclasses import asdict, is_dataclass  # few digests need them

    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"no digest of a {type(value).__name__}")


def digest_of(value: object) -> str:
    """Return the `digest` of a value as `canonical` JSON; raises `TypeError`."""
    return digest(canonical(value))


def with_digest(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest that ends with the SHA-256 of its entries as `canonical` JSON."""
    entries = {key: value for key, value in manifest.items() if key != DIGEST}
    return {**entries, DIGEST: hashlib.sha256(canonical(entries).encode()).hexdigest()}


def check_digest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raise `ModelError` for a changed manifest, `KeyError` for a manifest without digest."""
    if manifest[DIGEST] != with_digest(manifest)[DIGEST]:
        raise ModelError(f"{path}: its digest is that of another manifest: the file was changed")


def regular_size(path: Path) -> int:
    """Return the size of a file in bytes; raises `OSError` for anything but a regular file.

    Reading could block on a pipe that nobody writes to, and a device may have no end.
    """
    state = path.stat()
    if not stat.S_ISREG(state.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    return state.st_size


def read_file(path: Path) -> bytes:
    """Read a regular file; raises `OSError`, also for a file over `MAX_FILE` bytes."""
    if regular_size(path) > MAX_FILE:
        raise OSError(errno.EFBIG, f"more than {MAX_FILE // 2**20} MB")
    return path.read_bytes()


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file of the package, as the build compiled it if it has not changed since."""
    data = path.read_bytes()
    tables = _compiled().get(hashlib.sha256(data).hexdigest())
    if tables is None:
        import tomllib

        tables = tomllib.loads(data.decode("utf-8"))
    return tables


_COMPILED = Path(__file__).with_name("toml.json")


@cache
def _compiled() -> Mapping[str, dict[str, Any]]:
    """Return the tables of each TOML file by the SHA-256 of its bytes; see `build_core.py`."""
    with suppress(OSError, ValueError):  # no build was here, or it broke off
        tables: Mapping[str, dict[str, Any]] = json.loads(_COMPILED.read_bytes())
        return tables
    return {}


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a regular file in hexadecimal, "" without one; raises `OSError`."""
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def unused_path(path: Path) -> Path:
    """Return `x.kept.csv` for `x.csv`, or the first of `x.kept1.csv` … that does not exist."""
    names = (path.with_suffix(f".kept{number or ''}{path.suffix}") for number in count())
    return next(name for name in names if not name.exists())


def json_report(figures: Mapping[str, Any]) -> str:
    """Return the figures of a report as indented JSON, with the version of crfclean."""
    report = {"versions": {"crfclean": __version__}, **figures}
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


def is_stream(path: Path) -> bool:
    """Return whether a path is a device or a pipe, or an open file such as /dev/stdout.

    A run by root could replace it by a file.
    """
    is_open = str(path.absolute().parent) in ("/dev", "/dev/fd", "/proc/self/fd")
    return (is_open or not path.is_file()) and path.exists() and not path.is_dir()


def write_atomically(path: Path, data: bytes) -> None:
    """Write to a temporary file in the same folder, then rename it; raises `OSError`.

    Devices and pipes are written as they are.
    """
    with naming_file(path):
        if is_stream(path):
            path.write_bytes(data)
        else:
            _write_and_rename(path, data)


def _write_and_rename(path: Path, data: bytes) -> None:
    import tempfile  # reading models needs none

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:30]}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)  # `mkstemp` lets only the owner read
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def open_descriptors() -> list[int]:
    """Open the null device for each closed descriptor of 0, 1 and 2; return their numbers.

    Otherwise an output file may get the number of standard error, and with it all messages.
    Reading from a closed standard input stays an error, and so does writing to a closed output.
    """
    opened = []
    for number, flag in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, flag), True)  # it gets the lowest: `number`
            opened.append(number)
    return opened


@contextmanager
def naming_file(path: object) -> Iterator[None]:
    """A context whose `OSError` names the file: that of a write to a full disk names none."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


@contextmanager
def naming_path(
    path: object, problem: str, kind: type[CrfcleanError] = CrfcleanError
) -> Iterator[None]:
    """A context that turns an `OSError` into an error such as "PATH: cannot be read: REASON"."""
    try:
        yield
    except OSError as error:
        raise kind(f"{path}: {problem}: {error.strerror}") from error


def write_text(path: Path, text: str) -> None:
    """Write a text atomically; raises `CrfcleanError` that names the path."""
    with naming_path(path, "cannot be written"):
        write_atomically(path, text.encode("utf-8", "replace"))


# write CSV files that every reader reads alike, and whose cells no spreadsheet runs

_FORMULA = re.compile(r"'*(?:[\t\r\n]|[\s\x00-\x1f\x7f\ufeff]*[=+\-@])")
"""Beginnings of a formula, or of white space that hides a formula, as OWASP lists them.

Spreadsheets may drop control characters before a formula. A text that begins with an apostrophe and
a formula gets one more, so that `cell_text` returns it.
"""
_GUARD = "'"


def cell(text: str) -> str:
    r"""Return a text with an apostrophe before a formula, which spreadsheets then do not run.

    >>> cell("=1+2"), cell("1+2"), cell("-"), cell(""), cell("\n=1"), cell("\0=1"), cell("'=1")
    ("'=1+2", '1+2', "'-", '', "'\n=1", "'\x00=1", "''=1")
    """
    return _GUARD + text if _FORMULA.match(text) else text


def cell_text(value: str) -> str:
    """Return the text of a cell, without the apostrophe before a formula.

    >>> cell_text("'=1+2"), cell_text("'tis"), cell_text("''=1")
    ('=1+2', "'tis", "'=1")
    """
    guarded = value.startswith(_GUARD) and _FORMULA.match(value, 1)
    return value[1:] if guarded else value


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    r"""Return rows of texts as lines of CSV, which end with `\r\n` as RFC 4180 wants.

    With another end, `csv` does not quote a cell that has a `\r`, and readers end the row there.

    >>> csv_text([["a\rb", "=1", "x,y"]])
    '"a\rb",\'=1,"x,y"\r\n'
    """
    import csv  # slow, and one page needs none

    stream = io.StringIO(newline="")
    csv.writer(stream).writerows(map(cell, row) for row in rows)
    return stream.getvalue()
