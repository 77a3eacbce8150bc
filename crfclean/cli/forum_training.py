"""Training of a model of forums as the options of `train` ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from crfclean.cli.options import progress_bar, refuse_options
from crfclean.evaluate.plurals import plural
from crfclean.forum.gold import ForumPage, folded_words, matches, read_posts
from crfclean.forum.learn import ForumExample, forum_example, learn
from crfclean.forum.model import ForumModel, save_forum_model
from crfclean.forum.outline import outline
from crfclean.forum.posts import posts
from crfclean.page.blocks import split
from crfclean.train.examples import fold_of
from crfclean.train.params import ForumParams
from crfclean.types import CrfcleanError

_FOLDS = 4  # of the sites; the first is held out to score the model
_PARAMS = {"l1": "l1", "l2": "l2", "iterations": "iterations", "min_freq": "threshold"}
"""Options of `train` -> the parameters that they change."""


def train_forum(
    directory: Path, output: Path, options: Mapping[str, Any], explicit: set[str]
) -> None:
    """Score a model on held-out sites, then train one on all pages and write its folder.

    Raises `CrfcleanError` for pages without posts, and `UsageError` for options without effect;
    `explicit` are those on the command line.
    """
    refuse_options(explicit - {*_PARAMS, "directory", "output", "kind"}, "it is for other models")
    changed = {name: options[option] for option, name in _PARAMS.items() if option in explicit}
    if "threshold" in changed:
        changed["threshold"] = round(changed["threshold"])
    params = ForumParams(**changed)
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
    lessons = (forum_example(page.site, outline(split(page.page)), page.posts) for page in pages)
    return [lesson for lesson in lessons if lesson is not None]


def _held_out_score(
    pages: Sequence[ForumPage], lessons: Sequence[ForumExample], params: ForumParams
) -> str:
    """The score of a model on sites held out of its training, as a line of text."""
    held_out = [page for page in pages if fold_of(page.site, _FOLDS) == 0]
    training = [lesson for lesson in lessons if fold_of(lesson.site, _FOLDS) != 0]
    if not held_out or not training:
        return "too few sites to hold one out: no score"
    f1 = _posts_f1(held_out, learn(training, params))
    sites = plural(len({page.site for page in held_out}), "site")
    return f"posts found on {sites} held out: F1 {f1:.3f}"


def _posts_f1(pages: Sequence[ForumPage], model: ForumModel) -> float:
    """F1 (0..1) of the posts of single pages; a post matches where nine in ten letters do."""
    matched = total = 0
    for page in pages:
        (thread,) = posts([page.page], model)
        predicted = [text for post in thread.posts if (text := folded_words(post.full))]
        gold = [text for post in page.posts if (text := folded_words(post.text))]
        matched += len(matches(predicted, gold))
        total += len(predicted) + len(gold)
    return 2 * matched / total if total else 0.0
