"""What other packages add: the packages of docs/extending.md, installed and used."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packages import PACKAGES, installed

import crfclean as library
from crfclean import door
from crfclean.cli.messages import EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE
from crfclean.model import columns
from crfclean.model.folder import load_bundle, save_bundle
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.metrics import metric_values
from crfclean.products.teach.train import TrainParams, train
from crfclean.products.web.inspection import Inspection, inspect
from crfclean.products.web.service import open_served
from crfclean.systems.capabilities import name_of
from crfclean.systems.crf import CrfTagger, from_bundle
from crfclean.types import CrfcleanError, Document, ModelError

Command = Callable[..., Any]
HERE = Path(__file__).parent
PAGE = """
    <h1>RAIN IN THE NORTH</h1><p>It rained in the north for three days, and the rivers rose.</p>
    <p>More</p>
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site-packages"


def clear(message: pytest.ExceptionInfo[BaseException]) -> str:
    return str(message.value)


# the door itself


def test_names_that_are_built_in_ask_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_foreign", lambda kind: pytest.fail(f"asked for {kind}"))
    for kind in door.KINDS:
        for name in door.names(kind):
            assert door.has(kind, name)
            assert door.origin(kind, name) == ""
            assert door.find(kind, name) is not None
    assert library.extract(PAGE, model="default", format="md")
    assert library.extract(PAGE, model="links")


def test_names_that_nobody_has() -> None:
    with pytest.raises(CrfcleanError, match="no output format 'odd'; there are txt, md, json"):
        door.find("formats", "odd")
    with pytest.raises(CrfcleanError, match="no feature 'odd'; no installed package has a feature"):
        door.find("features", "odd")


def test_a_package_that_is_broken_is_named(site: Path, crfclean: Command) -> None:
    with installed(site, "crfclean-long", "crfclean-words"):
        sys.modules.pop("crfclean_long", None)
        (site / "crfclean_long.py").write_text("from nowhere import LongBlocks")
        with pytest.raises(CrfcleanError, match="the tagger 'long' cannot be imported: No module"):
            door.find("taggers", "long")
        done = crfclean("doctor")
    broken = "PROBLEM: added tagger: the tagger 'long' cannot be imported: No module"
    assert (done.code, broken in done.out) == (EXIT_SOME_FAILED, True)
    assert "added output format words, of crfclean-words 1.0\n" in done.out


# a feature


@pytest.fixture
def shouting(site: Path) -> Iterator[Path]:
    """The package with the feature is installed."""
    with installed(site, "crfclean-shouting"):
        yield site


def trained(gold: list[GoldPage], **params: Any) -> Any:
    return train(gold[:6], TrainParams(iterations=5, features=("shouting",), **params))


def test_a_feature_is_trained_saved_explained_and_used_by_workers(
    gold: Path, shouting: Path, crfclean: Command
) -> None:
    quick = ("--held-out", "0", "--iterations", "5")
    done = crfclean("train", "gold", "-o", "model", "--add-features", "shouting", *quick)
    assert (done.code, done.out) == (EXIT_OK, "")
    manifest = json.loads(Path("model/manifest.json").read_text("utf-8"))
    assert manifest["features"]["shouting"] == "crfclean-shouting 1.0"
    Path("page.html").write_text(PAGE, "utf-8")
    assert (
        " shouting=1 "
        in crfclean("explain", "page.html", "--model", "./model", "--features", 900).out
    )
    done = crfclean("clean", "gold", "texts", "--model", "./model", "-j", 2)
    assert done.code == EXIT_OK
    assert len(list(Path("texts").rglob("*.txt"))) == 6


@pytest.mark.parametrize("params", [{}, {"base": "default"}, {"networks": 1}], ids=str)
def test_a_feature_stands_beside_networks(
    demo_gold: list[GoldPage], shouting: Path, tmp_path: Path, params: dict[str, Any]
) -> None:
    bundle = trained(demo_gold, **params)
    save_bundle(bundle, tmp_path / "model")
    tagger = library.load(tmp_path / "model")
    assert isinstance(tagger, CrfTagger)
    page = library.split(library.Page(PAGE))
    place = tagger.bundle.encoder.names.index("shouting")
    assert tagger.columns(page)[:, place] == pytest.approx([14 / 14, 1 / 47, 1 / 4], abs=0.01)
    assert bundle.network is None or "shouting" not in bundle.network.names
    names = {reason.feature for reason in tagger.explain(page, 900)[1]}
    assert {"shouting", "shouting[-1]", "shouting[+1]"} <= names


