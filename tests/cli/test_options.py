"""Tests of `cli/options.py`: options made from parameters, and parameters from options."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import click
import pytest
from click.testing import CliRunner

from crfclean.cli.cut_options import with_cut
from crfclean.cli.options import element_names, model_option, options_of, tagger_options
from crfclean.decision.params import CutParams, cut_as
from crfclean.types import CrfcleanError, option
from crfclean.types.choices import AUTO, CONVENTIONS, KEEPABLE, RULES

OWN = CutParams("viterbi", 0.3, 0.8)


@dataclass(frozen=True)
class Cuttable:
    """What `with_cut` asks of a tagger."""

    cut: CutParams = OWN

    def with_cut(self, params: CutParams) -> Cuttable:
        return replace(self, cut=params)


def changed(**given: Any) -> CutParams:
    options = {"rule": None, "threshold": None, "precision": None, "keep": None, **given}
    tagger: Any = with_cut(Cuttable(), **options)  # type: ignore[arg-type]
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

CUTS: dict[str, tuple[dict[str, Any], CutParams]] = {
    "threshold": ({"threshold": 0.6}, CutParams("threshold", 0.6, 0.8)),
    "threshold 0": ({"threshold": 0.0}, CutParams("threshold", 0.0, 0.8)),
    "precision": ({"precision": 0.6}, CutParams("precision", 0.3, 0.6)),
    "precision 0": ({"precision": 0.0}, CutParams("precision", 0.3, 0.0)),
    "threshold and its rule": (
        {"threshold": 0.6, "rule": "threshold"},
        CutParams("threshold", 0.6, 0.8),
    ),
    "precision and its rule": (
        {"precision": 0.6, "rule": "precision"},
        CutParams("precision", 0.3, 0.6),
    ),
    **{rule: ({"rule": rule}, CutParams(rule, 0.3, 0.8)) for rule in RULES},
}


@pytest.mark.parametrize(("options", "expected"), CUTS.values(), ids=CUTS)
def test_cut_is_changed_where_it_was_asked_for(
    options: dict[str, Any], expected: CutParams
) -> None:
    assert changed(**options) == expected


def test_nothing_asked_for_nothing_changed() -> None:
    for tagger in (Cuttable(), object()):
        assert with_cut(tagger, None, None, None) is tagger  # type: ignore[arg-type]


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


def test_kinds_are_those_of_the_tagger_where_none_are_asked_for() -> None:
    own = Cuttable(replace(OWN, keep=("captions",)))
    made: Any = with_cut(own, "threshold", None, None)  # type: ignore[arg-type]
    assert made.cut == replace(OWN, rule="threshold", keep=("captions",))
    none: Any = with_cut(own, None, None, None, "")  # type: ignore[arg-type]
    assert none.cut == OWN


@pytest.mark.parametrize("name", CONVENTIONS)
def test_conventions(name: str) -> None:
    own = OWN if name == AUTO else cut_as(OWN, name)  # "auto" is what the model does by itself
    assert changed(convention=name) == own
    limited = replace(own, rule="threshold", threshold=0.6)
    assert changed(convention=name, threshold=0.6) == limited


def test_a_convention_and_kinds_exclude_each_other() -> None:
    with pytest.raises(CrfcleanError, match="--as and --keep exclude each other"):
        changed(convention="page", keep="title")
    assert changed(convention=AUTO, keep="title") == replace(OWN, keep=("title",))


@pytest.mark.parametrize("text", ["titles", "title;body", "all", "title body"])
def test_unknown_kinds_are_refused(text: str) -> None:
    with pytest.raises(CrfcleanError, match=f"keep: no kind '{text}'; there are body, title"):
        changed(keep=text)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "both": ({"threshold": 0.0, "precision": 0.0}, "--threshold and --precision exclude each"),
    "both and a rule": (
        {"threshold": 0.5, "precision": 0.5, "rule": "precision"},
        "--threshold and --precision exclude each other",
    ),
    **{
        f"{limit} for {rule}": (
            {limit: 0.0, "rule": rule},
            f"--{limit} has no effect with .* {rule}",
        )
        for limit in ("threshold", "precision")
        for rule in RULES
        if rule != limit
    },
}


@pytest.mark.parametrize(("options", "message"), REFUSED.values(), ids=REFUSED)
def test_options_that_exclude_each_other(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CrfcleanError, match=message):
        changed(**options)


@pytest.mark.parametrize(
    "options",
    [
        ("viterbi", None, None),
        (None, 0.5, None),
        (None, None, 0.5),
        (None, None, None, "title"),
        (None, None, None, ""),
        (None, None, None, None, "page"),
    ],
)
def test_tagger_without_a_cut(options: tuple[Any, ...]) -> None:
    with pytest.raises(CrfcleanError, match="not made by a cut"):
        with_cut(object(), *options)  # type: ignore[arg-type]


def test_tagger_options_are_those_that_open_tagger_takes() -> None:
    nothing: dict[str, Any] = {"threshold": None, "precision": None, "rule": None, "keep": None}
    nothing |= {
        "convention": None,
        "model": "default",
        "kind": None,
        "post": None,
        "also": None,
        "without": None,
    }
    assert given(tagger_options) == nothing
    assert given(tagger_options, "--threshold", "0") == {**nothing, "threshold": 0.0}
    assert given(tagger_options, "--precision", "0.8", "--rule", "precision") == {
        **nothing,
        "precision": 0.8,
        "rule": "precision",
    }
    assert given(tagger_options, "--as", "page") == {**nothing, "convention": "page"}
    assert given(tagger_options, "--keep", "title,body") == {**nothing, "keep": "title,body"}


def test_model_option() -> None:
    assert given(model_option) == {"model": "default"}
    assert given(model_option, "--model", "mine") == {"model": "mine"}


# elements


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, ()),
        ("", ()),
        (" , ", ()),
        ("p", ("p",)),
        ("H1, p,,li ", ("h1", "p", "li")),
        ("my-element", ("my-element",)),
    ],
)
def test_element_names(text: str | None, expected: tuple[str, ...]) -> None:
    assert element_names(text) == expected


@pytest.mark.parametrize("text", ["<p>", "h1,p.lead", "h1 p", "-"])
def test_what_is_no_element(text: str) -> None:
    with pytest.raises(CrfcleanError, match=r"--blocks: '.*' is no element's name"):
        element_names(text)


# parameters


@dataclass(frozen=True)
class Params:
    """One parameter of every kind."""

    size: int = option(3, "how many")
    kind_of: str = option("a", "which", ("a", "b"))
    share: float = option(0.0, "how much")
    elements: tuple[str, ...] = option(("h1", "p"), "which elements")


def test_options_of_parameters_have_their_defaults() -> None:
    assert given(options_of(Params)) == {
        "size": 3,
        "kind_of": "a",
        "share": 0.0,
        "elements": "h1,p",
    }


def test_options_of_parameters_are_read_by_their_kind() -> None:
    arguments = ["--size", "4", "--kind-of", "b", "--share", "0.5", "--blocks", "li"]
    assert given(options_of(Params), *arguments) == {
        "size": 4,
        "kind_of": "b",
        "share": 0.5,
        "elements": "li",
    }


@pytest.mark.parametrize("arguments", [["--size", "x"], ["--kind-of", "c"], ["--share", "y"]])
def test_options_of_another_kind_are_refused(arguments: list[str]) -> None:
    command = click.command()(options_of(Params)(lambda **_: None))
    assert CliRunner().invoke(command, arguments).exit_code == 2


def test_help_tells_text_and_default() -> None:
    command = click.command()(options_of(CutParams)(lambda **_: None))
    told = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    for one in fields(CutParams):
        assert one.metadata["help"] in told
        default = ",".join(one.default) if isinstance(one.default, tuple) else str(one.default)
        assert f"[default: {default}]" in told or not default
