"""Plan the jobs of a command's paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from crfclean.cli.paths import INPUT, PathUse, folded_path, is_folder, why_missing
from crfclean.page.page_names import HTML_SUFFIXES
from crfclean.products.corpus.job import Folders, Job, source_name
from crfclean.products.corpus.listing import ListedFile, list_files, listed_file
from crfclean.products.corpus.output_names import (
    Endings,
    check_folder,
    check_many,
    endings_of,
    is_folder_name,
    promise,
    text_stem,
    url_stem,
)
from crfclean.products.corpus.outputs import LOCK, RECORD, lock_path, parts_folder
from crfclean.products.corpus.params import TABLE_ENDINGS, Fields
from crfclean.products.corpus.records import (
    FOLDER,
    PAGE,
    STDIN,
    STDOUT,
    fetch_module,
    is_url,
)
from crfclean.products.corpus.texts import JOININGS
from crfclean.types import CrfcleanError


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
        earlier = seen.setdefault(folded_path(job.target), job) if job.target is not None else job
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
    *,
    files: bool = False,
) -> JobPlan:
    """Plan the jobs of a command's paths, in order; raises `CrfcleanError` for wrong paths.

    The texts of a directory's pages keep their names under OUT, with the ending of the format. All
    that becomes rows is one corpus: a file if OUT ends like one, else the parts in OUT. The same
    rules hold for several INs. If two jobs would write the same file, the second is refused.
    Without `ending`, texts have the format `default` (see `endings_of`), and rows are jsonl.gz.
    With `files`, each page of a corpus has its own file.
    """
    sources, target = paths.sources, paths.target
    out = None if target == STDOUT else Path(target)
    endings = endings_of(target, ending, default, files=files)
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
            reasons = ", ".join(dict.fromkeys(file.left_out for file in left_out))
            more = f"; files left out: {len(left_out)} ({reasons})" if left_out else ""
            suffixes = " ".join(HTML_SUFFIXES)
            raise CrfcleanError(
                f"{path}: no pages ({suffixes}), WARC, WACZ, JSONL or Parquet files{more}"
            )
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
        if self.out is None:
            jobs = self._streamed(jobs)
        joined = _one_corpus(jobs) if len(jobs) > 1 else jobs
        return (job if job.refused else job._replace(folders=folders) for job in joined)

    def _streamed(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """Return the jobs of a stream, where texts follow each other as in a file of many."""
        form = self.endings.text
        if form not in JOININGS or form not in self.endings.shards:
            return jobs
        if any(job.shard not in ("", form) for job in jobs):
            return jobs  # rows of corpora, as no format was chosen
        return [job if job.refused else job._replace(shard=form) for job in jobs]

    def _check_folder(self, out: Path, pages: str) -> None:
        """Raise `CrfcleanError` if OUT cannot be a directory, or its name promises a file."""
        promised = promise(self.target)
        if promised and not out.exists():
            raise CrfcleanError(
                f"{out}: this name means one {promised} file, but {pages} need a directory: "
                f"write {out}/"
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
        if job.shard in TABLE_ENDINGS and job.target is None:
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
