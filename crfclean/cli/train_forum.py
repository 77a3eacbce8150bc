"""The command `train-forum`: annotated pages of forums -> a model folder, and its F1 on others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from crfclean.cli.options import options_of, progress_bar
from crfclean.evaluate.plurals import plural
from crfclean.forum.gold import ForumPage, read_posts
from crfclean.forum.learn import Lesson, learn, lesson
from crfclean.forum.model import ForumModel, save
from crfclean.forum.outline import outline
from crfclean.forum.pairing import folded, matches
from crfclean.forum.params import ForumParams
from crfclean.forum.posts import posts
from crfclean.page.blocks import split
from crfclean.train.examples import fold_of
from crfclean.types import CrfcleanError

FOLDS = 4  # of the sites, on the first of which the model's score is measured


@click.command("train-forum")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default="my-forums",
    show_default=True,
    help="folder of the new model",
)
@options_of(ForumParams, ("inner",))
def train_forum_command(directory: Path, output: Path, **options: Any) -> None:
    """Train a model of forums on the annotated pages of DIR and write its folder.

    Every sub-directory of DIR with a file posts.xpath is a site, its pages beside it; lines of
    .jsonl files have html and posts. The score printed at the end is that of a first training, on
    sites held out of it; the model is then trained on all pages.
    """
    params = ForumParams(**options)
    pages = list(read_posts(directory))
    taught = _lessons(progress_bar(pages, None, "page"))
    if not taught:
        raise CrfcleanError(f"{directory}: no page has a post where posts.xpath looks for it")
    told = _held_out(pages, taught, params)
    save(learn(taught, params), output)
    click.echo(told)
    sites = plural(len({one.site for one in taught}), "site")
    click.echo(f"{output}: trained on {plural(len(taught), 'page')} of {sites}")


def _lessons(pages: Iterable[ForumPage]) -> list[Lesson]:
    found = (lesson(one.site, outline(split(one.page)), one.posts) for one in pages)
    return [one for one in found if one is not None]


def _held_out(pages: Sequence[ForumPage], taught: Sequence[Lesson], params: ForumParams) -> str:
    """What a model finds on sites that it has not learned from, as a line to read."""
    held = [one for one in pages if fold_of(one.site, FOLDS) == 0]
    others = [one for one in taught if fold_of(one.site, FOLDS) != 0]
    if not held or not others:
        return "too few sites to hold one out: no score"
    score = found_f1(held, learn(others, params))
    sites = plural(len({one.site for one in held}), "site")
    return f"posts found on {sites} held out: F1 {score:.3f}"


def found_f1(pages: Sequence[ForumPage], model: ForumModel) -> float:
    """F1 of the posts found on single pages; a post is found where nine in ten letters are."""
    found = total = 0
    for one in pages:
        given = [text for post in posts([one.page], model)[0].posts if (text := folded(post.full))]
        wanted = [text for post in one.posts if (text := folded(post.text))]
        found += len(matches(given, wanted))
        total += len(given) + len(wanted)
    return 2 * found / total if total else 0.0
