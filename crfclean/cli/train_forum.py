"""The command `train-forum`: train a model of forums on annotated pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.options import options_of, progress_bar
from crfclean.evaluate.plurals import plural
from crfclean.train.params import ForumParams
from crfclean.types import CrfcleanError

if TYPE_CHECKING:  # help and completion read this module, and train nothing
    from crfclean.forum.gold import ForumPage
    from crfclean.forum.learn import ForumExample
    from crfclean.forum.model import ForumModel

_FOLDS = 4  # of the sites; the first is held out to score the model


@click.command(
    "train-forum",
    cls=GroupedCommand,
    examples={
        "crfclean train-forum sites -o my-forums": "Train on directories, one for each site",
        "crfclean forum threads posts --model my-forums": "Use the model",
    },
)
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
    """Train a model of forums on annotated pages.

    Every sub-directory of DIR with a file posts.xpath is a site, with its pages beside the file;
    lines of .jsonl files have html and posts. The score printed at the end is that of a first
    training, on sites held out of it; the model is then trained on all pages.
    """
    from crfclean.forum.gold import read_posts
    from crfclean.forum.learn import learn
    from crfclean.forum.model import save_forum_model

    params = ForumParams(**options)
    pages = list(read_posts(directory))
    lessons = _lessons(progress_bar(pages, None, "page"))
    if not lessons:
        raise CrfcleanError(f"{directory}: no page has a post where posts.xpath looks for it")
    score = _held_out_score(pages, lessons, params)
    save_forum_model(learn(lessons, params), output)
    click.echo(score)
    sites = plural(len({lesson.site for lesson in lessons}), "site")
    click.echo(f"{output}: trained on {plural(len(lessons), 'page')} of {sites}")


def _lessons(pages: Iterable[ForumPage]) -> list[ForumExample]:
    from crfclean.forum.learn import forum_example
    from crfclean.forum.outline import outline
    from crfclean.page.blocks import split

    lessons = (forum_example(page.site, outline(split(page.page)), page.posts) for page in pages)
    return [lesson for lesson in lessons if lesson is not None]


def _held_out_score(
    pages: Sequence[ForumPage], lessons: Sequence[ForumExample], params: ForumParams
) -> str:
    """The score of a model on sites held out of its training, as a line of text."""
    from crfclean.forum.learn import learn
    from crfclean.train.examples import fold_of

    held_out = [page for page in pages if fold_of(page.site, _FOLDS) == 0]
    training = [lesson for lesson in lessons if fold_of(lesson.site, _FOLDS) != 0]
    if not held_out or not training:
        return "too few sites to hold one out: no score"
    f1 = _posts_f1(held_out, learn(training, params))
    sites = plural(len({page.site for page in held_out}), "site")
    return f"posts found on {sites} held out: F1 {f1:.3f}"


def _posts_f1(pages: Sequence[ForumPage], model: ForumModel) -> float:
    """F1 (0..1) of the posts of single pages; a post matches where nine in ten letters do."""
    from crfclean.forum.gold import folded_words, matches
    from crfclean.forum.posts import posts

    matched = total = 0
    for page in pages:
        (thread,) = posts([page.page], model)
        predicted = [text for post in thread.posts if (text := folded_words(post.full))]
        gold = [text for post in page.posts if (text := folded_words(post.text))]
        matched += len(matches(predicted, gold))
        total += len(predicted) + len(gold)
    return 2 * matched / total if total else 0.0
