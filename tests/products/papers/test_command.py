"""Tests of `crfclean segment`, and of `--tagger` and `--comments` in other commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.messages import EXIT_OK
from crfclean.products.papers.coherent import METHODS, segments
from crfclean.products.papers.segment_params import EnergyParams, SegmentParams

Command = Callable[..., Any]
LONG = "The lake froze over in January, and the ferry stayed in its harbour for three weeks. " * 3
MENU = "".join(f"<li><a href={n}>News of the week {n}</a></li>" for n in range(5))
PAGE = (
    f"<ul>{MENU}</ul><div><h1>Ferry in the ice</h1><p>{LONG}</p><p>{LONG}</p></div>"
    "<div class=comments><h2>Comments</h2><p>What a winter, worse than the last!</p></div>"
)


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for name in ("a.html", "b.html"):
        (tmp_path / "in" / name).write_text(PAGE, "utf-8")
    return tmp_path


@pytest.mark.parametrize("method", METHODS)
def test_segment_writes_json(pages: Path, crfclean: Command, method: str) -> None:
    done = crfclean("segment", "in", "out", "--method", method)
    assert (done.code, done.out) == (EXIT_OK, "")
    told = json.loads((pages / "out" / "a.json").read_text("utf-8"))
    assert told["method"] == method
    assert [one["text"] for one in told["segments"]] == [one.text for one in segments(PAGE, method)]
    assert (pages / "out" / "b.json").is_file()


@pytest.mark.parametrize("options", [("--method", "energy", "--large-chars", 9), ("--dictionary",)])
def test_options_of_other_methods_are_refused(
    pages: Path, crfclean: Command, options: tuple[object, ...]
) -> None:
    (pages / "words").write_text("rain", "utf-8")
    words = [pages / "words"] * (options[0] == "--dictionary")
    done = crfclean("segment", pages, "-", *options, *words)
    assert done.code == 2
    assert " has no effect here: it needs --m" in done.err


def test_parameters_reach_the_energy(pages: Path, crfclean: Command) -> None:
    options = ["--method", "energy", "--dissipation", "2", "--metric", "words", "--law", "loss"]
    done = crfclean("segment", "in/a.html", "-", *options)
    params = SegmentParams(energy=EnergyParams("words", "loss", 2.0))
    expected = [one.text for one in segments(PAGE, "energy", params)]
    assert [one["text"] for one in json.loads(done.out)["segments"]] == expected
    assert expected != [one.text for one in segments(PAGE, "energy")]
