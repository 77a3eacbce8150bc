"""Plan where the outputs of a command go, and refuse what it would overwrite."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from crfclean import door
from crfclean.cli.paths import INPUT, PathUse, folded, is_folder, why_missing
from crfclean.document.formats import WRITERS
from crfclean.page.page_names import HTML_SUFFIXES, is_page, stem
from crfclean.products.corpus.jobs import Folders, Job, source_name
from crfclean.products.corpus.listing import ListedFile, list_files, listed_file
from crfclean.products.corpus.outputs import LOCK, RECORD, lock_path, parts_folder
from crfclean.products.corpus.params import ROW_ENDINGS, TABLES, Fields
from crfclean.products.corpus.records import (
    FOLDER,
    PAGE,
    STDIN,
    STDOUT,
    MissingFieldError,
    Unpacked,
    fetch_module,
    file_kind,
    is_url,
)
from crfclean.products.corpus.rows import PACKERS, check_ending, shard_ending
from crfclean.products.corpus.sniffing import SNIFF_BYTES, is_html
from crfclean.types import CrfcleanError
from crfclean.types.choices import FORUM_FORMATS, METADATA_FORMATS, SEGMENT_FORMATS

MAX_NAME = 80  # characters of a name that is made of a URL

_ALIASES = {"tei.xml": "tei", "xml": "tei", "htm": "html", "markdown": "md", "yml": "yaml"}
"""Further endings of files -> the format."""

_FORMATS = (*WRITERS, *FORUM_FORMATS, *METADATA_FORMATS, *SEGMENT_FORMATS, *PACKERS)
_PROMISES = {name: name for name in _FORMATS} | _ALIASES
"""Ending of a file -> the format that it promises, of any command."""

_OWN_HTML = re.compile(
    rb'<!DOCTYPE html>\n<html[^>]*>\n<head><meta charset="utf-8"><title>[^<]*</title></head>\n'
)
"""The beginning of a file by `document.html`."""
_OWN_ROW = re.compile(rb'\{"id": "[^\n]*?"status": "[a-z-]+"')
"""The beginning of a file of rows, by any command."""
_SHARD, _SHARD_STDOUT = "jsonl.gz", "jsonl"
"""Default endings of shards in files and on standard output."""
_SUFFIX = re.compile(r"\.[a-z]{1,6}[0-9]?(?:\.gz)?\Z", re.IGNORECASE)
"""The suffix of a file's name; the number of `article.12345` and a query are none."""


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