def test_a_model_needs_the_package_of_its_feature_in_the_same_version(
    demo_gold: list[GoldPage], site: Path, tmp_path: Path
) -> None:
    with installed(site, "crfclean-shouting"):
        bundle = trained(demo_gold)
        save_bundle(bundle, tmp_path / "model")
        mark = from_bundle(tmp_path / "model", bundle).fingerprint
    with pytest.raises(ModelError) as missing:
        load_bundle(tmp_path / "model")
    assert clear(missing) == (
        f"{tmp_path / 'model'}: the feature 'shouting' of the package crfclean-shouting 1.0 is "
        "missing: pip install crfclean-shouting==1.0"
    )
    with installed(site, "crfclean-shouting", version="1.1"):
        with pytest.raises(ModelError) as other:
            load_bundle(tmp_path / "model")
        assert from_bundle(tmp_path / "model", bundle).fingerprint != mark
    assert clear(other) == (
        f"{tmp_path / 'model'}: trained with the feature 'shouting' of crfclean-shouting 1.0, but "
        "crfclean-shouting 1.1 is installed: train the model again, or pip install "
        "crfclean-shouting==1.0"
    )


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ([1.0], r"an array of shape \(1,\) for a page of 3 blocks"),
        ([[1.0], [1.0], [1.0]], r"an array of shape \(3, 1\) for a page of 3 blocks"),
        ([1.0, np.nan, 1.0], r"a value that is no number within \+-1e\+30"),
        ([1.0, np.inf, 1.0], r"a value that is no number within \+-1e\+30"),
    ],
)
def test_a_feature_that_gives_nonsense_is_named(
    values: list[Any], problem: str, shouting: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sys.modules[door.find("features", "shouting").__module__], "shouting", lambda _: values
    )
    with pytest.raises(
        CrfcleanError, match=f"the feature 'shouting' of crfclean-shouting 1.0 gave {problem}"
    ):
        columns.matrix(library.split(library.Page(PAGE)), ["words", "shouting"])


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ("odd", "no feature 'odd'; there are shouting"),
        ("words", "the feature 'words' is one of crfclean's own: name others only"),
        ("shouting,shouting", "the features shouting, shouting are not all different"),
    ],
)
def test_features_that_cannot_be_added(
    names: str, problem: str, gold: Path, shouting: Path, crfclean: Command
) -> None:
    done = crfclean("train", "gold", "--add-features", names)
    assert (done.code, done.err) == (EXIT_USAGE, f"crfclean: {problem}\n")
    with pytest.raises(CrfcleanError, match=problem):
        train([], TrainParams(features=tuple(names.split(","))))


def test_a_perceptron_takes_no_features(gold: Path, shouting: Path, crfclean: Command) -> None:
    done = crfclean("train", "gold", "--tagger", "mlp", "--add-features", "shouting")
    assert done.code == EXIT_USAGE
    assert "--add-features has no effect here: it needs --tagger crf" in done.err


def test_folds_of_eval_take_features(gold: Path, shouting: Path, crfclean: Command) -> None:
    quick = ("--cv", 3, "--iterations", "5", "--json")
    done = crfclean("eval", "gold", "--add-features", "shouting", *quick)
    assert done.code == EXIT_OK
    assert json.loads(done.out)["training"]["params"]["features"] == ["shouting"]


# a tagger


@pytest.fixture
def long(site: Path) -> Iterator[Path]:
    """The package with the tagger is installed."""
    with installed(site, "crfclean-long"):
        yield site


RAIN = "It rained in the north for three days, and the rivers rose."


def test_a_tagger_is_found_by_its_name_everywhere(long: Path, crfclean: Command) -> None:
    assert library.extract(PAGE, model="long") == RAIN
    for tagger in (library.load("long"), library.load(kind="long")):
        assert [each.text for each in library.run_many([PAGE], tagger)] == [RAIN]
    page = long / "page.html"
    page.write_text(PAGE, "utf-8")
    for option in ("--tagger", "--model"):
        assert crfclean("clean", page, option, "long").out == f"{RAIN}\n"
    assert "words=12 +0.20" in crfclean("explain", page, "--tagger", "long").out
    with pytest.raises(CrfcleanError, match="the tagger long has no model: leave out --model mlp"):
        library.load("mlp", "long")


def test_a_tagger_has_levels_reasons_and_comments(long: Path) -> None:
    document = library.clean(PAGE + "<div class=comments><p>No.</p></div>", model="long")
    assert isinstance(document, Document)
    assert [tag.probability for tag in document.tags] == pytest.approx([0.2, 0.6, 0.05, 0.05])
    assert json.loads(library.write(document, "json", levels=True))["levels"]
    assert library.extract(PAGE, model="long", comments="drop") == RAIN


