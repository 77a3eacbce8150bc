"""Plan the jobs of a command: what is read, of which kind it is, and where its text goes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from crfclean.corpus.records import FOLDER, PAGE, Fields, fetch_module, file_kind
from crfclean.corpus.shards import PACKERS, check_ending
from crfclean.gold.pages import HTML_SUFFIXES, is_page, stem
from crfclean.types import CrfcleanError

_STDIN = _STDOUT = "-"
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SHARD, _SHARD_STDOUT = "jsonl.gz", "jsonl"
"""Default endings of shards in files and on standard output."""
_SHARD_SUFFIXES = ("", ".gz", ".xz", ".zst", ".zstd")


@dataclass(frozen=True, slots=True)
class Folders:
    """IN and OUT of a run from one directory to another."""

    source: Path
    target: Path


@dataclass(frozen=True, slots=True)
class Job:
    """One page or one shard to clean; `source` None is standard input, `target` None output.

    `kind` is that of `records.file_kind`, or `FOLDER`; `shard` the ending of the output shard, ""
    where a page becomes a text. `refused` says why the job will not be done. A page that is to be
    fetched has a `url` and no `source`. `folders` are those of its run, if it has any.
    """

    source: Path | None
    target: Path | None
    refused: str = ""
    kind: str = PAGE
    shard: str = ""
    url: str = ""
    folders: Folders | None = None

    @property
    def name(self) -> str:
        """What messages call the page."""
        return str(self.source or self.url or _STDIN)


@dataclass(frozen=True, slots=True)
class _Endings:
    """The endings of texts and of shards; `single` is that of OUT if OUT is a shard, else ""."""

    text: str
    shard: str
    single: str = ""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a command writes by default: `text` for a page; `parquet`: whether it can write it."""

    text: str = "txt"
    parquet: bool = True


def plan(
    source: str,
    target: str,
    ending: str | None = None,
    fields: Fields = Fields(),
    defaults: Defaults = Defaults(),
) -> list[Job]:
    """The jobs of a command's IN and OUT, in order of names; raises `CrfcleanError` for wrong ones.

    A directory's pages and shards keep their names under OUT with the format's ending, or all go
    into OUT if it ends as shards do; of two jobs that would write the same file the second is
    refused. Without `ending`, texts have the default format and shards are jsonl.gz.
    """
    out = None if target == _STDOUT else Path(target)
    endings = _endings(out, ending, defaults)
    if source == _STDIN:
        return [_file_job(None, PAGE, out, endings)]
    if is_url(source):
        fetch_module()
        return [replace(_file_job(None, PAGE, out, endings, url_stem(source)), url=source)]
    path = Path(source)
    if not path.exists():
        raise CrfcleanError(f"{source}: no such file or directory")
    if not path.is_dir():
        return [_file_job(path, _kind(path, fields), out, endings)]
    if out is not None and endings.single and not out.is_dir():
        return [_directory_job(path, out, endings.single)]
    if out is not None:
        _check_directories(path, out)
    return list(_refuse_clashes(_mirrored_jobs(path, out, endings, fields)))


def is_url(source: str) -> bool:
    r"""Whether IN is a URL (of any scheme), no path.

    >>> is_url("https://example.org/"), is_url("C:\\\\pages"), is_url("pages")
    (True, False, False)
    """
    return _URL.match(source) is not None


def url_stem(url: str) -> str:
    """A name for the text of a URL's page: the last part of its path, or the host.

    >>> url_stem("https://example.org/news/ice-12.html?a=/b"), url_stem("http://example.org:80/")
    ('ice-12', 'example.org')
    """
    try:
        parts = urlsplit(url)
        path = [name for name in parts.path.split("/") if name.strip(".")]
    except ValueError:  # fetching it will report what is wrong
        return "page"
    last = stem(Path(path[-1])) if path else parts.hostname or ""
    return re.sub(r"[^\w.-]+", "-", last)[:80].strip(".-") or "page"


def shard_job(source: Path, target: Path, fields: Fields = Fields()) -> Job:
    """The job of one input shard (or page, or directory) that becomes one output shard.

    Raises `CrfcleanError` for a target that does not end as shards do, or a missing source.
    """
    if not source.exists():
        raise CrfcleanError(f"{source}: no such file or directory")
    ending = shard_ending(target)
    if not ending:
        raise CrfcleanError(f"{target}: ends in none of {' '.join(PACKERS)}")
    check_ending(ending)
    return Job(source, target, "", FOLDER if source.is_dir() else _kind(source, fields), ending)


def shard_ending(path: Path) -> str:
    """The shard ending that a path has, "" if none.

    >>> shard_ending(Path("x.jsonl.gz")), shard_ending(Path("x.html.gz"))
    ('jsonl.gz', '')
    """
    return next((ending for ending in PACKERS if path.name.lower().endswith("." + ending)), "")