def added_format(target: str) -> str | None:
    """Return the format of another package that the suffix of OUT promises, None for none."""
    suffix = Path(target).suffix.removeprefix(".").lower()
    if not suffix or promise(target) or target == STDOUT or Path(target).is_dir():
        return None
    return suffix if door.has("formats", suffix) else None


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

    JSONL without the page's field is a corpus, too, whose field has another name.
    """
    with path.open("rb") as file:
        head = Unpacked(file).peek(SNIFF_BYTES)
    if is_html(head, path.suffix):
        return not _OWN_HTML.match(head)
    try:
        return file_kind(path, fields) != PAGE
    except MissingFieldError:
        return not _OWN_ROW.match(head)


def is_folder_name(target: str) -> bool:
    """Return whether OUT names a directory: a final slash, or no suffix and no device.

    >>> is_folder_name("texts.old/"), is_folder_name("texts"), is_folder_name("texts.md")
    (True, True, False)
    """
    if target.endswith(tuple(filter(None, ("/", os.sep, os.altsep)))):
        return True
    is_device = os.path.exists(target) and not os.path.isfile(target)  # noqa: PTH110, PTH113
    return not Path(target).suffix and not is_device


def endings_of(target: str, ending: str | None, default: str = "") -> Endings:
    """Return the endings for OUT and a format; raises `CrfcleanError`.

    `default` is the format of texts of a command that writes no tables, "" for that of `clean`.
    """
    shards, default = (ROW_ENDINGS, default) if default else (tuple(PACKERS), "txt")
    out = None if target == STDOUT else Path(target)
    is_folder = out is not None and (is_folder_name(target) or out.is_dir())
    single = shard_ending(out) if out is not None and not is_folder else ""
    if single not in shards and single == ending:
        single = ""  # a text of this command
    if single in TABLES and single not in shards:
        raise CrfcleanError("only clean writes csv and parquet: choose jsonl, plain or packed")
    shard = ending or single or (_SHARD if out is not None else _SHARD_STDOUT)
    if shard in shards:
        check_ending(shard)
    text = ending or (default if single in ("", default) else "")
    text = "" if text in shards and text != "jsonl" else text
    return Endings(text, shard, single and shard, shards)


def check_many(name: object, endings: Endings) -> str:
    """Return the ending of a shard of many pages; raises `CrfcleanError` for a text format."""
    if endings.shard not in endings.shards:
        raise CrfcleanError(
            f"{name} holds many pages: write them to a directory without --format, or use --format "
            f"{', '.join(endings.shards[:-1])} or {endings.shards[-1]}"
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


# the jobs of a command's paths


class Paths(NamedTuple):
    """The INs of a command (paths, URLs, "-") and its OUT; `listed` if a list names INs.

    If a list names a single IN, OUT is still a directory or a shard, as for many INs.
    """

    sources: tuple[str, ...]
    target: str
    listed: bool = False


class JobPlan(NamedTuple):
    """The jobs of a command, and the files of its directories that are left out.

    A directory that becomes one corpus is not listed here: its files are known when it is read.
    """

    jobs: tuple[Job, ...]
    left_out: tuple[ListedFile, ...] = ()


def refuse_clashes(jobs: Sequence[Job]) -> Iterator[Job]:
    """Yield the jobs; refuse a job if an earlier job writes the same file.

    On Windows and macOS, names are the same if they differ only in case or Unicode composition.
    """
    seen: dict[str, Job] = {}
    for job in jobs:
        earlier = seen.setdefault(folded(job.target), job) if job.target is not None else job
        if earlier is job:
            yield job
            continue
        refused = f"would write the same {job.target} as {earlier.name}"
        if job.target != earlier.target:
            refused = f"would write the same file as {earlier.name} where names ignore case"
        yield Job(job.source, None, refused)


def plan(
    paths: Paths,
    ending: str | None = None,
    fields: Fields = Fields(),
    default: str = "",
) -> JobPlan:
    """Plan the jobs of a command's paths, in order; raises `CrfcleanError` for wrong paths.

    The texts of a directory's pages keep their names under OUT, with the ending of the format. All
    that becomes rows is one corpus: a file if OUT ends like one, else the parts in OUT. The same
    rules hold for several INs. If two jobs would write the same file, the second is refused.
    Without `ending`, texts have the format `default` (see `endings_of`), and rows are jsonl.gz.
    """
    sources, target = paths.sources, paths.target
    out = None if target == STDOUT else Path(target)
    endings = endings_of(target, ending, default)
    if sources.count(STDIN) > 1:
        raise CrfcleanError("standard input (-) can be named only once")
    if any(map(is_url, sources)):
        fetch_module()
    planner = _Planner(out, endings, fields, target)
    if len(sources) == 1 and not paths.listed:
        return planner.plan_one(sources[0])
    return planner.plan_many(sources)


class _Planner(NamedTuple):
    """Plans where inputs go; an `out` of None is standard output, `target` is OUT as typed."""

    out: Path | None
    endings: Endings
    fields: Fields
    target: str

    def plan_one(self, source: str) -> JobPlan:
        """Plan the jobs of one IN."""
        path, out = Path(source), self.out
        is_path = source != STDIN and not is_url(source)
        if is_path and (why := why_missing(path)):
            raise CrfcleanError(f"{source}: {why}")
        if not is_path or not path.is_dir():
            if out is not None and is_folder_name(self.target):
                check_folder(out, "pages")
            job = self._single_job(source)
            into = job.shard and job.target is not None and job.target == out and self._is_folder
            return JobPlan(tuple(self._recorded([job], (source,))) if into else (job,))
        if out is not None and self.endings.single:
            return JobPlan((Job(path, out, "", FOLDER, self.endings.single),))
        if out is not None:
            self._check_folder(out, "a directory's pages")
        jobs, left_out = self._mirrored(path, out)
        jobs = list(self._recorded(jobs, (source,)))
        if not jobs:
            more = f"; files left out: {len(left_out)}" if left_out else ""
            suffixes = " ".join(HTML_SUFFIXES)
            raise CrfcleanError(f"{path}: no pages ({suffixes}), WARC, WACZ or JSONL files{more}")
        return JobPlan(tuple(refuse_clashes(jobs)), left_out)

    def plan_many(self, sources: Sequence[str]) -> JobPlan:
        """Plan the jobs of several INs, below an output directory or in one shard."""
        out = self.out
        if out is not None and self.endings.single:
            return JobPlan((Job(out, out, "", FOLDER, self.endings.single, tuple(sources)),))
        if out is not None:
            self._check_folder(out, "several inputs")
        jobs, left_out = list[Job](), list[ListedFile]()
        for source in sources:
            path = Path(source)
            if source == STDIN or is_url(source) or not is_folder(path):
                jobs.append(self._one_of_many(source))
                continue
            more, others = self._mirrored(path, out and out / path.resolve().name)
            jobs += more or [Job(path, None, "no pages in it")]
            left_out += others
        jobs = list(self._recorded(jobs, sources))
        return JobPlan(tuple(refuse_clashes(jobs)), tuple(left_out))

    def _recorded(self, jobs: Sequence[Job], sources: Sequence[str]) -> Iterator[Job]:
        folders = Folders(source_name(sources), self.out) if self.out is not None else None
        joined = _one_corpus(jobs) if len(jobs) > 1 else jobs
        return (job if job.refused else job._replace(folders=folders) for job in joined)

    def _check_folder(self, out: Path, pages: str) -> None:
        """Raise `CrfcleanError` if OUT cannot be a directory, or its name promises a file."""
        promised = promise(self.target)
        if promised and not out.exists():
            as_stream = f"; for one file: - --format vert > {out}" if promised == "vert" else ""
            raise CrfcleanError(
                f"{out}: this name means one {promised} file, but {pages} need a directory: "
                f"write {out}/{as_stream}"
            )
        check_folder(out, pages)

    def _one_of_many(self, source: str) -> Job:
        if source != STDIN and not is_url(source) and (why := why_missing(Path(source))):
            return Job(Path(source), None, why)
        return self._single_job(source, many=True)

    def _single_job(self, source: str, *, many: bool = False) -> Job:
        """Plan the job of one page or shard; OUT is its target, or the directory of its target."""
        out = self.out
        if source == STDIN or is_url(source):
            name = "stdin" if source == STDIN else url_stem(source, query=many)
            place: Path | str = source
            file = ListedFile(Path(name))
        else:
            file = listed_file(place := Path(source), self.fields)
            name = text_stem(file.path)
        into_folder = out is not None and (many or self._is_folder)
        text = out / f"{name}.{self.endings.text}" if out and into_folder else out
        job = self._job(place, file, text)
        if job.shard in TABLES and job.target is None:
            raise CrfcleanError(f"{job.shard} cannot go to standard output: name an output file")
        return job

    def _job(self, source: Path | str, file: ListedFile, text: Path | None) -> Job:
        """Return the job of an input: a page becomes a text, if texts have a format, else rows."""
        if file.refused:
            return Job(source, None, file.refused)
        if file.kind == PAGE and self.endings.text:
            return Job(source, text)
        return Job(source, self.out, "", file.kind, check_many(source, self.endings))

    @property
    def _is_folder(self) -> bool:
        return is_folder_name(self.target) or (self.out is not None and self.out.is_dir())

    def _mirrored(self, root: Path, out: Path | None) -> tuple[list[Job], tuple[ListedFile, ...]]:
        files = list(list_files(root, self.fields, self.out))
        left_out = tuple(file for file in files if file.left_out)
        files = [file for file in files if not file.left_out]
        jobs = [self._mirrored_job(file, root, out) for file in files]
        return jobs, left_out

    def _mirrored_job(self, file: ListedFile, root: Path, out: Path | None) -> Job:
        # `file` is the root itself if the root cannot be listed
        place = out and out / file.path.relative_to(root).parent
        text = place and place / f"{text_stem(file.path)}.{self.endings.text}"
        return self._job(file.path, file, text)


def _one_corpus(jobs: Sequence[Job]) -> Iterator[Job]:
    """Yield the jobs; all that become rows are one corpus, in the place of the first of them."""
    rows = [job for job in jobs if job.shard and not job.refused]
    sources = tuple(job.name for job in rows)
    for job in jobs:
        if job is (rows and rows[0]):
            yield Job(job.target or STDIN, job.target, "", FOLDER, job.shard, sources)
        elif job not in rows:
            yield job


def job_inputs(jobs: Iterable[Job]) -> Iterator[PathUse]:
    """Yield the files that jobs read."""
    for job in jobs:
        yield from (PathUse(source, INPUT) for source in job.inputs if not is_url(source))


def job_outputs(jobs: Iterable[Job], option: str) -> Iterator[PathUse]:
    """Yield the files that jobs write, and those beside them while they run."""
    places = {job.folders.target for job in jobs if job.folders}
    files = [folder / name for folder in places for name in (RECORD, LOCK)]
    for job in jobs:
        if job.target is not None:
            files.append(job.target)
            if job.shard and not job.is_folder:
                files += [parts_folder(job.target), lock_path(job.target)]
    return (PathUse(str(file), option) for file in files)
