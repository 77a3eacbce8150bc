"""Tests of `cli/options.py`: options made from parameters, and parameters from options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import click
import pytest
from click.testing import CliRunner

from crfclean.cli.options import CUTS, DROPPED, tagger_options, with_cut
from crfclean.cli.training import element_names
from crfclean.decision.rules import KINDS_OF, CutParams
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
    assert {*DROPPED} == {*KIND_WORDS} - {*KINDS_OF["everything"], "post"}