@pytest.mark.parametrize(
    "switch", [{"as_": "body"}, {"keep": "title"}, {"threshold": 0.4}], ids=str
)
def test_what_a_tagger_cannot_do_names_the_missing_method(switch: Any, long: Path) -> None:
    with pytest.raises(CrfcleanError) as lacks:
        library.extract(PAGE, model="long", **switch)
    assert clear(lacks).endswith(
        ": tagger `long` does not support conventions, kinds or thresholds: it has no method "
        "with_cut and no attribute cut"
    )


def test_the_package_works_from_outside(long: Path, crfclean_process: Command) -> None:
    """Once from outside, with two worker processes."""
    pages = long / "pages"
    pages.mkdir()
    for name in "ab":
        (pages / f"{name}.html").write_text(PAGE, "utf-8")
    paths = os.pathsep.join([str(HERE.parent), str(long)])
    done = crfclean_process(
        *("clean", pages, long / "texts", "--tagger", "long", "-j", 2), PYTHONPATH=paths
    )
    assert (done.returncode, (long / "texts" / "b.txt").read_text("utf-8")) == (0, f"{RAIN}\n")


@pytest.mark.parametrize("name", ["--tagger", "--model"])
def test_a_tagger_is_scored(name: str, gold: Path, long: Path, crfclean: Command) -> None:
    done = crfclean("eval", "gold", name, "long", "--json")
    assert done.code == EXIT_OK
    assert json.loads(done.out)["model"] is None


# an output format, a command


def test_a_format_is_written(site: Path, crfclean: Command, tmp_path: Path) -> None:
    words = "it\nrained\nin\nthe\nnorth"
    page = tmp_path / "page.html"
    page.write_text(PAGE, "utf-8")
    with installed(site, "crfclean-words", "crfclean-long"):
        assert library.extract(PAGE, model="long", format="words").startswith(words)  # type: ignore[arg-type]
        assert library.write(library.clean(PAGE, model="long"), "words").startswith(words)  # type: ignore[arg-type]
        for out in (tmp_path / "page.words", tmp_path / "texts"):
            done = crfclean("clean", page, out, "--tagger", "long", *FORMAT.get(out.name, ()))
            assert done.code == EXIT_OK
        assert (tmp_path / "page.words").read_text("utf-8").startswith(words)
        assert (tmp_path / "texts" / "page.words").read_text("utf-8").startswith(words)
    assert "'words' is not one of" in crfclean("clean", page, "-f", "words").err


FORMAT = {"texts": ("-f", "words")}
"""OUT -> the option that names a format; else it is the suffix of OUT."""


def test_a_command_is_called(site: Path, crfclean: Command, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE, "utf-8")
    with installed(site, "crfclean-titles"):
        done = crfclean("titles", tmp_path / "page.html")
        assert (done.code, done.out) == (EXIT_OK, "page.html\tRAIN IN THE NORTH\n")
        assert "Print the title of each page" in crfclean("titles", "--help").out
    assert "No such command 'titles'" in crfclean("titles", tmp_path / "page.html").err


# scores and reports


def test_a_metric_has_a_column_and_a_field(gold: Path, site: Path, crfclean: Command) -> None:
    measures = ("--measure", "length", "--measure", "order")
    with installed(site, "crfclean-length"):
        head, *_, last = crfclean("eval", "gold", *measures).out.partition("\n\n")[0].splitlines()
        assert head.split()[-3:] == ["F1", "length", "order"]
        figures = json.loads(crfclean("eval", "gold", *measures, "--json", "-j", 2).out)
        folds = json.loads(crfclean("eval", "gold", "--cv", 3, *measures, "--json").out)
    mean = figures["table"][-1]["metrics"]["length"]
    assert last.split()[-2] == f"{mean:.3f}"
    lengths = [page["metrics"]["length"] for page in figures["pages"]]
    assert mean == pytest.approx(np.mean(lengths))
    assert figures["pages"][0]["metrics"]["order"] == figures["pages"][0]["order_f1"]
    assert set(folds["pages"][0]["metrics"]) == {"length", "order"}
    assert "metrics" not in json.loads(crfclean("eval", "gold", "--json").out)["pages"][0]


def test_a_metric_that_gives_no_number_is_named(site: Path, demo_gold: list[GoldPage]) -> None:
    with installed(site, "crfclean-length"):
        module = sys.modules[door.find("metrics", "length").__module__]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "length", lambda text, gold: None)
            with pytest.raises(
                CrfcleanError, match=r"'length' of crfclean-length 1\.0 gave None, no number"
            ):
                metric_values("", "", ["length"])


