"""The shape of the package: order of imports, docstrings, sizes, one library a file."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import ROOT

import crfclean
from crfclean.cli.main import commands, load_command

PACKAGE = ROOT / "crfclean"

ORDER = """
    _version plurals types choices parts metadata.values extras.zst streams readlimits decode
    sandbox pagelimits elements walk blocks chars measures
    features.lexicon features.patterns features.metadata features.tree features.victor
    features.containers features.repetition features.marks features.headline features.textual
    features.texttractor
    features.context features.whole features.kinds features
    nn nn.blas nn.layers nn.scaling nn.mlp nn.files nn.design nn.optimisers nn.params nn.fit
    firstpass evidence encode bundle cut workers
    plainmodel
    trees energy linkrules coherent maintext production
    expert.elements expert.commentwords expert.headings expert.texttables expert.article
    expert.roles expert addresses
    metadata.candidates metadata.dates metadata.names metadata.titles metadata.meta metadata.linked
    metadata.survey metadata.marked metadata.visible metadata.ranking metadata.gather
    metadata.declared metadata.langtags metadata.langclaims metadata.scripts
    metadata.functionwords metadata.identify metadata.language
    metadata.pagefigures metadata.pagemodel metadata.pagetype metadata.read
    metadata.output metadata.lines metadata
    supervise postanalysis taggers.weights taggers.chain taggers.capabilities
    taggers.learned taggers.crf taggers.post taggers.mlp taggers.segments taggers.expert
    taggers comments
    content.marked content.line content.notes content.kinds content.code
    content.facts content.frames content.builder content
    pipeline cleaner showing mdinline mdtables mdwriter txtwriter htmlwriter
    places typed jsonwriter tei.text tei.header tei.pieces tei.lines tei.blocks tei.document tei
    teiwriter writers treepicture segmentwriters metadatawriters inspection
    align gold metadata.pagelearn labelfiles annotate desk marks safepage agreement examples stack
    records extras.warc extras.parquet shards files sites cleaning batch
    forum.clues forum.outline forum.records forum.fields forum.bodies forum.model
    forum.choose forum.opener forum.pick forum.dates forum.places forum.words forum.pairing
    forum.structured forum.posts forum forum.tagger forum.output
    forum.papers forum.papers.template forum.papers.steps
    forum.gold
    train train_mlp forum.learn scores blockscores evaluate compare evaluation crossval
    extras.datatrove extras.langchain extras.scrapy extras.sklearn extras.ray extras.ray_shards
    calibration extras.sanitise extras.systems extras.plots extras worddiff
    tables style report serving exit_codes options cli_annotate cli_train cli_eval cli_clean
    cli_explain cli_forum cli_forum_train cli_segment cli_metadata cli_serve cli
    extras.addresses extras.fetch extras.terminal extras.guard extras.webserver
    extras.annotate_views extras.annotate_web
    extras.limits extras.api_schemas extras.page_service extras.clean_web
