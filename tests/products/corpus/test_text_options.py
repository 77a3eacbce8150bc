"""Tests of `cli/options.py`: options made from parameters, and parameters from options."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from crfclean.cli.messages import EXIT_USAGE
from crfclean.cli.options import CUTS, DROPPED_KINDS, OTHER_SWITCHES, tagger_options, with_cut
from crfclean.decision.rules import KINDS_OF, CutParams
from crfclean.products.corpus.clean_command import clean_command
from crfclean.products.corpus.params import PageLimits, ResumeParams
from crfclean.products.teach.eval_command import eval_command
from crfclean.products.teach.training import element_names
from crfclean.types import CrfcleanError
from crfclean.types.choices import KEEPABLE, KIND_WORDS

OWN = CutParams("expected_f1", 0.3, 0.8)


@dataclass(frozen=True)
class Cuttable:
    """What `with_cut` asks of a tagger."""

    cut: CutParams = OWN

    def with_cut(self, params: CutParams) -> Cuttable:
        return replace(self, cut=params)


def changed(**given: Any) -> CutParams:
    tagger: Any = with_cut(Cuttable(), given)  # type: ignore[arg-type]
    params: CutParams = tagger.cut
    return params


def given(decorate: Any, *arguments: str) -> dict[str, Any]:
    """What a command with these options is called with."""
    caught: dict[str, Any] = {}
    command = click.command()(decorate(lambda **options: caught.update(options)))
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    return caught


# the cut


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("title", ("title",)),
        (" Title,,HEADERS, ", ("title", "headers")),
        ("body", ("body",)),
        (",".join(KEEPABLE), KEEPABLE),
        ("", ()),
        (" , ", ()),
    ],
)
def test_kinds_to_keep(text: str, kept: tuple[str, ...]) -> None:
    assert changed(keep=text) == replace(OWN, keep=kept)
    both = changed(keep=text, threshold=0.6)
    assert both == replace(OWN, rule="threshold", threshold=0.6, keep=kept)


def test_tagger_options_are_those_that_open_tagger_reads() -> None:
    nothing: dict[str, Any] = {"model": "default", "kind": None, **dict.fromkeys(CUTS)}
    assert given(tagger_options) == nothing
    assert given(tagger_options, "--threshold", "0") == {**nothing, "threshold": 0.0}
    assert given(tagger_options, "--as", "page") == {**nothing, "convention": "page"}
    assert given(tagger_options, "--keep", "title,body") == {**nothing, "keep": "title,body"}


# elements


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        (" , ", ()),
        ("p", ("p",)),
        ("H1, p,,li ", ("h1", "p", "li")),
        ("my-element", ("my-element",)),
    ],
)
def test_element_names(text: str, expected: tuple[str, ...]) -> None:
    assert element_names(text) == expected


@pytest.mark.parametrize("text", ["<p>", "h1,p.lead", "h1 p", "-"])
def test_what_is_no_element(text: str) -> None:
    with pytest.raises(CrfcleanError, match=r"--blocks: '.*' is not the name"):
        element_names(text)


def test_the_help_names_all_kinds_that_everything_drops() -> None:
    """A `post` is a comment of a thread."""
    assert {*DROPPED_KINDS} == {*KIND_WORDS} - {*KINDS_OF["everything"], "post"}


# commands that write and score texts have the same options


Command = Callable[..., Any]
NOT_TEXT = {
    *(
        "ending",
        "engine",
        "workers",
        "failures",
        "input_list",
        "output",
        "fields",
        "carry",
    ),  # how, not what
    *(each.name for each in fields(ResumeParams)),
    *(each.name for each in fields(PageLimits)),  # of corpora; gold is read
    *OTHER_SWITCHES,  # what stands beside the text
    *("languages", "page_types", "min_words", "requires_content"),  # which pages, not what of them
    *("deduplicate", "deduplicate_limit"),
    "by_site",  # of whole sites; gold has some pages of each, see eval/accuracy/sites.py
    "include",
    "files",
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


WITHOUT_EFFECT = {
    "--include levels": "levels needs --format json, jsonl, parquet",
    "b.csv --include parts": "parts needs --format json, jsonl",
    "--include front-matter -f json": "front-matter needs --format md",
    "--passage-words 9": "it needs --format passages",
    "--deduplicate-limit 9": "it needs --deduplicate",
    "--tagger expert --model default": "the tagger expert has no model",
}


@pytest.mark.parametrize(("options", "reason"), WITHOUT_EFFECT.items(), ids=WITHOUT_EFFECT)
def test_options_without_effect_are_refused(
    crfclean: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.html").write_text("<p>Rain.", "utf-8")
    done = crfclean("clean", "a.html", *options.split())
    assert (done.code, done.out) == (2, "")
    assert f" has no effect here: {reason} (" in done.err
    Path("crfclean.toml").write_text('[clean]\ninclude = "levels"\n', "utf-8")
    assert crfclean("clean", "a.html").code == 0
