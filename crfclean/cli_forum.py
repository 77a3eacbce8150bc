"""The command `forum`: pages of forums -> their posts as JSON, text or CSV."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from crfclean.bundle import write_atomically
from crfclean.decode import decode
from crfclean.files import Job, plan
from crfclean.forum.gold import RULES, read_rules, select
from crfclean.forum.model import ForumModel
from crfclean.forum.model import load as load_model
from crfclean.forum.output import WRITERS
from crfclean.forum.pairing import GoldPost
from crfclean.forum.posts import NO_POSTS, ForumOptions, read, threads
from crfclean.gold import stem
from crfclean.options import progress_bar
from crfclean.plurals import plural
from crfclean.types import Page
from crfclean.workers import map_in_order

OK, SOME_FAILED, NOTHING = 0, 1, 3
MAX_PAGES = 50  # of a site that are read together; the next ones are another batch


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is done with every site."""

    model: ForumModel
    ending: str
    options: ForumOptions
    steps: Path | None
    root: Path


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a page: `message` is "" for one with posts."""

    name: str
    posts: int = 0
    message: str = ""
    failed: bool = False
    text: str = ""


@click.command("forum")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--model", default="forum", show_default=True, help="model folder, or a shipped one")
@click.option(
    "--format",
    "ending",
    type=click.Choice(list(WRITERS)),
    default="jsonl",
    show_default=True,
    help="format of the threads, and their ending",
)
@click.option("--language", default="", help="of the dates, as in cs; else what the page tells")
@click.option(
    "--fetched",
    type=click.DateTime(),
    help="when the pages were fetched: relative dates are counted from then",
)
@click.option(
    "--steps",
    type=click.Path(file_okay=False, path_type=Path),
    help="write template, every field with its label, and confusion matrices here",
)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="processes")
def forum_command(
    source: str, target: str, model: str, ending: str, workers: int, **given: Any
) -> int:
    """Find the posts of forum pages: author, date and words of each, from any forum.

    IN is a directory, a file or -; the pages of one directory are of one site, and help each
    other. A page gives one thread in OUT. Exit code: 0 all done, 1 some pages failed, 2 wrong
    usage, 3 no posts at all.
    """
    jobs = plan(source, target, ending)
    options = ForumOptions(given["language"], given["fetched"])
    wanted = Wanted(load_model(model), ending, options, given["steps"], Path(source))
    posts = without = failed = 0
    for site in progress_bar(map_in_order(do_site, sites(jobs), wanted, workers), None, "site"):
        for done in site:
            posts += done.posts
            failed += done.failed
            without += bool(done.message) and not done.failed
            if done.text:
                click.echo(done.text.encode("utf-8", "replace"), nl=False)
            if done.message:
                click.echo(f"{done.name}: {done.message}", err=True)
    told = f"{plural(posts, 'post')}, {without} without, {failed} failed"
    click.echo(f"{plural(len(jobs), 'page')}: {told}", err=True)
    return NOTHING if not posts else SOME_FAILED if failed else OK


def sites(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """The jobs of each directory, at most `MAX_PAGES` at once."""
    for _, group in groupby(jobs, key=lambda job: job.source.parent if job.source else None):
        mine = list(group)
        for start in range(0, len(mine), MAX_PAGES):
            yield mine[start : start + MAX_PAGES]


def do_site(jobs: Sequence[Job], wanted: Wanted) -> list[Done]:
    """Read the pages of a site together and write a thread for each; no page harms another."""
    pages, mine, done = list[Page](), list[Job](), list[Done]()
    for job in jobs:
        if job.refused:
            done.append(Done(job.name, 0, job.refused, failed=True))
            continue
        try:
            pages.append(decode(_bytes(job)))
            mine.append(job)
        except OSError as error:
            done.append(Done(job.name, 0, f"cannot be read: {error.strerror}", failed=True))
    found = read(pages, wanted.model)
    if wanted.steps is not None and mine:
        from crfclean.forum.papers.steps import write_steps

        folder = mine[0].source.parent if mine[0].source else wanted.root
        inside = folder.relative_to(wanted.root) if wanted.root.is_dir() else Path()
        names = [stem(Path(job.name)) for job in mine]
        write_steps(found, names, wanted.steps / inside, annotated(folder, pages))
    for job, thread in zip(mine, threads(found, wanted.options), strict=True):
        text = WRITERS[wanted.ending](thread)
        message = "" if thread.posts else f"no posts ({thread.status})"
        failed = thread.status not in {"ok", NO_POSTS}
        done.append(_written(job, text, Done(job.name, len(thread.posts), message, failed)))
    return done


def annotated(folder: Path, pages: Sequence[Page]) -> list[list[GoldPost]] | None:
    """The posts of pages by the rules that stand beside them, None where none do."""
    if not (folder / RULES).is_file():
        return None
    rules = read_rules(folder / RULES)
    return [list(select(page.html, rules)) for page in pages]


def _bytes(job: Job) -> bytes:
    if job.source is None:
        return sys.stdin.buffer.read()
    return job.source.read_bytes()


def _written(job: Job, text: str, done: Done) -> Done:
    if done.message:
        return done
    if job.target is None:
        return Done(done.name, done.posts, "", failed=False, text=text)
    try:
        job.target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(job.target, text.encode("utf-8", "replace"))
    except OSError as error:
        return Done(done.name, 0, f"cannot be written: {error.strerror}", failed=True)
    return done
