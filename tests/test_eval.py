"""Tests of eval/: its modules import, wings keep apart, results are small, figures are right."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

from crfclean.page.blocks import split
from crfclean.products.forum.model import load_forum_model, save_forum_model
from crfclean.products.forum.outline import outline
from crfclean.products.forum.posts import posts as forum_posts
from eval.forums.training import ForumParams, GoldPost, forum_example, learn, read_posts
from eval.lib.record import RESULTS
from eval.models.train_all import STEPS

ROOT = Path(__file__).parent.parent
EVAL = ROOT / "eval"
PATHS = sorted(path for path in EVAL.rglob("*.py") if path.name != "__init__.py")
SCRIPTS = [path for path in PATHS if "def main()" in path.read_text("utf-8")]


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


def test_everything_that_ships_is_the_output_of_a_step() -> None:
    shipped = {
        path.parent if path.is_relative_to(ROOT / "models") else path
        for name in ("weights", "weights.json", "ends.json", "manifest.json")
        for folder in ("models", "crfclean")
        for path in (ROOT / folder).rglob(name)
    }
    outputs = {step.output for step in STEPS.values()} - {""}
    assert outputs == {path.relative_to(ROOT).as_posix() for path in shipped}


# forums


def test_gold_of_posts_is_read_by_field(tmp_path: Path) -> None:
    post = {"text": "Hello", "author_name": "Ann", "author": "/u/ann", "date": "2024-05-06"}
    row = {"html": "<p>Hello", "url": "https://bees.example/t/1", "posts": [post, {"author": "Bo"}]}
    file = tmp_path / "threads.jsonl"
    file.write_text(json.dumps(row), "utf-8")
    (page,) = read_posts(file)
    assert page.posts == (GoldPost("Hello", "Ann", "2024-05-06"), GoldPost("", "Bo", ""))
    assert page.site == "bees.example"


def test_a_model_learns_from_annotated_pages(root: Path, tmp_path: Path) -> None:
    pages = [page for page in read_posts(root / "data" / "forum") if page.site < "cordages"]
    made = (forum_example(page.site, outline(split(page.page)), page.posts) for page in pages)
    lessons = [example for example in made if example is not None]
    model = learn(lessons, ForumParams(threshold=1, iterations=20, inner=2))
    save_forum_model(model, tmp_path / "model")
    loaded = load_forum_model(tmp_path / "model")
    assert loaded.fingerprint == model.fingerprint
    threads = forum_posts([page.page for page in pages], loaded)
    assert [len(thread.posts) for thread in threads] == [len(page.posts) for page in pages]
