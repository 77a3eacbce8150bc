"""Tests of `cli/measures.py`: a model, cleaned texts and other systems are scored."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from auditruns import row, write_run
from click.testing import CliRunner, Result

from crfclean._version import __version__
from crfclean.cli.help import EXIT_NOTHING, EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE
from crfclean.cli.measures import audit_command
from crfclean.cli.training import ONE_SITE
from crfclean.corpus.outputs import session_lock
from crfclean.types import CrfcleanError

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
    note, blank, *lines = done.out.splitlines()
    assert (note[:5], blank) == ("note:", "")
    return lines


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


# the command `drift`


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs: in the second, one of two sites has lower scores."""
    paths = []
    for run, day in enumerate(("2026-03-01", "2026-03-02")):
        rows = [
            {"id": str(place), "url": f"https://{site}.example/{place}", "date": day,
             "status": "ok", "score": 0.5 if run and site == "a" else 0.9}
            for site in "ab"
            for place in range(8)
        ]  # fmt: skip
        paths.append(tmp_path / f"{run}.jsonl")
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    return paths


def test_a_changed_site_is_named(crfclean: Command, runs: list[Path]) -> None:
    done = crfclean("drift", *runs)
    assert done.code == EXIT_SOME_FAILED
    assert done.out.splitlines()[1].split()[:3] == ["a.example", "score", "2026-03-02"]
    values = json.loads(crfclean("drift", *runs, "--json").out)
    assert values["versions"] == {"crfclean": __version__}
    assert [fall["site"] for fall in values["falls"]] == ["a.example"]


# the command `audit`


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return write_run(tmp_path / "texts.jsonl", [row(number) for number in range(200)])


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    return tmp_path / "texts.audit.csv"


def run(*arguments: object) -> Result:
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(audit_command, words, standalone_mode=False)


def code(*arguments: object) -> int:
    result = run(*arguments)
    if result.exception is not None:
        raise result.exception
    value: int = result.return_value
    return value


def fill(sheet: Path, answer: str) -> None:
    """Answer all blocks of a spreadsheet."""
    lines = sheet.read_text("utf-8").splitlines(keepends=True)
    filled = [lines[0], *(line.replace(",", f",{answer}", 1) for line in lines[1:])]
    sheet.write_text("".join(filled), "utf-8")


def test_by_a_spreadsheet(out: Path, sheet: Path) -> None:
    assert code(out, "--write", "--sample", 40) == EXIT_OK
    assert len(sheet.read_text("utf-8").splitlines()) == 41
    assert code(out, "--report") == EXIT_NOTHING
    fill(sheet, "yes")
    done = run(out, "--report")
    assert done.return_value == EXIT_OK
    assert done.output.startswith("40 blocks judged of 200 pages with 2,600 words")
    fields = json.loads(run(out, "--report", "--json").output)
    assert fields["versions"] == {"crfclean": __version__}
    assert fields["estimates"]["precision"]["estimate"] == 1.0
    assert fields["estimates"]["recall"]["estimate"] < 1.0


def test_more_judgements_later_keep_the_first(out: Path, sheet: Path) -> None:
    code(out, "--write", "--sample", 20)
    fill(sheet, "no")
    first = sheet.read_text("utf-8").splitlines()
    code(out, "--write", "--sample", 60)
    lines = sheet.read_text("utf-8").splitlines()
    assert lines[:21] == first
    assert len(lines) == 61
    code(out, "--write", "--sample", 10)
    assert sheet.read_text("utf-8").splitlines() == first


def test_judgements_are_not_saved_over_what_has_changed(
    out: Path, sheet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = SimpleNamespace(isatty=lambda: True)
    streams = SimpleNamespace(stdin=terminal, stdout=terminal)
    monkeypatch.setattr("crfclean.cli.measures.sys", streams)
    keys = iter("ttttq")

    def press(_text: str) -> str:
        """Judge three blocks, while another program writes the file after the first."""
        key = next(keys)
        if sheet.exists() and ",yes," in sheet.read_text("utf-8"):
            sheet.write_text("of another program", "utf-8")  # the next answer is refused
        return key

    monkeypatch.setattr("crfclean.cli.measures._press", press)
    assert run(out).stdout.startswith("3 blocks judged")
    assert sheet.read_text("utf-8") == "of another program"
    kept = sheet.with_name("texts.audit.kept.csv")
    assert run(out, "--report", "--judgements", kept).output.startswith("3 blocks judged")


def test_a_second_audit_is_refused(out: Path, sheet: Path) -> None:
    with (
        session_lock(sheet.with_name(".texts.audit.csv.lock"), sheet),
        pytest.raises(CrfcleanError, match=f"writes there, process {os.getpid()} on"),
    ):
        code(out, "--write")