def pages_in(root: Path, fields: Fields = Fields()) -> Iterator[Job]:
    """The pages and shards below a directory, in order of names, without targets.

    Pages are recognised by their names, shards by their content; what cannot be listed is refused.
    """
    unreadable: list[OSError] = []
    paths: list[Path] = []
    for folder, _, names in os.walk(root, onerror=unreadable.append):
        paths += [Path(folder, name) for name in names]
    for path in sorted(paths):
        special = path.exists() and not path.is_file()  # opening a pipe would block for ever
        kind = PAGE if special else _kind(path, fields)
        if kind != PAGE or is_page(path.name):
            yield Job(path, None, "no regular file" if special else "", kind)
    for error in unreadable:
        yield Job(Path(str(error.filename)), None, f"cannot be listed: {error.strerror}")


def _kind(path: Path, fields: Fields) -> str:
    try:
        return file_kind(path, fields) if path.is_file() else PAGE
    except OSError:  # reported when the file is read
        return PAGE


def _endings(out: Path | None, ending: str | None, defaults: Defaults) -> _Endings:
    """The endings that OUT and the format ask for."""
    single = shard_ending(out) if out is not None else ""
    if "parquet" in (single, ending) and not defaults.parquet:
        raise CrfcleanError("only clean writes Parquet: choose jsonl, plain or packed")
    shard = ending or single or (_SHARD if out is not None else _SHARD_STDOUT)
    if shard in PACKERS:
        check_ending(shard)
    text = ending or (defaults.text if single in ("", defaults.text) else "")
    return _Endings("" if text in PACKERS and text != "jsonl" else text, shard, single and shard)


def _file_job(
    path: Path | None, kind: str, out: Path | None, endings: _Endings, name: str = "stdin"
) -> Job:
    """The job of one file, or of input with no path but a name; OUT is its target or directory."""
    shard = "" if kind == PAGE and endings.text else _shard(path, endings)
    name = _stem(path, kind) if path is not None else name
    into_directory = out is not None and out.is_dir()
    target = out / f"{name}.{shard or endings.text}" if out is not None and into_directory else out
    if path is not None and target is not None and target.resolve() == path.resolve():
        raise CrfcleanError(f"{target}: is the input: its text would overwrite the page")
    if shard == "parquet" and target is None:
        raise CrfcleanError("Parquet cannot go to standard output")
    return Job(path, target, "", kind, shard)


def _directory_job(path: Path, out: Path, ending: str) -> Job:
    """The job of a directory that becomes one shard."""
    if out.resolve().is_relative_to(path.resolve()):
        raise CrfcleanError(f"{out}: lies among the pages: choose a place outside of {path}")
    return Job(path, out, "", FOLDER, ending)


def _shard(path: Path | None, endings: _Endings) -> str:
    if endings.shard not in PACKERS:
        raise CrfcleanError(
            f"{path}: many pages: they need a format for many, of {' '.join(PACKERS)}"
        )
    return endings.shard


def _stem(path: Path, kind: str) -> str:
    """A file's name without the endings of its kind and packing."""
    if kind == PAGE:
        return stem(path)
    for packed in reversed(_SHARD_SUFFIXES):
        if path.name.lower().endswith(f".{kind}{packed}"):
            return path.name[: -len(f".{kind}{packed}")]
    return path.stem


def _check_directories(source: Path, out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise CrfcleanError(f"{out}: is a file; a directory's pages need a directory")
    if out.resolve() == source.resolve():
        raise CrfcleanError(f"{out}: is the input: its texts would lie among the pages")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CrfcleanError(f"{out}: cannot be made: {error.strerror}") from error
    if not os.access(out, os.W_OK | os.X_OK):
        raise CrfcleanError(f"{out}: cannot be written")


def _mirrored_jobs(
    root: Path, out: Path | None, endings: _Endings, fields: Fields
) -> Iterator[Job]:
    pages = list(pages_in(root, fields))
    if not any(job.source for job in pages):
        raise CrfcleanError(f"{root}: no pages ({' '.join(HTML_SUFFIXES)}), WARC or JSONL files")
    folders = Folders(root, out) if out else None
    for job in pages:
        if job.source is None or job.refused:
            yield job
            continue
        place = out and out / job.source.parent.relative_to(root)
        shard = _file_job(job.source, job.kind, None, endings).shard
        ending = shard or endings.text
        target = place and place / f"{_stem(job.source, job.kind)}.{ending}"
        yield Job(job.source, target, "", job.kind, shard, folders=folders)


def _refuse_clashes(jobs: Iterator[Job]) -> Iterator[Job]:
    seen: dict[Path, str] = {}
    for job in jobs:
        if job.target is not None and job.target in seen:
            yield Job(job.source, None, f"would write the same {job.target} as {seen[job.target]}")
            continue
        if job.target is not None:
            seen[job.target] = job.name
        yield job
