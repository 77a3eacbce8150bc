"""Tests of `cli/learn_site.py`: from pages to files to later pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sitepages import NOTICE, site_page, write_site

from crfclean.cli.exit_codes import EXIT_NOTHING, EXIT_OK, EXIT_USAGE

Command = Callable[..., Any]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_site(tmp_path / "pages")
    return tmp_path


@pytest.fixture
def later(here: Path) -> Path:
    """A later page of the site, one of its next template, one of another site."""
    folder = here / "later"
    folder.mkdir()
    changed = site_page("Ida", "report").replace("id=main", "id=frame").replace("gift", "plea")
    (folder / "a.html").write_text(site_page("Zoe"))
    (folder / "b.html").write_text(changed)
    (folder / "c.html").write_text(site_page("Jan", host="rail.example"))
    return folder


def test_later_pages_are_cleaned_with_what_was_learned(
    crfclean: Command, later: Path, model: Path
) -> None:
    done = crfclean("learn-site", "pages", "-o", "sites", "--model", model)
    assert (done.code, done.err.strip()) == (EXIT_OK, "1 site learned")
    assert done.out.startswith(str(Path("sites") / "ferry.example.json") + ": 8 pages, text in div")
    today = json.loads(Path("sites/ferry.example.json").read_text())["learned"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", today)
    alone = crfclean("clean", later, "alone.jsonl", "--model", model)
    known = crfclean("clean", later, "known.jsonl", "--model", model, "--sites", "sites")
    assert alone.code == known.code == EXIT_OK
    assert "site" not in alone.err
    assert "1 of unknown sites, 1 that the rules of their site do not fit" in known.err
    rows = [json.loads(line) for line in Path("known.jsonl").read_text().splitlines()]
    assert [row["site_rules"]["site"] for row in rows] == ["ferry.example", "ferry.example", ""]
    assert rows[0]["site_rules"]["fit"] > 0.9
    assert NOTICE not in rows[0]["text"]
    before = [json.loads(line) for line in Path("alone.jsonl").read_text().splitlines()]
    assert "site_rules" not in before[0]
    assert [row["text"] for row in rows[1:]] == [row["text"] for row in before[1:]]


def test_scores_are_those_with_the_sites(
    crfclean: Command, demo: Path, tmp_path: Path, model: Path
) -> None:
    gold, options = demo / "moorland-gazette", ["--model", model, "--threshold", "0.03"]
    crfclean("learn-site", gold, "-o", tmp_path / "sites", "--model", model)
    known = [*options, "--sites", tmp_path / "sites"]
    crfclean("clean", gold, tmp_path / "texts", *known)
    calls = [["--output", tmp_path / "texts"], known, options]
    printed = [json.loads(crfclean("eval", gold, *call, "--json").out) for call in calls]
    written, scored, alone = [[page["f1"] for page in each["pages"]] for each in printed]
    assert scored == pytest.approx(written, abs=1e-9)
    assert scored != alone


def test_a_site_config(crfclean: Command, here: Path, model: Path) -> None:
    done = crfclean("learn-site", "pages", "-o", "configs", "--format", "ftr", "--model", model)
    assert done.code == EXIT_OK
    assert "\nbody: //div[" in (here / "configs" / "ferry.example.txt").read_text()


def test_a_report(crfclean: Command, here: Path, model: Path) -> None:
    options = ["--model", model, "--html-report", "report"]
    done = crfclean("learn-site", "pages", "-o", "sites", *options)
    assert (done.code, done.err.strip()) == (EXIT_OK, "1 site learned")
    assert "1 site learned." in (here / "report" / "index.html").read_text("utf-8")
    learned = json.loads((here / "sites" / "ferry.example.json").read_text())["learned"]
    assert f"learned on {learned}" in (here / "report" / "site-01.html").read_text("utf-8")
    assert (here / "report" / "site-01-page-3.html").exists()


def test_too_few_pages(crfclean: Command, later: Path, model: Path) -> None:
    done = crfclean("learn-site", later, "-o", "sites", "--model", model)
    assert (done.code, done.out) == (EXIT_NOTHING, "")
    assert done.err.strip() == "0 sites learned, 2 sites with too few pages"
    crfclean("learn-site", later, "-o", "sites", "--model", model, "--html-report", "report")
    assert not Path("sites").exists()
    assert not Path("report").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sites", "missing"], "cannot be read"),
        (["--sites", "later"], "make some with crfclean learn-site"),
        (["--sites", "sites", "--tagger", "expert"], "knows nothing of sites"),
        (["--sites", "sites", "--group-by", "site"], "name one"),
    ],
)
def test_wrong_options_are_refused(
    crfclean: Command, later: Path, model: Path, options: list[str], message: str
) -> None:
    crfclean("learn-site", "pages", "-o", "sites", "--model", model)
    done = crfclean("clean", later, "texts", *options)
    assert (done.code, message in done.err) == (EXIT_USAGE, True), done.err


def test_a_run_with_other_sites_is_not_resumed(crfclean: Command, later: Path, model: Path) -> None:
    crfclean("learn-site", "pages", "-o", "sites", "--model", model)
    crfclean("clean", later, "out", "--model", model)
    options = ["--model", model, "--sites", "sites", "--resume"]
    done = crfclean("clean", later, "out", *options)
    assert (done.code, "sites" in done.err) == (EXIT_USAGE, True), done.err
