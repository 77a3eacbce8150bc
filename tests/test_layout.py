"""Tests of the shape of the package: rooms, imports, docstrings, sizes, one library a file."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import crfclean
from crfclean.cli.main import commands, load_command

ROOT = Path(crfclean.__file__).parent.parent
PACKAGE = ROOT / "crfclean"
GUIDE = (ROOT / "docs" / "architecture.md").read_text("utf-8")

ROOMS = """
    _version types rules parallel io core lexicon page nn features modelfiles gold pagetype
    kinds segmentation expert decision taggers carried pipeline site metadata site_places
    structure writers citations view fetch corpus train forum evaluate tune audit serve annotate
    extras cli
""".split()
"""The rooms from the ground up: a room imports only those before it."""

HOMES = {
    "lxml": {"page.parse", "evaluate.peers", "forum.gold"},
    "pycrfsuite": {"train.crf", "forum.learn"},
    "bs4": {"page.guess"},
    "dateparser": {"forum.dates"},
    "prompt_toolkit": {"annotate.terminal"},
    "py3langid": {"metadata.language.identify"},
    "threadpoolctl": {"nn.blas"},
    "tqdm": {"cli.batch", "cli.options"},
    "fastapi": {"annotate.web", "serve.app"},
    "pydantic": {"serve.answers", "serve.schemas", "serve.view_answers"},
    "starlette": {"serve.app", "serve.guard", "serve.body_limits"},
    "anyio": {"serve.body_limits", "serve.service", "extras.mcp"},
    "uvicorn": {"serve.connections", "serve.server"},
    "h11": {"serve.connections"},
    "urllib3": {"fetch.fetch"},
    "fastwarc": {"corpus.warc"},
    "pyarrow": {"corpus.parquet", "extras.ray"},
    "rensa": {"corpus.minhash"},
    "zstandard": {"corpus.zstd"},
    "matplotlib": {"evaluate.plots"},
    "nh3": {"writers.sanitise"},
    "trafilatura": {"evaluate.peers"},
    "resiliparse": {"evaluate.peers"},
    "justext": {"evaluate.peers"},
    "readability": {"evaluate.peers"},
    "rapidfuzz": {
        *(
            "citations.matching",
            "gold.align",
            "forum.gold",
            "evaluate.metrics",
            "evaluate.worddiff",
        ),
    },
    "datatrove": {"extras.datatrove"},
    "dolma": {"extras.dolma"},
    "nemo_curator": {"extras.nemo"},
    "mcp": {"extras.mcp"},
    "langchain_core": {"extras.langchain"},
    "sklearn": {"extras.sklearn"},
    "scrapy": {"extras.scrapy"},
    "itemadapter": {"extras.scrapy"},
    "ray": {"extras.ray", "extras.ray_shards"},
    "regex": {
        "citations.page_words",
        "gold.align",
        "page.patterns",
        "features.headline",
    },
}
"""Foreign library -> the modules that may import it; numpy is everywhere, click in `cli`."""

MAX_LOOSE_FILES = 10
MAX_MODULE_LINES = 600
MAX_FUNCTION_LINES = 40


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text("utf-8")) for name, path in PATHS.items()}
MODULES = sorted(set(PATHS) - {"__init__", "__main__"})
every_module = pytest.mark.parametrize("name", TREES)


def imported(tree: ast.Module) -> Iterator[str]:
    """Full names of all modules that are imported, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            yield from (target(node.module or "", alias.name) for alias in node.names)


def target(module: str, name: str) -> str:
    """`from module import name` -> the module that it needs."""
    inner = f"{module}.{name}".removeprefix("crfclean.")
    return f"{module}.{name}" if inner in PATHS else module


def own_imports(name: str) -> set[str]:
    """The modules of crfclean that a module imports, without the way to them."""
    modules = imported(TREES[name])
    inner = {module.removeprefix("crfclean.") for module in modules if is_own(module)}
    return inner - {name}


def is_own(module: str) -> bool:
    return module == "crfclean" or module.startswith("crfclean.")


def room(name: str) -> str:
    return name.partition(".")[0]


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


# rooms


def test_every_module_stands_in_a_room() -> None:
    assert sorted(ROOMS) == sorted({room(name) for name in MODULES})


def test_few_files_are_loose() -> None:
    assert len([path for path in PACKAGE.iterdir() if path.is_file()]) <= MAX_LOOSE_FILES


@pytest.mark.parametrize("name", MODULES)
def test_a_room_imports_those_before_it(name: str) -> None:
    before = {"__init__", *ROOMS[: ROOMS.index(room(name)) + 1]}
    wrong = {module for module in own_imports(name) if room(module) not in before}
    assert not wrong, f"{name} imports from a room that stands after its own"


@pytest.mark.parametrize("name", ROOMS)
def test_no_cycle_inside_a_room(name: str) -> None:
    inside = [module for module in MODULES if room(module) == name]
    graph = {module: own_imports(module) & set(inside) for module in inside}
    assert list(TopologicalSorter(graph).static_order())


@every_module
def test_foreign_libraries_stay_at_home(name: str) -> None:
    roots = {module.partition(".")[0] for module in imported(TREES[name])}
    foreign = roots - set(sys.stdlib_module_names) - {"crfclean", "numpy"}
    if room(name) == "cli":
        foreign -= {"click"}
    assert foreign <= set(HOMES), "a library without a home"
    assert not {library for library in foreign if name not in HOMES[library]}


