"""Tests of eval/: its modules import, wings keep apart, results are small, figures are right."""

from __future__ import annotations

import ast
import json
import lzma
import re
import subprocess
import sys
from pathlib import Path

import pytest

from eval.lib import house
from eval.lib.corpora import SKIPPED
from eval.lib.record import LOG, RESULTS, as_json, logged, record

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


@pytest.fixture(scope="module")
def outcomes() -> dict[str, str]:
    """What became of importing each module, all in one process: some change what they import."""
    names = sorted(map(name_of, PATHS), key=lambda name: name == "eval.segments.features")
    command = [sys.executable, "-c", IMPORT_ALL, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("name", [name_of(path) for path in PATHS])
def test_every_module_imports(outcomes: dict[str, str], name: str) -> None:
    outcome = outcomes[name]
    if outcome == "skipped" or (outcome.startswith("needs") and "crfclean" not in outcome):
        assert "eval" not in outcome
        pytest.skip(f"an extra is missing: {outcome}")
    assert outcome == "ok"


@pytest.mark.parametrize("name", ["eval.cost.speed", "eval.accuracy.paper_table", "eval.lib.house"])
def test_scripts_start_as_modules(name: str) -> None:
    command = [sys.executable, "-m", name, "--help"]
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


@pytest.mark.parametrize("path", PATHS, ids=name_of)
def test_a_wing_imports_lib_models_and_itself(path: Path) -> None:
    wing = path.relative_to(EVAL).parts[0]
    allowed = {"lib": {"lib"}, "models": {"lib", "models"}}
    assert imported(path) <= allowed.get(wing, {"lib", "models", wing})


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


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_named_scripts_and_results_exist(path: Path) -> None:
    text = path.read_text("utf-8")
    scripts = {name_of(script) for script in SCRIPTS}
    assert set(re.findall(r"python -m (eval\.[\w.]*\w)", text)) <= scripts
    assert all((ROOT / name).is_file() for name in re.findall(r"\beval/[\w/]+\.py\b", text))
    results = re.findall(r"\bresults/([\w/*-]+\.(?:jsonl\.xz|json|png))", text)
    named = [name for name in results if "NAME" not in name]
    assert [name for name in named if not any(RESULTS.glob(name))] == []


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


def test_trials_of_kills_are_summed() -> None:
    kills = pytest.importorskip("eval.cost.kills")
    right = {"output": "jsonl", "kills": ["step", "group"], "code": 0, "lost": 0, "repeated": 0}
    right |= {"bytes_equal": True, "left_over": []}
    wrong = {**right, "output": "packed", "kills": ["step"], "lost": 2, "bytes_equal": False}
    summary = kills.summary([right, wrong, {**right, "code": 1}, {**right, "left_over": ["x"]}])
    assert (summary["trials"], summary["kills"], summary["lost"]) == (4, 7, 2)
    assert summary["kills_by_output"]["jsonl"] == {"parent": 0, "group": 3, "worker": 0, "step": 3}
    assert (summary["bytes_differ"], summary["left_over"], len(summary["bad"])) == (1, 1, 3)


# figures of the code's order


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small package: rooms `a`, `b`, `types`; a cycle of `a` and `b`, one inside of `a`."""
    files = {
        "crfclean/__init__.py": "",
        "crfclean/types.py": "LIMIT = 1\nclass Page: ...\n",
        "crfclean/a/__init__.py": "from .x import first\n",
        "crfclean/a/x.py": "from crfclean.types import Page\nfrom ..b import second\n"
        "def first(one):\n    return [found for found in one]\n",
        "crfclean/a/y.py": "import crfclean.a.z\nLIMIT: int = 2\n",
        "crfclean/a/z.py": "def _hidden():\n    from crfclean.a import y\n    return y\n",
        "crfclean/b.py": "def second(pages):\n    from crfclean.a.x import first\n"
        "    return first(pages)\n" + "# a comment\n" * 300,
        "eval/results/x.json": "{}",
        "tests/test_x.py": "\n\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def test_figures_of_a_checkout(checkout: Path) -> None:
    figures = house.house(checkout)
    assert (
        figures
        | {
            "rooms": 4,
            "files at the top level": 3,
            "arrows between rooms": 3,
            "cycles between rooms": 1,
            "rooms in cycles": 2,
            "cycles between modules": 2,
            "modules in cycles": 4,
            "modules over 300 lines": 1,
            "public names in several modules": 1,
            "functions": 3,
            "lines of a function, most": 3,
            "share of functions with a vague local, crfclean": 0.3333,
            "lines in tests": 2,
            "bytes of eval/results": 2,
        }
        == figures
    )


def test_details_name_cycles_and_repeated_names(checkout: Path) -> None:
    assert list(house.details(checkout)) == [
        "cycle of rooms: a b",
        "cycle of modules: crfclean.a.x crfclean.b",
        "cycle of modules: crfclean.a.y crfclean.a.z",
        "LIMIT: crfclean.a.y crfclean.types",
    ]


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({}, []),
        ({"a": {"b"}, "b": set()}, []),
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}, [["a", "b", "c"]]),
        ({"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"c"}}, [["c", "d"], ["a", "b"]]),
        ({str(n): {str(n + 1)} for n in range(2_000)} | {"2000": {"0"}}, None),
    ],
)
def test_cycles(graph: dict[str, set[str]], expected: list[list[str]] | None) -> None:
    components = house.cycles(graph)
    if expected is None:
        assert [len(component) for component in components] == [2_001]
    else:
        assert components == expected


def test_this_checkout_can_be_measured() -> None:
    command = [sys.executable, "-m", "eval.lib.house", ".", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    figures = json.loads(done.stdout)
    assert figures["modules"] > 100
    assert figures["share of functions with a vague local, eval"] < 0.02
    assert figures["bytes of eval/results"] < MAX_RESULTS


def test_skipped_is_the_code_that_the_import_test_knows() -> None:
    assert str(SKIPPED) in IMPORT_ALL
