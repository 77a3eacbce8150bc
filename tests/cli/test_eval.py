"""Tests of `cli/eval.py`: a model, cleaned texts and other systems scored on the command line."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.exit_codes import EXIT_OK, EXIT_USAGE

Command = Callable[..., Any]
TEXT = "Ferry in the ice\nThe lake froze over in January, and the ferry stayed in its harbour.\n"
PAGE = "<h1>{}</h1><p>{}</p>".format(*TEXT.splitlines())


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


def test_pages_that_the_base_was_trained_on_are_named(
    crfclean: Command, gold: Path, networked: Path
) -> None:
    done = crfclean("eval", gold, "--cv", "2", "--from", networked, "--iterations", "5")
    assert "pages were in the training data of --from's model" in done.out.splitlines()[0]
    assert "note:" not in crfclean("eval", gold, "--cv", "2", "--iterations", "5").out


def test_eval_table(crfclean: Command, gold: Path, model: Path) -> None:
    done = crfclean("eval", gold, "--model", model)
    assert (done.code, done.err) == (EXIT_OK, "")
    lines = table_of(done)
    assert lines[0].split() == ["moorland-gazette", "podhorsky-denik", "severnik", "All"]
    assert lines[1].split() == ["pages", "2", "2", "2", "6"]
    assert [line.split()[0] for line in lines[2:7]] == ["L", "L", "P", "R", "F"]
    assert [line.split()[0] for line in lines[-3:]] == ["HEADER", "TEXT", "OTHER"]


def test_eval_figures_agree(crfclean: Command, gold: Path, model: Path) -> None:
    table = table_of(crfclean("eval", gold, "--model", model))
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

    low, high = (figures("--precision", least)["table"][-1] for least in (0.3, 0.85))
    assert high["precision"] > low["precision"]
    assert high["recall"] < low["recall"]
    assert figures("--rule", "precision")["pages"] == figures("--precision", 0.9)["pages"]


def test_eval_of_cleaned_texts(crfclean: Command, gold: Path, pages: Path, model: Path) -> None:
    crfclean("clean", gold, "out", "--model", model)
    ours = json.loads(crfclean("eval", gold, "--model", model, "--json").out)
    texts = json.loads(crfclean("eval", gold, "--output", "out", "--json").out)
    for row, own in zip(texts["table"], ours["table"], strict=True):
        assert row["source"] == own["source"]  # "11. June" at the start of a line reads like a list
        assert row["f1"] == pytest.approx(own["f1"], abs=0.005)
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
    missing = "texts: missing: severnik/hokej-derby-finale.html, counted as empty\n"
    assert (done.code, done.err) == (EXIT_OK, missing)
    told = json.loads(done.out)
    assert [page["f1"] for page in told["pages"]] == [1, 1, 1, 1, 0, 1]
    assert [page["status"] for page in told["pages"]].count("missing") == 1


def test_eval_of_texts_in_another_encoding(crfclean: Command, gold: Path, pages: Path) -> None:
    shutil.copytree(gold, pages / "texts")
    broken = pages / "texts" / "severnik" / "hokej-derby-finale.txt"
    broken.write_bytes("žluť".encode("cp1250"))
    done = crfclean("eval", gold, "--output", "texts")
    assert done.code == EXIT_USAGE
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


# other systems


@needs_peers
def test_systems_beside_ours(crfclean: Command, gold: Path, model: Path) -> None:
    done = crfclean(
        "eval", gold, "--model", model, "--system", "jusText", "--system", "resiliparse"
    )
    assert (done.code, done.err) == (EXIT_OK, "")
    lines = table_of(done)
    assert lines[0].split()[:3] == ["source", "system", "pages"]
    assert [line.split()[0] for line in lines[2:4]] == ["justext", "resiliparse"]
    assert lines[1].split()[:2] == ["moorland-gazette", "crfclean"]
    assert sum(line.split()[:1] == ["justext"] for line in lines) == 5
    assert [line.split()[0] for line in lines[-3:]] == ["HEADER", "TEXT", "OTHER"]


@needs_peers
def test_systems_change_nothing_of_ours(crfclean: Command, gold: Path, model: Path) -> None:
    ours = json.loads(crfclean("eval", gold, "--model", model, "--json").out)
    both = json.loads(
        crfclean("eval", gold, "--model", model, "--json", "--system", "resiliparse").out
    )
    assert both["pages"] == ours["pages"]
    assert [one["system"] for one in both["others"]] == ["resiliparse"]
    assert len(both["others"][0]["pages"]) == 6
    assert both["versions"]["resiliparse"]


@needs_peers
def test_systems_beside_texts(crfclean: Command, gold: Path) -> None:
    done = crfclean("eval", gold, "--output", gold, "--system", "resiliparse", "--json")
    told = json.loads(done.out)
    assert (told["system"], told["model"]) == ("texts", None)
    assert told["differences"][0]["mean"] >= 0


@needs_peers
def test_crashes_of_systems_are_told(
    crfclean: Command, gold: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from crfclean.evaluate import peers as systems

    def crash(html: str, lang: str) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(systems, "EXTRACTORS", {**systems.EXTRACTORS, "justext": crash})
    done = crfclean("eval", gold, "--model", model, "--system", "justext")
    assert done.code == EXIT_OK
    assert done.err.count("counted as empty") == 6
    assert "justext: ZeroDivisionError: severnik/hokej-derby-finale.html, counted" in done.err


def test_systems_that_are_not_installed(
    crfclean: Command, gold: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib.metadata import PackageNotFoundError

    from crfclean.evaluate import peers as systems

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(systems, "version", missing)
    done = crfclean("eval", gold, "--model", model, "--system", "trafilatura")
    assert (done.code, done.out) == (EXIT_USAGE, "")
    assert "pip install trafilatura" in done.err


def test_unknown_systems(crfclean: Command, gold: Path, model: Path) -> None:
    assert crfclean("eval", gold, "--model", model, "--system", "goose").code == EXIT_USAGE


# groups, processes, formats


def test_eval_by_language(crfclean: Command, gold: Path, model: Path) -> None:
    done = crfclean("eval", gold, "--model", model, "--by", "lang")
    assert table_of(done)[0].split() == ["cs", "en", "All"]


@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_eval_is_the_same_in_two_processes(
    crfclean: Command, gold: Path, model: Path, form: str
) -> None:
    one = crfclean("eval", gold, "--model", model, form)
    assert crfclean("eval", gold, "--model", model, form, "--workers", 2) == one


def test_eval_json_fits_its_schema(crfclean: Command, gold: Path, model: Path) -> None:
    import jsonschema

    import crfclean as package

    schema = Path(package.__file__).parent / "evaluate" / "schemas" / "evaluation.json"
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
    done = crfclean("eval", gold, "--output", gold)
    (line,) = [one for one in done.out.splitlines() if one.startswith("texts")]
    assert line.split()[-4:] == ["100.0", "%", "100.0", "%"]


# comparisons


def evaluated(crfclean: Command, path: Path, *arguments: object) -> Path:
    path.write_text(crfclean("eval", *arguments, "--json").out, "utf-8")
    return path


def test_compare(crfclean: Command, gold: Path, pages: Path, model: Path) -> None:
    old = evaluated(crfclean, pages / "old.json", gold, "--model", model)
    new = evaluated(crfclean, pages / "new.json", gold, "--output", gold)
    done = crfclean("eval", "--compare", old, new)
    assert (done.code, done.err) == (EXIT_OK, "")
    lines = done.out.splitlines()
    assert lines[0].split() == ["source", "pages", "F", "new", "-", "old", "95", "%"]
    assert lines[4].split()[:2] == ["All", "6"]
    assert float(lines[4].split()[2]) > 0
    assert "pages changed" in done.out


def test_compare_other_pages(crfclean: Command, gold: Path, pages: Path, model: Path) -> None:
    old = evaluated(crfclean, pages / "old.json", gold, "--model", model)
    (gold / "severnik" / "hokej-derby-finale.txt").write_text("changed", "utf-8")
    new = evaluated(crfclean, pages / "new.json", gold, "--model", model)
    done = crfclean("eval", "--compare", old, new)
    assert done.code == EXIT_USAGE
    assert "changed since: severnik/hokej-derby-finale.html" in done.err


def test_compare_takes_no_pages(crfclean: Command, gold: Path) -> None:
    done = crfclean("eval", gold, "--compare", "a.json", "b.json")
    assert done.code == EXIT_USAGE
    assert "--compare takes two files and no pages" in done.err


def test_compare_needs_files(crfclean: Command, gold: Path) -> None:
    done = crfclean("eval", "--compare", "absent.json", "absent.json")
    assert done.code == EXIT_USAGE
    assert "absent.json: cannot be read" in done.err


def test_gold_is_needed_otherwise(crfclean: Command, gold: Path) -> None:
    done = crfclean("eval")
    assert done.code == EXIT_USAGE
    assert "Missing argument 'GOLD'" in done.err


# cross-validation

FEW = ("--iterations", 10, "--l2", 30)


def test_cross_validation(crfclean: Command, gold: Path) -> None:
    done = crfclean("eval", gold, "--cv", 4, *FEW, "--json")
    assert (done.code, done.err) == (EXIT_OK, "")
    told = json.loads(done.out)
    assert told["model"] is None
    assert told["training"]["folds"] == 4
    assert told["training"]["by"] == "site"
    assert told["training"]["params"]["l2"] == 30
    assert told["table"][-1]["pages"] == 6
    assert crfclean("eval", gold, "--cv", 4, *FEW, "--json", "--workers", 2).out == done.out


def test_cross_validation_by_page(crfclean: Command, gold: Path) -> None:
    done = crfclean("eval", gold, "--cv", 3, "--group-by", "page", *FEW, "--json")
    assert json.loads(done.out)["training"]["by"] == "page"


@needs_peers
def test_cross_validation_beside_other_systems(crfclean: Command, gold: Path) -> None:
    done = crfclean("eval", gold, "--cv", 4, *FEW, "--system", "resiliparse", "--json")
    told = json.loads(done.out)
    ids = [page["id"] for page in told["pages"]]
    assert [page["id"] for page in told["others"][0]["pages"]] == ids


def test_cut_of_the_folds(crfclean: Command, gold: Path) -> None:
    done = crfclean("eval", gold, "--cv", 4, *FEW, "--threshold", 0, "--json")
    told = json.loads(done.out)
    assert told["training"]["options"]["rule"] == "threshold"
    assert told["table"][-1]["recall"] > 0.98


def test_per_source(crfclean: Command, gold: Path) -> None:
    done = crfclean("eval", gold, "--per-source", *FEW)
    assert done.code == EXIT_OK
    caption, *lines = done.out.splitlines()
    assert caption.startswith("A model a source")
    assert "One model for all sources, trained on pages of all of them" in lines
    assert lines[0].split() == ["moorland-gazette", "podhorsky-denik", "severnik", "All"]
    assert [line.split()[0] for line in lines[1:7]] == ["pages", "L", "L", "P", "R", "F"]
    told = json.loads(crfclean("eval", gold, "--per-source", *FEW, "--json").out)
    assert [row["source"] for row in told["sources_alone"]][-1] == "All"
    assert told["sources_alone"][-1]["f1"] == told["table"][-1]["f1"]
    assert told["training"]["by"] == "page"


def test_learning_curve(crfclean: Command, gold: Path) -> None:
    arguments = ("eval", gold, "--learning-curve", "1,2", "--group-by", "page", *FEW)
    told = json.loads(crfclean(*arguments, "--json").out)
    assert [one["pages"] for one in told["learning_curve"]][:2] == [1, 2]
    assert told["learning_curve"][-1]["f1"] == pytest.approx(told["table"][-1]["f1"])
    assert crfclean(*arguments).out.splitlines()[-4].split()[0] == "training"


MISUSED = {
    "training options alone": (["--l2", 3], "--l2 has no effect here: --cv is missing"),
    "folds alone": (["--group-by", "page"], "--group-by has no effect here"),
    "model of folds": (["--cv", 3, "--model", "default"], "--model has no effect here: a model is"),
    "texts of folds": (["--cv", 3, "--output", "gold"], "--output has no effect here"),
    "one fold": (["--cv", 1], "--cv"),
    "no numbers": (["--learning-curve", "5,x"], "'5,x' is no list of numbers"),
    "too many pages": (["--learning-curve", "500"], "not on 500"),
    "wrong bins": (["--cv", 3, "--bins", 0], "bins must be"),
    "wrong elements": (["--cv", 3, "--blocks", "<p>"], "no element's name"),
    "two limits": (["--cv", 3, "--threshold", 1, "--precision", 1], "exclude each other"),
    "unknown group": (["--by", "colour"], "--by"),
}


@pytest.mark.parametrize(("arguments", "message"), MISUSED.values(), ids=MISUSED)
def test_misuse(
    crfclean: Command, gold: Path, model: Path, arguments: list[object], message: str
) -> None:
    if "--cv" not in arguments and "--learning-curve" not in arguments:
        arguments = [*arguments, "--model", model]
    done = crfclean("eval", gold, *arguments)
    assert (done.code, done.out) == (EXIT_USAGE, "")
    assert message in done.err


# reports


@needs_peers
def test_report(crfclean: Command, gold: Path, pages: Path, model: Path) -> None:
    pytest.importorskip("matplotlib")
    arguments = ("eval", gold, "--model", model, "--system", "resiliparse")
    done = crfclean(*arguments, "--html", "report.html")
    assert (done.code, done.err) == (EXIT_OK, "")
    assert done.out == crfclean(*arguments).out
    html = (pages / "report.html").read_text("utf-8")
    assert html.count("<details>") == 6
    crfclean(*arguments, "--html", "again.html")
    assert (pages / "again.html").read_text("utf-8") == html


def test_report_of_texts_and_of_folds(crfclean: Command, gold: Path, pages: Path) -> None:
    pytest.importorskip("matplotlib")
    assert crfclean("eval", gold, "--output", gold, "--html", "texts.html").code == EXIT_OK
    arguments = ("--cv", 3, "--group-by", "page", "--learning-curve", "2", *FEW)
    assert crfclean("eval", gold, *arguments, "--html", "folds.html").code == EXIT_OK
    assert "Learning curve, with" in (pages / "folds.html").read_text("utf-8")


def test_report_that_cannot_be_written(crfclean: Command, gold: Path, model: Path) -> None:
    pytest.importorskip("matplotlib")
    done = crfclean("eval", gold, "--model", model, "--html", "absent/report.html")
    assert (done.code, done.out) == (EXIT_USAGE, "")
    assert "absent/report.html: cannot be written: No such file" in done.err


def test_report_without_matplotlib(
    crfclean: Command, gold: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "crfclean.evaluate.plots", None)
    monkeypatch.delattr("crfclean.evaluate.plots", raising=False)
    done = crfclean("eval", gold, "--model", model, "--html", "report.html")
    assert (done.code, done.out) == (EXIT_USAGE, "")
    assert "pip install matplotlib" in done.err


def test_agree(crfclean: Command, tmp_path: Path) -> None:
    one, two = tmp_path / "1.labels.tsv", tmp_path / "2.labels.tsv"
    one.write_text("TEXT\ta\nOTHER\tb\n", "utf-8")
    two.write_text("TEXT\ta\nTEXT\tb\n", "utf-8")
    outcome = crfclean("eval", one, "--agree", two)
    assert outcome.code == 0
    assert "2 blocks of 1 pages, 0.500 with equal labels" in outcome.out
    assert "line 2\tOTHER TEXT\n    b\n" in outcome.out
    assert json.loads(crfclean("eval", one, "--agree", two, "--json").out)["blocks"] == 2
    refused = crfclean("eval", one, "--agree", two, "--csv")
    assert (refused.code, "--agree compares labels alone" in refused.err) == (2, True)
    assert crfclean("eval", one, "--agree", tmp_path / "none").code == 2
