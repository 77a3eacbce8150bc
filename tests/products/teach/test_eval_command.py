"""Tests of `teach/eval_command.py`: a model, cleaned texts and other systems are scored."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean._version import __version__
from crfclean.cli.messages import EXIT_OK, EXIT_USAGE
from crfclean.products.teach.evaluating import ONE_SITE

Command = Callable[..., Any]
TEXT = "Ferry in the ice\nThe lake froze over in January, and the ferry stayed in its harbour.\n"


needs_peers = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("justext", "resiliparse")),
    reason="the extra `peers` is not installed",
)


@pytest.fixture
def pages(gold: Path) -> Path:
    """The working directory."""
    return gold.parent


def table_of(done: Any) -> list[str]:
    """The lines of the tables, without the note on pages that the model was trained on."""
    note, blank, *lines = str(done.out).splitlines()
    assert (note[:5], blank) == ("note:", "")
    return lines


def test_pages_that_were_trained_on_are_named(crfclean: Command, gold: Path, model: Path) -> None:
    """The small model knows three of the six pages."""
    note = "note: this model was trained on 3 of 6 pages: these scores are not"
    done = crfclean("eval", gold, "--model", model)
    assert done.out.startswith(note)
    done = crfclean("eval", gold, "--model", model, "--json")
    assert json.loads(done.out)["trained_on"] == 3
    assert done.err.startswith(note)


def test_eval_table(crfclean: Command, gold: Path, model: Path) -> None:
    done = crfclean("eval", gold, "--model", model)
    assert (done.code, done.told) == (EXIT_OK, "")
    lines = table_of(done)
    assert lines[0].split() == ["source", "pages", "precision", "recall", "F1"]
    groups = [line.split()[:2] for line in lines[1:5]]
    assert groups == [
        ["moorland-gazette", "2"],
        ["podhorsky-denik", "2"],
        ["severnik", "2"],
        ["All", "6"],
    ]
    assert lines[-1].startswith("all ")


# other systems


@needs_peers
def test_systems_beside_ours(crfclean: Command, gold: Path, model: Path) -> None:
    done = crfclean(
        "eval", gold, "--model", model, "--system", "jusText", "--system", "resiliparse"
    )
    assert (done.code, done.told) == (EXIT_OK, "")
    lines = table_of(done)
    assert lines[0].split()[:3] == ["source", "system", "pages"]
    assert [line.split()[0] for line in lines[2:4]] == ["justext", "resiliparse"]
    assert lines[1].split()[:2] == ["moorland-gazette", "crfclean"]
    assert sum(line.split()[:1] == ["justext"] for line in lines) == 4
    assert lines[-1].startswith("all ")


# comparisons


def evaluated(crfclean: Command, path: Path, *arguments: object) -> Path:
    path.write_text(crfclean("eval", *arguments, "--json").out, "utf-8")
    return path


def test_compare(crfclean: Command, gold: Path, pages: Path, model: Path) -> None:
    old = evaluated(crfclean, pages / "old.json", gold, "--model", model)
    new = evaluated(crfclean, pages / "new.json", gold, "--texts", gold)
    done = crfclean("eval", "--compare", old, new)
    assert (done.code, done.told) == (EXIT_OK, "")
    lines = done.out.splitlines()
    assert lines[0].split() == ["source", "pages", "F1", "new", "-", "old", "95", "%", "interval"]
    assert lines[4].split()[:2] == ["All", "6"]
    assert float(lines[4].split()[2]) > 0
    assert "pages changed" in done.out


# cross-validation

FEW = ("--iterations", 10)


def test_cross_validation(crfclean: Command, gold: Path) -> None:
    done = crfclean("eval", gold, "--cv", 4, *FEW, "--json")
    assert (done.code, done.told) == (EXIT_OK, "")
    told = json.loads(done.out)
    assert told["model"] is None
    assert told["training"]["folds"] == 4
    assert told["training"]["by"] == "site"
    assert told["training"]["params"]["iterations"] == 10
    assert told["table"][-1]["pages"] == 6
    assert crfclean("eval", gold, "--cv", 4, *FEW, "--json", "--workers", 2).out == done.out


def test_pages_of_one_site_are_folded_by_page(crfclean: Command, demo: Path) -> None:
    done = crfclean("eval", demo / "severnik", "--cv", 2, *FEW, "--json")
    assert done.code == EXIT_OK
    assert done.told == f"{ONE_SITE}\n"
    told = json.loads(done.out)
    assert (told["training"]["by"], told["interval_over"]) == ("page", "page")
    low, high = told["f1_interval"]
    assert low < told["table"][-1]["f1"] < high
    refused = crfclean("eval", demo / "severnik", "--cv", 2, "--group-by", "site")
    assert refused.code == EXIT_USAGE


# reports


def test_agree(crfclean: Command, tmp_path: Path) -> None:
    one, two = tmp_path / "1.labels.tsv", tmp_path / "2.labels.tsv"
    one.write_text("TEXT\ta\nOTHER\tb\n", "utf-8")
    two.write_text("TEXT\ta\nTEXT\tb\n", "utf-8")
    outcome = crfclean("eval", one, "--agree", two)
    assert outcome.code == 0
    assert "2 blocks of 1 page, 0.500 with equal labels" in outcome.out
    assert f"labels, by {one}, then {two}:\n\nline 2\tOTHER TEXT\n    b\n" in outcome.out
    figures = json.loads(crfclean("eval", one, "--agree", two, "--json").out)
    assert (figures["blocks"], figures["versions"]) == (2, {"crfclean": __version__})
    refused = crfclean("eval", one, "--agree", two, "--html", "x.html")
    assert (refused.code, "--agree compares only labels" in refused.err) == (2, True)
    assert crfclean("eval", one, "--agree", tmp_path / "none").code == 2
