"""Tests of `crfclean eval`: a model, cleaned texts and other systems on the command line."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean._version import __version__
from crfclean.cli.help import EXIT_OK, EXIT_USAGE
from crfclean.cli.training import ONE_SITE

Command = Callable[..., Any]
TEXT = "Ferry in the ice\nThe lake froze over in January, and the ferry stayed in its harbour.\n"


needs_peers = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("justext", "resiliparse")),
    reason="the extra `peers` is not installed",
)


@pytest.fixture
def gold(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with six demo pages of three sites in `gold`."""
    monkeypatch.chdir(tmp_path)
    for site in ("moorland-gazette", "podhorsky-denik", "severnik"):
        (tmp_path / "gold" / site).mkdir(parents=True)
        for page in sorted((demo / site).glob("*.html"))[:2]:
            shutil.copy(page, tmp_path / "gold" / site)
            shutil.copy(page.with_suffix(".txt"), tmp_path / "gold" / site)
    return tmp_path / "gold"


@pytest.fixture
def pages(gold: Path) -> Path:
    """The working directory."""
    return gold.parent


def table_of(done: Any) -> list[str]:
    """The lines of the tables, without the note on pages that the model was trained on."""
    note, blank, *lines = done.out.splitlines()
    assert (note[:5], blank) == ("note:", "")
    return lines


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def test_pages_that_were_trained_on_are_named(crfclean: Command, gold: Path, model: Path) -> None:
    """The small model knows three of the six pages."""
    note = "note: 3 of 6 pages were in this model's training data: these scores are not"
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


def test_eval_of_cleaned_texts(crfclean: Command, gold: Path, pages: Path, model: Path) -> None:
    crfclean("clean", gold, "out", "--model", model)
    ours = json.loads(crfclean("eval", gold, "--model", model, "--json").out)
    texts = json.loads(crfclean("eval", gold, "--texts", "out", "--json").out)
    for row, own in zip(texts["table"], ours["table"], strict=True):
        assert row["source"] == own["source"]  # "11. June" at the start of a line reads like a list
        assert row["f1"] == pytest.approx(own["f1"], abs=0.005)
    assert sum(map(sum, texts["confusion"])) == sum(map(sum, ours["confusion"])) > 0


def test_shipped_model_is_evaluated(crfclean: Command, demo: Path, default_model: Path) -> None:
    told = json.loads(crfclean("eval", demo, "--json").out)
    assert told["table"][-1]["pages"] == 24
    assert told["table"][-1]["f1"] > 0.6


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


# groups, processes, formats


def test_eval_json_fits_its_schema(crfclean: Command, gold: Path, model: Path) -> None:
    import jsonschema

    import crfclean as package

    schema = Path(package.__file__).parent / "teach" / "schemas" / "evaluation.json"
    told = json.loads(crfclean("eval", gold, "--model", model, "--json", "--threshold", 0.4).out)
    jsonschema.validate(told, json.loads(schema.read_text("utf-8")))
    assert told["gold"] == "gold"
    assert told["model"]["name"] == model.name
    assert told["model"]["options"] == {"threshold": 0.4}


def test_optional_text_and_snippets(crfclean: Command, gold: Path, model: Path) -> None:
    page = gold / "severnik" / "hokej-derby-finale"
    first = page.with_suffix(".txt").read_text("utf-8").splitlines()[0]
    write(page.with_suffix(".with.txt"), first.encode())
    write(page.with_suffix(".without.txt"), b"no such words")
    done = crfclean("eval", gold, "--texts", gold)
    line = next(line for line in reversed(done.out.splitlines()) if line.startswith("texts"))
    assert line.split()[1:] == ["100.0", "%", "100.0", "%"]


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


def test_intervals_of_one_newspaper_are_by_page(
    crfclean: Command, demo: Path, model: Path, tmp_path: Path
) -> None:
    """Without --cv, with --group-by page, and in what --compare prints."""
    ours = ("--model", model)
    whole = crfclean("eval", demo / "severnik", *ours)
    assert ", over 4 pages of 1 site.\n" in whole.out
    assert crfclean("eval", demo / "severnik", *ours, "--group-by", "page").out == whole.out
    assert "interval" not in crfclean("eval", demo / "severnik", *ours, "--group-by", "site").out
    every = crfclean("eval", demo, *ours, "--group-by", "page")
    assert ", over 24 pages of 6 sites.\n" in every.out
    paths = [tmp_path / f"{name}.json" for name in ("old", "new")]
    for path, threshold in zip(paths, (0.9, 0.1), strict=True):
        scores = crfclean("eval", demo / "severnik", *ours, "--threshold", threshold, "--json")
        path.write_text(scores.out, "utf-8")
    compared = crfclean("eval", "--compare", *paths).out
    assert "95 % interval, by page" in compared
    assert "–" not in compared
    assert crfclean("eval", "--compare", *paths, "--by", "lang").code == EXIT_USAGE


def test_sources_without_models_have_no_row(crfclean: Command, gold: Path) -> None:
    done = crfclean("eval", gold, "--per-source", "--group-by", "site", *FEW)
    assert "no model for single sources: " in done.told
    assert "0.000" not in done.out.partition("One model for all")[0]


# reports


@needs_peers
def test_report(crfclean: Command, gold: Path, pages: Path, model: Path) -> None:
    arguments = ("eval", gold, "--model", model, "--system", "resiliparse")
    done = crfclean(*arguments, "--html", "report.html")
    assert (done.code, done.told) == (EXIT_OK, "")
    assert done.out == crfclean(*arguments).out
    html = (pages / "report.html").read_text("utf-8")
    assert html.count("<details>") == 6
    crfclean(*arguments, "--html", "again.html")
    assert (pages / "again.html").read_text("utf-8") == html


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
