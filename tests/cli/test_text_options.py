"""Tests of `cli/options.py`: commands that write and score texts have the same options."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest

from crfclean.cli.help import EXIT_USAGE
from crfclean.cli.measures import eval_command
from crfclean.cli.options import OTHER_SWITCHES
from crfclean.cli.pages import clean_command
from crfclean.corpus.jobs import PageLimits
from crfclean.corpus.outputs import ResumeParams

Command = Callable[..., Any]
NOT_TEXT = {
    *("ending", "engine", "workers", "failures", "input_list", "output", "fields"),  # how, not what
    *(each.name for each in fields(ResumeParams)),
    *(each.name for each in fields(PageLimits)),  # of corpora; gold is read
    *OTHER_SWITCHES,  # what stands beside the text
    *("languages", "page_types", "min_words", "requires_content"),  # which pages, not what of them
    *("deduplicate", "deduplicate_limit"),
    "by_site",  # of whole sites; gold has some pages of each, see eval/accuracy/sites.py
    "include",
}
"""Parameters of `clean` that change no text of an annotated page."""


def parameters(command: click.Command) -> dict[str, click.Option]:
    return {one.name or "": one for one in command.params if isinstance(one, click.Option)}


def test_what_changes_texts_can_be_scored() -> None:
    assert parameters(clean_command).keys() - parameters(eval_command).keys() <= NOT_TEXT


@pytest.mark.parametrize(
    "options",
    [
        ["--comments", "drop"],
        ["--no-headings"],
        ["--min-score", "1"],
        ["--keep", "body"],
    ],
)
def test_scores_are_those_of_the_written_texts(
    crfclean: Command, demo: Path, tmp_path: Path, model: Path, options: list[str]
) -> None:
    """`eval` scores what `clean` writes with the same options; the threshold keeps everything."""
    gold, everything = demo / "moorland-gazette", ["--model", model, "--threshold", "0"]
    command = [*everything, *options]
    crfclean("clean", gold, tmp_path / "texts", *command)
    written = json.loads(crfclean("eval", gold, "--texts", tmp_path / "texts", "--json").out)
    scored = json.loads(crfclean("eval", gold, *command, "--json").out)
    plain = json.loads(crfclean("eval", gold, *everything, "--json").out)
    assert len(scored["model"]["options"]) == 2
    scores, expected = ([page["f1"] for page in one["pages"]] for one in (scored, written))
    assert scores == pytest.approx(expected, abs=1e-9)
    assert scores != [page["f1"] for page in plain["pages"]]


@pytest.mark.parametrize("option", ["--no-tables", "--comments=drop", "--model=x", "--keep=body"])
def test_texts_that_are_cleaned_already(
    crfclean: Command, demo: Path, tmp_path: Path, option: str
) -> None:
    done = crfclean("eval", demo, "--texts", tmp_path, option)
    assert done.code == EXIT_USAGE
    assert "has no effect here: the texts of --texts are cleaned already" in done.err
