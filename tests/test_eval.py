"""Tests of eval/: its modules import, wings keep apart, results are small, figures are right."""

from __future__ import annotations

import ast
import json
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.teach.gold import GoldPage
from crfclean.types import Page
from eval.lib.measure import NO_TEXT, type_of, value
from eval.lib.record import LOG, RESULTS, as_json, logged, record
from eval.lib.worths import Worth, by_type, changes
from eval.models import train_all
from eval.models.train_all import STEPS, Step
from eval.models.train_decision import ranks

ROOT = Path(__file__).parent.parent
EVAL = ROOT / "eval"
WINGS = "accuracy segments forums documents cost boards models mlp".split()
PATHS = sorted(path for path in EVAL.rglob("*.py") if path.name != "__init__.py")
SCRIPTS = [path for path in PATHS if "def main()" in path.read_text("utf-8")]
MAX_RESULTS = 1_000_000  # bytes


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


IMPORT_ALL = """
import importlib, json, sys
outcomes = {}
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
        outcomes[name] = "ok"
    except ModuleNotFoundError as error:
        outcomes[name] = f"needs {error.name}"
    except SystemExit as error:
        outcomes[name] = "skipped" if error.code == 77 else f"exit {error.code}"
print(json.dumps(outcomes))
"""


def test_every_module_imports_or_names_the_extra_that_it_needs() -> None:
    command = [sys.executable, "-c", IMPORT_ALL, *map(name_of, PATHS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    outcomes = json.loads(done.stdout.splitlines()[-1])
    assert len(outcomes) == len(PATHS)
    own = ("exit", "needs crfclean", "needs eval")
    assert not {name: how for name, how in outcomes.items() if how.startswith(own)}


def test_a_script_starts_as_a_module() -> None:
    command = [sys.executable, "-m", "eval.cost.speed", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert "usage:" in done.stdout


def test_make_bench_names_a_script() -> None:
    bench = (ROOT / "Makefile").read_text("utf-8")
    (name,) = re.findall(r"python -m (eval\.\S+)", bench)
    assert (ROOT / f"{name.replace('.', '/')}.py") in SCRIPTS


def imported(path: Path) -> set[str]:
    """The wings that a module imports from."""
    tree = ast.parse(path.read_text("utf-8"))
    modules = (node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {module.split(".")[1] for module in modules if module.startswith("eval.")}


def test_a_wing_imports_lib_models_and_itself() -> None:
    allowed = {"lib": {"lib"}, "models": {"lib", "models"}}
    for path in PATHS:
        wing = path.relative_to(EVAL).parts[0]
        assert imported(path) <= allowed.get(wing, {"lib", "models", wing}), path


def test_the_index_has_every_script_and_wing() -> None:
    index = (EVAL / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| \[?(\w+)\]?(?:\(\S+\))? \| `(\w+)", index, re.MULTILINE)
    assert sorted(rows) == sorted((path.parent.name, path.stem) for path in SCRIPTS)
    assert all((EVAL / wing / "README.md").is_file() for wing in WINGS)


TEXTS = [
    ROOT / "Makefile",
    *(path for path in ROOT.glob("*.md")),
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "models").glob("*/README.md"),
    *EVAL.rglob("*.md"),
    *PATHS,
]


def test_named_scripts_and_results_exist() -> None:
    scripts = {name_of(script) for script in SCRIPTS}
    for path in TEXTS:
        text = path.read_text("utf-8")
        assert set(re.findall(r"python -m (eval\.[\w.]*\w)", text)) <= scripts, path
        files = re.findall(r"\beval/[\w/]+\.py\b", text)
        assert all((ROOT / name).is_file() for name in files), path
        results = re.findall(r"\bresults/([\w/*-]+\.(?:jsonl?\.xz|json|png))", text)
        named = [name for name in results if "NAME" not in name]
        assert [name for name in named if not any(RESULTS.glob(name))] == [], path


def test_results_are_small() -> None:
    files = [path for path in RESULTS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MAX_RESULTS
    assert {path.parent.name for path in files} <= {*WINGS, "peers", "results"}


def test_results_are_as_scripts_write_them() -> None:
    for path in RESULTS.rglob("*.json"):
        text = path.read_text("utf-8")
        assert as_json(json.loads(text)) + "\n" == text, path


def test_peers_scores_are_read_as_they_were_written(tmp_path: Path) -> None:
    peer_scores = pytest.importorskip("eval.lib.peer_scores")
    path = peer_scores.scores_path("cleaneval-dev")
    scores = peer_scores.read(path)
    assert len(scores) == 232
    peer_scores.write(tmp_path / "copy.json.xz", scores.values())
    assert peer_scores.read(tmp_path / "copy.json.xz") == scores
    assert peer_scores.read(tmp_path / "absent.json.xz") == {}


def test_a_run_is_the_newest_result_and_a_line_of_the_log(tmp_path: Path) -> None:
    record("cost/x", {"f1": [0.9, 0.8], "by p": {0.5: 1}}, tmp_path)
    record("cost/x", {"f1": (0.7,), "text": "ž" * 200}, tmp_path)
    newest = json.loads((tmp_path / "cost" / "x.json").read_text("utf-8"))
    assert newest == {"f1": [0.7], "text": "ž" * 200}
    first, second = logged(tmp_path)
    assert first == {"benchmark": "cost/x", "f1": [0.9, 0.8], "by p": {"0.5": 1}}
    assert second == {"benchmark": "cost/x", **newest}
    with lzma.open(tmp_path / LOG, "rt", encoding="utf-8") as log:
        assert len(log.readlines()) == 2


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        {"a": []},
        [[1, 2]] * 90,
        {"a" * 50: {"b" * 60: 1}},
        {"ž": ["x" * 99, None, True, 0.1]},
        "x" * 200,
    ],
)
def test_json_of_records_is_the_value_in_short_lines(value: object) -> None:
    text = as_json(value)
    assert json.loads(text) == value
    values = [line.split(": ", 1)[-1] for line in text.splitlines()]
    assert all(len(text) <= 161 for text in values if re.search(r"[\[{].*[\]}]", text))


def gold_page(text: str, kind: str = "", optional: str = "") -> GoldPage:
    return GoldPage("1", Page(""), text, "set", "site", kind, optional=optional)


@pytest.mark.parametrize(
    ("name", "gold", "text", "page_type", "worth"),
    [
        ("wcxb-dev", gold_page("Rain fell.", "forum"), "Rain fell.", "forum", 1.0),
        ("wcxb-dev", gold_page("", "product"), "", "product", None),
        ("various-dev", gold_page("", "form"), "", NO_TEXT, 1.0),  # a form is left empty
        ("various-dev", gold_page("", "form"), "Log in", NO_TEXT, 0.0),
        ("various-dev", gold_page("Rain fell.", "home", "Today"), "Rain fell. Today", "home", 1.0),
        ("govmeet-dev", gold_page("10 May\n\nRoom 4"), "Meeting: 10 May", "meetings", 0.5),
        ("daniel-dev", gold_page("Rain fell."), "Rain", "article", 2 / 3),
    ],
)
def test_pages_are_measured_by_set_and_type(
    name: str, gold: GoldPage, text: str, page_type: str, worth: float | None
) -> None:
    assert type_of(gold, name) == page_type
    assert value(name, gold, text) == (None if worth is None else pytest.approx(worth))


def test_a_type_that_falls_is_explained_by_its_pages() -> None:
    rows = [
        Worth("a", "1", "s", "article", 0.9),
        Worth("a", "2", "t", "article", 0.9),
        Worth("a", "3", "t", "forum", 0.2),
        Worth("b", "4", "u", "article", 0.5),
    ]
    assert list(by_type(rows)) == ["a", "b", "a, article", "a, forum"]
    before = {row.key: worth for row, worth in zip(rows, (0.8, 0.8, 0.5), strict=False)}
    lines = list(changes(rows, {"a": before}))
    assert [line.split("  ")[0] for line in lines if "[" in line] == ["a", "a, article", "a, forum"]
    assert [line.split() for line in lines if "[" not in line] == [["-0.300", "3"]] * 2


def test_steps_of_a_reading_are_written(root: Path, tmp_path: Path, monkeypatch: Any) -> None:
    steps = pytest.importorskip("eval.forums.steps")
    pages = root / "data" / "forum" / "zahradka-forum"
    monkeypatch.setattr(sys, "argv", ["steps", str(pages), str(tmp_path / "steps")])
    steps.main()
    names = {path.name for path in (tmp_path / "steps").iterdir()}
    assert {"template.txt", "addresses.tsv", "confusion.txt"} <= names
    text = (tmp_path / "steps" / "confusion.txt").read_text("utf-8")
    assert text.startswith("before correction: macro F1 ")
    fields = [name for name in names if name.endswith(".fields.tsv")]
    assert len(fields) == len(list(pages.glob("*.html")))
    lines = "".join((tmp_path / "steps" / name).read_text("utf-8") for name in fields)
    assert "\tNICK\tNICK\tNICK\t" in lines


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
def test_equal_values_share_a_rank(order: list[int]) -> None:
    values, shared = np.array([0.5, 1.0, 1.0, 1.0]), np.array([0.5, 2.5, 2.5, 2.5])
    assert ranks(values[order]).tolist() == shared[order].tolist()


def test_everything_that_ships_is_the_output_of_a_step() -> None:
    shipped = {
        path.parent if path.is_relative_to(ROOT / "models") else path
        for name in ("weights", "weights.json", "ends.json", "manifest.json")
        for folder in ("models", "crfclean")
        for path in (ROOT / folder).rglob(name)
    }
    outputs = {step.output for step in STEPS.values()} - {""}
    assert outputs == {path.relative_to(ROOT).as_posix() for path in shipped}


@pytest.mark.parametrize("step", STEPS.values(), ids=list(STEPS))
def test_a_step_is_a_script_with_these_options(step: Step) -> None:
    module, *words = step.command.split()
    (script,) = (path for path in SCRIPTS if name_of(path) == module)
    parsers = script.read_text("utf-8") + (EVAL / "lib" / "left_out.py").read_text("utf-8")
    parsers += (EVAL / "lib" / "descriptions.py").read_text("utf-8")
    assert [word for word in words if word.startswith("--") and f'"{word}"' not in parsers] == []


STEP = """
import os, sys
from pathlib import Path
assert os.environ["OPENBLAS_NUM_THREADS"] == "1" and os.environ["CRFCLEAN_PREPARED"]
_, output, workers, _, data = sys.argv
b"x" * 90_000_000
Path(output).write_text(f"{workers} {data}")
sys.exit(int(data == "fails") * 77)
"""


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="memory of a step is told by wait4")
def test_each_step_tells_its_memory_and_whether_its_bytes_are_new(
    tmp_path: Path, monkeypatch: Any
) -> None:
    (tmp_path / "a_step.py").write_text(STEP)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(train_all, "ROOT", tmp_path)
    monkeypatch.setattr(train_all, "RESULTS", tmp_path)
    steps = {name: Step(f"a_step {{root}}/{name} {{workers}}", name) for name in "ab"}
    monkeypatch.setattr(train_all, "STEPS", steps)
    records: list[Any] = []
    monkeypatch.setattr(train_all, "record", lambda *row: records.append(json.dumps(row)))

    def told(*arguments: str) -> dict[str, Any]:
        monkeypatch.setattr(sys, "argv", ["train_all", str(tmp_path), *arguments])
        train_all.main()
        name, result = json.loads(records[-1])
        (tmp_path / "models").mkdir(exist_ok=True)
        (tmp_path / f"{name}.json").write_text(json.dumps(result))
        return dict(result["steps"])

    first = told("--data", "here", "--workers", "3")
    assert (tmp_path / "b").read_text() == "3 here"
    assert [row["same_bytes"] for row in first.values()] == [False, False]
    assert all(90 < row["peak_mb"] < 900 for row in first.values())
    second = told("--data", "here", "--workers", "3", "--steps", "b")  # a's row is the recorded one
    assert [row["same_bytes"] for row in second.values()] == [False, True]
    with pytest.raises(SystemExit) as error:
        told("--data", "fails")
    assert (error.value.code, len(records)) == (77, 3)