""".split()
"""The modules from top to bottom: each imports only those before it."""

OUTSIDE_THE_ORDER = {"__init__", "__main__"}
HOMES = {
    "lxml": {"blocks", "extras.systems", "forum.gold"},
    "pycrfsuite": {"train", "forum.learn"},
    "bs4": {"decode"},
    "click": {
        *("cli", "cli_annotate", "cli_clean", "cli_eval", "cli_forum", "cli_segment"),
        *("cli_explain", "cli_forum_train", "cli_metadata", "cli_serve", "cli_train", "options"),
    },
    "dateparser": {"forum.dates"},
    "prompt_toolkit": {"extras.terminal"},
    "py3langid": {"metadata.identify"},
    "threadpoolctl": {"nn.blas"},
    "tqdm": {"cli_clean", "options"},
    "fastapi": {"extras.annotate_web", "extras.clean_web"},
    "pydantic": {"extras.api_schemas"},
    "starlette": {"extras.clean_web", "extras.guard", "extras.limits"},
    "anyio": {"extras.limits", "extras.page_service"},
    "uvicorn": {"extras.webserver"},
    "urllib3": {"extras.fetch"},
    "fastwarc": {"extras.warc"},
    "pyarrow": {"extras.parquet", "extras.ray"},
    "zstandard": {"extras.zst"},
    "matplotlib": {"extras.plots"},
    "nh3": {"extras.sanitise"},
    "trafilatura": {"extras.systems"},
    "resiliparse": {"extras.systems"},
    "justext": {"extras.systems"},
    "readability": {"extras.systems"},
    "rapidfuzz": {"align", "forum.pairing", "scores", "worddiff"},
    "datatrove": {"extras.datatrove"},
    "langchain_core": {"extras.langchain"},
    "sklearn": {"extras.sklearn"},
    "scrapy": {"extras.scrapy"},
    "itemadapter": {"extras.scrapy"},
    "ray": {"extras.ray", "extras.ray_shards"},
    "regex": {"align", "features.patterns", "features.headline", "features.textual"},
}
"""Foreign library -> the modules that may import it; numpy is everywhere."""

MAX_MODULE_LINES = 350
MAX_FUNCTION_LINES = 40


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text("utf-8")) for name, path in PATHS.items()}
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


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


# the order of imports


def test_every_module_has_its_place() -> None:
    assert sorted(ORDER) == sorted(set(PATHS) - OUTSIDE_THE_ORDER)


@pytest.mark.parametrize("name", ORDER)
def test_imports_go_upwards(name: str) -> None:
    own = {
        other.removeprefix("crfclean.")
        for other in imported(TREES[name])
        if other == "crfclean" or other.startswith("crfclean.")
    }
    below = {other for other in own if other not in ORDER[: ORDER.index(name)]}
    assert not below, f"{name} imports what stands below it"


@every_module
def test_foreign_libraries_stay_at_home(name: str) -> None:
    roots = {other.partition(".")[0] for other in imported(TREES[name])}
    foreign = roots - set(sys.stdlib_module_names) - {"crfclean", "numpy"}
    assert foreign <= set(HOMES), "a library without a home"
    assert not {root for root in foreign if name not in HOMES[root]}


@pytest.mark.parametrize("library", HOMES)
def test_homes_are_lived_in(library: str) -> None:
    users = {
        name
        for name, tree in TREES.items()
        if any(other.partition(".")[0] == library for other in imported(tree))
    }
    assert users == HOMES[library]


# texts


@every_module
def test_docstring_says_what_becomes_what(name: str) -> None:
    text = ast.get_docstring(TREES[name]) or ""
    assert "->" in text
    assert "->" in text.partition("\n\n")[0], "in the first paragraph"


def public(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Public functions and classes, and the public methods of these classes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            inner = node.body if isinstance(node, ast.ClassDef) else []
            yield from (
                one
                for one in inner
                if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")
            )


@every_module
def test_what_is_public_has_a_docstring(name: str) -> None:
    assert not [node.name for node in public(TREES[name]) if not ast.get_docstring(node)]


# sizes


@every_module
def test_modules_are_short(name: str) -> None:
    assert len(PATHS[name].read_text("utf-8").splitlines()) < MAX_MODULE_LINES


@every_module
def test_functions_are_short(name: str) -> None:
    sizes = {one.name: (one.end_lineno or 0) - one.lineno + 1 for one in functions(TREES[name])}
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
    modules = {other.partition(".")[0] for other in imported(TREES[name])}
    network = set() if name == "extras.fetch" else {"socket", "urllib3"}
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
    assert name.startswith("cli") or not calls


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


def test_file(name: str) -> Path:
    """`x.y` -> test_x.py; extras, that have little in common, -> test_y.py where there is one."""
    own = ROOT / "tests" / f"test_{name.rpartition('.')[2]}.py"
    is_own = name.startswith("extras.") and own.is_file()
    return own if is_own else ROOT / "tests" / f"test_{name.partition('.')[0]}.py"


test_file.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", sorted(set(ORDER) - {"_version", "elements", "walk", "chars"}))
def test_every_module_has_its_tests(name: str) -> None:
    assert test_file(name).is_file()


def test_tests_are_as_long_as_the_code() -> None:
    def lines(folder: Path) -> int:
        return sum(len(path.read_text("utf-8").splitlines()) for path in folder.rglob("*.py"))

    assert lines(ROOT / "tests") >= lines(PACKAGE)