def test_a_report_is_printed(gold: Path, site: Path, crfclean: Command) -> None:
    with installed(site, "crfclean-short"):
        lines = crfclean("eval", "gold", "--print", "short").out.splitlines()
    assert len(lines) == 6
    assert [line[:5] for line in lines] == sorted(line[:5] for line in lines)
    assert crfclean("eval", "gold", "--print", "json").out == crfclean("eval", "gold", "--json").out
    assert crfclean("eval", "gold", "--print", "html").out.startswith("<!DOCTYPE html>")


# an input format

MAIL = """\
From a@b Sat Nov 28 12:00:00 2026
Message-ID: {number}@b
Content-Type: text/html

{page}

"""


def test_files_of_an_input_format_are_read(site: Path, crfclean: Command, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    mails = (MAIL.format(number=number, page=PAGE) for number in (1, 2))
    (folder / "a.mbox").write_text("".join(mails), "utf-8")
    (folder / "b.html").write_text(PAGE, "utf-8")
    with installed(site, "crfclean-mbox"):
        rows = crfclean("clean", folder / "a.mbox", "--tagger", "links").out.splitlines()
        done = crfclean("clean", folder, tmp_path / "texts", "-j", 2)
        assert (done.code, done.err.splitlines()[0]) == (
            EXIT_OK,
            "3 pages: 3 cleaned, 0 without text, 0 failed",
        )
        done = crfclean("clean", folder, tmp_path / "all.jsonl")
        assert done.code == EXIT_OK
    assert [json.loads(row)["url"] for row in rows] == ["mid:1@b", "mid:2@b"]
    assert [json.loads(row)["id"] for row in rows] == ["1", "2"]
    kept = (tmp_path / "all.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(row)["text"] for row in kept]
    assert len(texts) == 3
    assert len(set(texts)) == 1
    done = crfclean("clean", folder, tmp_path / "others")
    assert "1 page: 1 cleaned" in done.err
    assert "1 file left out: no HTML" in done.err


def test_an_input_format_that_yields_no_pages_is_named(
    site: Path, crfclean: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.mbox").write_text("", "utf-8")
    with installed(site, "crfclean-mbox"):
        module = sys.modules[door.find("inputs", "mbox").__module__]
        monkeypatch.setattr(module, "read_mbox", lambda path, how: [7])
        done = crfclean("clean", tmp_path / "a.mbox")
    assert done.code == EXIT_USAGE
    assert "the input format 'mbox' of crfclean-mbox 1.0 gave int 1, which is no page" in done.err


# a kind of model, a picture


def test_a_kind_of_model_is_opened_from_its_folder(
    site: Path, tmp_path: Path, crfclean: Command
) -> None:
    (tmp_path / "page.html").write_text(PAGE, "utf-8")
    with installed(site, "crfclean-cutoff"):
        import_module("crfclean_cutoff").save(5, tmp_path / "model")
        done = crfclean("clean", tmp_path / "page.html", "--model", tmp_path / "model")
        assert (done.code, done.out) == (EXIT_OK, f"{RAIN}\n")
    done = crfclean("clean", tmp_path / "page.html", "--model", tmp_path / "model")
    assert (done.code, "no tagger of kind 'cutoff'" in done.err) == (EXIT_USAGE, True)


def test_a_picture_is_in_the_answers_of_serve(site: Path) -> None:
    with installed(site, "crfclean-long", "crfclean-counted"):
        served = open_served(["counted"])
        assert name_of(served.taggers["counted"]) == "counted"
        view = inspect(
            library.Page(PAGE), served.taggers["counted"], Inspection(reasons=1, picture=True)
        )
    assert view["words"] == {"words": [4, 12, 1]}
    assert view["segments"] is None
    assert view["blocks"][1]["reasons"] == [{"feature": "words", "value": 12, "weight": 0.2}]


# the documentation

GUIDE = (HERE.parent / "docs" / "extending.md").read_text("utf-8")
FILES = {path: path.read_text("utf-8") for path in sorted(PACKAGES.glob("*/*.*"))}


def test_every_example_of_the_guide_is_a_package_that_is_tested() -> None:
    examples = re.findall(r"^```(?:python|toml)\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)
    whole = {text for path, text in FILES.items() if path.suffix == ".py"}
    assert whole <= set(examples)
    texts = [example for example in examples if example not in whole]
    tables = [text for text in texts if not any(text in file for file in FILES.values())]
    assert len(tables) == 1  # the calls of the tagger in Python
    assert set(
        re.findall(r"^\[project\.entry-points\.\"crfclean\.(\w+)\"\]$", GUIDE, re.MULTILINE)
    ) == {*door.KINDS}


def test_the_calls_of_the_guide_run(long: Path) -> None:
    (calls,) = re.findall(
        r"^```python\n(import crfclean\n.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE
    )
    names = {"html": PAGE, "pages": [PAGE]}
    exec(calls, names)
    assert names["text"] == RAIN
