"""Tests of `crfclean segment`, and of `--tagger` and `--comments` in other commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.help import EXIT_OK
from crfclean.systems.coherent import METHODS, EnergyParams, SegmentParams, segments
from crfclean.systems.load import NAMED

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


def test_parameters_reach_the_energy(pages: Path, crfclean: Command) -> None:
    options = ["--method", "energy", "--dissipation", "2", "--metric", "words", "--law", "loss"]
    done = crfclean("segment", "in/a.html", "-", *options)
    params = SegmentParams(energy=EnergyParams("words", "loss", 2.0))
    expected = [one.text for one in segments(PAGE, "energy", params)]
    assert [one["text"] for one in json.loads(done.out)["segments"]] == expected
    assert expected != [one.text for one in segments(PAGE, "energy")]


# taggers without a model


@pytest.mark.parametrize("name", NAMED)
def test_clean_by_a_named_tagger(pages: Path, crfclean: Command, name: str) -> None:
    done = crfclean("clean", "in/a.html", "-", "--tagger", name)
    assert done.code == EXIT_OK
    assert LONG.strip() in done.out
    assert "News of the week" not in done.out


# HTML, and why


def test_clean_writes_html(pages: Path, crfclean: Command) -> None:
    pytest.importorskip("nh3")
    linked = PAGE.replace("</p><p>", " <a href='/x'>more</a></p><p>", 1)
    (pages / "in" / "a.html").write_text(linked, "utf-8")
    options = ["--tagger", "expert", "--format", "html"]
    assert crfclean("clean", "in", "out", *options).code == EXIT_OK
    plain = (pages / "out/a.html").read_text("utf-8")
    assert "<h1>Ferry in the ice</h1>" in plain
    assert 'href="/x"' in plain
    assert "What a winter" not in plain
    assert crfclean("clean", "in", "out", *options, "--no-links").code == EXIT_OK
    assert "href" not in (pages / "out/a.html").read_text("utf-8")
    assert crfclean("clean", "in", "out", *options, "--comments", "separate").code == EXIT_OK
    assert "<section><p>What a winter" in (pages / "out/a.html").read_text("utf-8")


def test_comments_of_the_expert(pages: Path, crfclean: Command) -> None:
    texts = {
        mode: crfclean("clean", "in/a.html", "-", "--tagger", "expert", "--comments", mode).out
        for mode in ("keep", "separate", "drop")
    }
    comment = "What a winter, worse than the last!\n"
    assert texts["keep"].endswith(comment)
    assert texts["separate"] == texts["drop"] + "\n" + comment
    assert comment not in texts["drop"]