@pytest.mark.parametrize("library", HOMES)
def test_homes_are_lived_in(library: str) -> None:
    users = {
        name
        for name, tree in TREES.items()
        if any(module.partition(".")[0] == library for module in imported(tree))
    }
    assert users == HOMES[library]


# the guide


def test_the_guide_lists_the_rooms_in_their_order() -> None:
    listed = re.findall(r"^\| `(\w+)(?:/|\.py)` \|", GUIDE, re.MULTILINE)
    assert listed == ROOMS


WHERE = re.findall(r"^\| .* \| `([\w/.]+)`: `([\w.]+)` \|$", GUIDE, re.MULTILINE)


@pytest.mark.parametrize(("path", "name"), WHERE)
def test_what_the_guide_points_at_is_there(path: str, name: str) -> None:
    text = (ROOT / path).read_text("utf-8")
    if path.endswith(".c"):
        assert re.search(rf"^\w.*\b{name}\(", text, re.MULTILINE)
        return
    tree = ast.parse(text)
    for part in name.split("."):
        tree = definition(tree.body, part)


def definition(body: list[ast.stmt], name: str) -> ast.AST:
    """The statement of a body that defines a name."""
    for node in body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
        names = {getattr(node, "name", ""), *(getattr(target, "id", "") for target in targets)}
        if name in names:
            return node
    raise AssertionError(f"no {name} there")


def test_the_guide_points_at_much() -> None:
    assert len(WHERE) >= 20


# texts


@every_module
def test_modules_say_what_they_are_for(name: str) -> None:
    first = (ast.get_docstring(TREES[name]) or "").partition("\n\n")[0]
    assert first.endswith("."), "a sentence"
    assert "->" not in first


def public(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Public functions and classes, and the public methods of these classes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            inner = node.body if isinstance(node, ast.ClassDef) else []
            yield from (
                method
                for method in inner
                if isinstance(method, ast.FunctionDef) and not method.name.startswith("_")
            )


@every_module
def test_what_is_public_has_a_docstring(name: str) -> None:
    assert not [node.name for node in public(TREES[name]) if not ast.get_docstring(node)]


# sizes


@every_module
def test_modules_are_short(name: str) -> None:
    assert len(PATHS[name].read_text("utf-8").splitlines()) <= MAX_MODULE_LINES


@every_module
def test_functions_are_short(name: str) -> None:
    sizes = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions(TREES[name])}
    assert not {size for size in sizes.items() if size[1] > MAX_FUNCTION_LINES}


def test_there_is_something_to_check() -> None:
    assert len(TREES) >= 20
    assert sum(len(list(functions(tree))) for tree in TREES.values()) > 200


# statements


@every_module
def test_no_assert_and_no_bare_except(name: str) -> None:
    for node in ast.walk(TREES[name]):
        assert not isinstance(node, ast.Assert), f"line {node.lineno}"
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, f"line {node.lineno}"
            assert ast.unparse(node.type) not in {"Exception", "BaseException"}


@every_module
def test_nothing_is_pickled_evaluated_or_run(name: str) -> None:
    modules = {module.partition(".")[0] for module in imported(TREES[name])}
    network = set() if name == "fetch.fetch" else {"socket", "urllib3"}
    assert not modules & {"pickle", "marshal", "shelve", "joblib", "subprocess", *network}
    calls = {
        node.func.id
        for node in ast.walk(TREES[name])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & {"eval", "exec", "compile", "__import__"}


@every_module
def test_only_the_command_line_prints(name: str) -> None:
    calls = [
        node
        for node in ast.walk(TREES[name])
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"print", "click.echo"}
    ]
    assert room(name) == "cli" or not calls


# the public surface


def test_public_names() -> None:
    assert len([name for name in crfclean.__all__ if not name.startswith("_")]) <= 12
    assert list(crfclean.__all__) == sorted(crfclean.__all__)
    assert all(hasattr(crfclean, name) for name in crfclean.__all__)
    assert {"extract", "clean", "run_many", "load", "CrfcleanError"} <= set(crfclean.__all__)


@pytest.mark.parametrize("name", commands.commands)
def test_commands_are_explained(name: str) -> None:
    callback = load_command(name).callback
    assert callback is not None
    assert callback.__doc__
    assert re.search(rf"\bcrfclean {name}\b", (ROOT / "README.md").read_text("utf-8"))


# tests


def test_every_room_has_its_tests() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    loose = {path.stem.removeprefix("test_") for path in (ROOT / "tests").glob("test_*.py")}
    assert set(ROOMS) - {"_version"} <= folders | loose


@pytest.mark.parametrize("path", sorted((ROOT / "tests").glob("*/**/test_*.py")))
def test_tests_stand_in_the_room_of_what_they_test(path: Path) -> None:
    folder = path.parent.relative_to(ROOT / "tests")
    assert (PACKAGE / folder).is_dir()


def test_tests_are_as_long_as_the_code() -> None:
    def lines(folder: Path) -> int:
        return sum(len(path.read_text("utf-8").splitlines()) for path in folder.rglob("*.py"))

    assert lines(ROOT / "tests") >= lines(PACKAGE)
