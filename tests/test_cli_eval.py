"""Tests of `cli_eval.py`: a model, cleaned texts and other systems scored on the command line."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli import OK, USAGE

Command = Callable[..., Any]
TEXT = "Ferry in the ice\nThe lake froze over in January, and the ferry stayed in its harbour.\n"
PAGE = "<h1>{}</h1><p>{}</p>".format(*TEXT.splitlines())


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


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def test_eval_table(crfclean: Command, gold: Path, model: Path) -> None:
    done = crfclean("eval", gold, "--model", model)
    assert (done.code, done.err) == (OK, "")
    lines = done.out.splitlines()
    assert lines[0].split() == ["moorland-gazette", "podhorsky-denik", "severnik", "All"]
    assert lines[1].split() == ["pages", "2", "2", "2", "6"]
    assert [line.split()[0] for line in lines[2:7]] == ["L", "L", "P", "R", "F"]
    assert [line.split()[0] for line in lines[-3:]] == ["HEADER", "TEXT", "OTHER"]


def test_eval_figures_agree(crfclean: Command, gold: Path, model: Path) -> None:
    table = crfclean("eval", gold, "--model", model).out.splitlines()
    told = json.loads(crfclean("eval", gold, "--model", model, "--json").out)
    text = crfclean("eval", gold, "--model", model, "--csv").out
    rows = list(csv.DictReader(io.StringIO(text)))
    f1 = told["table"][-1]["f1"]
    assert f1 == pytest.approx(sum(page["f1"] for page in told["pages"]) / 6)
    assert float(rows[-1]["f1"]) == pytest.approx(f1)
    assert table[6].split()[-1] == f"{f1:.3f}"
    assert len(rows) == 6 + 3 + 1


def test_eval_with_another_threshold(crfclean: Command, gold: Path, model: Path) -> None:
    def scores(*options: object) -> tuple[float, float]:
        told = json.loads(crfclean("eval", gold, "--model", model, "--json", *options).out)
        return told["table"][-1]["precision"], told["table"][-1]["recall"]

    low, high = scores("--threshold", 0), scores("--threshold", 0.95)
    assert low[1] > 0.99 > low[0]
    assert high[0] > low[0]
    assert high[1] < low[1]


def test_eval_at_a_precision(crfclean: Command, gold: Path, model: Path) -> None:
    def figures(*options: object) -> Any:
        return json.loads(crfclean("eval", gold, "--model", model, "--json", *options).out)

    low, high = (figures("--precision", least)["table"][-1] for least in (0.3, 0.97))
    assert high["precision"] > low["precision"]
    assert high["recall"] < low["recall"]
    assert figures("--rule", "precision") == figures("--precision", 0.9)


def test_eval_of_cleaned_texts(crfclean: Command, gold: Path, pages: Path, model: Path) -> None:
    crfclean("clean", gold, "out", "--model", model)
    ours = json.loads(crfclean("eval", gold, "--model", model, "--json").out)
    texts = json.loads(crfclean("eval", gold, "--output", "out", "--json").out)
    assert texts["table"] == ours["table"]
    assert sum(map(sum, texts["confusion"])) == sum(map(sum, ours["confusion"])) > 0


def test_eval_of_the_gold_itself(crfclean: Command, gold: Path) -> None:
    done = crfclean("eval", gold, "--output", gold)
    assert done.err == ""
    assert done.out.splitlines()[6].split() == ["F"] + ["1.000"] * 4
    assert [line.split()[3] for line in done.out.splitlines()[-3:]] == ["1.000"] * 3


def test_eval_counts_missing_texts_as_empty(crfclean: Command, gold: Path, pages: Path) -> None:
    shutil.copytree(gold, pages / "texts")
    (pages / "texts" / "severnik" / "hokej-derby-finale.txt").unlink()
    done = crfclean("eval", gold, "--output", "texts", "--json")
    missing = "texts: no text for severnik/hokej-derby-finale.html, counted as empty\n"
    assert (done.code, done.err) == (OK, missing)
    told = json.loads(done.out)
    assert [page["f1"] for page in told["pages"]] == [1, 1, 1, 1, 0, 1]
    assert [page["status"] for page in told["pages"]].count("missing") == 1


def test_eval_of_texts_in_another_encoding(crfclean: Command, gold: Path, pages: Path) -> None:
    shutil.copytree(gold, pages / "texts")
    broken = pages / "texts" / "severnik" / "hokej-derby-finale.txt"
    broken.write_bytes("žluť".encode("cp1250"))
    done = crfclean("eval", gold, "--output", "texts")
    assert done.code == USAGE
    assert broken.name in done.err


def test_eval_of_texts_of_a_corpus(crfclean: Command, pages: Path) -> None:
    rows = [
        {"id": name, "html": PAGE, "gold": TEXT}
        for name in ("news/1", "news/2.1", "x.example/a.b.c")
    ]
    (pages / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    for row in rows:
        write(pages / "texts" / f"{row['id']}.txt", TEXT.encode())
    done = crfclean("eval", "corpus.jsonl", "--output", "texts", "--json")
    assert done.err == ""
    assert json.loads(done.out)["table"][-1]["f1"] == 1.0


def test_shipped_model_is_evaluated(crfclean: Command, demo: Path, default_model: Path) -> None:
    told = json.loads(crfclean("eval", demo, "--json").out)
    assert told["table"][-1]["pages"] == 24
    assert told["table"][-1]["f1"] > 0.6
