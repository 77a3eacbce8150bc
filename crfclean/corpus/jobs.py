"""Paths -> `Job`s: what is read from where, of which kind it is, and where its text goes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from crfclean.corpus.records import FOLDER, PAGE, Fields, fetcher, kind_of
from crfclean.corpus.shards import PACKERS, check_ending
from crfclean.gold.pages import HTML_SUFFIXES, is_page, stem
from crfclean.types import CrfcleanError

STDIN = STDOUT = "-"
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
SHARD, SHARD_STDOUT = "jsonl.gz", "jsonl"
"""Endings of shards where nothing else is said."""
_SHARD_SUFFIXES = ("", ".gz", ".xz", ".zst", ".zstd")


@dataclass(frozen=True, slots=True)
class Job:
    """One page or one shard to clean; `source` None is standard input, `target` None output.

    `kind` is that of `records.kind_of`, or `FOLDER`; `shard` the ending of the shard that is
    made, "" where a page becomes a text. `refused` says why the job will not be done. A page that
    is to be fetched has a `url` and no `source`.
    """

    source: Path | None
    target: Path | None
    refused: str = ""
    kind: str = PAGE
    shard: str = ""
    url: str = ""

    @property
    def name(self) -> str:
        """What messages call the page."""
        return str(self.source or self.url or STDIN)


@dataclass(frozen=True, slots=True)
class _Endings:
    """The endings of texts and of shards; `single` is that of the one shard OUT, if it is one."""

    text: str
    shard: str
    single: str = ""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a command writes where no format is named: `text` a page; `parquet`: whether it can."""

    text: str = "txt"
    parquet: bool = True


def plan(
    source: str,
    target: str,
    ending: str | None = None,
    fields: Fields = Fields(),
    usual: Defaults = Defaults(),
) -> list[Job]:
    """The jobs of a command's IN and OUT, in order of names; raises `CrfcleanError` for wrong ones.

    A directory's pages and shards go to the same names under OUT with the format's ending, or
    all into OUT if that ends as shards do; of two that would write the same file the second is
    refused. Without `ending` texts are as `usual`, shards jsonl.gz.
    """
    out = None if target == STDOUT else Path(target)
    endings = _endings(out, ending, usual)
    if source == STDIN:
        return [_single(None, PAGE, out, endings)]
    if is_url(source):
        fetcher()
        return [replace(_single(None, PAGE, out, endings, url_stem(source)), url=source)]
    path = Path(source)
    if not path.exists():
        raise CrfcleanError(f"{source}: no such file or directory")
    if not path.is_dir():
        return [_single(path, _kind(path, fields), out, endings)]
    if out is not None and endings.single and not out.is_dir():
        return [_whole(path, out, endings.single)]
    if out is not None:
        _check_directories(path, out)
    return list(_refuse_clashes(_mirror(path, out, endings, fields)))


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
        told = urlsplit(url)
        path = [one for one in told.path.split("/") if one.strip(".")]
    except ValueError:  # the fetcher says what is wrong with it
        return "page"
    last = stem(Path(path[-1])) if path else told.hostname or ""
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
    """The ending that a path shares with shards, "" if none.

    >>> shard_ending(Path("x.jsonl.gz")), shard_ending(Path("x.html.gz"))
    ('jsonl.gz', '')
    """
    return next((one for one in PACKERS if path.name.lower().endswith("." + one)), "")


def pages_in(root: Path, fields: Fields = Fields()) -> Iterator[Job]:
    """The pages and shards below a directory, in order of names, without targets.

    Pages are known by their names, shards by their content; what cannot be listed is refused.
    """
    unreadable: list[OSError] = []
    found: list[Path] = []
    for folder, _, names in os.walk(root, onerror=unreadable.append):
        found += [Path(folder, name) for name in names]
    for path in sorted(found):
        special = path.exists() and not path.is_file()  # opening a pipe would wait for ever
        kind = PAGE if special else _kind(path, fields)
        if kind != PAGE or is_page(path.name):
            yield Job(path, None, "no regular file" if special else "", kind)
    for error in unreadable:
        yield Job(Path(str(error.filename)), None, f"cannot be listed: {error.strerror}")


def _kind(path: Path, fields: Fields) -> str:
    try:
        return kind_of(path, fields) if path.is_file() else PAGE
    except OSError:  # it is told when the file is to be read
        return PAGE


def _endings(out: Path | None, ending: str | None, usual: Defaults) -> _Endings:
    """The endings that OUT and the format ask for."""
    single = shard_ending(out) if out is not None else ""
    if "parquet" in (single, ending) and not usual.parquet:
        raise CrfcleanError("only clean writes Parquet: choose jsonl, plain or packed")
    shard = ending or single or (SHARD if out is not None else SHARD_STDOUT)
    if shard in PACKERS:
        check_ending(shard)
    text = ending or (usual.text if single in ("", usual.text) else "")
    return _Endings("" if text in PACKERS and text != "jsonl" else text, shard, single and shard)


def _single(
    path: Path | None, kind: str, out: Path | None, endings: _Endings, name: str = "stdin"
) -> Job:
    """The job of one file, or of what has no path but a name; OUT is its target, or around it."""
    shard = "" if kind == PAGE and endings.text else _shard(path, endings)
    name = _stem(path, kind) if path is not None else name
    inside = out is not None and out.is_dir()
    target = out / f"{name}.{shard or endings.text}" if out is not None and inside else out
    if path is not None and target is not None and target.resolve() == path.resolve():
        raise CrfcleanError(f"{target}: is the input: its text would replace the page")
    if shard == "parquet" and target is None:
        raise CrfcleanError("Parquet cannot go to standard output")
    return Job(path, target, "", kind, shard)


def _whole(path: Path, out: Path, ending: str) -> Job:
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
    """A file's name without the endings that tell its kind and packing."""
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


def _mirror(root: Path, out: Path | None, endings: _Endings, fields: Fields) -> Iterator[Job]:
    pages = list(pages_in(root, fields))
    if not any(job.source for job in pages):
        raise CrfcleanError(f"{root}: no pages ({' '.join(HTML_SUFFIXES)}), WARC or JSONL files")
    for job in pages:
        if job.source is None or job.refused:
            yield job
            continue
        place = out and out / job.source.parent.relative_to(root)
        made = _single(job.source, job.kind, None, endings)
        ending = made.shard or endings.text
        target = place and place / f"{_stem(job.source, job.kind)}.{ending}"
        yield Job(job.source, target, "", job.kind, made.shard)


def _refuse_clashes(jobs: Iterator[Job]) -> Iterator[Job]:
    seen: dict[Path, str] = {}
    for job in jobs:
        if job.target is not None and job.target in seen:
            yield Job(job.source, None, f"would write the same {job.target} as {seen[job.target]}")
            continue
        if job.target is not None:
            seen[job.target] = job.name
        yield job
