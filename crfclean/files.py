"""Paths -> `Job`s: which page is read from where, and where its text goes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from crfclean.gold import HTML_SUFFIXES, is_page, stem
from crfclean.types import CrfcleanError

STDIN = STDOUT = "-"


@dataclass(frozen=True, slots=True)
class Job:
    """One page to clean; `source` None is standard input, `target` None standard output.

    `refused` says why it will not be done.
    """

    source: Path | None
    target: Path | None
    refused: str = ""

    @property
    def name(self) -> str:
        """What messages call the page."""
        return str(self.source or STDIN)


def plan(source: str, target: str, ending: str) -> list[Job]:
    """The jobs of `clean IN OUT`, in order of names; raises `CrfcleanError` for wrong paths.

    A directory's pages go to the same names under OUT with the format's ending; of two pages
    that would write the same file the second is refused.
    """
    out = None if target == STDOUT else Path(target)
    if source == STDIN:
        return [Job(None, _single_target(Path("stdin"), out, ending))]
    path = Path(source)
    if not path.exists():
        raise CrfcleanError(f"{source}: no such file or directory")
    if not path.is_dir():
        return [Job(path, _single_target(path, out, ending))]
    if out is not None:
        _check_directories(path, out)
    return list(_refuse_clashes(_mirror(path, out, ending)))


def _single_target(path: Path, out: Path | None, ending: str) -> Path | None:
    target = out / f"{stem(path)}.{ending}" if out is not None and out.is_dir() else out
    if target is not None and target.resolve() == path.resolve():
        raise CrfcleanError(f"{target}: is the input: its text would replace the page")
    return target


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


def _mirror(root: Path, out: Path | None, ending: str) -> Iterator[Job]:
    pages = list(_pages(root))
    if not any(job.source for job in pages):
        raise CrfcleanError(f"{root}: no pages ({' '.join(HTML_SUFFIXES)})")
    for job in pages:
        if out is None or job.source is None or job.refused:
            yield job
            continue
        folder = out / job.source.parent.relative_to(root)
        yield Job(job.source, folder / f"{stem(job.source)}.{ending}")


def _pages(root: Path) -> Iterator[Job]:
    """The pages below a directory, in order of names; what cannot be listed is refused."""
    unreadable: list[OSError] = []
    found = []
    for folder, _, names in os.walk(root, onerror=unreadable.append):
        found += [Path(folder, name) for name in names if is_page(name)]
    for path in sorted(found):
        special = path.exists() and not path.is_file()  # opening a pipe would wait for ever
        yield Job(path, None, "no regular file" if special else "")
    for error in unreadable:
        yield Job(Path(str(error.filename)), None, f"cannot be listed: {error.strerror}")


def _refuse_clashes(jobs: Iterator[Job]) -> Iterator[Job]:
    seen: dict[Path, str] = {}
    for job in jobs:
        if job.target is not None and job.target in seen:
            yield Job(job.source, None, f"would write the same {job.target} as {seen[job.target]}")
            continue
        if job.target is not None:
            seen[job.target] = job.name
        yield job
